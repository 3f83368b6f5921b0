"""A stream of bytes, cut into lines and server-sent events as they arrive, however the network cut them.

Works on bytes: no line break can stand inside a character of UTF-8, so nothing is decoded here. Knows no protocol. A line may
be of any length; what is longer than the limit is counted and let go, so that memory stays bounded. Source: WHATWG HTML,
"Server-sent events", parsing an event stream; lenient where servers are (a last event without its blank line, bare JSON lines).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

__all__ = ["LIMIT", "Event", "Events", "JsonLines", "Lines", "Splitter"]

LIMIT = 4 << 20
"""Bytes of one event that are kept to be read. The last event of the Responses API repeats instructions, tools and output."""

Event = tuple[bytes, bytes | None]
"""(the event's name, empty where it has none; its data, ``None`` where that was longer than the limit)."""

_LF, _CR = 10, 13
_ENDS = (_LF, _CR)
_HEAD = 64
_BOM = b"\xef\xbb\xbf"


class Splitter(Protocol):
    """Bytes in, events out."""

    def feed(self, chunk: bytes) -> Iterable[Event]:
        """The events that end in this chunk."""
        ...

    def close(self) -> Iterable[Event]:
        """What the end of the stream completes."""
        ...

    @property
    def is_between(self) -> bool:
        """No event has begun that has not ended: something else may be said here."""
        ...


class _Cut(bytes):
    """The head of a line that was longer than the limit."""

    __slots__ = ()


class Lines:
    """Lines ended by LF, CRLF or CR.

    Args:
        limit: bytes of a line that are kept; of a longer one only the head is given, as another type.
    """

    __slots__ = ("_after_cr", "_held", "_limit", "_size")

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._held = bytearray()
        self._size = 0
        self._after_cr = False

    @property
    def is_between(self) -> bool:
        """No line has begun."""
        return not self._size

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that end in this chunk, without their ends."""
        if not chunk:
            return []
        if self._after_cr:
            self._after_cr = False
            if chunk[0] == _LF:
                chunk = chunk[1:]
                if not chunk:
                    return []
        lines = chunk.splitlines()
        last = chunk[-1]
        if last in _ENDS:
            self._after_cr = last == _CR
            rest = b""
        else:
            rest = lines.pop()
        if lines:
            if self._size:
                lines[0] = self._ended(lines[0])
            if len(chunk) > self._limit:
                lines = [_Cut(line[:_HEAD]) if len(line) > self._limit else line for line in lines]
        if rest:
            self._hold(rest)
        return lines

    def close(self) -> list[bytes]:
        """The last line, where nothing ended it."""
        return [self._ended(b"")] if self._size else []

    def _hold(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size <= self._limit:
            self._held += piece
        else:
            head = max(0, _HEAD - len(self._held))
            self._held += piece[:head]
            del self._held[_HEAD:]

    def _ended(self, piece: bytes) -> bytes:
        self._hold(piece)
        line = bytes(self._held) if self._size <= self._limit else _Cut(self._held)
        self._held = bytearray()
        self._size = 0
        return line


class JsonLines:
    """One JSON value a line (Ollama)."""

    __slots__ = ("_lines",)

    def __init__(self, limit: int = LIMIT) -> None:
        self._lines = Lines(limit)

    @property
    def is_between(self) -> bool:
        """See ``Splitter``."""
        return self._lines.is_between

    def feed(self, chunk: bytes) -> list[Event]:
        """See ``Splitter``."""
        return _values(self._lines.feed(chunk))

    def close(self) -> list[Event]:
        """See ``Splitter``."""
        return _values(self._lines.close())


def _values(lines: Sequence[bytes]) -> list[Event]:
    return [(b"", None if type(line) is _Cut else line) for line in lines if line and not line.isspace()]


class Events:
    """Server-sent events. Lines of bare JSON, which some servers send for an error, are an event without a name.

    Args:
        limit: bytes of an event's data that are kept.
    """

    __slots__ = ("_bare", "_data", "_is_fresh", "_is_long", "_is_open", "_limit", "_lines", "_name", "_size")

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._lines = Lines(limit)
        self._name = b""
        self._data: list[bytes] = []
        self._bare: list[bytes] = []
        self._size = 0
        self._is_long = False
        self._is_open = False
        self._is_fresh = True

    @property
    def is_between(self) -> bool:
        """See ``Splitter``."""
        return not self._is_open and self._lines.is_between

    def feed(self, chunk: bytes) -> list[Event]:
        """See ``Splitter``."""
        found: list[Event] = []
        for line in self._lines.feed(chunk):
            self._read(line, found)
        return found

    def close(self) -> list[Event]:
        """See ``Splitter``: an event that no blank line ended counts as one."""
        found: list[Event] = []
        for line in self._lines.close():
            self._read(line, found)
        self._end(found)
        return found

    def _read(self, line: bytes, found: list[Event]) -> None:
        if self._is_fresh:
            self._is_fresh = False
            line = line if type(line) is _Cut else line.removeprefix(_BOM)
        if not line:
            self._end(found)
            return
        self._is_open = True
        if line.startswith(b"data:"):
            self._keep(self._data, line, 6 if line.startswith(b"data: ") else 5)
        elif line.startswith(b"event:"):
            self._name = b"" if type(line) is _Cut else line[6:].removeprefix(b" ")
        elif line.startswith(b"{") or (self._bare and not line.startswith(b":")):
            self._keep(self._bare, line, 0)
        elif line == b"data":
            self._data.append(b"")

    def _keep(self, lines: list[bytes], line: bytes, start: int) -> None:
        self._size += len(line) - start
        if self._size > self._limit or type(line) is _Cut:
            self._is_long = True
            lines.clear()
        else:
            lines.append(line[start:] if start else line)

    def _end(self, found: list[Event]) -> None:
        self._is_open = False
        if self._is_long:
            found.append((self._name, None))
        else:
            data = self._data
            if data:
                found.append((self._name, data[0] if len(data) == 1 else b"\n".join(data)))
            if self._bare:
                found.append((b"", b"\n".join(self._bare)))
        if self._size or self._data or self._is_long:
            self._data, self._bare, self._size, self._is_long = [], [], 0, False
        self._name = b""
