"""An entry: something worth keeping, with a title, a type and tags, filed under an opaque id; and how the store holds it.

Pure. The text is the stored entry's bytes, everything else its meta. The scope is part of the path, so that what belongs to one
project or session is never even read for another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...errors import InputError, URIError
from ...store.backend import StoredEntry
from ...store.uri import check_path, format_uri
from ...vocabulary.placing import CONFIDENCES, Confidence
from .kinds import ENTRY_TYPES, EntryType, Scope
from .origin import Origin, origin_meta, origin_of
from .stored import NAMESPACE, check_confidence, confidence_of, number_of, text_of

__all__ = [
    "CONFIDENCES",
    "ENTRY_TYPES",
    "Confidence",
    "Entry",
    "EntryType",
    "Scope",
    "check_entry",
    "check_tags",
    "decode_entry",
    "encode_entry_meta",
    "entry_folder",
    "is_id",
    "title_of",
    "type_of",
]

_TYPES: Mapping[object, EntryType] = {name: name for name in ENTRY_TYPES}

_TITLE_CHARACTERS = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One thing that was remembered.

    Attributes:
        id: opaque; what ``forget`` takes.
        content: the text.
        title: one line; the beginning of the text where none was given.
        type: what it is about.
        tags: words to sort by.
        scope: who recalls it.
        owner: the project or session whose it is; empty for global ones.
        confidence: how sure it is.
        created: unix time in seconds.
        expires_at: unix time at which it is forgotten; ``None`` for never.
        origin: where it was brought from; ``None`` for what was written here.
        uses: how often it was recalled or read, as far as the store knows; filled in where entries are listed or recalled.
    """

    id: str
    content: str
    title: str
    type: EntryType = "summary"
    tags: tuple[str, ...] = ()
    scope: Scope = "global"
    owner: str = ""
    confidence: Confidence = "extracted"
    created: float = 0.0
    expires_at: float | None = None
    origin: Origin | None = None
    uses: int = 0

    @property
    def path(self) -> str:
        """Where it lies in the namespace ``memory``."""
        return f"{entry_folder(self.scope, self.owner)}{self.id}"

    @property
    def uri(self) -> str:
        """The address that gives the text back."""
        return format_uri(NAMESPACE, self.path)

    @property
    def searchable(self) -> str:
        """What full-text search sees of it."""
        title = () if self.content.startswith(self.title) else (self.title,)
        return "\n".join([*title, self.content, *self.tags])

    def expired(self, now: float) -> bool:
        """Whether its time is over."""
        return self.expires_at is not None and now >= self.expires_at


def entry_folder(scope: Scope, owner: str) -> str:
    """What the paths of a scope's entries begin with.

    Raises:
        InputError: the scope needs an owner, or its id is no single name.
    """
    if scope == "global":
        return "entries/global/"
    if not owner:
        raise InputError(f"no {scope} is open", hint="remember it with scope global")
    if "/" in owner:
        raise InputError(f"a {scope} called {owner!r}", hint="an id without /")
    return check_path(f"entries/{scope}/{owner}") + "/"


def is_id(text: str) -> bool:
    """Whether an entry can have this id."""
    try:
        return "/" not in check_path(text)
    except URIError:
        return False


def title_of(content: str) -> str:
    """The title of an entry that was given none."""
    return content[:_TITLE_CHARACTERS]


def check_entry(entry: Entry) -> Entry:
    """The entry itself.

    Raises:
        InputError: it says nothing, or has a type, confidence or tags that there are not.
    """
    if not entry.content.strip():
        raise InputError("nothing to remember", hint="give the fact as text")
    if entry.type not in ENTRY_TYPES:
        raise InputError(f"an entry of type {entry.type!r}", hint=f"one of {', '.join(ENTRY_TYPES)}")
    check_confidence(entry.confidence)
    return entry


def check_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Tags without blanks around them and without repeats.

    Raises:
        InputError: one text instead of a list, or something that is no text.
    """
    if isinstance(tags, str):
        raise InputError("tags is one text", hint=f"give a list: {[tag.strip() for tag in tags.split(',')]!r}")
    if not all(isinstance(tag, str) for tag in tags):
        raise InputError("a tag that is no text", hint="give a list of words")
    return tuple(dict.fromkeys(" ".join(tag.split()) for tag in tags if tag.strip()))


def encode_entry_meta(entry: Entry) -> dict[str, object]:
    """What is kept beside the text."""
    meta: dict[str, object] = {
        "kind": "entry",
        "title": entry.title,
        "type": entry.type,
        "tags": list(entry.tags),
        "confidence": entry.confidence,
        "created": entry.created,
        **origin_meta(entry.origin),
    }
    if entry.expires_at is not None:
        meta["expires_at"] = entry.expires_at
    return meta


def type_of(meta: Mapping[str, object]) -> EntryType:
    """The type that the meta names; ``summary`` where it names none that there is."""
    return _TYPES.get(meta.get("type"), "summary")


def decode_entry(id: str, scope: Scope, owner: str, stored: StoredEntry, uses: int = 0) -> Entry:  # noqa: A002  # its name
    """An entry as the store holds it; what was stored by hand, without meta, is one as well."""
    meta = stored.meta
    content, tags = text_of(stored.data), meta.get("tags")
    return Entry(
        id=id,
        content=content,
        title=str(meta.get("title") or title_of(content)),
        type=type_of(meta),
        tags=tuple(str(tag) for tag in tags) if isinstance(tags, list) else (),
        scope=scope,
        owner=owner,
        confidence=confidence_of(meta),
        created=number_of(meta, "created") or 0.0,
        expires_at=number_of(meta, "expires_at"),
        origin=origin_of(meta),
        uses=uses,
    )
