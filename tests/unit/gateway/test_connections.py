"""What a client may send before anybody looks at it, and how old clients and slow ones are served."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import suppress

import pytest
from tests.unit.gateway.exact import BODY, CHAT, OK, SAID, STREAM, Pair, paired
from tests.unit.gateway.serving import HOST, Asked, serving

from transom.gateway.app import build_app
from transom.gateway.connection import Connection
from transom.gateway.upstreams import Routes, Upstream

HEAD = b"POST %b HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n"


class Hasty(Connection):
    """A connection that waits for nobody."""

    patience = 0.2


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    with paired() as found:
        yield found


@pytest.fixture(scope="module")
def hasty() -> Iterator[int]:
    """The port of a gateway that does not wait."""
    with serving(build_app(Routes([Upstream(name="u", url="http://127.0.0.1:9")])), Hasty) as url:
        yield int(url.rpartition(":")[2])


def said(port: int, *pieces: bytes) -> bytes:
    """What comes back until the gateway hangs up, which it may do before all is sent."""
    with socket.create_connection((HOST, port), timeout=10) as client:
        try:
            for piece in pieces:
                client.sendall(piece)
            return b"".join(iter(lambda: client.recv(1 << 16), b""))
        except ConnectionError:
            return b"(reset)"


@pytest.mark.feature("Z10")
@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (HEAD % b"/v1/models" + b"x: " + b"a" * 70_000 + b"\r\n\r\n", 431),
        (HEAD % b"/v1/models" + b"x: y\r\n" * 12_000 + b"\r\n", 431),
        (HEAD % b"/v1/models" + b"x" * 70_000 + b": y\r\n\r\n", 431),
        (HEAD % (b"/v1/models?a=" + b"a" * 50_000) + b"\r\n", 414),
        (HEAD % (b"/" + b"a" * 70_000) + b"\r\n", 414),
        (HEAD % (b"/v1/models?a=" + b"a" * 30_000) + b"x: " + b"a" * 30_000 + b"\r\n\r\n", 200),
    ],
    ids=["a long field", "many fields", "a long name", "a long query", "a long path", "just not too long"],
)
def test_heads_and_addresses_are_bounded(pair: Pair, request_: bytes, status: int) -> None:
    answer = pair.send(request_)
    assert answer.startswith(b"HTTP/1.1 %d " % status)
    assert len(pair.server.asked) == (status == 200)


@pytest.mark.feature("Z10")
@pytest.mark.parametrize(
    "begins",
    [HEAD % b"/v1/models" + b"x: ", b"GET /", b"\r\n", HEAD % CHAT.encode() + b"transfer-encoding: chunked\r\n\r\n0\r\nx: "],
    ids=["in a field", "in the path", "before anything", "behind the body"],
)
def test_no_more_is_held_of_what_never_ends(pair: Pair, begins: bytes) -> None:
    with socket.create_connection((HOST, int(pair.url.rpartition(":")[2])), timeout=10) as client:
        client.sendall(begins)
        sent = 0
        with suppress(ConnectionError):
            while sent < 64 << 20:
                sent += client.send((b"\r\n" if begins == b"\r\n" else b"aa") * (32 << 10))
        # What the sockets of both sides hold goes too.
        assert sent < 32 << 20


@pytest.mark.parametrize("came", [b"GET /v1/mod", b"GET /v1/models HTTP/1.1\r\nhost: 127.0.0.1\r\nx"])
def test_a_head_that_does_not_end_is_not_waited_for(hasty: int, came: bytes) -> None:
    assert said(hasty, came).startswith(b"HTTP/1.1 408 ")


def test_a_head_that_begins_while_an_answer_is_under_way_does_not_break_it(pair: Pair) -> None:
    async def slow(asked: Asked) -> None:
        await asked.begin()
        for _ in range(4):
            await asked.chunk(b'data: {"choices":[]}\n\n')
            await asyncio.sleep(0.1)
        await asked.chunk(b"data: [DONE]\n\n")
        await asked.end()

    pair.script = slow
    pair.server.asked.clear()
    with serving(build_app(Routes([Upstream(name="u", url=pair.server.url)])), Hasty) as url:
        request = b"POST %b HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: %d\r\n\r\n" % (CHAT.encode(), len(STREAM))
        answer = said(int(url.rpartition(":")[2]), request + STREAM + b"GET /v1/mod")
    assert answer.count(b"data: [DONE]") == 1
    assert b"\r\n0\r\n\r\nHTTP/1.1 408 " in answer


@pytest.mark.parametrize("length", [True, False], ids=["whole", "in pieces"])
def test_a_client_of_http_1_0_gets_a_plain_body_that_ends_with_the_connection(pair: Pair, length: bool) -> None:
    async def streamed(asked: Asked) -> None:
        await asked.begin(kind="application/json")
        await asked.chunk(SAID[:5])
        await asked.chunk(SAID[5:])
        await asked.end()

    request = b"POST %b HTTP/1.0\r\nhost: 127.0.0.1\r\ncontent-length: %d\r\n\r\n%b" % (CHAT.encode(), len(BODY), BODY)
    head, _, body = pair.send(request, OK if length else streamed).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 ")
    assert body == SAID
    assert b"transfer-encoding" not in head
    assert (b"content-length" in head) == length
    assert b"connection: close" in head
