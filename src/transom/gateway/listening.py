"""A server, and how it ends: asked once it takes nothing new and finishes what runs, asked twice it goes.

Knows uvicorn; nothing of what is served.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import socket
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn

from ..servers import asked_to_end
from .connection import Connection

__all__ = ["Listener"]

_IDLE = 75
"""Seconds that an unused connection of a client is kept: shorter than that, and clients meet one that is just being closed."""


def _is_fault(record: logging.LogRecord) -> bool:
    """Whether a record tells of anything but a task that was cancelled."""
    return record.exc_info is None or not isinstance(record.exc_info[1], asyncio.CancelledError)


class Listener(uvicorn.Server):
    """A server that says when it is ready.

    Args:
        app: the ASGI application.
        ready: called once requests are taken.
        ending: called when it is asked to end while answers are being made, with their number.
    """

    def __init__(self, app: Any, ready: Callable[[], None], ending: Callable[[int], None] = lambda _: None) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=Connection,
                log_config=None,
                # It warns of every upgrade that a client would like; we answer that ourselves.
                log_level="error",
                access_log=False,
                server_header=False,
                ws="none",
                timeout_keep_alive=_IDLE,
                # What a client is being told may take minutes more; who cannot wait asks twice.
                timeout_graceful_shutdown=None,
            )
        )
        self._ready = ready
        self._ending = ending

    def end(self) -> None:
        """Take nothing new, and go when what runs is finished; asked again, go at once."""
        if self.should_exit:
            self.force_exit = True
            # An answer that is broken off because we were told to is no fault to show.
            logging.getLogger("uvicorn.error").addFilter(_is_fault)
            for task in tuple(self.server_state.tasks):
                task.cancel()
            return
        self.should_exit = True
        if running := len(self.server_state.tasks):
            self._ending(running)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve."""
        await super().startup(sockets)
        # What the program is made of stays: going over it again and again costs a tenth of a small request.
        gc.collect()
        gc.freeze()
        if self.started:
            self._ready()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Hear them here: heard by the base class, they would be raised once more in the end, and the status be theirs."""
        with asked_to_end(self.end, again=self.end):
            yield
