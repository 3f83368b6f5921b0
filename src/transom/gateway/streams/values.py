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
_FIELDS = (b":", b"data:", b"event:", b"id:", b"retry:")
"""How a stream of events begins (WHATWG HTML, "Server-sent events")."""
_LONGEST_FIELD = 6
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
    """An answer of no known type: how it begins tells JSON and events from what is neither, such as a page or plain text."""

    __slots__ = ("_begun", "_found", "_limit")

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._begun = b""
        self._found: Splitter | None = None

    @property
    def is_between(self) -> bool:
        """See ``Splitter``."""
        return not self._begun if self._found is None else self._found.is_between

    @property
    def is_events(self) -> bool:
        """Whether it turned out to be a stream of events."""
        return isinstance(self._found, Events)

    def feed(self, chunk: bytes) -> list[Event]:
        """See ``Splitter``."""
        if self._found is not None:
            return list(self._found.feed(chunk))
        self._begun = (self._begun + chunk).lstrip(_BLANK)
        self._found = self._told(self._begun[:_LONGEST_FIELD])
        if self._found is None:
            return []
        begun, self._begun = self._begun, b""
        return list(self._found.feed(begun))

    def close(self) -> list[Event]:
        """See ``Splitter``."""
        return [] if self._found is None else list(self._found.close())

    def _told(self, begins: bytes) -> Splitter | None:
        if begins.startswith((b"{", b"[")):
            return Values(self._limit)
        if begins.startswith(_FIELDS):
            return Events(self._limit)
        if any(field.startswith(begins) for field in _FIELDS):
            return None
        return Whole(self._limit)
