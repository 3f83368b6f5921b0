"""Who may ask, what is ours, and what is handed through."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import MutableMapping
from contextlib import ExitStack
from typing import Any

import pytest
from tests.unit.gateway.serving import HOST, Asked, ask, got, raw, serving, upstream

from transom.errors import UsageError
from transom.gateway.access import Access
from transom.gateway.app import Gateway, build_app
from transom.gateway.exchange import Exchange
from transom.gateway.parties import NullGuard
from transom.gateway.upstreams import Routes, Upstream

CHAT = "/v1/chat/completions"
BODY = b'{"model":"m","messages":[]}'


async def answered(asked: Asked) -> None:
    await asked.answer(200, b'{"choices":[]}', "access-control-allow-origin: *")


def gateway(url: str, **given: Any) -> Gateway:
    return build_app(Routes([Upstream(name="u", url=url)]), **given)


@pytest.mark.parametrize(
    "headers",
    [
        (
            "upgrade: websocket",
            "connection: Upgrade",
            "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
            "sec-websocket-version: 13",
        ),
        ("upgrade: websocket", "connection: Upgrade", "openai-beta: responses_websockets=2026-02-06"),
    ],
)
def test_a_websocket_is_refused_with_426_at_once(headers: tuple[str, ...]) -> None:
    with upstream(answered) as server, serving(gateway(server.url)) as url:
        assert ask(url, "GET", "/v1/responses", b"", *headers).status == 426
        assert not server.asked


@pytest.mark.parametrize("path", [CHAT, "/v1/other"])
def test_an_offer_of_http_2_is_not_taken_and_the_body_goes_on(path: str) -> None:
    offer = "connection: Upgrade, HTTP2-Settings", "upgrade: h2c", "http2-settings: AAMAAABkAAQBAAAAAAIAAAAA"
    with upstream(answered) as server, serving(gateway(server.url)) as url:
        assert ask(url, "POST", path, BODY, *offer).status == 200
        assert server.asked[0].body == BODY
        assert server.asked[0].header("upgrade") is server.asked[0].header("http2-settings") is None


def test_offers_one_after_another_on_one_connection_are_each_answered() -> None:
    lines = f"POST {CHAT} HTTP/1.1", "host: 127.0.0.1", "connection: upgrade", "upgrade: h2c", "transfer-encoding: chunked"
    chunked = "\r\n".join(lines).encode() + b"\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY)
    with upstream(answered) as server, serving(gateway(server.url)) as url:
        with socket.create_connection((HOST, int(url.rpartition(":")[2]))) as client:
            client.sendall(chunked * 2 + chunked[:60])
            client.settimeout(10)
            came = b""
            while came.count(b'{"choices":[]}') < 2:
                came += client.recv(65_536)
            client.sendall(chunked[60:])
            while came.count(b'{"choices":[]}') < 3:
                came += client.recv(65_536)
        assert [asked.body for asked in server.asked] == [BODY] * 3


@pytest.mark.parametrize("denies", [True, False])
async def test_a_websocket_that_the_server_took_is_refused_too(denies: bool) -> None:
    sent: list[MutableMapping[str, Any]] = []

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    scope = {"type": "websocket", "extensions": {"websocket.http.response": {}} if denies else {}}
    await gateway("http://127.0.0.1:9")(scope, receive, send)
    assert sent[0] == {"type": "websocket.close", "code": 1008} if not denies else sent[0]["status"] == 426


def test_looking_whether_anybody_is_there_succeeds_without_an_upstream() -> None:
    with serving(gateway("http://127.0.0.1:9")) as url:
        assert ask(url, "HEAD", "/").status == 200
        assert ask(url, "HEAD", "/u").status == 200
    with serving(gateway("http://127.0.0.1:9", access=Access("0.0.0.0", token="secret"))) as url:
        assert ask(url, "HEAD", "/").status == 200
        assert ask(url, "HEAD", "/v1/models").status == 401


@pytest.mark.parametrize(
    ("upstream_url", "said"),
    [
        ("http://127.0.0.1:9", "nothing answers at http://127.0.0.1:9/v1/messages (connection refused)"),
        ("http://[::1]:9", "nothing answers at http://[::1]:9/v1/messages ("),
        ("http://nowhere.invalid", "the host of http://nowhere.invalid/v1/messages is not known"),
    ],
)
def test_an_upstream_that_is_away_is_told_with_what_to_do_about_it(upstream_url: str, said: str) -> None:
    with serving(gateway(upstream_url)) as url:
        answer = ask(url, "POST", "/v1/messages", b'{"model": "m", "messages": []}')
    message = json.loads(answer.body)["error"]["message"]
    assert answer.status == 502
    assert said in message
    assert message.endswith("check --upstream")


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/props?a=%20b&c=d%2Fe", b""),
        ("DELETE", "/v1/responses/resp_1", b""),
        ("PATCH", "/some%20thing/caf%C3%A9//x", b"\x00\x01binary"),
        ("POST", "/api/v1/chat", b"{}"),
        ("OPTIONS", "/v1/models", b""),
        ("POST", "/v1/audio/transcriptions", b"--x\r\n\r\n--x--"),
        ("GET", "/", b""),
    ],
)
def test_what_is_not_known_goes_through_with_method_query_and_body(method: str, path: str, body: bytes) -> None:
    with upstream(answered) as server, serving(gateway(server.url)) as url:
        answer = ask(url, method, path, body)
        assert (answer.status, answer.body) == (200, b'{"choices":[]}')
        assert server.asked[0].line == f"{method} {path} HTTP/1.1"
        assert server.asked[0].body == body


def test_unknown_paths_stream_both_ways() -> None:
    async def handle(asked: Asked) -> None:
        await asked.begin(kind="application/octet-stream")
        await asked.chunk(b"one")
        await asyncio.to_thread(go.wait, 5)
        await asked.chunk(b"two")
        await asked.end()

    go = threading.Event()
    with upstream(handle) as server, serving(gateway(server.url)) as url:
        client = raw(url, "GET", "/stream")
        seen = b""
        while b"one" not in seen:
            seen += client.recv(1024)
        go.set()
        while b"two" not in seen:
            seen += client.recv(1024)
        client.close()


@pytest.mark.parametrize(
    ("base", "path", "asked"),
    [
        ("", "/v1/chat/completions", "/v1/chat/completions"),
        ("/v1", "/v1/chat/completions", "/v1/chat/completions"),
        ("/openai/v1", "/v1/chat/completions", "/openai/v1/chat/completions"),
        ("/v1beta/openai", "/v1/chat/completions", "/v1beta/openai/chat/completions"),
        ("/v1beta/openai", "//v1/chat/completions", "/v1beta/openai/chat/completions"),
        ("/api/paas/v4", "/v1/models", "/api/paas/v4/models"),
        ("/proxy", "/api/tags", "/proxy/api/tags"),
        ("?api-version=1", "/v1/models?a=b", "/v1/models?api-version=1&a=b"),
    ],
)
def test_an_upstream_is_asked_below_its_own_base(base: str, path: str, asked: str) -> None:
    with upstream(answered) as server, serving(gateway(server.url + base)) as url:
        ask(url, "POST", path, BODY)
        assert server.asked[0].line == f"POST {asked} HTTP/1.1"


def test_a_model_chooses_its_upstream() -> None:
    with upstream(answered) as one, upstream(answered) as two:
        routes = Routes([Upstream(name="one", url=one.url), Upstream(name="two", url=two.url, models=("claude-*",))])
        with serving(build_app(routes)) as url:
            ask(url, "POST", CHAT, b'{"model":"claude-x"}')
            ask(url, "POST", "/v1/embeddings", b'{"model":"claude-e"}')
            ask(url, "POST", CHAT, b'{"model":"gpt"}')
        assert len(two.asked) == 2
        assert len(one.asked) == 1


@pytest.mark.feature("Z10")
@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("evil.example", "", 421),
        ("127.0.0.1", "https://evil.example", 403),
        ("127.0.0.1", "null", 403),
        ("localhost:1", "http://localhost:3000", 200),
        ("127.0.0.1", "https://app.example", 200),
    ],
)
def test_a_page_that_is_not_allowed_spends_no_key(host: str, origin: str, status: int) -> None:
    access = Access(allowed_origins=["https://app.example"])
    with upstream(answered) as server, serving(gateway(server.url, access=access)) as url:
        headers = (f"origin: {origin}",) if origin else ()
        answer = ask(url, "POST", CHAT, BODY, *headers, host=host)
        assert answer.status == status
        assert len(server.asked) == (status == 200)
        if status == 200:
            assert [value for name, value in answer.headers if name == "access-control-allow-origin"] == [origin]
        before = ask(url, "OPTIONS", CHAT, b"", *headers, "access-control-request-method: POST", host=host)
        assert before.status == (204 if status == 200 else status)
        assert (before.header("access-control-allow-origin") == origin) == (status == 200)


@pytest.mark.feature("Z10")
@pytest.mark.parametrize(
    ("site", "status"), [("cross-site", 403), ("same-site", 403), ("none", 200), ("same-origin", 200), ("", 200)]
)
def test_what_a_page_of_another_site_shows_or_leads_to_spends_no_key(site: str, status: int) -> None:
    async def operations(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})

    headers = (f"sec-fetch-site: {site}", "sec-fetch-mode: no-cors") if site else ()
    with upstream(answered) as server, serving(gateway(server.url, operations=operations)) as url:
        assert ask(url, "GET", "/v1/models", b"", *headers).status == status
        assert ask(url, "GET", "/_transom/requests", b"", *headers).status == status
        assert len(server.asked) == (status == 200)


def test_a_request_with_two_hosts_is_refused() -> None:
    with upstream(answered) as server, serving(gateway(server.url)) as url:
        for other in ("127.0.0.1", "evil.example"):
            got = ask(url, "POST", CHAT, BODY, f"host: {other}")
            assert (got.status, json.loads(got.body)["error"]["message"]) == (400, "one Host header is needed, and no more")
        assert not server.asked


class Watching(NullGuard):
    """A guard that takes note of what it is shown."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    async def before(self, exchange: Exchange) -> None:
        self.seen.append(exchange.upstream.name)


@pytest.mark.parametrize(
    ("path", "asked", "name"),
    [
        ("//v1/chat/completions", "//v1/chat/completions", "u"),
        ("/v1//chat///completions", "/v1//chat///completions", "u"),
        ("//v1beta//models/m:generateContent", "//v1beta//models/m:generateContent", "u"),
        ("//two//v1/messages", "//v1/messages", "two"),
        ("/two//v1/messages", "//v1/messages", "two"),
    ],
)
def test_slashes_too_many_change_neither_who_is_asked_nor_what_nor_that_it_is_guarded(path: str, asked: str, name: str) -> None:
    guard = Watching()
    with upstream(answered) as server:
        routes = Routes([Upstream(name="u", url=server.url), Upstream(name="two", url=server.url)])
        with serving(build_app(routes, guard=guard)) as url:
            assert ask(url, "POST", path, BODY).status == 200
        assert server.asked[0].line == f"POST {asked} HTTP/1.1"
        assert guard.seen == [name]


@pytest.mark.parametrize("others", [0, 1, 2])
@pytest.mark.parametrize(("method", "path"), [("POST", CHAT), ("POST", "/v1/other"), ("GET", "/v1/models")])
def test_gateways_that_ask_each_other_in_a_ring_end_it_with_508(others: int, method: str, path: str) -> None:
    ring: list[Gateway] = []

    async def first(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            passed.append(scope["path"])
            await ring[0](scope, receive, send)
            return
        await receive()
        await send({"type": "lifespan.startup.complete"})
        # It is made last, and ends first.
        await receive()
        await ring[0].close()
        await send({"type": "lifespan.shutdown.complete"})

    passed: list[str] = []
    with ExitStack() as running:
        url = behind = running.enter_context(serving(first))
        for _ in range(others):
            behind = running.enter_context(serving(gateway(behind)))
        ring.append(gateway(behind))
        got = ask(url, method, path, BODY if method == "POST" else b"")
    assert got.status == 508
    assert "its own upstream" in json.loads(got.body)["error"]["message"]
    assert len(passed) == 2


def test_slashes_too_many_lead_to_nobody_elses_requests() -> None:
    with upstream(answered) as server, serving(gateway(server.url)) as url:
        assert ask(url, "GET", "//_transom/requests").status == 404
        assert not server.asked


@pytest.mark.feature("Z10")
@pytest.mark.parametrize(
    ("headers", "path", "status"),
    [
        ((), CHAT, 401),
        (("authorization: Bearer wrong",), CHAT, 401),
        (("authorization: Bearer secret",), CHAT, 200),
        (("x-api-key: secret",), "/v1/messages", 200),
        ((), CHAT + "?key=secret", 200),
        (("x-transom-token: secret", "authorization: Bearer sk-mine"), CHAT, 200),
    ],
)
def test_beyond_this_machine_a_token_is_needed_and_it_goes_no_further(headers: tuple[str, ...], path: str, status: int) -> None:
    with (
        upstream(answered) as server,
        serving(gateway(server.url, access=Access("0.0.0.0", token="secret"))) as url,
    ):
        answer = ask(url, "POST", path, BODY, *headers)
        assert answer.status == status
        sent = [f"{asked.line} {asked.headers}" for asked in server.asked]
        assert "secret" not in str(sent)
        assert ("sk-mine" in str(sent)) == ("sk-mine" in str(headers))
        if status == 401:
            assert answer.header("www-authenticate") == "Bearer"
            assert "error" in json.loads(answer.body)


@pytest.mark.feature("Z10")
def test_beyond_this_machine_nothing_is_served_without_a_token() -> None:
    with pytest.raises(UsageError, match="there is no token"):
        Access("0.0.0.0")


def test_what_lies_under_our_own_prefix_is_ours() -> None:
    async def operations(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": scope["path"].encode()[-2:]})

    with upstream(answered) as server:
        with serving(gateway(server.url, operations=operations)) as url:
            assert ask(url, "GET", "/_transom/healthz").body == b"hz"
        with serving(gateway(server.url)) as url:
            assert ask(url, "GET", "/_transom/healthz").status == 404
        assert not server.asked


def test_a_shutdown_finishes_what_streams() -> None:
    go = threading.Event()

    async def handle(asked: Asked) -> None:
        await asked.begin()
        await asked.chunk(b'data: {"choices":[{"delta":{"content":"a"}}]}\n\n')
        await asyncio.to_thread(go.wait, 5)
        await asked.chunk(b"data: [DONE]\n\n")
        await asked.end()

    with upstream(handle) as server:
        with serving(gateway(server.url)) as url:
            client = raw(url, "POST", CHAT, b'{"model":"m","stream":true,"stream_options":{}}')
            assert client.recv(1) == b"H"
            threading.Timer(0.3, go.set).start()
        rest = b""
        while piece := client.recv(4096):
            rest += piece
        client.close()
    assert rest.endswith(b"data: [DONE]\n\n\r\n0\r\n\r\n")


def test_a_client_of_http_1_0_is_served() -> None:
    with upstream(answered) as server, serving(gateway(server.url)) as url:
        connection = socket.create_connection((HOST, int(url.rpartition(":")[2])), timeout=5)
        connection.sendall(b"GET /v1/models HTTP/1.0\r\nhost: 127.0.0.1\r\n\r\n")
        assert got(connection).body == b'{"choices":[]}'


def test_targets_that_are_odd_are_handed_on_or_refused_and_never_a_fault() -> None:
    with upstream(answered) as server, serving(gateway(server.url)) as url:
        assert ask(url, "OPTIONS", "*").status == 400
        assert ask(url, "GET", "/evil//x?a=caf%E9").status == 200
        assert ask(url, "GET", "/a%2Fb;c=d/../e?q=[1]&r=%zz").status == 200
        assert ask(url, "GET", "/_transom").status == 404
        lines = [asked.line for asked in server.asked]
    assert lines == ["GET /evil//x?a=caf%E9 HTTP/1.1", "GET /a%2Fb;c=d/../e?q=[1]&r=%zz HTTP/1.1"]
