"""Progress of a call on its way to the client.

How often is the toolbox's affair, and whether the client wants any at all is known to the SDK, which drops it otherwise. Here
it only keeps its order.
"""

from __future__ import annotations

import asyncio
import contextlib

from .sessions import Context

__all__ = ["Progress"]


class Progress:
    """The reports of one call.

    Args:
        context: the request.
    """

    def __init__(self, context: Context) -> None:
        self._session = context.session
        self._waiting: list[tuple[float, float | None, str]] = []
        self._sending: asyncio.Task[None] | None = None

    def __call__(self, done: float, total: float | None, message: str) -> None:
        """Take a report."""
        self._waiting.append((done, total, message))
        if self._sending is None or self._sending.done():
            self._sending = asyncio.ensure_future(self._send())

    async def _send(self) -> None:
        while self._waiting:
            done, total, message = self._waiting.pop(0)
            await self._session.report_progress(done, total, message or None)

    async def settled(self) -> None:
        """Wait until all of it is on its way: none may follow the result."""
        if self._sending is not None:
            await self._sending

    async def dropped(self) -> None:
        """Send no more."""
        self._waiting.clear()
        if self._sending is not None:
            self._sending.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._sending
