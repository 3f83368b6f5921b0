"""The server over stdin and stdout, for a client that started it.

The transport is ours, for three reasons. The SDK's reader waits in a thread that cannot be called off, so a server that is
asked to end would hang until the client closes the pipe. A line that passes through two threads on its way takes longer than a
trivial tool. And what the SDK cannot read it drops, so that who sent it waits for ever.

While it runs, the process's own stdin is empty and its stdout is stderr, so that no tool, no child and no library can write
into the protocol.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import sys
import threading
from collections.abc import Iterable, Iterator

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from ..servers import asked_to_end
from .ending import GRACE
from .framing import Refusal, framed, written
from .server import Face
from .unanswered import Unanswered

__all__ = ["serve_stdio"]

CHUNK = 1 << 16


async def serve_stdio(face: Face) -> None:
    """Serve until the client closes the pipe or the process is asked to end; then wait a little for what runs."""
    with _standard_streams() as (source, target):
        unanswered = Unanswered()
        lines = _Lines(face, unanswered, source)
        writer = _Writer(target)
        into, reading = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        writing, out = anyio.create_memory_object_stream[SessionMessage](0)
        with asked_to_end(lines.end):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_take, lines, into, writer, unanswered)
                tasks.start_soon(_give, out, writer, unanswered)
                await face.server.run(reading, writing, face.server.create_initialization_options())


async def _take(
    lines: _Lines, into: MemoryObjectSendStream[SessionMessage | Exception], writer: _Writer, unanswered: Unanswered
) -> None:
    """Hand over what is a message, and answer what is none."""
    # A server that has ended wants nothing more, and to a client that has gone nothing can be said.
    with contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
        async with into:
            async for line in lines:
                message = framed(line)
                if isinstance(message, Refusal):
                    await writer.write(message.line())
                elif message is not None:
                    unanswered.arrived(message)
                    await into.send(SessionMessage(message))


async def _give(out: MemoryObjectReceiveStream[SessionMessage], writer: _Writer, unanswered: Unanswered) -> None:
    """Write what the server says."""
    with contextlib.suppress(anyio.ClosedResourceError):
        async with out:
            async for outgoing in out:
                await writer.write(written(outgoing.message))
                unanswered.answered(outgoing.message)


@contextlib.contextmanager
def _standard_streams() -> Iterator[tuple[int, int]]:
    """The descriptors of the protocol, out of everybody else's reach."""
    sys.stdout.flush()
    source, target = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    try:
        yield source, target
    finally:
        sys.stdout.flush()
        os.dup2(target, 1)
        os.dup2(source, 0)
        # Neither is closed: the thread that reads may still wait in one, and a number used anew would be read from.


class _Lines:
    """Lines of the input, read by a thread that ends with the process."""

    def __init__(self, face: Face, unanswered: Unanswered, source: int) -> None:
        self._face = face
        self._unanswered = unanswered
        self._source = source
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue()
        threading.Thread(target=self._read, name="transom-stdin", daemon=True).start()

    def __aiter__(self) -> _Lines:
        return self

    async def __anext__(self) -> bytes:
        line = await self._lines.get()
        if line is None:
            self._face.listening.close()
            await self._unanswered.settled(GRACE)
            raise StopAsyncIteration
        return line

    def end(self) -> None:
        """Take nothing more in."""
        self._lines.put_nowait(None)

    def _read(self) -> None:
        rest: list[bytes] = []
        with contextlib.suppress(OSError, RuntimeError):  # the pipe broke, or the loop has ended meanwhile
            while chunk := os.read(self._source, CHUNK):
                first, *more = chunk.split(b"\n")
                rest.append(first)
                if more:
                    *whole, last = b"".join(rest), *more
                    self._hand_over(whole)
                    rest = [last]
            self._hand_over([b"".join(rest)])
            self._loop.call_soon_threadsafe(self.end)

    def _hand_over(self, lines: Iterable[bytes]) -> None:
        for line in lines:
            if line.strip():
                self._loop.call_soon_threadsafe(self._lines.put_nowait, line)


class _Writer:
    """Lines of the output. Short ones are written at once where that cannot block; the rest by a thread."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._turn = anyio.Lock()
        self._ready = select.poll() if hasattr(select, "poll") else None
        if self._ready is not None:
            self._ready.register(target, select.POLLOUT)

    async def write(self, line: str) -> None:
        """Write a line, whole.

        Raises:
            anyio.ClosedResourceError: the client has gone.
        """
        async with self._turn:
            await self._written(line.encode() + b"\n")

    async def _written(self, data: bytes) -> None:
        try:
            if self._ready is not None and len(data) <= select.PIPE_BUF and self._is_ready():
                # A pipe that is ready takes this many bytes without waiting (POSIX, PIPE_BUF).
                _write_all(self._target, data)
            else:
                await asyncio.to_thread(_write_all, self._target, data)
        except BrokenPipeError:
            raise anyio.ClosedResourceError from None

    def _is_ready(self) -> bool:
        return self._ready is not None and any(event == select.POLLOUT for _, event in self._ready.poll(0))


def _write_all(target: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(target, view) :]
