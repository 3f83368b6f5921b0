"""Log records for clients: what our own loggers say, to each session from the level it asked for.

Only warnings and worse are taken up, and nothing of other libraries: what they say is for whoever runs the server, on stderr.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import get_args

from mcp_types import EmptyResult, LoggingLevel, SetLevelRequestParams

from ..safety.masking import Masking
from .sessions import Context, Sessions

__all__ = ["Journal"]

LOGGER = "transom"
_LEVELS: tuple[LoggingLevel, ...] = get_args(LoggingLevel)
"""Least severe first."""


class Journal(logging.Handler):
    """The log of one server.

    Args:
        sessions: who is told.
    """

    def __init__(self, sessions: Sessions) -> None:
        super().__init__(logging.WARNING)
        self.addFilter(Masking())
        self._sessions = sessions
        self._telling: set[asyncio.Task[None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def set_level(self, context: Context, params: SetLevelRequestParams) -> EmptyResult:
        """``logging/setLevel``."""
        self._sessions.of(context).level = params.level
        return EmptyResult()

    @asynccontextmanager
    async def kept(self) -> AsyncIterator[None]:
        """Pass records on as long as this is open."""
        self._loop = asyncio.get_running_loop()
        logger = logging.getLogger(LOGGER)
        logger.addHandler(self)
        try:
            yield
        finally:
            logger.removeHandler(self)
            self._loop = None

    def emit(self, record: logging.LogRecord) -> None:
        """Take a record, from any thread."""
        level: LoggingLevel = "error" if record.levelno >= logging.ERROR else "warning"
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._start, level, record.getMessage(), record.name)

    def _start(self, level: LoggingLevel, text: str, logger: str) -> None:
        task = asyncio.ensure_future(self._tell(level, text, logger))
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)

    async def _tell(self, level: LoggingLevel, text: str, logger: str) -> None:
        for session in self._sessions.open():
            if _LEVELS.index(level) >= _LEVELS.index(session.level):
                message = {"level": level, "logger": logger, "data": text}
                await session.connection.notify("notifications/message", message)
