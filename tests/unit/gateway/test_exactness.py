"""What is no edit arrives as it was, over real sockets, in both directions: statuses, headers, paths, framing."""

from __future__ import annotations

import asyncio
import gzip
import socket
import threading
from collections.abc import Iterator

import pytest
from tests.unit.gateway.exact import BODY, CHAT, CLOSE, MESSAGES, OK, SAID, STREAM, Pair, Wire, paired
from tests.unit.gateway.serving import HOST, Asked, raw, serving, upstream

from transom.gateway.app import build_app
from transom.gateway.forwarding import Limits
from transom.gateway.upstreams import Routes, Upstream


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    with paired() as running:
        yield running


def answer(status: int, *headers: bytes, body: bytes = b"") -> bytes:
    return b"HTTP/1.1 %d X\r\n%b\r\n%b" % (status, b"".join(line + b"\r\n" for line in headers), body)


@pytest.mark.parametrize("request_body", [BODY, STREAM], ids=["whole", "streamed"])
@pytest.mark.parametrize("path", [CHAT, MESSAGES, "/v1/embeddings"])
@pytest.mark.parametrize("status", [201, 202, 204, 205, 300, 301, 302, 303, 304, 307, 308, 401, 429, 500])
def test_an_answer_without_a_body_goes_back_as_it_is(pair: Pair, status: int, path: str, request_body: bytes) -> None:
    location = b"http://other.example/v1//x%2Fy?a=&b;c?"
    length = () if status in {204, 304} else (b"content-length: 0",)
    found = pair.ask(
        "POST", path, request_body, script=answer(status, b"location: " + location, b"x-request-id: r", b"etag: W/1", *length)
    )
    assert (found.status, found.body, found.complete) == (status, b"", True)
    assert found.all(b"location") == [location]
    assert found.all(b"x-request-id") == [b"r"]
    assert found.all(b"etag") == [b"W/1"]


@pytest.mark.parametrize("status", [206, 300, 302, 307, 308])
def test_nothing_is_put_into_the_page_of_a_redirect(pair: Pair, status: int) -> None:
    page = b"<a href=there>moved</a>"
    found = pair.ask(
        "POST",
        CHAT,
        STREAM,
        script=answer(status, b"location: /there", b"content-type: text/html", b"content-length: %d" % len(page), body=page),
    )
    assert (found.status, found.body, found.complete) == (status, page, True)
    assert found.all(b"content-length") == [b"%d" % len(page)]


def test_a_length_that_a_304_tells_does_not_break_it(pair: Pair) -> None:
    found = pair.ask("POST", CHAT, BODY, script=answer(304, b"content-length: 44", b"etag: 1"))
    assert (found.status, found.body) == (304, b"")


@pytest.mark.parametrize("request_body", [BODY, STREAM], ids=["whole", "streamed"])
def test_only_a_200_with_nothing_in_it_is_no_answer(pair: Pair, request_body: bytes) -> None:
    found = pair.ask("POST", CHAT, request_body, script=answer(200, b"content-length: 0"))
    assert found.status == 502
    assert b"answered nothing" in found.body
    assert found.all(b"content-length") == [b"%d" % len(found.body)]


@pytest.mark.parametrize("status", [204, 307])
def test_a_status_without_words_that_comes_late_is_told_inside_the_stream(status: int) -> None:
    async def handle(asked: Asked) -> None:
        await asyncio.to_thread(promised.wait, 5)
        asked.writer.write(answer(status, b"location: /there"))
        asked.writer.close()

    promised = threading.Event()
    limits = Limits(patience=0.05)
    with upstream(handle) as server, serving(build_app(Routes([Upstream(name="u", url=server.url)]), limits=limits)) as url:
        client = raw(url, "POST", CHAT, STREAM)
        seen = b""
        while b": keep-alive" not in seen:
            seen += client.recv(4096)
        promised.set()
        while not seen.endswith(b"0\r\n\r\n"):
            seen += client.recv(4096)
        client.close()
    assert b'"message":"the upstream answered %d and no stream"' % status in seen


VALUES = [
    b"caf\xc3\xa9",
    b"caf\xe9",
    b"\xc3\xa9 and \xe9",
    b"\xff\xfe\x80\x9f",
    b"\xed\xa0\x80",
    b"\xf0\x9f\x98\x80",
    b"a\tb  c",
    b"",
    b'"quoted, \\" = ; %zz',
    b"y" * 60_000,
]


@pytest.mark.parametrize("path", [CHAT, "/v1/files"])
@pytest.mark.parametrize("request_body", [b"", BODY, STREAM, b"x" * 300_000], ids=["none", "whole", "streamed", "large"])
def test_the_values_of_headers_are_the_bytes_that_came_in_both_directions(pair: Pair, path: str, request_body: bytes) -> None:
    lines = [b"x-value: " + value for value in VALUES]
    found = pair.ask("POST", path, request_body, *lines, script=answer(200, *lines, b"content-length: 2", body=b"{}"))
    assert [value.encode("latin-1") for name, value in pair.asked.headers if name == "x-value"] == VALUES
    assert pair.asked.body == request_body
    assert found.all(b"x-value") == VALUES


def test_header_values_that_are_no_text_do_not_spoil_the_next_request_of_the_connection(pair: Pair) -> None:
    head = b"POST " + CHAT.encode() + b" HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: %d\r\n" % len(BODY)
    one, two = head + b"x-a: \xe9\r\n\r\n" + BODY, head + b"connection: close\r\n\r\n" + BODY
    assert pair.send(one + one + two).count(b"HTTP/1.1 200 OK") == 3
    assert [asked.body for asked in pair.server.asked] == [BODY] * 3
    assert [asked.header("x-a") for asked in pair.server.asked] == ["\xe9", "\xe9", None]


def test_cookies_and_whatever_else_comes_twice_stay_apart_and_in_order(pair: Pair) -> None:
    cookies = [b"a=1; Path=/", b"b=2, c", b"a=1; Path=/"]
    script = answer(200, *(b"Set-Cookie: " + cookie for cookie in cookies), b"content-length: 2", body=b"{}")
    assert pair.ask("POST", CHAT, BODY, script=script).all(b"set-cookie") == cookies


def test_very_many_headers_pass_both_ways(pair: Pair) -> None:
    many = [b"x-h%d: %d" % (number, number) for number in range(1500)]
    found = pair.ask("POST", CHAT, BODY, *many, script=answer(200, *many, b"content-length: 2", body=b"{}"))
    assert found.status == 200
    assert found.all(b"x-h1499") == [b"1499"]
    assert pair.asked.header("x-h1499") == "1499"


@pytest.mark.parametrize("path", [CHAT, "/v1/files"])
def test_a_control_character_in_an_answers_header_costs_no_answer(pair: Pair, path: str) -> None:
    found = pair.ask("POST", path, BODY, script=answer(200, b"x-odd: a\x01b\x7f", b"content-length: 2", body=b"{}"))
    assert (found.status, found.body) == (200, b"{}")
    assert found.all(b"x-odd") == [b"a b "]


@pytest.mark.parametrize("path", [CHAT, "/v1/files"])
@pytest.mark.parametrize("status", [101, 600, 999])
def test_a_status_that_no_answer_may_have_is_named(pair: Pair, status: int, path: str) -> None:
    found = pair.ask("POST", path, BODY, script=answer(status, b"content-length: 2", body=b"{}"))
    assert found.status == 502
    assert b"answered with status %d" % status in found.body


TARGETS = [
    "/v1/models?a=1;b=2",
    "/v1/models?&a=&&b&",
    "/v1/models?a=?/:@&b=%20+%2B%zz%e4",
    '/v1/x?a=<>"{}|^`\\',
    "/v1/a%2Fb%2f..%2F",
    "//v1//models",
    "///x",
    "/v1/../models/./x/..",
    "/v1/%2e%2E/%7E~%e4%",
    "/v1/models/a:b@c;d=e,f",
    '/v1/<>"{}|^`\\[x]',
    "/[",
    "/http://other.example/x",
    "/v1/x?" + "y" * 40_000,
    "/v1beta/models/m%3Aodd:list?key=1&key=&",
    "/u/v1/models?x=/u/",
    "/u//x",
]


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH", "QUERY"])
@pytest.mark.parametrize("target", TARGETS, ids=range(len(TARGETS)))
def test_what_is_asked_for_goes_up_byte_for_byte(pair: Pair, target: str, method: str) -> None:
    found = pair.ask(method, target, script=OK if method != "HEAD" else answer(200, b"content-length: 14", b"x-a: 1"))
    assert (found.status, found.all(b"content-length")) == (200, [b"14"])
    assert found.body == (b"" if method == "HEAD" else SAID)
    assert pair.asked.line == f"{method} {target.removeprefix('/u')} HTTP/1.1"


@pytest.mark.parametrize("target", [b"/v1/\xe4", b"/v1/x?q=\xc3\xa4", b"/v1/a\tb", b"/v1/a\x01b", b"?x", b"v1/x"])
def test_what_no_target_may_be_is_refused_and_never_changed(pair: Pair, target: bytes) -> None:
    found = Wire.read(pair.send(b"GET " + target + b" HTTP/1.1\r\n" + CLOSE + b"\r\n"))
    assert found.status == 400
    assert pair.server.asked == []


@pytest.mark.parametrize("path", [CHAT, MESSAGES, "/v1/models", "/v1/unknown"])
@pytest.mark.parametrize(
    "headers", [(b"content-length: 500",), (b"transfer-encoding: chunked",), ()], ids=["length", "chunked", "none"]
)
def test_a_look_at_any_path_comes_back_as_it_is(pair: Pair, path: str, headers: tuple[bytes, ...]) -> None:
    found = pair.ask("HEAD", path, script=answer(404, b"x-a: 1", *headers))
    assert (found.status, found.body) == (404, b"")
    assert found.all(b"content-length") == [line.partition(b": ")[2] for line in headers if line.startswith(b"content-length")]


# ── framing ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("path", [CHAT, "/v1/files"])
@pytest.mark.parametrize("coding", [b"chunked", b"Chunked", b"CHUNKED"])
def test_a_body_without_a_length_goes_on_whole(pair: Pair, path: str, coding: bytes) -> None:
    head = b"POST " + path.encode() + b" HTTP/1.1\r\n" + CLOSE + b"Transfer-Encoding: " + coding + b"\r\n\r\n"
    chunks = b"1\r\n{\r\n0a;ext=1\r\n" + BODY[1:11] + b"\r\n%X\r\n" % len(BODY[11:]) + BODY[11:] + b"\r\n0\r\n\r\n"
    assert Wire.read(pair.send(head + chunks)).body == SAID
    assert pair.asked.body == BODY


@pytest.mark.parametrize("path", [CHAT, "/v1/files"])
def test_a_client_that_waits_to_be_told_to_go_on_is_told(pair: Pair, path: str) -> None:
    port = int(pair.url.rpartition(":")[2])
    with socket.create_connection((HOST, port), timeout=10) as client:
        head = b"POST " + path.encode() + b" HTTP/1.1\r\n" + CLOSE
        client.sendall(head + b"Expect: 100-Continue\r\ncontent-length: %d\r\n\r\n" % len(BODY))
        assert client.recv(4096) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(BODY)
        assert Wire.read(b"".join(iter(lambda: client.recv(4096), b""))).body == SAID


@pytest.mark.parametrize("path", [CHAT, "/v1/files"])
def test_what_an_upstream_says_before_its_answer_takes_nothing_from_it(pair: Pair, path: str) -> None:
    early = b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n"
    found = pair.ask("POST", path, BODY, script=early + OK)
    assert (found.status, found.body, found.all(b"link")) == (200, SAID, [])


@pytest.mark.parametrize("path", [CHAT, "/v1/files"])
def test_trailers_of_an_answer_do_not_spoil_it(pair: Pair, path: str) -> None:
    body = b"3\r\nabc\r\n0\r\nx-sum: 1\r\nx-transom-reason: none\r\n\r\n"
    found = pair.ask("POST", path, BODY, script=answer(200, b"Transfer-Encoding: CHUNKED", b"trailer: x-sum", body=body))
    assert (found.status, found.body, found.complete) == (200, b"abc", True)


@pytest.mark.parametrize("path", [CHAT, "/v1/files"])
def test_an_answer_that_ends_with_its_connection_is_whole(pair: Pair, path: str) -> None:
    async def handle(asked: Asked) -> None:
        asked.writer.write(b"HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n" + SAID)
        asked.writer.close()

    found = pair.ask("POST", path, BODY, script=handle)
    assert (found.status, found.body, found.complete) == (200, SAID, True)


@pytest.mark.parametrize("path", [CHAT, "/v1/files"])
def test_an_answer_shorter_than_it_said_breaks_off(pair: Pair, path: str) -> None:
    async def handle(asked: Asked) -> None:
        asked.writer.write(answer(200, b"content-length: 500", body=b"data: x"))
        asked.writer.close()

    found = pair.ask("POST", path, BODY, script=handle)
    assert (found.status, found.body, found.complete) == (200, b"data: x", False)


def test_requests_sent_at_once_are_answered_one_after_another(pair: Pair) -> None:
    async def handle(asked: Asked) -> None:
        await asked.answer(200, asked.line.split()[1].encode())

    requests = [
        b"GET /v1/a HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n",
        b"POST /v1/b HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        b"POST %b HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: %d\r\n\r\n" % (CHAT.encode(), len(BODY)) + BODY,
        b"GET /v1/c HTTP/1.1\r\n" + CLOSE + b"\r\n",
    ]
    back = pair.send(b"".join(requests), handle)
    assert [asked.body for asked in pair.server.asked] == [b"", b"abc", BODY, b""]
    places = [back.index(b"\r\n\r\n" + path) for path in (b"/v1/a", b"/v1/b", CHAT.encode(), b"/v1/c")]
    assert places == sorted(places)


@pytest.mark.parametrize("request_body", [BODY, STREAM], ids=["whole", "streamed"])
@pytest.mark.parametrize("path", [CHAT, MESSAGES])
@pytest.mark.parametrize("kind", [b"content-type: text/html", b"content-type: text/plain", b"x-none: 1"])
@pytest.mark.parametrize("page", [b"<html>sign in</html>", b"upstream request timeout", b"eve", b"data", b"\xff\x00"])
def test_nothing_is_put_behind_a_page_that_stands_for_an_answer(
    pair: Pair, page: bytes, kind: bytes, path: str, request_body: bytes
) -> None:
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in page) + b"0\r\n\r\n"
    found = pair.ask("POST", path, request_body, script=answer(200, kind, b"transfer-encoding: chunked", body=chunks))
    assert (found.status, found.body, found.complete) == (200, page, True)


@pytest.mark.parametrize("request_body", [BODY, STREAM], ids=["whole", "streamed"])
@pytest.mark.parametrize("size", [0, 10, 400_000])
@pytest.mark.parametrize("length", [b"content-length: 500000", b"transfer-encoding: chunked"], ids=["length", "chunked"])
def test_a_refusal_that_breaks_off_keeps_its_status_and_breaks_off(
    pair: Pair, length: bytes, size: int, request_body: bytes
) -> None:
    words = b"x" * size

    async def handle(asked: Asked) -> None:
        chunk = words if length.startswith(b"content") or not words else b"%x\r\n%b\r\n" % (size, words)
        asked.writer.write(answer(429, b"retry-after: 3", length, body=chunk))
        asked.writer.close()

    found = pair.ask("POST", CHAT, request_body, script=handle)
    assert (found.status, found.body, found.complete) == (429, words, False)
    assert found.all(b"retry-after") == [b"3"]


SUMS = (b"content-digest: sha-256=:eA==:", b"content-md5: eA==", b"digest: md5=eA==")


@pytest.mark.parametrize("edited", [True, False])
def test_a_sum_over_a_body_goes_on_with_that_body_only(pair: Pair, edited: bool) -> None:
    body = b'{"model":"m","stream":true,"messages":[]}' if edited else STREAM
    raw = b"data: [DONE]\n\n"
    coding = b"content-encoding: gzip" if edited else b"x-none: 1"
    coded = gzip.compress(raw) if edited else raw
    kind, length = b"content-type: text/event-stream", b"content-length: %d" % len(coded)
    found = pair.ask("POST", CHAT, body, *SUMS, script=answer(200, kind, coding, *SUMS, length, body=coded))
    assert found.body == raw
    for line in SUMS:
        name, _, value = line.partition(b": ")
        assert found.all(name) == ([] if edited else [value])
        assert pair.asked.header(name.decode()) == (None if edited else value.decode())


@pytest.mark.parametrize("path", [CHAT, "/v1/files"])
def test_what_comes_after_a_body_is_taken_for_no_header(pair: Pair, path: str) -> None:
    head = b"POST %b HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked\r\n\r\n" % path.encode()
    one = head + b"%x\r\n%b\r\n0\r\nauthorization: Bearer other\r\nx-late: 1\r\n\r\n" % (len(BODY), BODY)
    two = b"GET /v1/models HTTP/1.1\r\n" + CLOSE + b"x-late: 2\r\n\r\n"
    assert pair.send(one + two).count(b"HTTP/1.1 200 OK") == 2
    assert [asked.header("x-late") for asked in pair.server.asked] == [None, "2"]
    assert pair.server.asked[0].header("authorization") is None
    assert pair.server.asked[0].body == BODY
