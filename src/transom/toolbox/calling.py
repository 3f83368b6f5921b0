"""One call in flight: what a tool gets of it, and the thread a plain function runs in.

Knows no catalog. Threads are the call's own and daemons: one that hangs in a system call must neither use up a pool nor keep
the process from ending.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import TypeVar, cast

from ..vocabulary import Vocabulary
from .saying import sayable
from .tool import CallCancelled, CatalogView, Refused

__all__ = ["Call", "Listen", "in_thread"]

Listen = Callable[[float, float | None, str], None]
Service = TypeVar("Service")
Made = TypeVar("Made")

LINGER = 2.0
"""Seconds that a thread whose call is over is given to notice."""
QUIET = 0.2
"""Seconds between two reports of progress: more would only cost the reader."""


@dataclass(kw_only=True)
class Call:
    """What a tool gets beside its arguments; see ``ToolContext``."""

    words: Vocabulary
    session: str | None
    project: str | None
    stateful: bool
    catalog: CatalogView
    services: Mapping[type, object]
    now: Callable[[], float]
    listen: Listen | None
    tool: str
    _over: threading.Event = field(default_factory=threading.Event)
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)
    _reported: float = -1.0
    _furthest: float = -1.0

    def wait(self, errand: Coroutine[object, object, Made]) -> Made:
        """See ``ToolContext``."""
        return asyncio.run_coroutine_threadsafe(errand, self._loop).result()

    def use(self, kind: type[Service]) -> Service:
        """See ``ToolContext``."""
        found = self.services.get(kind)
        if found is None:
            text = self.words.tooling.unavailable.format(tool=self.tool, what=kind.__name__)
            raise Refused("unavailable", text)
        return cast("Service", found)

    def clock(self) -> float:
        """See ``ToolContext``."""
        return self.now()

    def report(self, done: float, total: float | None = None, message: str = "") -> None:
        """See ``ToolContext``."""
        listen, now = self.listen, self._loop.time()
        if listen is None or self._over.is_set() or done <= self._furthest:
            return
        if now - self._reported < QUIET and done != total:
            return
        self._reported, self._furthest = now, done
        self._loop.call_soon_threadsafe(self._tell, listen, done, total, sayable(message))

    def _tell(self, listen: Listen, done: float, total: float | None, message: str) -> None:
        if not self._over.is_set():
            listen(done, total, message)

    def check(self) -> None:
        """See ``ToolContext``."""
        if self._over.is_set():
            raise CallCancelled

    def end(self) -> None:
        """Nobody waits for it any more."""
        self._over.set()


async def in_thread(work: Callable[[], Made], call: Call) -> Made:
    """Run a plain function in a thread of its own and wait for it.

    When the wait is called off, ``call.check`` raises in the thread; it is given two seconds to notice, so that hardly anything
    is left running when the caller is told.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Made] = loop.create_future()
    context = contextvars.copy_context()

    def settle(made: Made | None, error: BaseException | None) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(cast("Made", made))
        else:
            future.set_exception(error)

    def run() -> None:
        made, failure = None, None
        try:
            made = context.run(work)
        except BaseException as error:  # noqa: BLE001 - raised again where it is awaited
            # A future refuses StopIteration, and nothing else may get lost here either.
            failure = RuntimeError(repr(error)) if isinstance(error, StopIteration) else error
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, made, failure)

    thread = threading.Thread(target=run, name=f"transom-{call.tool}", daemon=True)
    thread.start()
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        call.end()
        # Whatever comes of it now, nobody reads it.
        future.add_done_callback(lambda done: done.cancelled() or done.exception())
        await asyncio.wait({future}, timeout=LINGER)
        raise
