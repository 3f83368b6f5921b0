"""One gateway, and behind it an upstream that answers whatever bytes a test tells it to; both for a whole module."""

from __future__ import annotations

import queue
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.unit.gateway.serving import HOST, Asked, serving, upstream
from tests.unit.gateway.serving import Upstream as Server

from transom.gateway.app import build_app
from transom.gateway.exchange import Exchange, Reported
from transom.gateway.parties import Ended, NullJournal
from transom.gateway.upstreams import Routes, Upstream

CHAT, MESSAGES, RESPONSES, GEMINI = "/v1/chat/completions", "/v1/messages", "/v1/responses", "/v1beta/models/m:"
BODY = b'{"model":"m","messages":[]}'
STREAM = b'{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[]}'
SAID = b'{"choices":[]}'
OK = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 14\r\n\r\n" + SAID
CLOSE = b"host: 127.0.0.1\r\nconnection: close\r\n"

Script = bytes | Callable[[Asked], Awaitable[None]]


class Kept(NullJournal):
    """How requests ended, to be waited for: a client has its answer a moment before that."""

    def __init__(self) -> None:
        self._all: list[tuple[Exchange, queue.SimpleQueue[Ended]]] = []

    def began(self, exchange: Exchange) -> None:
        self._all.append((exchange, queue.SimpleQueue()))

    def ended(self, exchange: Exchange, ended: Ended) -> None:
        next(waiting for each, waiting in self._all if each is exchange).put(ended)

    def last(self) -> tuple[Exchange, Ended]:
        """The newest request, once it has ended."""
        exchange, waiting = self._all[-1]
        ended = waiting.get(timeout=5)
        waiting.put(ended)
        return exchange, ended


@dataclass(slots=True)
class Pair:
    """The gateway and the upstream behind it.

    Attributes:
        url: the gateway's.
        server: the upstream.
        journal: what the gateway kept.
        script: what it answers: bytes as they go over the wire, or what is done with a request.
    """

    url: str
    server: Server
    journal: Kept
    script: Script = OK

    @property
    def ended(self) -> Ended:
        """How the newest request ended."""
        return self.journal.last()[1]

    @property
    def counted(self) -> Reported | None:
        """What the upstream counted for it."""
        return self.journal.last()[0].reported

    def send(self, request: bytes, script: Script = OK) -> bytes:
        """All that comes back over one connection until it is closed."""
        self.script = script
        self.server.asked.clear()
        port = int(self.url.rpartition(":")[2])
        with socket.create_connection((HOST, port), timeout=10) as connection:
            connection.sendall(request)
            return b"".join(iter(lambda: connection.recv(1 << 16), b""))

    def ask(self, method: str, path: str, body: bytes = b"", *headers: bytes, script: Script = OK) -> Wire:
        """One request over a connection of its own; headers as bytes."""
        more = [*headers, b"content-length: %d" % len(body)] if body else [*headers]
        head = f"{method} {path} HTTP/1.1\r\n".encode("latin-1") + CLOSE + b"".join(line + b"\r\n" for line in more)
        return Wire.read(self.send(head + b"\r\n" + body, script))

    @property
    def asked(self) -> Asked:
        """The one request that reached the upstream."""
        (asked,) = self.server.asked
        return asked


@dataclass(slots=True)
class Wire:
    """An answer, byte for byte.

    Attributes:
        status: HTTP status.
        headers: names in lower case, values as they were.
        body: its chunks put together.
        complete: it ended as it had announced.
    """

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes
    complete: bool = True

    @classmethod
    def read(cls, raw: bytes) -> Wire:
        """Take an answer apart; those of status 100 before it are passed over."""
        head, _, body = raw.partition(b"\r\n\r\n")
        while head.startswith(b"HTTP/1.1 1"):
            head, _, body = body.partition(b"\r\n\r\n")
        line, *lines = head.split(b"\r\n")
        headers = [(name.lower(), value.removeprefix(b" ")) for name, _, value in (text.partition(b":") for text in lines)]
        wire = cls(int(line.split()[1]), headers, body)
        if wire.all(b"transfer-encoding") == [b"chunked"]:
            wire.body, wire.complete = _unchunked(body)
        elif length := wire.all(b"content-length"):
            wire.complete = len(body) == int(length[0])
        return wire

    def all(self, name: bytes) -> list[bytes]:
        """The values of a header, in order."""
        return [value for key, value in self.headers if key == name]


def _unchunked(raw: bytes) -> tuple[bytes, bool]:
    pieces: list[bytes] = []
    position = 0
    while (end := raw.find(b"\r\n", position)) >= 0:
        size = int(raw[position:end], 16)
        if not size:
            return b"".join(pieces), raw[end:] == b"\r\n\r\n"
        pieces.append(raw[end + 2 : end + 2 + size])
        position = end + 2 + size + 2
    return b"".join(pieces), False


@contextmanager
def paired() -> Iterator[Pair]:
    """Both, running."""

    async def handle(asked: Asked) -> None:
        if not isinstance(pair.script, bytes):
            await pair.script(asked)
            return
        asked.writer.write(pair.script)
        await asked.writer.drain()

    journal = Kept()
    with (
        upstream(handle) as server,
        serving(build_app(Routes([Upstream(name="u", url=server.url)]), journal=journal)) as url,
    ):
        pair = Pair(url, server, journal)
        yield pair
