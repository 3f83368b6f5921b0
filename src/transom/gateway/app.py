"""The gateway as an ASGI application: who may ask, what a path means, who answers.

Pure ASGI, so that a client that goes away is noticed at once. Knows the parts and no protocol. What is ours lies under
``/_transom/``; everything else belongs to an upstream, known path or not.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from typing import Any

from .access import Access, Refusal, preflight
from .answers import answer, error_of, refuse_upgrade, refuse_websocket
from .asked import Asked, members_of, raw_path, raw_query, told
from .asking import Asking
from .bodies import Body, ClientGoneError, Receive, Room, TooLargeError, UnknownCodingError, read_body, undone
from .endpoint import Endpoint, endpoint, is_misplaced
from .exchange import Exchange
from .forwarding import Forwarder, Limits
from .headers import Header, named, texts
from .parties import Guarding, Journal, NullGuard, NullJournal
from .passage import Passage
from .presence import Presence
from .relaying import Outgoing, Send
from .upstreams import Edit, Routes

__all__ = ["PREFIX", "ASGIApp", "Gateway", "build_app"]

ASGIApp = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

PREFIX = "/_transom/"
"""What begins the paths that are ours."""

_log = logging.getLogger(__name__)


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
        self._guard = guard
        self._operations = operations
        self._journal = journal
        self._access = access
        self._limits = limits
        self._refusing: set[tuple[str, Edit]] = set()
        self._identify = identify
        self._clock = clock
        self._room = Room()
        self._hop = hop.encode()
        self._forwarder = Forwarder(limits, hop)

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
        else:
            await self._pass(Asked(method, path, query, headers, verdict, port), receive, send)

    async def _operate(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if self._operations is None:
            await answer(send, 404, error_of("", 404, "nothing is served here"))
        else:
            await self._operations(scope, receive, send)

    async def _pass(self, asked: Asked, receive: Receive, send: Send) -> None:
        named_there = self._routes.named(asked.path, asked.port)
        path = named_there[1] if named_there is not None else asked.path
        if self._is_greeting(asked.method, asked.path, asked.port):
            await answer(send, 200, b"", asked.admitted.sharing([]))
            return
        headers = texts(asked.headers)
        point = endpoint(asked.method, path, dict(headers))
        room = self._room
        reads = point is not None and (
            point.kind in {"generate", "count"} or (named_there is None and len(self._routes.upstreams) > 1)
        )
        announced = named(asked.headers, b"content-length").decode("latin-1")
        length = int(announced) if announced.isdecimal() else None
        has_body = length != 0 if length is not None else bool(named(asked.headers, b"transfer-encoding"))
        body: Body | None = None
        try:
            if not has_body:
                body = Body(b"", whole=True, room=room)
                body.arrived.set()
            elif reads:
                body = await read_body(receive, length, room, self._limits.most_read)
            else:
                body = Body(b"", whole=False, room=room)
            await self._passed(asked, headers, path, point, body, length, receive, send)
        except ClientGoneError:
            return
        finally:
            if body is not None:
                body.release()

    async def _after(self, exchange: Exchange) -> None:
        known = len(exchange.decisions)
        try:
            await self._guard.after(exchange)
            if later := exchange.decisions[known:]:
                self._journal.noted(exchange, later)
        except Exception:  # noqa: BLE001 - the client has its answer; only the next request would have gained by it
            _log.exception("what the upstream counted for request %s is not taken note of", exchange.id)

    def _is_greeting(self, method: str, path: str, port: int | None) -> bool:
        """Whether a client looks if anybody is there before it asks, as Claude Code does; we are, whoever answers then."""
        if method != "HEAD":
            return False
        found = self._routes.named(path, port)
        return (found[1] if found is not None else path) == "/"

    async def _passed(
        self,
        asked: Asked,
        headers: list[tuple[str, str]],
        path: str,
        point: Endpoint | None,
        body: Body,
        length: int | None,
        receive: Receive,
        send: Send,
    ) -> None:
        plain = b""
        coding = named(asked.headers, b"content-encoding").decode("latin-1")
        inspected = body.whole and bool(body.data)
        try:
            plain = await undone(body.data, coding) if inspected and coding else body.data if inspected else b""
        except UnknownCodingError as error:
            await answer(send, 415, error_of(path, 415, f"the coding {error} of the body is not known here", point))
            return
        except TooLargeError:
            await answer(send, 413, error_of(path, 413, "the body unfolds to more than 64 MiB", point))
            return
        except ValueError:
            # Not of its coding, or cut off: the upstream says so better.
            inspected = False
        members = members_of(plain)
        model, stream = told(members, point)
        upstream, onward_path = self._routes.choose(asked.path, model, asked.port)
        exchange = Exchange(
            id=self._identify(),
            method=asked.method,
            path=path,
            query=asked.query,
            headers=headers,
            endpoint=point,
            upstream=upstream,
            body=plain,
            members=members,
            model=model,
            stream=stream,
            spent=asked.admitted.spent,
        )
        if not body.whole and point is not None and point.kind in {"generate", "count"}:
            is_large = length is None or length > self._limits.most_read
            exchange.decide("gateway", "passed", "too large to be looked at" if is_large else "no room to look at it now")
        out = Outgoing(send, self._clock)
        began = self._clock()
        streamed: AsyncIterator[bytes] | None = None if body.whole else body.stream(receive)
        guarded = point is not None and point.kind in {"generate", "count"}
        misplaced = point is None and is_misplaced(asked.method, path)
        if misplaced:
            # It goes on as every unknown path does; but its sender believes it to be guarded.
            exchange.decide("gateway", "passed", "path not known")
        watched = guarded or misplaced
        passage: Passage | None = None
        aborted = True
        try:
            async with Presence(receive, None if body.whole else body.arrived) as presence:
                if inspected and guarded:
                    await self._guard.before(exchange)
                if exchange.dry:
                    exchange.sent = exchange.body
                passage = Passage(
                    exchange=exchange,
                    asking=Asking(
                        exchange=exchange,
                        path=onward_path,
                        raw=body.data,
                        stream=streamed,
                        length=length,
                        forwarder=self._forwarder,
                        refusing=self._refusing,
                    ),
                    guard=self._guard,
                    journal=self._journal,
                    limits=self._limits,
                    presence=presence,
                    out=out,
                    share=asked.admitted.sharing,
                    clock=self._clock,
                )
                if watched:
                    self._journal.began(exchange)
                await passage.run()
            aborted = False
        finally:
            if passage is not None and watched:
                exchange.reported = passage.reported
                self._journal.ended(exchange, passage.ended(began, self._clock(), aborted=aborted))
                await self._after(exchange)


def _is_ours(path: str) -> bool:
    """Whether a path lies under our own prefix, with however many slashes."""
    return f"/{path.lstrip('/')}/".startswith(PREFIX)
