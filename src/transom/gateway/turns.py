"""A conversation's context, given to one request at a time, and what its last compile left.

Knows contexts and how they are pooled, and the window that each is to keep to; nothing of what a request becomes.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from types import TracebackType
from weakref import WeakKeyDictionary

from ..engine.context import Context
from ..engine.pool import ContextPool
from .exchange import Exchange
from .reserves import answer_of, within
from .window_source import WindowSource

__all__ = ["Last", "Make", "Turn", "Turns"]

Make = Callable[[str, int], Context]
"""A context for a scope and a window."""


@dataclass(frozen=True, slots=True)
class Last:
    """The last compile of a conversation: of which exchange, and how many tokens were left until its window closes."""

    exchange: str
    room: int


class Turns:
    """The contexts of conversations.

    Args:
        make: a context for a scope and a window.
        windows: tells which servers count the answer into the window.
        most_open: conversations held in memory.
    """

    def __init__(self, make: Make, windows: WindowSource, most_open: int) -> None:
        self._make = make
        self._windows = windows
        self._pool = ContextPool(self._made, most_open=most_open)
        self._locks: WeakKeyDictionary[Context, asyncio.Lock] = WeakKeyDictionary()
        self._compiled: WeakKeyDictionary[Context, Last] = WeakKeyDictionary()

    def of(self, exchange: Exchange) -> Turn:
        """``async with`` gives the context of an exchange whose window is known."""
        return Turn(self._pool.using(f"s{exchange.scope}-{exchange.session}-{self._kept_to(exchange)}"), self._locks)

    def last(self, context: Context) -> Last | None:
        """What the last compile of a context left, where there was one."""
        return self._compiled.get(context)

    def compiled(self, context: Context, last: Last) -> None:
        """Note what a compile left."""
        self._compiled[context] = last

    async def aclose(self) -> None:
        """Give up what is held in memory."""
        await self._pool.aclose()

    def _kept_to(self, exchange: Exchange) -> int:
        """The window that the engine keeps to: the model's, less what an answer that counts takes of it."""
        assert exchange.window is not None
        assert exchange.endpoint is not None
        if not self._windows.counts_answer(exchange.upstream, exchange.model):
            return exchange.window
        return within(exchange.window, answer_of(exchange), exchange.endpoint.protocol)

    def _made(self, key: str) -> Context:
        scope, _, window = key[1:].split("-")
        return self._make(scope, int(window))


class Turn:
    """``async with`` gives a conversation's context to one request at a time.

    Clients repeat requests before the first is answered: between loading and compiling nobody else may load.
    """

    __slots__ = ("_lock", "_turns", "_use")

    def __init__(self, use: AbstractAsyncContextManager[Context], turns: WeakKeyDictionary[Context, asyncio.Lock]) -> None:
        self._use = use
        self._turns = turns

    async def __aenter__(self) -> Context:
        context = await self._use.__aenter__()
        self._lock = self._turns.setdefault(context, asyncio.Lock())
        try:
            await self._lock.acquire()
        except BaseException:
            await self._use.__aexit__(*sys.exc_info())
            raise
        return context

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()
        await self._use.__aexit__(kind, error, trace)
