"""Handing an answer back: piece by piece as it comes, a copy of it read, and the silences bridged.

Knows ASGI's ``send`` and readers. Never buffers: at most the events before the first content are held, for a fraction of a
second and only where an overflow may follow them. The status is sent with the first piece, so that an upstream that fails
before it can still be answered for with a status of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from .bodies import MOST_DECODED, Decoder, TooLargeError
from .forwarding import Answer, FailedError, Limits
from .headers import Header

__all__ = ["Outgoing", "Pieces", "Pulse", "is_idle"]

Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_LONGEST_IDLE = 256
"""Bytes of a piece that may be nothing but keep-alives; longer ones are taken for data unread."""


class Outgoing:
    """The answer to the client.

    Args:
        send: ASGI's.
        clock: seconds.

    Attributes:
        status: what it was answered; 0 until it was.
        size: bytes of the body.
        first: when the first of them went, on the clock; ``None`` until it did.
    """

    __slots__ = ("_clock", "_headers", "_planned", "_send", "first", "size", "status")

    def __init__(self, send: Send, clock: Callable[[], float]) -> None:
        self._send = send
        self._clock = clock
        self._planned = 0
        self._headers: list[Header] = []
        self.status = 0
        self.size = 0
        self.first: float | None = None

    def plan(self, status: int, headers: list[Header]) -> None:
        """What goes out before the first piece. Does nothing once it went."""
        self._planned, self._headers = status, headers

    async def piece(self, data: bytes) -> None:
        """Send a piece; waits while the client is slow."""
        if not self.status:
            await self._start()
        if self.first is None:
            self.first = self._clock()
        self.size += len(data)
        await self._send({"type": "http.response.body", "body": data, "more_body": True})

    async def end(self, data: bytes = b"") -> None:
        """Send the last piece."""
        if not self.status:
            await self._start()
        if data and self.first is None:
            self.first = self._clock()
        self.size += len(data)
        await self._send({"type": "http.response.body", "body": data, "more_body": False})

    async def _start(self) -> None:
        self.status = self._planned
        await self._send({"type": "http.response.start", "status": self._planned, "headers": self._headers})


class Pieces:
    """An answer's body as it comes, its codings undone.

    Args:
        answer: the upstream's.
        decoders: what undoes its codings, the last done first.
    """

    __slots__ = ("_answer", "_decoders")

    def __init__(self, answer: Answer, decoders: list[Decoder]) -> None:
        self._answer = answer
        self._decoders = decoders

    async def next(self) -> bytes:
        """The next piece; empty at the end.

        Raises:
            FailedError: the upstream broke off, was silent for too long, or sent what its coding does not allow.
        """
        while piece := await self._answer.read():
            if not self._decoders:
                return piece
            try:
                for decoder in self._decoders:
                    piece = decoder.decode(piece, MOST_DECODED)
            except (ValueError, TooLargeError) as error:
                raise FailedError(502, "the upstream's answer cannot be decoded") from error
            if piece:
                return piece
        if not all(decoder.is_whole for decoder in self._decoders):
            raise FailedError(502, "the upstream's answer is cut off inside its coding")
        return b""


class Pulse:
    """Bridges silences: keep-alives for the client, and an end to an upstream that sends nothing but its own.

    Args:
        answer: what is waited for.
        keepalive: what may be said now that means nothing; empty where nothing may be.
        out: the answer to the client.
        limits: how long a silence may be.
    """

    __slots__ = ("_answer", "_beat", "_data", "_heard", "_keepalive", "_limits", "_loop", "_out", "_timer", "_waits")

    def __init__(self, answer: Answer, keepalive: Callable[[], bytes], out: Outgoing, limits: Limits) -> None:
        self._answer = answer
        self._keepalive = keepalive
        self._out = out
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self._data = self._heard = self._loop.time()
        self._waits = False
        self._beat: asyncio.Task[None] | None = None

    async def next(self, pieces: Pieces) -> bytes:
        """The next piece.

        Raises:
            FailedError: as ``Pieces.next``; also when nothing but keep-alives came for too long.
        """
        self._waits = True
        try:
            piece = await pieces.next()
        finally:
            self._waits = False
        self._heard = self._loop.time()
        if not is_idle(piece):
            self._data = self._heard
        if self._beat is not None:
            await self._settle()
        return piece

    def __enter__(self) -> Self:
        self._timer = self._loop.call_later(min(self._limits.quiet, self._limits.idle), self._look)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._timer.cancel()
        if self._beat is not None:
            self._beat.cancel()

    def _look(self) -> None:
        now = self._loop.time()
        # While the client is slow to read, the upstream is not the one that is silent.
        if self._waits:
            if now - self._data >= self._limits.idle:
                self._answer.give_up("nothing but keep-alives for too long")
                return
            if now - self._heard >= self._limits.quiet and self._beat is None and (said := self._keepalive()):
                self._heard = now
                self._beat = self._loop.create_task(self._out.piece(said))
        else:
            self._data = max(self._data, self._heard)
        due = min(self._heard + self._limits.quiet, self._data + self._limits.idle) - now
        self._timer = self._loop.call_later(max(due, self._limits.quiet / 8), self._look)

    async def _settle(self) -> None:
        beat, self._beat = self._beat, None
        assert beat is not None
        # What a server raises for a client that went away.
        with suppress(OSError):
            await beat


def is_idle(piece: bytes) -> bool:
    """Whether a piece of an event stream is nothing but comments and pings."""
    if len(piece) > _LONGEST_IDLE or not piece.startswith((b":", b"event: ping", b"\n", b"\r", b" ")):
        return False
    lines = [line.strip() for line in piece.splitlines()]
    return all(not line or line.startswith(b":") or line == b"event: ping" or _is_ping(line) for line in lines)


def _is_ping(line: bytes) -> bool:
    return line.startswith(b"data:") and line.replace(b" ", b"") == b'data:{"type":"ping"}'
