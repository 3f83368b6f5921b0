"""One at a time, whichever event loop they come from.

``asyncio.Lock`` belongs to the first loop in which two meet at it; sessions outlive loops (``asyncio.run`` for each call), and
are asked from threads with loops of their own. Knows tasks and loops only.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from contextvars import ContextVar

from ..errors import InputError

__all__ = ["Turnstile"]

_INSIDE: ContextVar[tuple[object, ...]] = ContextVar("transom_inside", default=())
"""The passages that whoever runs is part of: what they call, in other tasks and threads too, has them."""


class Turnstile:
    """``async with turnstile:``: the others wait meanwhile, in whatever event loop they are.

    Args:
        what: what one does in there, for the message to who would wait for itself. Without it nobody is refused.
    """

    def __init__(self, what: str = "") -> None:
        self._what = what
        self._guard = threading.Lock()
        self._holder: tuple[object, asyncio.AbstractEventLoop] | None = None
        self._left_inside = 0
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = []

    async def __aenter__(self) -> None:
        """Wait for all who are inside.

        Raises:
            InputError: it is called by what goes on inside, which waits for it.
        """
        passage, loop = object(), asyncio.get_running_loop()
        woken = self._enter(passage, loop)
        while woken is not None:
            try:
                await woken
            except BaseException:
                with self._guard:
                    self._leave_queue(woken)
                    if self._holder is None:
                        # It was its turn: that of the next.
                        self._wake()
                raise
            woken = self._enter(passage, loop, woken)
        _INSIDE.set((*_INSIDE.get(), passage))

    async def __aexit__(self, kind: type[BaseException] | None, *error: object) -> None:
        """Let the next one in."""
        with self._guard:
            if self._left_inside and kind is GeneratorExit:
                # Whoever stayed inside when its loop was closed is collected now; somebody else is inside.
                self._left_inside -= 1
                return
            holder, self._holder = self._holder, None
            self._wake()
        _INSIDE.set(tuple(other for other in _INSIDE.get() if holder is None or other is not holder[0]))

    def _enter(
        self, passage: object, loop: asyncio.AbstractEventLoop, woken: asyncio.Future[None] | None = None
    ) -> asyncio.Future[None] | None:
        with self._guard:
            place = self._leave_queue(woken)
            # Whoever is inside with a loop that is closed will not come out.
            if self._holder is None or self._holder[1].is_closed():
                self._left_inside += self._holder is not None
                self._holder = passage, loop
                return None
            if self._what and self._holder[0] in _INSIDE.get():
                raise InputError(
                    f"{self._what} within {self._what} of the same session: each would wait for the other",
                    hint="give what is called meanwhile (a model, a strategy, a function in a slot) a context of its own",
                )
            waiting: asyncio.Future[None] = loop.create_future()
            self._waiting.insert(place, (loop, waiting))
            return waiting

    def _leave_queue(self, woken: asyncio.Future[None] | None) -> int:
        """The place where it stood; the end for who did not."""
        for place, (_, waiting) in enumerate(self._waiting):
            if waiting is woken:
                del self._waiting[place]
                return place
        return len(self._waiting)

    def _wake(self) -> None:
        """Tell the first who can still hear it."""
        for loop, woken in self._waiting:
            with contextlib.suppress(RuntimeError):
                # A loop that is closed hears nothing; one that stands still may hear it too late for the others.
                loop.call_soon_threadsafe(_tell, woken)
                if loop.is_running():
                    return


def _tell(woken: asyncio.Future[None]) -> None:
    if not woken.done():
        woken.set_result(None)
