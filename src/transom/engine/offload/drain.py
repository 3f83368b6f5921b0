"""A bounded wait: what changes a conversation's context waits until the tool calls in flight have ended, or is put off.

Knows sessions by name and how many calls of each run; neither tools nor contexts. A call that ran while its session was cleared
or switched would write its result into what is no longer there.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Iterator

__all__ = ["LONGEST_WAIT", "Drain"]

LONGEST_WAIT = 15.0
"""Seconds a mutation waits for the calls in flight."""

_log = logging.getLogger(__name__)


class Drain:
    """The calls in flight, by session, and the wait for them.

    Args:
        longest: seconds to wait at most.
    """

    def __init__(self, longest: float = LONGEST_WAIT) -> None:
        self._longest = longest
        self._running: dict[str | None, int] = {}

    def running(self, session: str | None) -> int:
        """How many calls of a session are in flight."""
        return self._running.get(session, 0)

    @contextlib.contextmanager
    def call(self, session: str | None) -> Iterator[None]:
        """Count a call while it runs."""
        self._running[session] = self.running(session) + 1
        try:
            yield
        finally:
            left = self._running.pop(session) - 1
            if left:
                self._running[session] = left

    @contextlib.contextmanager
    def aside(self, session: str | None) -> Iterator[None]:
        """Leave out one call that only waits for another to end: it would be waited for in turn."""
        before = self.running(session)
        if before:
            self._running[session] = before - 1
        try:
            yield
        finally:
            if before:
                self._running[session] = self.running(session) + 1

    async def settled(self, session: str | None) -> bool:
        """Wait until no call of the session is in flight.

        Returns:
            False where some still were when the time was over; that is logged as an error, and whoever waited changes nothing.
        """
        loop = asyncio.get_running_loop()
        end = loop.time() + self._longest
        # Polled, as calls may end in other threads or be dropped without a word; a poll is cheap beside a call.
        pause = 0.01
        while count := self.running(session):
            if loop.time() >= end:
                _log.error(
                    "a change of the context of session %r was put off: %d tool calls still run after %.0f s",
                    session,
                    count,
                    self._longest,
                )
                return False
            await asyncio.sleep(min(pause, max(end - loop.time(), 0)))
            pause = min(pause * 2, 0.25)
        return True
