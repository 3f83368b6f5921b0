"""Some lines of a file, as many as one answer may hold, and where the next ones begin.

Knows open files and bytes, no tools. A file that fits into memory is cut into lines as the editing tools cut it, so that the
numbers agree; a larger one is read through to the first line that is asked for, and there a line ends with LF.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from ...access.place import READ_LIMIT
from ...editing.lines import Lines, terminator_of
from .texts import CP1252, UTF_8, Coding, decoded, merged

__all__ = ["PAGE_BYTES", "PAGE_LINES", "Nothing", "Page", "TooWide", "page_of"]

PAGE_BYTES = 24_576
"""Bytes of UTF-8 on a page: about 8,000 tokens of English, code or Chinese. The strictest client known refuses answers over
25,000 tokens, and some count the text twice because the structured result repeats it."""
PAGE_LINES = 2_000
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Page:
    """Some lines.

    Attributes:
        lines: their texts, without terminators.
        first: the number of the first, from 1.
        total: how many the file has; ``None`` where only a part of it was read.
        more: further lines follow.
        ended: the last line shown has a terminator.
        cut_at: offset in the file of what is not shown of the last line, which is too long; ``None`` when it is whole.
        encoding: how it is written.
    """

    lines: list[str]
    first: int
    total: int | None
    more: bool
    ended: bool
    cut_at: int | None
    encoding: str

    @property
    def last(self) -> int:
        """The number of the last line."""
        return self.first + len(self.lines) - 1


class Nothing(Exception):
    """There is no such line.

    Args:
        total: how many there are.
    """

    def __init__(self, total: int) -> None:
        super().__init__(total)
        self.total = total


class TooWide(Exception):
    """A large file in an encoding whose lines cannot be found without reading it all."""


def page_of(file: BinaryIO, coding: Coding, start: int, most: int, go_on: Callable[[], None]) -> Page:
    """Some lines of a file.

    Args:
        file: it, open.
        coding: how it is written.
        start: the first line, from 1; from the end if negative, -1 being the last.
        most: how many lines.
        go_on: called now and then; what it raises ends the work.

    Raises:
        Nothing: there is no such line.
        TooWide: see there.
    """
    size = os.fstat(file.fileno()).st_size
    file.seek(len(coding.mark))
    if size <= READ_LIMIT:
        return _small(file.read(READ_LIMIT), coding, start, most)
    if coding.wide:
        raise TooWide
    return _large(file, coding, start, most, go_on)


def _small(data: bytes, coding: Coding, start: int, most: int) -> Page:
    body = data.decode(coding.name, "replace").encode() if coding.wide else data
    lines = Lines(body)
    first = start if start > 0 else max(1, lines.count + 1 + start)
    if first > max(1, lines.count):
        raise Nothing(lines.count)
    shown = _filled((lines.whole(number) for number in range(first, lines.count + 1)), most, classic=lines.classic)
    cut = None
    if shown.cut:
        cut = lines.start(first) + shown.taken
        cut = len(coding.mark) + (len(body[:cut].decode().encode(coding.name)) if coding.wide else cut)
    encoding = coding.name if coding.wide else shown.encoding
    if encoding == UTF_8 and not _is_utf_8(body):
        encoding = CP1252
    more = first + len(shown.lines) - 1 < lines.count
    return Page(shown.lines, first, lines.count, more, shown.ended, cut, encoding)


def _is_utf_8(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def _large(file: BinaryIO, coding: Coding, start: int, most: int, go_on: Callable[[], None]) -> Page:
    total = None
    if start < 0:
        total = _counted(file, go_on)
        start = max(1, total + 1 + start)
        file.seek(len(coding.mark))
    begin = _start_of(file, start, go_on)
    file.seek(begin)
    shown = _filled(iter(lambda: file.readline(PAGE_BYTES + 1), b""), most, classic=False)
    if not shown.lines:
        file.seek(len(coding.mark))
        raise Nothing(_counted(file, go_on))
    file.seek(begin + shown.taken)
    more = (b"\n" in file.readline() if shown.cut else True) and bool(file.read(1))
    cut = begin + shown.taken if shown.cut else None
    return Page(shown.lines, start, total, more, shown.ended, cut, shown.encoding)


def _counted(file: BinaryIO, go_on: Callable[[], None]) -> int:
    """The lines from here to the end."""
    count, last = 0, b""
    while block := file.read(_BLOCK):
        go_on()
        count += block.count(b"\n")
        last = block[-1:]
    return count + (last not in {b"", b"\n"})


def _start_of(file: BinaryIO, number: int, go_on: Callable[[], None]) -> int:
    """Where a line begins; the end of the file if there are fewer. The first begins here."""
    at, left = file.tell(), number - 1
    while left > 0 and (block := file.read(_BLOCK)):
        go_on()
        count = block.count(b"\n")
        if count >= left:
            feed: re.Match[bytes] = next(itertools.islice(re.finditer(b"\n", block), left - 1, None))
            return at + feed.end()
        left -= count
        at += len(block)
    return at


@dataclass(frozen=True, slots=True)
class _Shown:
    lines: list[str]
    taken: int
    cut: bool
    ended: bool
    encoding: str


def _filled(whole: Iterator[bytes], most: int, *, classic: bool) -> _Shown:
    """Lines until there are enough, or the page is full. A first line that is longer than a page is cut."""
    shown: list[str] = []
    names: set[str] = set()
    room, taken, cut, ended = PAGE_BYTES, 0, False, True
    for line in itertools.islice(whole, most):
        if len(line) > room:
            if shown:
                break
            text, took, name = decoded(line[:room], final=False)
            cut, ended = True, False
        else:
            end = b"\r" if classic and line.endswith(b"\r") else b"" if classic else terminator_of(line)
            text, took, name = decoded(line[: len(line) - len(end)])
            took, ended = len(line), bool(end)
        shown.append(text)
        if not text.isascii():
            names.add(name)
        taken += took
        room -= took
        if cut:
            break
    return _Shown(shown, taken, cut, ended, merged(names))
