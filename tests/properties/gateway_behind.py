"""The gateway as it is served, in this process, before an upstream that refuses what the real ones refuse.

The store outlives the gateway, and may fail once.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from tests.properties.gateway_laws import Laws
from tests.unit.gateway.serving import HOST, Asked
from tests.unit.gateway.serving import Upstream as Server

from transom import Context
from transom.errors import StoreError
from transom.gateway.app import Gateway, build_app
from transom.gateway.calibrations import Calibrations
from transom.gateway.exchange import Exchange, header
from transom.gateway.guard import Guard
from transom.gateway.operations import Switch
from transom.gateway.parties import Guarding, NullJournal
from transom.gateway.upstreams import Routes, Upstream
from transom.gateway.windows import Windows
from transom.store.backend import Write
from transom.store.backends.memory import MemoryBackend
from transom.testing.answering import Answering
from transom.testing.script import Received, Reply, ScriptRunner
from transom.testing.spelling import error_body, overflow_words
from transom.wire.registry import builtin_registry

__all__ = ["Behind", "Failing", "Spoil"]

_NUMBER = "x-number"

Spoil = Callable[[bytes], bytes]
"""What is done to a request that the guard edited."""


class Failing(MemoryBackend):
    """Refuses to write once it is told to, once."""

    fails = False

    async def batch(self, writes: Iterable[Write]) -> list[bool]:
        if self.fails:
            self.fails = False
            raise StoreError("the disk is full", hint="make room")
        return list(await super().batch(writes))


class _Spoiling(Switch):
    """A guard that makes a mistake where it edits, so that the laws can be seen to notice."""

    def __init__(self, guard: Guarding, spoil: Spoil) -> None:
        super().__init__(guard)
        self._spoil = spoil

    async def before(self, exchange: Exchange) -> None:
        """Edit, and spoil."""
        await super().before(exchange)
        if exchange.edited:
            exchange.sent = self._spoil(exchange.sent)

    async def overflowed(self, exchange: Exchange, said: int | None, window: int | None, *, certain: bool = True) -> bool:
        """Edit, and spoil."""
        smaller = await super().overflowed(exchange, said, window, certain=certain)
        exchange.sent = self._spoil(exchange.sent) if smaller else exchange.sent
        return smaller


class _Kept(NullJournal):
    """Exchanges by the number that the client gave them."""

    def __init__(self) -> None:
        self.all: dict[str, Exchange] = {}

    def began(self, exchange: Exchange) -> None:
        self.all[header(exchange.headers, _NUMBER)] = exchange


@dataclass
class Behind:
    """Both while they run.

    Attributes:
        laws: of the client; they know what the upstream counts.
        spoil: what is done to every request that the guard edited.
        asked: what the upstream was asked, by the client's number.
    """

    laws: Laws
    spoil: Spoil | None = None
    asked: dict[str, list[bytes]] = field(default_factory=dict)
    _url: str = ""

    def __post_init__(self) -> None:
        self._journal = _Kept()
        self._answering = Answering(ScriptRunner(self._reply), None, strict=True, model=self.laws.model)

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """Both run."""
        server = Server(self._handle)
        opened = await asyncio.start_server(server.connected, HOST, 0, limit=1 << 24)
        try:
            self._url = f"http://{HOST}:{opened.sockets[0].getsockname()[1]}"
            self._start()
            try:
                yield
            finally:
                await self._stop()
        finally:
            opened.close()

    async def restart(self) -> None:
        """Another process goes on, over the same store."""
        await self._stop()
        self._start()

    def exchange(self, number: str) -> Exchange:
        """The exchange of a request."""
        return self._journal.all[number]

    def _start(self) -> None:
        kept = self.laws.store
        upstream = Upstream(name="u", url=self._url, window=self.laws.window)
        self._windows = Windows(kept)

        def make(scope: str, window: int) -> Context:
            store = kept.scoped(scope) if scope else kept
            return Context(window=window, store=store, prune=False, usage_preference="feed-first")

        self._guard = Guard(make, self._windows, builtin_registry(), calibrations=Calibrations(kept))
        guarding: Guarding = Switch(self._guard) if self.spoil is None else _Spoiling(self._guard, self.spoil)
        self._app: Gateway = build_app(Routes([upstream]), guard=guarding, journal=self._journal)

    async def _stop(self) -> None:
        await self._app.close()
        await self._guard.aclose()
        await self._windows.aclose()

    async def post(self, body: bytes, number: str) -> tuple[int, bytes]:
        """Ask, and give the status and the body of the answer."""
        came: list[dict[str, Any]] = [{"type": "http.request", "body": body, "more_body": False}]
        status, pieces = 0, list[bytes]()

        async def receive() -> dict[str, Any]:
            if came:
                return came.pop()
            await asyncio.Event().wait()
            raise AssertionError("unreachable")

        async def send(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            else:
                pieces.append(message.get("body", b""))

        path = self.laws.client.path_of(self.laws.model)
        scope = {
            "type": "http",
            "method": "POST",
            "path": path,
            "raw_path": quote(path, safe="/:").encode(),
            "query_string": b"alt=sse" if self.laws.client.protocol == "gemini" and self.laws.client.stream else b"",
            "headers": [
                (b"host", b"127.0.0.1:80"),
                (b"content-type", b"application/json"),
                (b"content-length", b"%d" % len(body)),
                (b"authorization", b"Bearer key"),
                (_NUMBER.encode(), number.encode()),
            ],
            "server": (HOST, 80),
            "client": (HOST, 9),
        }
        await self._app(scope, receive, send)
        return status, b"".join(pieces)

    def _reply(self, received: Received) -> Reply:
        return Reply("Yes.", input_tokens=max(1, self.laws.weight(received.data)))

    async def _handle(self, asked: Asked) -> None:
        headers = dict(asked.headers)
        if _NUMBER not in headers:
            # The gateway's own question, what the model's window is.
            await asked.answer(404, b"{}")
            return
        self.asked.setdefault(headers[_NUMBER], []).append(asked.body)
        tokens = self.laws.weight(asked.body)
        if tokens > self.laws.window:
            words, code = overflow_words(self.laws.client.protocol, tokens, self.laws.window)
            self.laws.account.seen["overflows told"] += 1
            await asked.answer(400, json.dumps(error_body(self.laws.client.protocol, 400, words, code)).encode())
            return
        made = self._answering.post(asked.line.split()[1].partition("?")[0], headers, asked.body)
        assert made is not None
        if made.events is None:
            await asked.answer(made.status, made.body, kind=made.kind)
            return
        await asked.begin(kind=made.kind)
        await asked.chunk(b"".join(made.events))
        await asked.end()
