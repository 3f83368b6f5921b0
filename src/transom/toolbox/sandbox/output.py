"""What a process wrote, held within a bound: its beginning and its end, and how much between them was let go.

Knows no process. The pipe is always read to its end, so that no writer waits for a reader; what is over the bound is counted
and dropped.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Keeper", "Output"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """One stream of a process.

    Attributes:
        head: its beginning, or all of it.
        tail: its end, where something between was let go; else empty.
        omitted: how many bytes were let go.
    """

    head: bytes = b""
    tail: bytes = b""
    omitted: int = 0

    def text(self, gap: str = "\n") -> str:
        """As text: bytes that are not UTF-8 become replacement characters, nothing is trimmed.

        Args:
            gap: stands where something was let go.
        """
        if not self.omitted:
            return self.head.decode("utf-8", "replace")
        return _whole(self.head).decode("utf-8", "replace") + gap + self.tail.lstrip(_CONTINUATION).decode("utf-8", "replace")


_CONTINUATION = bytes(range(0x80, 0xC0))


def _whole(head: bytes) -> bytes:
    """Without a character that the cut went through."""
    for back in range(1, min(4, len(head)) + 1):
        byte = head[-back]
        if byte & 0xC0 != 0x80:
            length = 4 if byte >= 0xF0 else 3 if byte >= 0xE0 else 2 if byte >= 0xC0 else 1
            return head[:-back] if length > back else head
    return head


class Keeper:
    """Takes a stream in pieces.

    Args:
        limit: bytes to keep at most: three quarters from the beginning, the rest from the end.
    """

    def __init__(self, limit: int) -> None:
        self._room = max(limit - limit // 4, 1)
        self._tail_room = limit - self._room
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped = 0

    def take(self, piece: bytes) -> None:
        """The next piece."""
        fits = self._room - len(self._head)
        if fits > 0:
            self._head += piece[:fits]
            piece = piece[fits:]
        if not piece:
            return
        self._tail += piece
        # Cut now and then, not with every piece: the bound on memory is twice the tail.
        if len(self._tail) > 2 * self._tail_room + 65_536:
            self._cut()

    def _cut(self) -> None:
        excess = len(self._tail) - self._tail_room
        if excess > 0:
            del self._tail[:excess]
            self._dropped += excess

    def output(self) -> Output:
        """What was kept so far."""
        self._cut()
        if not self._dropped:
            return Output(head=bytes(self._head + self._tail))
        return Output(head=bytes(self._head), tail=bytes(self._tail), omitted=self._dropped)
