"""A socket, a server on it, and how it ends: asked once it takes nothing new and finishes what runs, asked twice it goes.

Knows uvicorn and signals; nothing of what is served.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn

from ..errors import UsageError

__all__ = ["Listener", "listen"]

_IDLE = 75
"""Seconds that an unused connection of a client is kept: shorter than that, and clients meet one that is just being closed."""


def listen(host: str, port: int) -> socket.socket:
    """A socket that is bound.

    Raises:
        UsageError: the port is taken, or the address is none of this machine's.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except OSError:
        raise UsageError(f"{host} is no address of this machine", hint="--host 127.0.0.1 is reached from here only") from None
    listener = socket.socket(family, kind, protocol)
    try:
        if sys.platform != "win32":  # where it would let two servers have one port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        # Bound is not enough: two may bind one port, and only one may listen on it.
        listener.listen(2048)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            text, hint = f"port {port} is taken", "stop what listens there, or take another: --port 0 finds a free one"
        elif error.errno == errno.EACCES:
            text, hint = f"port {port} may not be used", "take one from 1024 upward"
        else:
            text, hint = f"{host} is no address of this machine", "--host 127.0.0.1 is reached from here only"
        raise UsageError(text, hint=hint) from None
    return listener


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
            for task in tuple(self.server_state.tasks):
                task.cancel()
            return
        self.should_exit = True
        if running := len(self.server_state.tasks):
            self._ending(running)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve."""
        await super().startup(sockets)
        if self.started:
            self._ready()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Hear them here: heard by the base class, they would be raised once more in the end, and the status be theirs."""
        loop = asyncio.get_running_loop()
        signals = [signal.SIGINT, signal.SIGTERM]
        try:
            for number in signals:
                loop.add_signal_handler(number, self.end)
        except NotImplementedError:  # pragma: no cover - Windows has none in the loop
            previous = [signal.signal(number, lambda *_: loop.call_soon_threadsafe(self.end)) for number in signals]
            try:
                yield
            finally:
                for number, handler in zip(signals, previous, strict=True):
                    signal.signal(number, handler)
            return
        try:
            yield
        finally:
            for number in signals:
                loop.remove_signal_handler(number)
