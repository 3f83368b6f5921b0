"""The gateway as an ASGI application: who may ask, whether it is ours to answer.

Pure ASGI, so that a client that goes away is noticed at once. Knows the parts and no protocol. What is ours lies under
``/_transom/``; everything else belongs to an upstream, known path or not.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from .access import Access, Refusal, preflight
from .answers import answer, error_of, refuse_upgrade, refuse_websocket
from .asked import Asked, raw_path, raw_query
from .bodies import Receive
from .forwarding import Forwarder, Limits
from .handling import Handling
from .headers import Header, named
from .parties import Guarding, Journal, NullGuard, NullJournal
from .relaying import Send
from .upstreams import Routes

__all__ = ["PREFIX", "ASGIApp", "Gateway", "build_app"]

ASGIApp = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

PREFIX = "/_transom/"
"""What begins the paths that are ours."""


def build_app(
    routes: Routes,
    *,
    guard: Guarding | None = None,
    operations: ASGIApp | None = None,
    journal: Journal | None = None,
    access: Access | None = None,
    limits: Limits | None = None,
    identify: Callable[[], str] = lambda: uuid.uuid4().hex,
    clock: Callable[[], float] = time.monotonic,
    hop: str = "",
) -> Gateway:
    """The application.

    Args:
        routes: who answers.
        guard: makes requests fit; without one they go on as they came.
        operations: answers what lies under ``/_transom/``.
        journal: is told of every request that a model answers.
        access: who may ask; without one, clients of this machine.
        limits: how long and how much.
        identify: names requests.
        clock: seconds.
        hop: what it is called in the header ``Via`` of requests to upstreams nearby; without one, a name of its own.
    """
    return Gateway(
        routes=routes,
        guard=guard or NullGuard(),
        operations=operations,
        journal=journal or NullJournal(),
        access=access or Access(),
        limits=limits or Limits(),
        identify=identify,
        clock=clock,
        hop=hop or f"transom-{uuid.uuid4().hex[:12]}",
    )


class Gateway:
    """The application. See ``build_app``; use ``close`` where the server tells no lifespan."""

    def __init__(
        self,
        *,
        routes: Routes,
        guard: Guarding,
        operations: ASGIApp | None,
        journal: Journal,
        access: Access,
        limits: Limits,
        identify: Callable[[], str],
        clock: Callable[[], float],
        hop: str,
    ) -> None:
        self._routes = routes
        self._operations = operations
        self._access = access
        self._hop = hop.encode()
        self._forwarder = Forwarder(limits, hop)
        self._handling = Handling(
            routes=routes,
            guard=guard,
            journal=journal,
            limits=limits,
            forwarder=self._forwarder,
            identify=identify,
            clock=clock,
        )

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Serve."""
        match scope["type"]:
            case "http":
                await self._http(scope, receive, send)
            case "websocket":
                await refuse_websocket(scope, receive, send)
            case "lifespan":
                await self._lifespan(receive, send)
            case _:
                raise ValueError(f"scope {scope['type']!r} is not served")

    async def close(self) -> None:
        """Let go of the upstreams' connections."""
        await self._forwarder.close()

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await send({"type": "lifespan.startup.complete"})
            elif message["type"] == "lifespan.shutdown":
                await self.close()
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def _http(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        headers: list[Header] = scope["headers"]
        path = raw_path(scope)
        query = raw_query(scope)
        server = scope.get("server")
        port = server[1] if server is not None else None
        verdict = self._access.judge(headers, query, server)
        method = scope["method"]
        if isinstance(verdict, Refusal):
            if verdict.status == 401 and self._is_greeting(method, path, port):
                await answer(send, 200, b"")
                return
            more = [(b"www-authenticate", b"Bearer")] if verdict.status == 401 else []
            await answer(send, verdict.status, error_of(path, verdict.status, verdict.message), more)
            return
        if named(headers, b"upgrade").lower() == b"websocket":
            await refuse_upgrade(send)
        elif method == "OPTIONS" and verdict.origin and named(headers, b"access-control-request-method"):
            await answer(send, 204, b"", preflight(verdict.origin, headers))
        elif any(name == b"via" and self._hop in value for name, value in headers):
            await answer(send, 508, error_of(path, 508, "this gateway is its own upstream, by itself or through others"))
        elif not path.startswith("/"):
            await answer(send, 400, error_of("", 400, "what is asked for is no path"))
        elif _is_ours(path):
            await self._operate(scope, receive, send)
        elif self._is_greeting(method, path, port):
            await answer(send, 200, b"", verdict.sharing([]))
        else:
            await self._handling.handle(Asked(method, path, query, headers, verdict, port), receive, send)

    async def _operate(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if self._operations is None:
            await answer(send, 404, error_of("", 404, "nothing is served here"))
        else:
            await self._operations(scope, receive, send)

    def _is_greeting(self, method: str, path: str, port: int | None) -> bool:
        """Whether a client looks if anybody is there before it asks, as Claude Code does; we are, whoever answers then."""
        if method != "HEAD":
            return False
        found = self._routes.named(path, port)
        return (found[1] if found is not None else path) == "/"


def _is_ours(path: str) -> bool:
    """Whether a path lies under our own prefix, with however many slashes."""
    return f"/{path.lstrip('/')}/".startswith(PREFIX)
