"""One context a session key: made when it is first asked for, given up when too many are open.

Knows how to make a context by a function, and keys. A key may come from outside (a header, a name), so one that cannot be
a key is refused with what is wrong with it and reported as an event, not cut to fit.
"""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass

from ..errors import InputError
from ..observe.bus import EventBus
from .context import Context

__all__ = ["ContextPool", "InvalidKey"]

_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@:+-]{0,127}\Z")
MOST_OPEN = 1_000


@dataclass(frozen=True, slots=True)
class InvalidKey:
    """Something was asked for under a key that no session can have."""

    key: str
    reason: str


class ContextPool:
    """Contexts by session key.

    Args:
        make: gives a new context for a key. Contexts may share a store; give each the key as its ``session`` name where others
            are to go on with it.
        most_open: how many are kept; beyond that the one that was not asked for longest is given up. A context in use by
            ``using`` is kept.
        on_dropped: told the key and the context before it is given up, to save a snapshot, say.

    Attributes:
        bus: tells of ``InvalidKey``.

    Raises:
        InputError: ``most_open`` is less than one.
    """

    def __init__(
        self,
        make: Callable[[str], Context],
        *,
        most_open: int = MOST_OPEN,
        on_dropped: Callable[[str, Context], Awaitable[None] | None] | None = None,
    ) -> None:
        if most_open < 1:
            raise InputError(f"a pool of {most_open} contexts", hint="give the number of sessions to keep open, 1 or more")
        self.bus = EventBus()
        self._make = make
        self._most = most_open
        self._on_dropped = on_dropped
        self._open: OrderedDict[str, Context] = OrderedDict()
        self._users: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._open)

    def __contains__(self, key: str) -> bool:
        return key in self._open

    def __iter__(self) -> Iterator[str]:
        """The open sessions' keys, the one not asked for longest first."""
        return iter(tuple(self._open))

    async def get(self, key: str) -> Context:
        """The session's context; always the same as long as it is open.

        Raises:
            InputError: the key can be no session's.
        """
        self._check(key)
        context = self._open.get(key)
        if context is None:
            context = self._open[key] = self._make(key)
        self._open.move_to_end(key)
        await self._make_room()
        return context

    def using(self, key: str) -> _Use:
        """``async with pool.using(key) as context``: the context is not given up meanwhile."""
        return _Use(self, key)

    async def drop(self, key: str) -> bool:
        """Give a session up; whether it was open. Its store stays open: others may use it."""
        context = self._open.pop(key, None)
        if context is None:
            return False
        if self._on_dropped is not None:
            told = self._on_dropped(key, context)
            if told is not None:
                await told
        return True

    async def aclose(self) -> None:
        """Give all sessions up and close their stores, each store once."""
        contexts = list(self._open.items())
        for key, _ in contexts:
            await self.drop(key)
        stores: dict[int, Context] = {id(context.store): context for _, context in contexts}
        await asyncio.gather(*(context.aclose() for context in stores.values()))

    def _check(self, key: object) -> None:
        if isinstance(key, str) and _KEY.match(key):
            return
        shown = repr(key) if len(repr(key)) <= 80 else f"{repr(key)[:79]}…"
        reason = f"{shown} is no session key"
        self.bus.emit(InvalidKey(str(key), reason))
        raise InputError(reason, hint="a key is 1 to 128 letters, digits and . _ @ : + -, and begins with a letter or a digit")

    async def _make_room(self) -> None:
        newest = next(reversed(self._open))
        for key in tuple(self._open):
            if len(self._open) <= self._most:
                return
            if key != newest and not self._users.get(key):
                await self.drop(key)


class _Use:
    """A context kept open for the time of a block."""

    def __init__(self, pool: ContextPool, key: str) -> None:
        self._pool = pool
        self._key = key

    async def __aenter__(self) -> Context:
        users = self._pool._users  # the two are one thing
        users[self._key] = users.get(self._key, 0) + 1
        try:
            return await self._pool.get(self._key)
        except BaseException:
            self._leave()
            raise

    async def __aexit__(self, *error: object) -> None:
        self._leave()

    def _leave(self) -> None:
        users = self._pool._users
        users[self._key] -= 1
        if not users[self._key]:
            del users[self._key]
