"""The server over streamable HTTP, on loopback unless told otherwise, and elsewhere only behind a token."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable, Iterator

import uvicorn
from mcp.server.streamable_http import EventStore
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp

from ..errors import UsageError
from ..safety import origins
from ..servers import asked_to_end, listen, url_of
from .closing import Closing
from .ending import GRACE
from .guard import Guard
from .server import Face

__all__ = ["PATH", "application", "serve_http"]

PATH = "/mcp"
RETRY = 500
"""Milliseconds after which a client whose stream was closed may come back."""


def application(face: Face, *, host: str, token: str | None, events: EventStore | None = None) -> ASGIApp:
    """The guarded application. It may be served once. See ``serve_http``."""
    # Host and Origin are judged by the guard, on whatever address; the SDK would do so on loopback only.
    security = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    app = face.server.streamable_http_app(
        streamable_http_path=PATH, transport_security=security, host=host, event_store=events, retry_interval=RETRY
    )
    return Guard(app, hosts={host, socket.gethostname()}, token=token)


async def serve_http(
    face: Face,
    host: str,
    port: int,
    *,
    token: str | None = None,
    ready: Callable[[str], None] = lambda _: None,
    events: EventStore | None = None,
) -> None:
    """Serve until the process is asked to end; then wait a little for what runs.

    Args:
        face: what is served.
        host, port: where; port 0 takes one that is free.
        token: what clients must send.
        ready: told the URL once requests are taken.
        events: keeps what was sent for clients that come back. The SDK has one for all sessions and names streams by the
            number of a request, so it is for one client only.

    Raises:
        UsageError: others could reach it and there is no token, or the address cannot be listened on.
    """
    if token is None and not origins.is_loopback(host):
        text = f"{host} can be reached by others, and there is no token"
        raise UsageError(text, hint="add --http-token TOKEN, or use 127.0.0.1")
    listener = listen(host, port)
    app = Closing(application(face, host=host, token=token, events=events))
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=1,
    )
    server = _Uvicorn(config, lambda: ready(url_of(host, listener) + PATH))

    async def end() -> None:
        ended = await face.calls.drained(GRACE)
        face.listening.close()
        app.close(all_=not ended)
        server.should_exit = True

    ending: list[asyncio.Task[None]] = []
    with listener, asked_to_end(lambda: ending.append(asyncio.ensure_future(end()))):
        serving = asyncio.ensure_future(server.serve([listener]))
        try:
            await asyncio.shield(serving)
        except asyncio.CancelledError:
            app.close(all_=True)
            server.should_exit = True
            await serving
            raise


class _Uvicorn(uvicorn.Server):
    """A server that says when it is ready, and leaves signals to us: heard by it, they would end the process."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
