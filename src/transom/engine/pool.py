"""One context a session key: made when it is first asked for, given up when too many are open.

Knows how to make a context by a function, and keys. A key may come from outside (a header, a name), so one that cannot be
a key is refused with what is wrong with it and reported as an event, not cut to fit.

A session is in the pool until whoever saves it has done so: nobody makes it anew from what was saved before, and a saving that
fails leaves it where it is.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass

from ..errors import InputError
from ..observe.bus import EventBus
from .context import Context

__all__ = ["ContextPool", "InvalidKey"]

log = logging.getLogger(__name__)

_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@:+-]{0,127}\Z")
MOST_OPEN = 1_000
TRIES = 3
"""Sessions that are tried to be saved for one that is asked for: where none can be, no request should wait for a thousand."""


@dataclass(frozen=True, slots=True)
class InvalidKey:
    """Something was asked for under a key that no session can have."""

    key: str
    reason: str


@dataclass(frozen=True, slots=True)
class _Leaving:
    """A session that is being saved, by whom, and what tells that it is over."""

    task: asyncio.Task[object] | None
    over: asyncio.Event


class ContextPool:
    """Contexts by session key.

    Args:
        make: gives a new context for a key. Contexts may share a store; give each the key as its ``session`` name where others
            are to go on with it.
        most_open: how many are kept; beyond that the one that was not asked for longest is given up. A context in use by
            ``using`` is kept, however many they are.
        on_dropped: told the key and the context before it is given up, to save a snapshot, say. Until it has returned, whoever
            asks for the key waits; what it raises leaves the session open.

    Attributes:
        bus: tells of ``InvalidKey``.

    A pool belongs to one event loop at a time.

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
        self._leaving: dict[str, _Leaving] = {}
        self._coming = 0
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
            Exception: the session is not open, and no other could be given up for it: what ``on_dropped`` raised. Those stay
                open, and this one was not made.
        """
        self._check(key)
        await self._settled(key)
        if key not in self._open:
            self._coming += 1
            try:
                await self._make_room(key)
            finally:
                self._coming -= 1
            await self._settled(key)
        context = self._open.get(key)
        if context is None:
            context = self._open[key] = self._make(key)
        self._open.move_to_end(key)
        return context

    def using(self, key: str) -> _Use:
        """``async with pool.using(key) as context``: the context is not given up meanwhile."""
        return _Use(self, key)

    async def drop(self, key: str) -> bool:
        """Give a session up; whether it was open. Its store stays open: others may use it.

        Raises:
            InputError: it is in use.
            Exception: what ``on_dropped`` raised. The session stays open.
        """
        await self._settled(key)
        if self._users.get(key) and key in self._open:
            raise InputError(f"session {key} is in use", hint="drop it when the block of pool.using(…) has ended")
        return await self._give_up(key)

    async def aclose(self) -> None:
        """Give all sessions up, those in use included, and close their stores, each store once.

        All are tried, and all stores closed, whatever fails meanwhile.

        Raises:
            Exception: the first thing that ``on_dropped`` or a store raised; what else failed stands in its notes. Sessions
                that could not be saved are still in the pool.
        """
        stores: dict[int, Context] = {}
        failures: list[tuple[str, Exception]] = []
        tried: set[str] = set()
        while keys := [key for key in self._open if key not in tried]:
            tried.add(keys[0])
            context = self._open[keys[0]]
            stores[id(context.store)] = context
            await self._settled(keys[0])
            try:
                await self._give_up(keys[0])
            except Exception as error:  # noqa: BLE001  # the application's own saving: the others have to be saved all the same
                failures.append((f"session {keys[0]}", error))
            _stop_work(context)
        closing = await asyncio.gather(*(context.aclose() for context in stores.values()), return_exceptions=True)
        failures += [("a store", failed) for failed in closing if isinstance(failed, Exception)]
        if failures:
            _, first = failures[0]
            for what, other in failures[1:]:
                first.add_note(f"{what} could not be closed either: {type(other).__name__}: {other}")
            raise first

    def _check(self, key: object) -> None:
        if isinstance(key, str) and _KEY.match(key):
            return
        shown = repr(key) if len(repr(key)) <= 80 else f"{repr(key)[:79]}…"
        reason = f"{shown} is no session key"
        self.bus.emit(InvalidKey(str(key), reason))
        raise InputError(reason, hint="a key is 1 to 128 letters, digits and . _ @ : + -, and begins with a letter or a digit")

    async def _settled(self, key: str) -> None:
        """Wait until nobody saves the session; who saves it has it meanwhile."""
        while (leaving := self._leaving.get(key)) is not None and leaving.task is not asyncio.current_task():
            await leaving.over.wait()

    async def _give_up(self, key: str) -> bool:
        context = self._open.get(key)
        if context is None or key in self._leaving:
            return False
        leaving = self._leaving[key] = _Leaving(asyncio.current_task(), asyncio.Event())
        try:
            if self._on_dropped is not None:
                told = self._on_dropped(key, context)
                if told is not None:
                    await told
            del self._open[key]
        finally:
            del self._leaving[key]
            leaving.over.set()
        _stop_work(context)
        return True

    async def _make_room(self, key: str) -> None:
        """Make room for one more.

        Raises:
            Exception: what the first saving raised, where none succeeded.
        """
        first: Exception | None = None
        failed = saved = 0
        # What others save at this moment is room that they made for themselves.
        while len(self._open) - len(self._leaving) + self._coming > self._most and key not in self._open:
            victim = next((name for name in self._open if not self._users.get(name) and name not in self._leaving), None)
            if victim is None:
                return
            try:
                await self._give_up(victim)
                saved += 1
            except Exception as error:  # noqa: BLE001
                # The application's own saving. The next that makes room begins with another, so that one session that can
                # never be saved does not keep out all that come.
                log.warning("session %s stays open, since it could not be saved: %s", victim, error)
                self._open.move_to_end(victim)
                first, failed = first or error, failed + 1
                if failed >= min(TRIES, len(self._open)):
                    if not saved:
                        raise first from None
                    return


def _stop_work(context: Context) -> None:
    """What its own ``aclose`` does but for the store, which others may share."""
    context._runner.jobs.close()


class _Use:
    """A context kept open for the time of a block."""

    def __init__(self, pool: ContextPool, key: str) -> None:
        self._pool = pool
        self._key = key

    async def __aenter__(self) -> Context:
        self._pool._check(self._key)  # the two are one thing
        users = self._pool._users
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
