"""Reading: what a model sees at an address, whatever lies there.

A text by lines, an archive as a transcript by messages, data that is no text by a description. Writes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...errors import NotFoundError
from ...store.archive import expand, is_base64, references
from ...store.blobs import encode_text
from ...store.packing import unpacked
from ...vocabulary.words import MARK_CLOSE, MARK_OPEN
from ..offload.excerpts import excerpt
from .addresses import Address, shortened
from .editing import lines_of
from .host import Host
from .places import Place, text_of_data
from .refusal import Refused
from .transcript import archive_messages, spoken
from .views import Stretch, next_mark, page, resolve_range, shown_bytes

__all__ = ["View", "not_found", "snippet", "view_entry"]

_AROUND = 3
"""Lines shown before and after an edit."""


class View:
    """How an entry is named in a page, and in the call for the next one.

    Args:
        host: what the page must fit into.
        uri: its address, as the model writes it.
        heading: what stands above every page; by default the address and the part shown.
    """

    def __init__(self, host: Host, uri: str, heading: str = "") -> None:
        self.host = host
        self.label = shortened(uri, brief=host.room.brief)
        self._heading = heading
        self.call: Mapping[str, object] = {"command": "view", "path": uri} if self.label == uri else {"command": "view"}

    def heading(self, what: str) -> str:
        """The first line of a page."""
        return self._heading or f"{self.label}: {what}"

    def text(self, text: str, given: tuple[int, int] | None, offset: int) -> str:
        """A page of a text.

        Raises:
            Refused: the range or the offset is not there.
        """
        words = self.host.vocabulary.retrieving
        lines = lines_of(text)
        if not lines:
            return self.heading(words.empty)
        first, last = resolve_range(given, len(lines))
        stretch = Stretch(
            heading=self.heading, call=self.call, messages=False, total=len(lines), first=first, last=last, offset=offset
        )
        return page(stretch, _enough(lines[first - 1 : last], self.host), self.host.room, words)

    def encoded(self, text: str, uri: str) -> str:
        """What stands for a text that is encoded binary data; the call at its end shows the text all the same."""
        words = self.host.vocabulary.retrieving
        said = words.encoded.format(size=len(text), uri=uri)
        left = words.to_come_characters.format(count=len(text))
        return f"{said}\n{next_mark({**self.call, 'view_range': [1, -1]}, left, words)}"

    async def archive(self, data: bytes, given: tuple[int, int] | None, offset: int) -> str:
        """A page of an archive.

        Raises:
            Refused: the range or the offset is not there.
        """
        words, room = self.host.vocabulary.retrieving, self.host.room
        lines = archive_messages(data)
        if not lines:
            return self.heading(words.empty)
        first, last = resolve_range(given, len(lines))
        units: list[str] = []
        length = 0
        for number in range(first, last + 1):
            line = await _with_texts(self.host, lines[number - 1])
            units.append(spoken(line, number, len(lines), words))
            length += len(units[-1])
            if length > room.characters:
                break
        stretch = Stretch(
            heading=self.heading, call=self.call, messages=True, total=len(lines), first=first, last=last, offset=offset
        )
        return page(stretch, units, room, words)


async def view_entry(host: Host, place: Place, at: Address, given: tuple[int, int] | None, offset: int) -> str | None:
    """A page of the entry at an address; ``None`` where there is none.

    Raises:
        Refused: the range or the offset is not there.
    """
    data = await place.read(at.path)
    if data is None:
        return None
    view = View(host, at.uri)
    if at.namespace == "archive":
        return await view.archive(data, given, offset)
    if at.namespace == "sessions":
        data = unpacked(data)
    text = text_of_data(data)
    if text is None:
        return shown_bytes(data, view.label, host.room, host.vocabulary.retrieving)
    if given is None and not offset and is_base64(text):
        return view.encoded(text, at.uri)
    return view.text(text, given, offset)


def snippet(host: Host, text: str, line: int, count: int, heading: str) -> str:
    """The lines around an edit, under a heading; as many as fit."""
    lines = lines_of(text)
    first, last = max(1, line - _AROUND), min(len(lines), line + count - 1 + _AROUND)
    shown = [f"{number:6}\t{lines[number - 1]}" for number in range(first, last + 1)]
    fitting = host.room.most(len(shown), lambda number: "\n".join([heading, *shown[:number]]))
    if not fitting:
        return host.room.clamp("\n".join([heading, *shown]), host.vocabulary.retrieving.cut)
    return "\n".join([heading, *shown[:fitting]])


def _enough(lines: Sequence[str], host: Host) -> Sequence[str]:
    """The first lines, as many as could fit."""
    length = 0
    for index, line in enumerate(lines):
        length += len(line) + 8
        if length > host.room.characters:
            return lines[: index + 1]
    return lines


async def _with_texts(host: Host, line: bytes) -> bytes:
    """An archived message with the texts it refers to: whole where they fit a page, else as excerpts with their address."""
    found: dict[str, bytes] = {}
    for uri in references(line):
        found[uri] = encode_text(await _referred(host, uri))
    return expand(line, found.__getitem__) if found else line


async def _referred(host: Host, uri: str) -> str:
    words = host.vocabulary.retrieving
    try:
        data = await host.store.get(uri)
    except NotFoundError:
        return MARK_OPEN + words.unstored.format(uri=uri) + MARK_CLOSE
    text = text_of_data(data)
    if text is None or is_base64(text):
        return MARK_OPEN + words.encoded.format(size=len(data), uri=uri) + MARK_CLOSE
    if len(text) <= host.budget * 4:
        return text
    return excerpt(text, uri=uri, head=host.budget * 2, tail=host.budget // 2, vocabulary=host.vocabulary)


def not_found(at: Address) -> Refused:
    """Nothing is kept at an address: where to look instead."""
    folder = at.path.rpartition("/")[0]
    return Refused("not_found", uri=at.uri, folder=Address(at.namespace, folder).uri)
