"""Work beside the event loop that serves: what takes long for one conversation must not hold up the streams of the others.

Knows threads and loops, nothing of what is done in them. One thread with an event loop of its own, started when first needed.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from collections.abc import Coroutine
from typing import TypeVar

__all__ = ["Beside"]

T = TypeVar("T")

_SWITCH = 0.0005
"""Seconds after which the work has to let the serving loop go on. With Python's own 5 ms every event of a stream would wait."""


class Beside:
    """A thread that others may have their work done in."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._running = 0
        self._usual = sys.getswitchinterval()

    async def run(self, work: Coroutine[object, object, T]) -> T:
        """What the work gives or raises. Whoever is cancelled meanwhile waits until it has ended: nothing of it runs on."""
        if not self._running:
            self._usual = sys.getswitchinterval()
            sys.setswitchinterval(min(_SWITCH, self._usual))
        self._running += 1
        try:
            return await self._ran(work)
        finally:
            self._running -= 1
            if not self._running:
                sys.setswitchinterval(self._usual)

    async def _ran(self, work: Coroutine[object, object, T]) -> T:
        there, here = self._started(), asyncio.get_running_loop()
        over: asyncio.Future[None] = here.create_future()
        begun: list[asyncio.Task[T]] = []

        def tell() -> None:
            if not over.done():
                over.set_result(None)

        def begin() -> None:
            begun.append(there.create_task(work))
            begun[0].add_done_callback(lambda _: here.call_soon_threadsafe(tell))

        there.call_soon_threadsafe(begin)
        cancelled = False
        while not over.done():
            try:
                await asyncio.shield(over)
            except asyncio.CancelledError:
                cancelled = True
                there.call_soon_threadsafe(lambda: begun[0].cancel("nobody waits"))
        if cancelled:
            if not begun[0].cancelled():
                begun[0].exception()
            raise asyncio.CancelledError
        return begun[0].result()

    async def aclose(self) -> None:
        """End the thread. It starts again when it is used again."""
        loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
        if loop is not None and thread is not None:
            loop.call_soon_threadsafe(loop.stop)
            await asyncio.to_thread(thread.join)

    def _started(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=_serve, args=(self._loop,), name="gateway guard", daemon=True)
            self._thread.start()
        return self._loop


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        if tasks := asyncio.all_tasks(loop):
            for task in tasks:
                task.cancel()
            with contextlib.suppress(RuntimeError):
                loop.run_until_complete(asyncio.wait(tasks, timeout=1.0))
        loop.close()
