"""The line model: where lines begin and end, and with what each ends. On bytes; nothing here decodes or rebuilds them.

A line ends with CRLF or LF. A lone CR ends one only where there is no LF at all. A final terminator opens no further line, and
no bytes are no lines. Lines are counted from 1.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property

__all__ = ["Lines", "terminator_of"]

_LF = re.compile(rb"\n")
_CR = re.compile(rb"\r")


def terminator_of(line: bytes) -> bytes:
    """What a line ends with in a file that has an LF; empty for a last line without one."""
    if line.endswith(b"\r\n"):
        return b"\r\n"
    return b"\n" if line.endswith(b"\n") else b""


class Lines:
    """The lines of some bytes.

    Args:
        body: the bytes, without a byte order mark, in an encoding that holds ASCII as ASCII.
    """

    def __init__(self, body: bytes) -> None:
        self.body = body

    @cached_property
    def classic(self) -> bool:
        """A lone CR ends a line here: there are some, and no LF."""
        return b"\n" not in self.body and b"\r" in self.body

    @cached_property
    def _starts(self) -> Sequence[int]:
        """Where each line begins, and where the last one ends."""
        starts = [0, *(found.end() for found in (_CR if self.classic else _LF).finditer(self.body))]
        if starts[-1] != len(self.body):
            starts.append(len(self.body))
        return starts

    @property
    def count(self) -> int:
        """How many lines there are."""
        return len(self._starts) - 1

    @property
    def ended(self) -> bool:
        """The last line has a terminator, or there is no line."""
        return self.body.endswith((b"\r", b"\n") if self.classic else b"\n") or not self.body

    def start(self, number: int) -> int:
        """Where a line begins; for the number after the last, where the bytes end."""
        return self._starts[number - 1]

    def end(self, number: int) -> int:
        """Where a line ends, its terminator included."""
        return self._starts[number]

    def whole(self, number: int) -> bytes:
        """A line with its terminator."""
        return self.body[self.start(number) : self.end(number)]

    def terminator(self, number: int) -> bytes:
        """What a line ends with; empty for a last line without one."""
        tail = self.body[max(self.start(number), self.end(number) - 2) : self.end(number)]
        if self.classic:
            return b"\r" if tail.endswith(b"\r") else b""
        return terminator_of(tail)

    def content(self, number: int) -> bytes:
        """A line without its terminator."""
        return self.body[self.start(number) : self.end(number) - len(self.terminator(number))]

    def at(self, offset: int) -> int:
        """The number of the line that holds a byte; the last one for the end of the bytes."""
        return max(1, min(self.count, bisect_right(self._starts, offset)))

    def all_at(self, offsets: Iterable[int]) -> list[int]:
        """The numbers of the lines that hold bytes; the same as ``at`` of each, which is slow a million times."""
        starts, count = self._starts, self.count
        return [max(1, min(count, bisect_right(starts, offset))) for offset in offsets]

    def terminator_near(self, number: int) -> bytes:
        """What a new line takes that goes below line ``number`` (0: above all): from the line above, else below, else LF.

        Only a last line can be without a terminator, so the nearest one above is one or two lines away.
        """
        for line in (number, number - 1, number + 1):
            if 1 <= line <= self.count and (found := self.terminator(line)):
                return found
        return b"\n"

    def split(self, text: bytes) -> list[bytes]:
        """New text as lines, without terminators; one newline at its end is no further line."""
        parts = re.split(rb"\r\n|\n|\r" if self.classic else rb"\r\n|\n", text)
        if len(parts) > 1 and not parts[-1]:
            parts.pop()
        return parts
