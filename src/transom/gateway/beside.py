"""Work beside the event loop that serves: what takes long for one conversation must not hold up the streams of the others.

Knows threads and loops, nothing of what is done in them. A few threads, each with an event loop of its own and started when
first needed: what takes long for one conversation holds up no work for another either.
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
_MOST = 4
"""Threads. They take turns, so that more would only make each of them later."""


class Beside:
    """Threads that others may have their work done in."""

    def __init__(self) -> None:
        self._workers: list[_Worker] = []
        self._running = 0
        self._usual = sys.getswitchinterval()

    async def run(self, work: Coroutine[object, object, T]) -> T:
        """What the work gives or raises. Whoever is cancelled meanwhile waits until it has ended: nothing of it runs on."""
        if not self._running:
            self._usual = sys.getswitchinterval()
            sys.setswitchinterval(min(_SWITCH, self._usual))
        self._running += 1
        worker = self._least_busy()
        worker.running += 1
        try:
            return await worker.run(work)
        finally:
            worker.running -= 1
            self._running -= 1
            if not self._running:
                sys.setswitchinterval(self._usual)

    async def aclose(self) -> None:
        """End the threads. They start again when they are used again."""
        workers, self._workers = self._workers, []
        await asyncio.gather(*(worker.aclose() for worker in workers))

    def _least_busy(self) -> _Worker:
        least = min(self._workers, key=lambda worker: worker.running, default=None)
        if least is None or (least.running and len(self._workers) < _MOST):
            self._workers.append(least := _Worker())
        return least


class _Worker:
    """One thread.

    Attributes:
        running: how much is being done in it.
    """

    def __init__(self) -> None:
        self.running = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=_serve, args=(self._loop,), name="gateway guard", daemon=True)
        self._thread.start()

    async def run(self, work: Coroutine[object, object, T]) -> T:
        """See ``Beside.run``."""
        there, here = self._loop, asyncio.get_running_loop()
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
        """End the thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        await asyncio.to_thread(self._thread.join)


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
