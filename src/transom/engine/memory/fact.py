"""A fact: one key, one value, and what is known of it; and how the store holds it.

Pure. The value is the entry's bytes, so that its address gives it back byte for byte; everything else is the entry's meta.
Global facts lie at ``memory/<key>``, those of a project at ``memory/projects/<project>/<key>``.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import InputError, MemoryRefusedError
from ...store.backend import StoredEntry
from ...store.uri import check_path, format_uri
from ...vocabulary.placing import Confidence
from .origin import Origin, origin_meta, origin_of
from .stored import NAMESPACE, check_text, confidence_of, number_of, text_of

__all__ = [
    "RESERVED",
    "Fact",
    "check_importance",
    "check_key",
    "check_value",
    "decode_fact",
    "encode_meta",
    "fact_path",
    "project_folder",
]

RESERVED = ("entries", "projects")
"""What no key begins with: under ``entries/`` lie the entries, under ``projects/`` the facts of projects."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One thing that is remembered.

    Attributes:
        key: its name, like a path: ``style/quotes``.
        value: the text.
        description: what it is about, in a few words.
        importance: 0 to 1; the most important facts stand first in the block, and are the last to be left out.
        created, updated: unix time in seconds: first and last written.
        updates: how often it was written again.
        expires_at: unix time at which it stops being valid; ``None`` for never.
        expires_turn: the turn at which it stops being valid in the session that set it; ``None`` for never.
        session: that session, where ``expires_turn`` is set.
        project: whose fact it is; empty for everybody's.
        confidence: how sure it is.
        origin: where it was brought from; ``None`` for what was written here.
    """

    key: str
    value: str
    description: str = ""
    importance: float = 0.5
    created: float = 0.0
    updated: float = 0.0
    updates: int = 0
    expires_at: float | None = None
    expires_turn: int | None = None
    session: str = ""
    project: str = ""
    confidence: Confidence = "extracted"
    origin: Origin | None = None

    @property
    def path(self) -> str:
        """Where it lies in the namespace ``memory``."""
        return fact_path(self.key, self.project)

    @property
    def uri(self) -> str:
        """The address that gives the value back."""
        return format_uri(NAMESPACE, self.path)

    @property
    def searchable(self) -> str:
        """What full-text search sees of it."""
        return "\n".join(part for part in (self.key, self.description, self.value) if part)

    def expired(self, now: float, turn: int, session: str) -> bool:
        """Whether it is no longer valid: by the clock, or by the turns of the session that set it."""
        if self.expires_at is not None and now >= self.expires_at:
            return True
        return self.expires_turn is not None and session == self.session and turn >= self.expires_turn


def check_key(key: str) -> str:
    """The key itself.

    Raises:
        URIError: no valid path (empty, ``..``, a control character, …).
        MemoryRefusedError: it begins with ``entries/`` or ``projects/``.
    """
    check_path(key)
    if key.partition("/")[0] in RESERVED:
        raise MemoryRefusedError(
            f"no fact can be called {key!r}", hint="entries/ and projects/ are taken: begin the key with another word"
        )
    return key


def check_value(value: str) -> str:
    """The value itself.

    Raises:
        InputError: no text, or too long.
    """
    check_text(value, "a fact")
    return value


def check_importance(importance: float) -> float:
    """The importance itself.

    Raises:
        InputError: not between 0 and 1.
    """
    if not 0 <= importance <= 1:
        raise InputError(f"an importance of {importance!r}", hint="a number from 0 to 1")
    return float(importance)


def project_folder(project: str) -> str:
    """What the paths of a project's facts begin with; empty for global facts.

    Raises:
        URIError: a project's id that is no single name.
    """
    if not project:
        return ""
    if "/" in project:
        raise InputError(f"a project called {project!r}", hint="an id without /")
    return check_path(f"projects/{project}") + "/"


def fact_path(key: str, project: str) -> str:
    """Where a fact lies in the namespace ``memory``."""
    return f"{project_folder(project)}{key}"


def encode_meta(fact: Fact) -> dict[str, object]:
    """What is kept beside the value."""
    meta: dict[str, object] = {
        "kind": "fact",
        "description": fact.description,
        "importance": fact.importance,
        "created": fact.created,
        "updated": fact.updated,
        "updates": fact.updates,
        **origin_meta(fact.origin),
    }
    if fact.confidence != "extracted":
        meta["confidence"] = fact.confidence
    if fact.expires_at is not None:
        meta["expires_at"] = fact.expires_at
    if fact.expires_turn is not None:
        meta["expires_turn"] = fact.expires_turn
        meta["session"] = fact.session
    return meta


def decode_fact(key: str, project: str, entry: StoredEntry) -> Fact:
    """A fact as the store holds it. What somebody stored by hand, without meta, is a fact as well; bytes that are no text are
    shown as well as they can be.
    """
    meta = entry.meta
    importance = number_of(meta, "importance")
    turn = number_of(meta, "expires_turn")
    return Fact(
        key=key,
        value=text_of(entry.data),
        description=str(meta.get("description", "")),
        importance=min(1.0, max(0.0, importance)) if importance is not None else 0.5,
        created=number_of(meta, "created") or 0.0,
        updated=number_of(meta, "updated") or 0.0,
        updates=int(number_of(meta, "updates") or 0),
        expires_at=number_of(meta, "expires_at"),
        expires_turn=int(turn) if turn is not None else None,
        session=str(meta.get("session", "")),
        project=project,
        confidence=confidence_of(meta),
        origin=origin_of(meta),
    )
