"""Runs async code for synchronous callers: one event loop in one background thread, started when first needed.

The thread knows its loop and not the portal, so that a portal that nobody holds any more ends it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import weakref
from collections.abc import Coroutine
from concurrent.futures import Future, wait
from typing import TypeVar, cast

__all__ = ["Portal"]

log = logging.getLogger(__name__)

T = TypeVar("T")

GRACE = 1.0
"""Seconds for which work that is cancelled may put things away."""


class Portal:
    """A doorway from synchronous code into an event loop of its own."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._end: weakref.finalize[[asyncio.AbstractEventLoop], Portal] | None = None

    def run(self, work: Coroutine[object, object, T]) -> T:
        """Run a coroutine to its end and return or raise what it does.

        Whoever is interrupted while waiting (Ctrl-C, a signal handler that raises) leaves no work behind: it is cancelled.

        Raises:
            RuntimeError: called from inside a running event loop, where it would block that loop.
        """
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            pass
        else:
            work.close()
            raise RuntimeError("an event loop is running here: await the async method instead of its _sync twin")
        value, error = self._outcome(work)
        if error is None:
            return cast("T", value)
        try:
            raise error
        finally:
            # Else the error holds this frame, and the frame the error, and with them whoever called.
            error = None

    def _outcome(self, work: Coroutine[object, object, T]) -> tuple[T | None, BaseException | None]:
        loop = self._started()
        done: Future[tuple[T | None, BaseException | None]] = Future()
        begun: list[asyncio.Task[tuple[T | None, BaseException | None]]] = []

        def settle(task: asyncio.Task[tuple[T | None, BaseException | None]]) -> None:
            done.set_result((None, asyncio.CancelledError()) if task.cancelled() else task.result())

        def begin() -> None:
            begun.append(loop.create_task(_ended(work)))
            begun[0].add_done_callback(settle)

        try:
            loop.call_soon_threadsafe(begin)
            return done.result()
        except BaseException:
            # Nothing that the work raises arrives this way: whoever waits is interrupted.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(lambda: [task.cancel() for task in begun])
            wait([done], GRACE)
            raise

    def _started(self) -> asyncio.AbstractEventLoop:
        # In a forked process the thread of its parent is none.
        if self._loop is None or self._thread is None or not self._thread.is_alive():
            if self._end is not None:
                self._end.detach()
            loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=_serve, args=(loop,), name="transom-portal", daemon=True)
            self._thread.start()
            self._loop, self._end = loop, weakref.finalize(self, _stop, loop)
        return self._loop

    def close(self) -> None:
        """Stop the loop and its thread. The portal starts anew when used again."""
        if self._end is not None and self._thread is not None:
            self._end()
            self._thread.join()
        self._loop = self._thread = self._end = None


def _stop(loop: asyncio.AbstractEventLoop) -> None:
    # In any thread: the last who held the portal may have been a task of its own loop.
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(loop.stop)


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    """Run the loop until it is stopped, and leave nothing behind."""
    try:
        loop.run_forever()
    except (SystemExit, KeyboardInterrupt) as error:
        # Of a task that somebody's code started beside its own: nobody else hears of it.
        log.warning("a task ended the event loop behind a context: %s", type(error).__name__)
    finally:
        try:
            if tasks := asyncio.all_tasks(loop):
                for task in tasks:
                    task.cancel()
                loop.run_until_complete(asyncio.wait(tasks, timeout=GRACE))
            loop.run_until_complete(loop.shutdown_asyncgens())
        finally:
            loop.close()


async def _ended(work: Coroutine[object, object, T]) -> tuple[T | None, BaseException | None]:
    """What the work gives or raises. An exit that a task raises would end its loop, and the caller wait for ever."""
    try:
        return await work, None
    except BaseException as error:  # noqa: BLE001  # raised again where it was asked for
        return None, error
