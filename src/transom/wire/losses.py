"""What a message from elsewhere carries beside its parts that no other format has a field for.

Knows messages and the report. Such fields may stand in every message of a long conversation: each is said once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ..messages import Call, Message, Part, Text
from .report import Report

__all__ = ["note_fields", "note_unknown"]

_CARRIED = frozenset({"cache_control", "type", "id", "status"})
"""Said in other ways (a cache breakpoint), or without meaning outside the source."""


def note_fields(message: Message, report: Report, *, signatures: bool = False) -> None:
    """Report the fields that a rendering of the message in another format leaves out.

    Args:
        message: read from another format, or made by hand.
        report: takes the notes.
        signatures: the target has a place for the signature of a call.
    """
    if message.name and message.role != "tool":
        report.add("dropped", "messages", "the name of the speaker")
    source = message.origin.format if message.origin is not None else "the source"
    if message.extra:
        note_unknown(message.extra, source, report)
    for part in message.parts:
        extra: Mapping[str, object] | None = getattr(part, "extra", None)
        if extra:
            note_unknown(extra, source, report)
        _note_part(part, report, signatures)


def _note_part(part: Part, report: Report, signatures: bool) -> None:
    if isinstance(part, Call) and part.signature and not signatures:
        report.add("dropped", "messages", "thought signatures, which only their own provider can read")
    elif isinstance(part, Text) and part.refusal:
        report.add("degraded", "messages", "a refusal became plain text")


def note_unknown(extra: Mapping[str, object], source: str, report: Report, carried: Collection[str] = _CARRIED) -> None:
    """Report fields that only the source knows, but for empty ones.

    Args:
        extra: the fields.
        source: its name.
        report: takes the notes.
        carried: names of fields that are said in other ways.
    """
    for key, value in extra.items():
        if key not in carried and value not in (None, "", False, [], {}):
            report.add("dropped", "messages", f"the field {key!r}, which only {source} knows")
