"""Whether anything was lost: everything a history says is in the payload, or readable through addresses that the payload names.

Knows messages and the store's public face; no provider and nothing of the engine. It reads like a model would: every
``context://`` address in the payload's texts is read, archives are expanded, and addresses in what was read are followed in
turn. A text counts as found when it stands somewhere exactly, a call when its name and its arguments do, as JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ..errors import JSONError, NotFoundError
from ..jsontext import canonical, loads
from ..messages import Attachment, Call, Message, Part, Result, Text
from ..store.store import Store
from ..store.uri import format_uri, mentions

__all__ = ["Lost", "Reachable", "lost", "reach"]


@dataclass(frozen=True, slots=True)
class Lost:
    """Something that neither the payload nor anything it names still says.

    Attributes:
        message: index into the history.
        kind: ``text``, ``result``, ``arguments`` or ``file``.
        text: what is gone.
    """

    message: int
    kind: str
    text: str


@dataclass(slots=True)
class Reachable:
    """What a reader of one payload can get at.

    Attributes:
        strings: every string of the payload and of what its addresses lead to.
        values: every object among them, in canonical JSON.
        lines: every archived message, in canonical JSON.
        dangling: addresses that led nowhere.
        uris: every address that was read.
    """

    strings: set[str] = field(default_factory=set)
    values: set[bytes] = field(default_factory=set)
    lines: set[bytes] = field(default_factory=set)
    dangling: list[str] = field(default_factory=list)
    uris: set[str] = field(default_factory=set)

    def holds(self, text: str) -> bool:
        """Whether a text can be read exactly: by itself, or with the other texts of its message around it."""
        return text in self.strings or any(text in read for read in self.strings)

    def holds_json(self, text: str) -> bool:
        """Whether a text can be read, exactly or as an equal JSON value."""
        if self.holds(text):
            return True
        try:
            return canonical(loads(text)) in self.values
        except JSONError:
            return False


async def reach(body: object, store: Store, *, more: Iterable[str] = ()) -> Reachable:
    """Read everything that a payload leads to.

    Args:
        body: the payload, parsed.
        store: where its addresses point.
        more: addresses to start from besides, such as those of the payload's metadata.
    """
    found = Reachable()
    _take(body, found, found.strings)
    waiting = [*more, *(uri for text in found.strings for uri in _named(text))]
    while waiting:
        uri = waiting.pop()
        if uri in found.uris:
            continue
        found.uris.add(uri)
        try:
            data = await store.expand(uri)
        except NotFoundError:
            found.dangling.append(uri)
            continue
        fresh: set[str] = set()
        if uri.startswith("context://archive/"):
            for line in data.splitlines():
                value = loads(line)
                found.lines.add(canonical(value))
                _take(value, found, fresh)
        else:
            text = data.decode("utf-8", "surrogatepass")
            fresh.add(text)
            _take_json(text, found, fresh)
        found.strings |= fresh
        waiting.extend(uri for text in fresh for uri in _named(text))
    return found


async def lost(
    body: object, messages: Sequence[Message], store: Store, *, more: Iterable[str] = ()
) -> tuple[list[Lost], list[str]]:
    """What of a history can no longer be read, and which of the addresses on the way lead nowhere.

    Args:
        body: the payload, parsed.
        messages: the whole history it was compiled from.
        store: where its addresses point.
        more: addresses to start from besides.
    """
    found = await reach(body, store, more=more)
    gone = [
        Lost(index, kind, text)
        for index, message in enumerate(messages)
        for kind, text in _said(message.parts)
        # Anthropic refuses texts of white space alone, so they are left out there, with a note that names the message: such a
        # text says nothing to a model, and no address could say more of it than that note does.
        if text.strip() and not (found.holds_json(text) if kind in {"arguments", "file"} else found.holds(text))
    ]
    return gone, found.dangling


def _said(parts: Iterable[Part]) -> Iterator[tuple[str, str]]:
    for part in parts:
        match part:
            case Text():
                yield "text", part.text
            case Call():
                yield "text", part.name
                yield "arguments", part.arguments
            case Result():
                for item in part.content:
                    if isinstance(item, Text):
                        yield "result", item.text
                    elif isinstance(item, Attachment):
                        yield "file", item.data or item.url or ""
            case Attachment():
                yield "file", part.data or part.url or ""
            case _:
                pass


def _named(text: str) -> Iterator[str]:
    for address in mentions(text):
        yield format_uri(*address)


def _take(value: object, found: Reachable, strings: set[str]) -> None:
    if isinstance(value, str):
        strings.add(value)
        _take_json(value, found, strings)
    elif isinstance(value, dict):
        found.values.add(canonical(value))
        for item in value.values():
            _take(item, found, strings)
    elif isinstance(value, list):
        for item in value:
            _take(item, found, strings)


def _take_json(text: str, found: Reachable, strings: set[str]) -> None:
    """Arguments are JSON in a string."""
    if text[:1] not in "{[" or text[-1:] not in "}]":
        return
    try:
        value = loads(text)
    except JSONError:
        return
    if isinstance(value, dict | list):
        _take(value, found, strings)
