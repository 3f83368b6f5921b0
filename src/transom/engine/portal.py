"""Runs async code for synchronous callers: one event loop in one background thread, started when first needed."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import TypeVar, cast

__all__ = ["Portal"]

T = TypeVar("T")


class Portal:
    """A doorway from synchronous code into an event loop of its own."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, work: Coroutine[object, object, T]) -> T:
        """Run a coroutine to its end and return or raise what it does.

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
        value, ended = asyncio.run_coroutine_threadsafe(_outcome(work), self._started()).result()
        if ended is not None:
            raise ended
        return cast("T", value)

    def _started(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=loop.run_forever, name="transom-portal", daemon=True)
            self._thread.start()
            self._loop = loop
        return self._loop

    def close(self) -> None:
        """Stop the loop and its thread. The portal starts anew when used again."""
        if self._loop is not None and self._thread is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()
        self._loop = self._thread = None


async def _outcome(work: Coroutine[object, object, T]) -> tuple[T | None, BaseException | None]:
    """What the work gives, or the exit that it raised: the loop would end of that, and the caller wait for ever."""
    try:
        return await work, None
    except (SystemExit, KeyboardInterrupt) as error:
        return None, error
