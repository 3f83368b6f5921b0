"""Answers that are JSON and no event stream: in one piece, or as objects that come one after another.

Knows JSON's brackets and strings, no protocol. The pieces of a body in one piece are put together up to a limit; a longer one
is let go.
"""

from __future__ import annotations

import re

from .splitting import LIMIT, Event, Events, Splitter

__all__ = ["Sniffed", "Values", "Whole"]

_INSIDE = re.compile(rb'["\\]')
_OUTSIDE = re.compile(rb'["{}]')
_BLANK = b" \t\r\n\xef\xbb\xbf"


class Whole:
    """A body in one piece, given when it is complete."""

    __slots__ = ("_held", "_limit", "_size")

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._held = bytearray()
        self._size = 0

    @property
    def is_between(self) -> bool:
        """See ``Splitter``: nothing may be said inside a body, nor after it."""
        return not self._size

    def feed(self, chunk: bytes) -> list[Event]:
        """See ``Splitter``."""
        self._size += len(chunk)
        if self._size <= self._limit:
            self._held += chunk
        elif self._held:
            self._held = bytearray()
        return []

    def close(self) -> list[Event]:
        """See ``Splitter``."""
        if not self._size:
            return []
        return [(b"", bytes(self._held) if self._size <= self._limit else None)]


class Values:
    """JSON objects as each is complete: alone, line by line, or as the elements of an array (Gemini without ``alt=sse``).

    Attributes:
        is_array: whether it is one; ``None`` as long as nothing came.
    """

    __slots__ = ("_depth", "_held", "_is_escaped", "_is_quoted", "_limit", "_size", "is_array")

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._held = bytearray()
        self._size = 0
        self._depth = 0
        self._is_quoted = False
        self._is_escaped = False
        self.is_array: bool | None = None

    @property
    def is_between(self) -> bool:
        """See ``Splitter``."""
        return not self._depth and not self._is_quoted

    def feed(self, chunk: bytes) -> list[Event]:
        """See ``Splitter``."""
        found: list[Event] = []
        start = position = 0
        length = len(chunk)
        if self.is_array is None and (first := chunk.lstrip(_BLANK)[:1]):
            self.is_array = first == b"["
        if self._is_escaped and chunk:
            self._is_escaped = False
            position = 1
        while match := (_INSIDE if self._is_quoted else _OUTSIDE).search(chunk, position):
            position = match.end()
            mark = match[0]
            if mark == b'"':
                self._is_quoted = not self._is_quoted
            elif mark == b"\\":
                self._is_escaped = position >= length
                position += 1
            elif mark == b"{":
                if not self._depth:
                    start = position - 1
                self._depth += 1
            elif self._depth:
                self._depth -= 1
                if not self._depth:
                    self._hold(chunk[start:position])
                    found.append((b"", bytes(self._held) if self._size <= self._limit else None))
                    self._held = bytearray()
                    self._size = 0
        if self._depth:
            self._hold(chunk[start:])
        return found

    def close(self) -> list[Event]:
        """See ``Splitter``: what is not complete is nothing."""
        return []

    def _hold(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size <= self._limit:
            self._held += piece
        elif self._held:
            self._held = bytearray()


class Sniffed:
    """An answer of no known type: its first character tells JSON from events."""

    __slots__ = ("_found", "_limit")

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._found: Splitter | None = None

    @property
    def is_between(self) -> bool:
        """See ``Splitter``."""
        return self._found is None or self._found.is_between

    @property
    def is_events(self) -> bool:
        """Whether it turned out to be a stream of events."""
        return isinstance(self._found, Events)

    def feed(self, chunk: bytes) -> list[Event]:
        """See ``Splitter``."""
        if self._found is None:
            first = chunk.lstrip(_BLANK)[:1]
            if not first:
                return []
            self._found = Values(self._limit) if first in (b"{", b"[") else Events(self._limit)
        return list(self._found.feed(chunk))

    def close(self) -> list[Event]:
        """See ``Splitter``."""
        return [] if self._found is None else list(self._found.close())
