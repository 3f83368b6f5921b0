"""Whether the client is still there. When it goes, the work for it is cancelled, and with that the upstream's.

Knows ASGI's ``receive`` and tasks. Source: ASGI specification, "Disconnect receive event".
"""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self

from .bodies import ClientGoneError, Receive

__all__ = ["Presence"]


class Presence:
    """Cancels what runs inside it when the client goes away, and turns that into ``ClientGoneError``.

    Args:
        receive: ASGI's.
        arrived: set once the request's body is read: until then ``receive`` belongs to who reads it. ``None`` where it is.

    Raises:
        ClientGoneError: on leaving, when the client went away.
    """

    __slots__ = ("_arrived", "_is_gone", "_is_over", "_receive", "_watch", "_work")

    def __init__(self, receive: Receive, arrived: asyncio.Event | None = None) -> None:
        self._receive = receive
        self._arrived = arrived
        self._is_gone = False
        self._is_over = False

    def over(self) -> None:
        """All is about to be said: a client that goes away now misses nothing."""
        self._is_over = True

    async def __aenter__(self) -> Self:
        work = asyncio.current_task()
        assert work is not None
        self._work = work
        self._watch = asyncio.create_task(self._watched())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over = True
        self._watch.cancel()
        if self._is_gone and not self._work.uncancel() and isinstance(error, asyncio.CancelledError):
            raise ClientGoneError from error

    async def _watched(self) -> None:
        if self._arrived is not None:
            await self._arrived.wait()
        while (await self._receive())["type"] != "http.disconnect":
            pass
        if not self._is_over:
            self._is_gone = True
            self._work.cancel()
