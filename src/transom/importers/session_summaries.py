"""Session summaries as AI Toolbox kept them, in any of the ways it had: an object, JSON as text, or gzip in base64.

Pure. Knows the form of one summary, not where it lies.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping

from ..engine.memory.origin import Origin
from ..engine.memory.summaries import Session
from ..errors import IntegrityError
from ..store.blobs import blob_text
from ..store.packing import unpack
from .findings import Finding, Found, Left
from .values import digest, moment, name_of, object_of, text_of

__all__ = ["is_packed_text", "session_of"]

_PACKED = re.compile(r"H4sI[A-Za-z0-9+/\s]+={0,2}\s*")
"""Base64 of what gzip begins with."""

_TOLD = ("task_description", "accomplishments", "context_for_next_session")
_KNOWN = frozenset({*_TOLD, "pending_tasks", "decisions_made", "timestamp", "date", "tags"})
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")


def is_packed_text(value: object) -> bool:
    """Whether a value is a compressed summary."""
    return isinstance(value, str) and _PACKED.fullmatch(value) is not None


def session_of(name: str, value: object, written: float, origin: Origin) -> Finding:
    """A summary as a session, or why it is none.

    Args:
        name: what it was filed under.
        value: what was filed.
        written: when, unix time in seconds; what the summary says of it goes first.
        origin: where it was.
    """
    try:
        body = _body(value)
    except (IntegrityError, binascii.Error, ValueError) as error:
        message = error.message if isinstance(error, IntegrityError) else str(error)
        return Left(origin, f"a compressed summary that cannot be read: {message}")
    if body is None:
        return Left(origin, "a summary that says nothing", fault=False)
    saved = moment(body.get("timestamp")) or written
    parts = [text_of(body.get(key)).strip() for key in _TOLD]
    parts += [text_of(value).strip() for key, value in body.items() if key not in _KNOWN and isinstance(value, str)]
    decisions, steps = tuple(_lines(body.get("decisions_made"))), tuple(_lines(body.get("pending_tasks")))
    summary = "\n\n".join(part for part in parts if part) or "\n".join((*decisions, *steps))
    if not summary:
        return Left(origin, "a summary that says nothing", fault=False)
    session = Session(
        id=_identifier(name, saved, summary),
        project="",
        uri="",
        title="",
        summary=summary,
        decisions=decisions,
        next_steps=steps,
        created=saved,
        saved=saved,
        origin=origin,
    )
    return Found(session, origin)


def _body(value: object) -> Mapping[str, object] | None:
    if isinstance(value, Mapping):
        return value
    if not isinstance(value, str) or not value.strip():
        return None
    text = value
    if is_packed_text(value):
        text = blob_text(unpack(base64.b64decode("".join(value.split()), validate=True)))
    found = object_of(text) if text.lstrip().startswith("{") else None
    return found if found is not None else {"task_description": text}


def _identifier(name: str, saved: float, summary: str) -> str:
    """One that is the same whenever this summary is met, also where its name is used for one summary after the other."""
    if name and name != "session_summary_latest":
        return name_of(name, "session_")
    return f"session_summary_{int(saved * 1000)}" if saved else f"session_summary_{digest(summary)}"


def _lines(value: object) -> Iterator[str]:
    listed = value if isinstance(value, list) else text_of(value).splitlines()
    for line in listed:
        plain = _BULLET.sub("", text_of(line)).strip()
        if plain:
            yield " ".join(plain.split("\n"))
