"""Which requests of a client still wait for their answer, told from the messages as they pass.

So that a client that sends its requests and closes the pipe at once, as a shell does, still gets all its answers.
"""

from __future__ import annotations

import asyncio
import contextlib

from mcp_types import JSONRPCError, JSONRPCMessage, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

__all__ = ["Unanswered"]


class Unanswered:
    """The open requests of one client."""

    def __init__(self) -> None:
        self._open: set[object] = set()
        self._none = asyncio.Event()
        self._none.set()

    def arrived(self, message: JSONRPCMessage) -> None:
        """A message came in."""
        match message:
            case JSONRPCRequest():
                self._open.add(message.id)
                self._none.clear()
            case JSONRPCNotification(method="notifications/cancelled", params=dict(params)):
                # One that is cancelled is never answered.
                self._settle(params.get("requestId"))
            case _:
                pass

    def answered(self, message: JSONRPCMessage) -> None:
        """A message went out."""
        if isinstance(message, JSONRPCResponse | JSONRPCError):
            self._settle(message.id)

    def _settle(self, name: object) -> None:
        if isinstance(name, int | str):
            self._open.discard(name)
        if not self._open:
            self._none.set()

    async def settled(self, seconds: float) -> None:
        """Wait until there are none, so long at most."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._none.wait(), seconds)
