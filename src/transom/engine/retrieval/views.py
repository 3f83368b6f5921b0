"""Views: a part of a text or an archive that fits, and the call that gives the next one.

Pure. A page holds whole lines (of an archive: messages); where one alone does not fit it is cut by characters, and ``offset``
goes on from there, so that page after page every character is reached.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ...jsontext import dumps_text
from ...vocabulary.retrieving import RetrievalWords
from ...vocabulary.words import MARK_CLOSE, MARK_OPEN
from .refusal import Refused
from .room import Room

__all__ = ["Stretch", "next_mark", "page", "resolve_range", "shown_bytes"]

_KINDS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
)
_HEX_BYTES = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """What is asked for, and of what.

    Attributes:
        heading: gives the first line of a page, from what it shows.
        call: the arguments of a call for the same thing, without its range; ``path`` is left out where it is too long.
        messages: its parts are messages of an archive, not lines.
        total: parts there are.
        first, last: those asked for, counted from 1.
        offset: characters to leave out of the first.
    """

    heading: Callable[[str], str]
    call: Mapping[str, object]
    messages: bool
    total: int
    first: int
    last: int
    offset: int = 0


def resolve_range(given: tuple[int, int] | None, total: int) -> tuple[int, int]:
    """First and last part, counted from 1; a range that goes on behind the end stops there.

    Raises:
        Refused: no part of it is there.
    """
    first, last = given or (1, -1)
    last = total if last == -1 else min(last, total)
    if not 1 <= first <= last:
        raise Refused("bad_range", given=list(given or (1, -1)), total=total)
    return first, last


def page(stretch: Stretch, units: Sequence[str], room: Room, words: RetrievalWords) -> str:
    """As much of a stretch as fits.

    Args:
        stretch: what is asked for.
        units: its parts from the first on; as many as could fit, or all that are asked for.
        room: what the page must fit into.
        words: how it is told.

    Raises:
        Refused: the offset is beyond the first part.
    """
    if stretch.offset > len(units[0]):
        raise Refused("bad_number", given=stretch.offset, total=len(units[0]))
    if not stretch.offset:
        text = _whole(stretch, units, len(units), words)
        if room.fits(text):
            return text
        count = room.most(len(units) - 1, lambda number: _whole(stretch, units, number, words))
        if count:
            return _whole(stretch, units, count, words)
    # What is shown of one part stands on a page of its own, whose heading says which characters it holds.
    left = len(units[0]) - stretch.offset
    text = _piece(stretch, units, left, words)
    if room.fits(text):
        return text
    return _piece(stretch, units, max(1, room.most(left, lambda length: _piece(stretch, units, length, words))), words)


def _whole(stretch: Stretch, units: Sequence[str], count: int, words: RetrievalWords) -> str:
    """A page of ``count`` whole parts."""
    first, last = stretch.first, stretch.first + count - 1
    if first == last:
        what = (words.message if stretch.messages else words.line).format(first=first, total=stretch.total)
    else:
        what = (words.messages if stretch.messages else words.lines).format(first=first, last=last, total=stretch.total)
    shown = [_numbered(stretch, first + index, unit) for index, unit in enumerate(units[:count])]
    body = ("\n\n" if stretch.messages else "\n").join(shown)
    page = f"{stretch.heading(what)}\n{body}"
    left = stretch.last - last
    if left <= 0:
        return page
    to_come = words.to_come_messages if stretch.messages else words.to_come_lines
    return f"{page}\n{_more(stretch, to_come.format(count=left), last + 1, 0, words)}"


def _piece(stretch: Stretch, units: Sequence[str], length: int, words: RetrievalWords) -> str:
    """A page of ``length`` characters of the first part, from the offset on."""
    unit, start = units[0], stretch.offset
    end = start + length
    what = (words.message if stretch.messages else words.line).format(first=stretch.first, total=stretch.total)
    what = words.characters.format(what=what, first=start + 1, last=end, total=len(unit))
    page = f"{stretch.heading(what)}\n{_numbered(stretch, stretch.first, unit[start:end])}"
    if end < len(unit):
        left = words.to_come_characters.format(count=len(unit) - end)
        return f"{page}\n{_more(stretch, left, stretch.first, end, words)}"
    if stretch.first < stretch.last:
        to_come = words.to_come_messages if stretch.messages else words.to_come_lines
        left = to_come.format(count=stretch.last - stretch.first)
        return f"{page}\n{_more(stretch, left, stretch.first + 1, 0, words)}"
    return page


def _numbered(stretch: Stretch, number: int, text: str) -> str:
    return text if stretch.messages else f"{number:6}\t{text}"


def _more(stretch: Stretch, count: str, first: int, offset: int, words: RetrievalWords) -> str:
    last = -1 if stretch.last == stretch.total else stretch.last
    call = {**stretch.call, "view_range": [first, last]}
    return next_mark(call | {"offset": offset} if offset else call, count, words)


def next_mark(call: Mapping[str, object], count: str, words: RetrievalWords) -> str:
    """The mark at the end of a page: what is to come, and the call that gives it.

    Args:
        call: its arguments; without a path, the present one is meant.
        count: what is to come.
        words: how it is told.
    """
    text = dumps_text(call)
    if "path" not in call and call.get("command") == "view":
        text = words.same_path.format(call=text)
    return MARK_OPEN + words.more.format(count=count, call=text) + MARK_CLOSE


def shown_bytes(data: bytes, label: str, room: Room, words: RetrievalWords) -> str:
    """What can be shown of data that is no text: what it seems to be, its size, its first bytes."""
    kind = next((f" ({name})" for magic, name in _KINDS if data.startswith(magic)), "")
    heading = words.binary.format(uri=label, size=len(data), kind=kind)
    count = room.most(min(len(data), _HEX_BYTES), lambda number: f"{heading}\n{data[:number].hex(' ')}")
    return f"{heading}\n{data[:count].hex(' ')}"
