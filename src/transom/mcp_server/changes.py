"""Telling clients that the tool list is another one: all of them, or on the stateless revision those who listen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp.server.subscriptions import InMemorySubscriptionBus, ToolsListChanged

from ..toolbox.toggles import Toggles
from .listing import ToolList
from .sessions import Sessions

__all__ = ["Changes"]


class Changes:
    """What one server announces.

    Args:
        toggles: what changes the list.
        tools: the list.
        sessions: who is told.
    """

    def __init__(self, toggles: Toggles, tools: ToolList, sessions: Sessions) -> None:
        self._toggles = toggles
        self._tools = tools
        self._sessions = sessions
        self._telling: set[asyncio.Task[None]] = set()
        self.bus = InMemorySubscriptionBus()

    @asynccontextmanager
    async def announced(self) -> AsyncIterator[None]:
        """Tell clients of changes as long as this is open. A switch may be thrown in any thread."""
        loop = asyncio.get_running_loop()

        def changed() -> None:
            self._tools.forget()
            loop.call_soon_threadsafe(self._start)

        end = self._toggles.listen(changed)
        try:
            yield
        finally:
            end()

    def _start(self) -> None:
        task = asyncio.ensure_future(self._tell())
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)

    async def _tell(self) -> None:
        await self.bus.publish(ToolsListChanged())
        for session in self._sessions.open():
            await session.connection.send_tool_list_changed()
