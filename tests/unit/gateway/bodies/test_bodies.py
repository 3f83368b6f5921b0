"""Bodies are read once and within bounds; what cannot be looked at goes on as it came."""

from __future__ import annotations

import gzip
import json
import socket
import threading
import zlib
from collections.abc import Callable

import brotli  # type: ignore[import-untyped]
import pytest
from backports import zstd
from tests.unit.gateway.serving import HOST, Asked, ask, got, serving, upstream

from transom.gateway.app import build_app
from transom.gateway.bodies import Room, TooLargeError, UnknownCodingError, decoder, read_body, undone
from transom.gateway.exchange import Exchange
from transom.gateway.forwarding import Limits
from transom.gateway.parties import NullGuard
from transom.gateway.upstreams import Routes, Upstream

CHAT = "/v1/chat/completions"
BODY = json.dumps({"model": "m", "messages": [{"role": "user", "content": "word " * 500}]}).encode()


def _raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


CODINGS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstd.compress,
}


class Editing(NullGuard):
    def __init__(self, *, edits: bool) -> None:
        self.edits = edits
        self.seen: list[Exchange] = []

    async def before(self, exchange: Exchange) -> None:
        self.seen.append(exchange)
        if self.edits:
            exchange.sent = exchange.body.replace(b"word", b"w")


async def answered(asked: Asked) -> None:
    await asked.answer(200, b'{"choices":[]}')


@pytest.mark.parametrize("coding", list(CODINGS))
@pytest.mark.parametrize("edits", [True, False])
def test_a_coded_body_is_read_and_goes_on_as_it_came_unless_it_was_edited(coding: str, edits: bool) -> None:
    coded = CODINGS[coding](BODY)
    guard = Editing(edits=edits)
    with upstream(answered) as server, serving(build_app(Routes([Upstream(name="u", url=server.url)]), guard=guard)) as url:
        assert ask(url, "POST", CHAT, coded, f"content-encoding: {coding}").status == 200
        (asked,) = server.asked
    assert guard.seen[0].body == BODY
    assert guard.seen[0].model == "m"
    assert asked.header("content-encoding") == (None if edits else coding)
    assert asked.body == (BODY.replace(b"word", b"w") if edits else coded)


def test_an_unknown_coding_is_refused_in_the_protocols_shape() -> None:
    with upstream(answered) as server, serving(build_app(Routes([Upstream(name="u", url=server.url)]))) as url:
        answer = ask(url, "POST", "/v1/messages", BODY, "content-encoding: snappy")
        assert not server.asked
    assert answer.status == 415
    assert json.loads(answer.body)["type"] == "error"


@pytest.mark.parametrize(
    ("value", "coded"),
    [
        ("identity", BODY),
        ("Identity", BODY),
        ("GZIP", gzip.compress(BODY, mtime=0)),
        ("X-GZip", gzip.compress(BODY, mtime=0)),
        ("gzip,identity , BR", brotli.compress(gzip.compress(BODY, mtime=0))),
        ("deflate, zstd", zstd.compress(zlib.compress(BODY))),
        (" , gzip,", gzip.compress(BODY, mtime=0)),
    ],
)
def test_codings_are_read_in_any_spelling_and_go_on_as_they_are_spelled(value: str, coded: bytes) -> None:
    guard = Editing(edits=False)
    with upstream(answered) as server, serving(build_app(Routes([Upstream(name="u", url=server.url)]), guard=guard)) as url:
        assert ask(url, "POST", CHAT, coded, f"content-encoding: {value}").status == 200
        (asked,) = server.asked
    assert guard.seen[0].body == BODY
    assert (asked.header("content-encoding"), asked.body) == (value.strip(), coded)


@pytest.mark.parametrize("coding", list(CODINGS))
@pytest.mark.parametrize("lost", [1, 4, 30])
def test_a_body_that_is_cut_off_inside_its_coding_is_not_looked_at_and_goes_on_as_it_came(coding: str, lost: int) -> None:
    coded = CODINGS[coding](b'{"model":"m","stream":true,"messages":[]}' + b" " * 5_000)
    cut = coded[: -min(lost, len(coded) - 12)]
    guard = Editing(edits=True)
    with upstream(answered) as server, serving(build_app(Routes([Upstream(name="u", url=server.url)]), guard=guard)) as url:
        assert ask(url, "POST", CHAT, cut, f"content-encoding: {coding}").status == 200
        (asked,) = server.asked
    assert (asked.header("content-encoding"), asked.body) == (coding, cut)
    assert not guard.seen


def test_a_body_that_unfolds_without_end_is_refused() -> None:
    bomb = gzip.compress(b"0" * (65 << 20))
    with upstream(answered) as server, serving(build_app(Routes([Upstream(name="u", url=server.url)]))) as url:
        answer = ask(url, "POST", CHAT, bomb, "content-encoding: gzip")
        assert not server.asked
    assert answer.status == 413
    assert json.loads(answer.body)["error"]["message"] == "the body unfolds to more than 64 MiB"


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (b"no json at all", ()),
        (b"\xff\xfe\x00", ()),
        (b"[1, 2]", ()),
        (b'{"model": 7}', ()),
        (b"not gzip", ("content-encoding: gzip",)),
        (gzip.compress(BODY, mtime=0)[:50], ("content-encoding: gzip",)),
        (b'{"a":' * 5000, ()),
    ],
)
def test_what_cannot_be_read_goes_on_and_the_upstream_decides(body: bytes, headers: tuple[str, ...]) -> None:
    with upstream(answered) as server, serving(build_app(Routes([Upstream(name="u", url=server.url)]))) as url:
        assert ask(url, "POST", CHAT, body, *headers).status == 200
        assert server.asked[0].body == body


@pytest.mark.parametrize("announced", [True, False])
def test_what_is_too_large_to_be_looked_at_streams_through(announced: bool) -> None:
    body = b'{"model":"m","x":"' + b"y" * 300_000 + b'"}'
    guard = Editing(edits=True)
    app_limits = Limits(most_read=100_000)
    with (
        upstream(answered) as server,
        serving(build_app(Routes([Upstream(name="u", url=server.url)]), guard=guard, limits=app_limits)) as url,
    ):
        if announced:
            assert ask(url, "POST", CHAT, body).status == 200
            assert server.asked[0].header("content-length") == str(len(body))
        else:
            chunked = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in (body[:150_000], body[150_000:])) + b"0\r\n\r\n"
            assert _chunked(url, chunked) == 200
        assert server.asked[0].body == body
    assert not guard.seen


def _chunked(url: str, chunked: bytes) -> int:
    connection = socket.create_connection((HOST, int(url.rpartition(":")[2])), timeout=10)
    connection.sendall(f"POST {CHAT} HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked\r\n\r\n".encode() + chunked)
    return got(connection).status


def test_a_large_body_is_read_whole_and_arrives_whole() -> None:
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "z" * 20_000_000}]}).encode()
    with upstream(answered) as server, serving(build_app(Routes([Upstream(name="u", url=server.url)]))) as url:
        assert ask(url, "POST", CHAT, body).status == 200
        assert server.asked[0].body == body


async def test_room_is_shared_and_given_back() -> None:
    room = Room(100)

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": b"x" * 60, "more_body": False}

    first = await read_body(receive, None, room)
    assert (first.whole, room.left) == (True, 40)
    second = await read_body(receive, 60, room)
    assert not second.whole, "there is no room for it: it streams through"
    first.release()
    first.release()
    assert room.left == 100


@pytest.mark.parametrize("coding", list(CODINGS))
async def test_codings_are_undone_piece_by_piece_as_well_as_whole(coding: str) -> None:
    coded = CODINGS[coding](BODY)
    each = decoder(coding)
    assert b"".join(each.decode(coded[at : at + 7], 1 << 20) for at in range(0, len(coded), 7)) == BODY
    assert await undone(coded, coding) == BODY
    with pytest.raises(TooLargeError):
        await undone(coded, coding, most=len(BODY) - 1)
    assert await undone(coded, coding, most=len(BODY)) == BODY
    assert each.is_whole
    assert decoder(coding).is_whole, "nothing is not cut off"
    with pytest.raises(ValueError, match="cut off"):
        await undone(coded[:-1], coding)


async def test_codings_on_top_of_each_other_and_odd_ones() -> None:
    assert await undone(gzip.compress(brotli.compress(BODY)), "br, gzip") == BODY
    assert await undone(gzip.compress(BODY[:10]) + gzip.compress(BODY[10:]), "gzip") == BODY
    assert await undone(zstd.compress(BODY[:10]) + zstd.compress(BODY[10:]), "zstd") == BODY
    assert await undone(_raw_deflate(BODY), "deflate") == BODY
    assert await undone(BODY, "identity") is BODY
    with pytest.raises(UnknownCodingError):
        await undone(BODY, "lzma")


def test_parallel_requests_are_looked_at_each_by_itself() -> None:
    guard = Editing(edits=False)
    with upstream(answered) as server, serving(build_app(Routes([Upstream(name="u", url=server.url)]), guard=guard)) as url:
        bodies = [json.dumps({"model": f"m{number}"}).encode() for number in range(20)]
        threads = [threading.Thread(target=ask, args=(url, "POST", CHAT, body)) for body in bodies]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(asked.body for asked in server.asked) == sorted(bodies)
    assert sorted(exchange.model for exchange in guard.seen) == sorted(f"m{number}" for number in range(20))
