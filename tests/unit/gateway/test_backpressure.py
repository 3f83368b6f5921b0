"""Who is slow slows the other side down: the gateway holds no more of a body than its pieces on the way."""

from __future__ import annotations

import contextlib
import select
import socket
import threading
import time
import zlib
from collections.abc import Iterator

import pytest
from tests.unit.gateway.serving import HOST, serving

from transom.gateway.app import build_app
from transom.gateway.upstreams import Routes, Upstream

PIECE = b"data: " + b'{"choices":[{"delta":{"content":"' + b"x" * 65_000 + b'"},"finish_reason":"stop"}]}\n\n'
PIECES = 640
WHOLE = len(PIECE) * PIECES
MOST = 20_000_000
"""Bytes that may be on the way: what the system holds for four sockets (up to 16 MB by default), and little of our own."""
STILL = 0.3
"""Seconds without a byte taken, after which none will be."""


@contextlib.contextmanager
def placed() -> Iterator[tuple[socket.socket, str]]:
    """A gateway, and the listening socket of the upstream behind it."""
    with socket.create_server((HOST, 0)) as listener:
        listener.settimeout(10)
        # Those that are accepted have it too.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        url = f"http://{HOST}:{listener.getsockname()[1]}"
        with serving(build_app(Routes([Upstream(name="u", url=url)]))) as gateway:
            yield listener, gateway


def joined(gateway: str) -> socket.socket:
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
    client.settimeout(10)
    client.connect((HOST, int(gateway.rpartition(":")[2])))
    return client


def head(connection: socket.socket) -> bytes:
    """What came up to the first empty line, byte by byte."""
    seen = b""
    while not seen.endswith(b"\r\n\r\n"):
        seen += connection.recv(1)
    return seen


class Pour:
    """Sends the pieces as fast as they are taken, in a thread of its own."""

    def __init__(self, connection: socket.socket, framed: bytes, end: bytes = b"") -> None:
        self.taken = 0
        self._end = end
        self._connection = connection
        self._framed = framed
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def settled(self) -> int:
        """Bytes that were taken, once no more are."""
        before = -1
        while self.taken != before:
            before = self.taken
            until = time.monotonic() + STILL
            while self.taken == before and time.monotonic() < until:
                select.select([], [], [], 0.02)
        return self.taken

    def ended(self) -> None:
        self._thread.join(10)
        assert not self._thread.is_alive()

    def _run(self) -> None:
        for _ in range(PIECES):
            self._connection.sendall(self._framed)
            self.taken += len(PIECE)
        self._connection.sendall(self._end)


def read(connection: socket.socket, size: int) -> int:
    """The sum over so many bytes."""
    sum_ = 0
    while size and (piece := connection.recv(min(size, 1 << 20))):
        size -= len(piece)
        sum_ = zlib.crc32(piece, sum_)
    assert not size
    return sum_


def read_chunks(connection: socket.socket) -> int:
    """The sum over all chunks."""
    sum_ = 0
    with connection.makefile("rb") as stream:
        while size := int(stream.readline(), 16):
            sum_ = zlib.crc32(stream.read(size), sum_)
            stream.readline()
    return sum_


def expected() -> int:
    sum_ = 0
    for _ in range(PIECES):
        sum_ = zlib.crc32(PIECE, sum_)
    return sum_


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/files/f/content"])
def test_a_slow_client_of_a_fast_answer_holds_the_upstream_back_and_gets_all_of_it(path: str) -> None:
    with placed() as (listener, gateway), joined(gateway) as client:
        body = b'{"model":"m","stream":true,"stream_options":{"include_usage":true}}'
        client.sendall(b"POST %b HTTP/1.1\r\nhost: localhost\r\ncontent-length: %d\r\n\r\n" % (path.encode(), len(body)) + body)
        upstream, _ = listener.accept()
        with upstream:
            head(upstream)
            upstream.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: %d\r\n\r\n" % WHOLE)
            pour = Pour(upstream, PIECE)
            assert pour.settled() < MOST
            answer = head(client)
            assert (read_chunks(client) if b"chunked" in answer else read(client, WHOLE)) == expected()
            pour.ended()


@pytest.mark.parametrize(("path", "measured"), [("/v1/chat/completions", True), ("/v1/files", True), ("/v1/files", False)])
def test_a_slow_upstream_of_a_large_body_holds_the_client_back_and_gets_all_of_it(path: str, measured: bool) -> None:
    framed = PIECE if measured else b"%x\r\n%b\r\n" % (len(PIECE), PIECE)
    length = b"content-length: %d" % WHOLE if measured else b"transfer-encoding: chunked"
    with placed() as (listener, gateway), joined(gateway) as client:
        client.sendall(b"POST %b HTTP/1.1\r\nhost: localhost\r\n%b\r\n\r\n" % (path.encode(), length))
        pour = Pour(client, framed, b"" if measured else b"0\r\n\r\n")
        upstream, _ = listener.accept()
        with upstream:
            assert pour.settled() < MOST
            head(upstream)
            assert (read(upstream, WHOLE) if measured else read_chunks(upstream)) == expected()
            pour.ended()


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/files"])
def test_an_upstream_that_refuses_a_large_body_before_it_came_is_heard(path: str) -> None:
    refusal = b'{"error":{"message":"too large"}}'
    with placed() as (listener, gateway), joined(gateway) as client:
        client.sendall(b"POST %b HTTP/1.1\r\nhost: localhost\r\ncontent-length: %d\r\n\r\n" % (path.encode(), WHOLE))
        pour = Pour(client, PIECE)
        upstream, _ = listener.accept()
        with upstream:
            head(upstream)
            upstream.sendall(b"HTTP/1.1 413 X\r\nconnection: close\r\ncontent-length: %d\r\n\r\n" % len(refusal) + refusal)
            assert b" 413 " in head(client)
            assert client.recv(4096) == refusal
        pour.ended()
