"""Everything goes on in both directions, save what belongs to one connection or to us."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections import Counter

import brotli  # type: ignore[import-untyped]
import pytest
from tests.unit.gateway.serving import Asked, ask, serving, upstream

from transom.gateway.app import build_app
from transom.gateway.upstreams import Routes, Upstream

CHAT, MESSAGES, GEMINI = "/v1/chat/completions", "/v1/messages", "/v1beta/models/m:generateContent"
BODY = b'{"model":"m","messages":[]}'
ANSWER = b'{"choices":[{"message":{"content":"hello"}}]}'
PASSED = (
    "authorization: Bearer sk-client",
    "x-api-key: k1",
    "x-goog-api-key: k2",
    "anthropic-version: 2023-06-01",
    "anthropic-beta: one",
    "anthropic-beta: two,three",
    "openai-organization: o",
    "openai-project: p",
    "openai-beta: b",
    "user-agent: claude-cli/2.1.197 (external)",
    "x-stainless-lang: js",
    "idempotency-key: i",
    "x-app: cli",
    "originator: codex_exec",
    "x-claude-code-session-id: s1",
    "session-id: s2",
    "cookie: a=b; c=d",
    "x-new-thing: caf\xe9",
    "via: 1.0 another",
    "content-type: application/json; charset=utf-8",
)
DROPPED = (
    "connection: keep-alive, x-hop",
    "x-hop: 1",
    "keep-alive: timeout=5",
    "te: trailers",
    "proxy-authorization: Basic x",
    "expect: 100-continue",
    "x-transom-bypass: 1",
    "accept-encoding: gzip, br",
)


HOP = "transom-of-a-test"
"""What the gateway is called that asks a server nearby."""


async def answered(asked: Asked) -> None:
    await asked.answer(200, ANSWER)


def test_a_request_goes_on_with_all_its_headers_and_twice_what_came_twice() -> None:
    with upstream(answered) as server, serving(build_app(Routes([Upstream(name="u", url=server.url)]), hop=HOP)) as url:
        assert ask(url, "POST", CHAT, BODY, *PASSED, *DROPPED).status == 200
        (asked,) = server.asked
    expected = Counter(tuple(line.split(": ", 1)) for line in PASSED)
    expected["host", server.url.removeprefix("http://")] += 1
    expected["content-length", str(len(BODY))] += 1
    expected["accept-encoding", "identity"] += 1
    expected["via", f"1.1 {HOP}"] += 1
    assert Counter(asked.headers) == expected


@pytest.mark.parametrize("status", [200, 400, 429, 500])
@pytest.mark.parametrize("path", [CHAT, "/v1/embeddings", "/unknown/path"])
def test_an_answer_comes_back_with_all_its_headers_whatever_its_status(status: int, path: str) -> None:
    kept = (
        "x-request-id: r",
        "request-id: r",
        "retry-after: 3",
        "retry-after-ms: 3000",
        "x-should-retry: false",
        "x-ratelimit-remaining-tokens: 5",
        "anthropic-ratelimit-unified-status: allowed",
        "openai-processing-ms: 12",
        "anthropic-organization-id: o",
        "cf-ray: c",
        "set-cookie: a=1",
        "set-cookie: b=2; Path=/",
    )
    dropped = (
        "server: upstream/1",
        "date: Mon, 01 Jan 2001 00:00:00 GMT",
        "keep-alive: timeout=5",
        "connection: x-hop",
        "x-hop: 1",
    )

    async def handle(asked: Asked) -> None:
        await asked.answer(status, ANSWER, *kept, *dropped)

    with upstream(handle) as server, serving(build_app(Routes([Upstream(name="u", url=server.url)]))) as url:
        answer = ask(url, "POST", path, BODY)
    assert (answer.status, answer.body) == (status, ANSWER)
    found = Counter(answer.headers)
    assert found.pop(("date", answer.header("date") or "")) == 1
    assert answer.header("date") != "Mon, 01 Jan 2001 00:00:00 GMT"
    expected = Counter(tuple(line.split(": ", 1)) for line in kept)
    expected["content-type", "application/json"] += 1
    expected["content-length", str(len(ANSWER))] += 1
    assert found == expected


@pytest.mark.parametrize(
    ("coding", "coded"),
    [
        ("gzip", gzip.compress(ANSWER, mtime=0)),
        ("deflate", zlib.compress(ANSWER)),
        ("br", brotli.compress(ANSWER)),
        ("zstd", b""),
    ],
)
@pytest.mark.parametrize("status", [200, 500])
def test_a_coded_answer_that_is_looked_at_comes_back_plain(coding: str, coded: bytes, status: int) -> None:
    if coding == "zstd":
        from backports import zstd

        coded = zstd.compress(ANSWER)

    async def handle(asked: Asked) -> None:
        await asked.answer(status, coded, f"content-encoding: {coding}")

    with upstream(handle) as server, serving(build_app(Routes([Upstream(name="u", url=server.url)]))) as url:
        answer = ask(url, "POST", CHAT, BODY)
    assert (answer.status, answer.body) == (status, ANSWER)
    assert answer.header("content-encoding") is None


def test_a_coded_answer_that_is_not_looked_at_stays_as_it_is() -> None:
    coded = gzip.compress(ANSWER)

    async def handle(asked: Asked) -> None:
        assert asked.header("accept-encoding") == "gzip"
        await asked.answer(200, coded, "content-encoding: gzip")

    with upstream(handle) as server, serving(build_app(Routes([Upstream(name="u", url=server.url)]))) as url:
        answer = ask(url, "GET", "/v1/files", b"", "accept-encoding: gzip")
    assert answer.body == coded
    assert answer.header("content-encoding") == "gzip"


@pytest.mark.parametrize(
    ("path", "carried", "key", "sent"),
    [
        (CHAT, "authorization: Bearer sk-client", "sk-mine", ("authorization", "Bearer sk-mine")),
        (CHAT, "x-nothing: 1", "sk-mine", ("authorization", "Bearer sk-mine")),
        (MESSAGES, "x-api-key: client", "mine", ("x-api-key", "mine")),
        (MESSAGES, "authorization: Bearer client", "mine", ("authorization", "Bearer mine")),
        (MESSAGES, "authorization: Bearer client", "sk-ant-api03-x", ("x-api-key", "sk-ant-api03-x")),
        (MESSAGES, "x-api-key: client", "sk-ant-oat01-x", ("authorization", "Bearer sk-ant-oat01-x")),
        (GEMINI + "?key=client&a=b", "x-nothing: 1", "mine", ("x-goog-api-key", "mine")),
        (GEMINI, "x-nothing: 1", "mine", ("x-goog-api-key", "mine")),
    ],
)
def test_the_key_of_an_upstream_takes_the_place_of_the_clients(
    path: str, carried: str, key: str, sent: tuple[str, str]
) -> None:
    with upstream(answered) as server, serving(build_app(Routes([Upstream(name="u", url=server.url, key=key)]))) as url:
        ask(url, "POST", path, BODY, carried)
        (asked,) = server.asked
    names = {"authorization", "x-api-key", "x-goog-api-key", "api-key"}
    assert [(name, value) for name, value in asked.headers if name in names] == [sent]
    assert "client" not in asked.line
    assert ("a=b" in asked.line) == ("a=b" in path)


def test_a_key_goes_to_its_own_upstream_only() -> None:
    with (
        upstream(answered) as one,
        upstream(answered) as two,
        serving(build_app(Routes([Upstream(name="one", url=one.url, key="k1"), Upstream(name="two", url=two.url)]))) as url,
    ):
        ask(url, "POST", "/one" + CHAT, BODY, "authorization: Bearer client")
        ask(url, "POST", "/two" + CHAT, BODY, "authorization: Bearer client")
        assert one.asked[0].header("authorization") == "Bearer k1"
        assert two.asked[0].header("authorization") == "Bearer client"


def test_a_stream_that_comes_coded_is_decoded_as_it_comes() -> None:
    events = [b'data: {"choices":[{"delta":{"content":"a"}}]}\n\n', b"data: [DONE]\n\n"]

    async def handle(asked: Asked) -> None:
        packer = zlib.compressobj(wbits=31)
        await asked.begin("content-encoding: gzip")
        for event in events:
            await asked.chunk(packer.compress(event) + packer.flush(zlib.Z_SYNC_FLUSH))
            await asyncio.sleep(0.01)
        await asked.chunk(packer.flush())
        await asked.end()

    with upstream(handle) as server, serving(build_app(Routes([Upstream(name="u", url=server.url)]))) as url:
        answer = ask(url, "POST", CHAT, b'{"model":"m","stream":true,"messages":[]}')
    assert answer.body == b"".join(events)


@pytest.mark.parametrize("path", [CHAT, "/v1/other"])
def test_what_an_upstream_says_in_our_name_does_not_come_back(path: str) -> None:
    async def handler(asked: Asked) -> None:
        await asked.answer(200, ANSWER, "X-Transom-Decision: guard=closed", "x-transom-strange: 1", "x-other: kept")

    with upstream(handler) as server, serving(build_app(Routes([Upstream(name="u", url=server.url)]))) as url:
        answer = ask(url, "POST", path, BODY)
        assert answer.header("x-other") == "kept"
        assert not [name for name, _ in answer.headers if name.startswith("x-transom-")]
