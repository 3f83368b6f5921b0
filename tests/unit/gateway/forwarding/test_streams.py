"""Streams pass as they come; silences are bridged, and what goes wrong is told inside them."""

from __future__ import annotations

import asyncio
import json
import threading
import time

import pytest
from tests.unit.gateway.serving import Asked, ask, got, raw, serving, upstream

from transom.gateway.app import build_app
from transom.gateway.exchange import Exchange
from transom.gateway.forwarding import Limits
from transom.gateway.parties import Ended, NullGuard, NullJournal
from transom.gateway.upstreams import Routes, Upstream

CHAT, MESSAGES, RESPONSES = "/v1/chat/completions", "/v1/messages", "/v1/responses"
CONTENT = b'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n'
DONE = b"data: [DONE]\n\n"
STREAM = json.dumps({"model": "m", "stream": True, "stream_options": {}, "messages": []}).encode()
TOO_LONG = (
    b'{"error":{"message":"This model\'s maximum context length is 4096 tokens. However, your messages resulted in 5000 '
    b'tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}'
)


def routes(url: str) -> Routes:
    return Routes([Upstream(name="u", url=url)])


class Halving(NullGuard):
    """Answers an overflow with a smaller request."""

    def __init__(self, *, can: bool = True) -> None:
        self.can = can
        self.told: list[tuple[int | None, int | None]] = []
        self.reported: list[object] = []

    async def overflowed(self, exchange: Exchange, said: int | None, window: int | None, *, certain: bool = True) -> bool:
        self.told.append((said, window))
        if self.can:
            exchange.sent = b'{"model":"m","stream":true,"stream_options":{},"messages":[1]}'
        return self.can

    async def after(self, exchange: Exchange) -> None:
        self.reported.append(exchange.reported)


class Kept(NullJournal):
    def __init__(self) -> None:
        self.all: list[Ended] = []

    def headers(self, exchange: Exchange) -> list[tuple[str, str]]:
        return [("x-transom-request", exchange.id)]

    def ended(self, exchange: Exchange, ended: Ended) -> None:
        self.all.append(ended)


def test_every_event_goes_on_as_soon_as_it_came_and_byte_for_byte() -> None:
    go = threading.Event()

    async def handle(asked: Asked) -> None:
        await asked.begin()
        await asked.chunk(CONTENT)
        await asyncio.to_thread(go.wait, 5)
        await asked.chunk(b": odd\r\ndata:" + b'{"choices":[{"delta":{},"finish_reason":"stop"}],"new":1e400}\r\n\r\n')
        await asked.chunk(DONE)
        await asked.end()

    with upstream(handle) as server, serving(build_app(routes(server.url))) as url:
        client = raw(url, "POST", CHAT, STREAM)
        seen = b""
        while CONTENT not in seen:
            seen += client.recv(4096)
        go.set()
        while DONE not in seen:
            seen += client.recv(4096)
        client.close()
        assert server.asked[0].body == STREAM
    assert b": odd\r\ndata:" + b'{"choices":[{"delta":{},"finish_reason":"stop"}],"new":1e400}\r\n\r\n' in seen


def test_the_body_goes_on_byte_for_byte_where_nobody_edited_it() -> None:
    body = b'{"model" : "m",  "n": 1.0, "big": 1e5, "a": "\\ud800", "model": "m2", "messages": [ ]}\n'

    async def handle(asked: Asked) -> None:
        await asked.answer(200, b'{"choices":[]}')

    with upstream(handle) as server, serving(build_app(routes(server.url))) as url:
        assert ask(url, "POST", CHAT + "?beta=true&x=%2F+a", body).status == 200
        assert server.asked[0].body == body
        assert server.asked[0].line == f"POST {CHAT}?beta=true&x=%2F+a HTTP/1.1"


@pytest.mark.parametrize(
    ("path", "beat"),
    [(CHAT, b": keep-alive\n\n"), (RESPONSES, b": keep-alive\n\n"), (MESSAGES, b'event: ping\ndata: {"type": "ping"}\n\n')],
)
def test_silence_before_the_status_is_bridged_and_the_answer_still_comes(path: str, beat: bytes) -> None:
    async def handle(asked: Asked) -> None:
        await asyncio.sleep(0.6)
        await asked.begin()
        await asked.chunk(CONTENT)
        await asked.end()

    limits = Limits(patience=0.2, quiet=0.2)
    with upstream(handle) as server, serving(build_app(routes(server.url), limits=limits)) as url:
        answer = ask(url, "POST", path, STREAM)
    assert answer.status == 200
    assert answer.header("content-type") == "text/event-stream; charset=utf-8"
    assert answer.body.startswith(beat * 2)
    assert CONTENT in answer.body


def test_silence_inside_a_stream_is_bridged_between_events_only() -> None:
    async def handle(asked: Asked) -> None:
        await asked.begin()
        await asked.chunk(CONTENT)
        await asyncio.sleep(0.5)
        await asked.chunk(CONTENT[:20])
        await asyncio.sleep(0.5)
        await asked.chunk(CONTENT[20:] + DONE)
        await asked.end()

    with upstream(handle) as server, serving(build_app(routes(server.url), limits=Limits(quiet=0.2))) as url:
        body = ask(url, "POST", CHAT, STREAM).body
    first, _, rest = body.partition(CONTENT)
    assert first == b""
    assert rest.startswith(b": keep-alive\n\n")
    assert rest.endswith(CONTENT + DONE), "nothing is said in the middle of an event"


def test_a_status_that_comes_late_is_told_inside_the_stream() -> None:
    async def handle(asked: Asked) -> None:
        await asyncio.sleep(0.4)
        await asked.answer(429, b'{"error":{"message":"slow down","type":"rate_limit_error"}}')

    journal = Kept()
    limits = Limits(patience=0.1, quiet=0.1)
    with upstream(handle) as server, serving(build_app(routes(server.url), limits=limits, journal=journal)) as url:
        answer = ask(url, "POST", MESSAGES, STREAM)
    assert answer.status == 200
    last = answer.body.strip().rpartition(b"\n\n")[2]
    assert last.startswith(b"event: error\ndata: ")
    assert json.loads(last.partition(b"data: ")[2])["error"] == {"type": "rate_limit_error", "message": "slow down"}
    assert answer.complete
    assert journal.all[0].how == "failed"


@pytest.mark.parametrize("clean", [True, False])
def test_an_upstream_that_just_closes_is_told_as_an_error(clean: bool) -> None:
    async def handle(asked: Asked) -> None:
        await asked.begin()
        await asked.chunk(CONTENT)
        if clean:
            await asked.end()
        else:
            asked.writer.close()

    journal = Kept()
    with upstream(handle) as server, serving(build_app(routes(server.url), journal=journal)) as url:
        answer = ask(url, "POST", CHAT, STREAM)
    assert answer.body.startswith(CONTENT)
    last = json.loads(answer.body.removeprefix(CONTENT).removeprefix(b"data: "))
    assert last["error"]["code"] == "bad_gateway"
    assert DONE not in answer.body
    assert journal.all[0].how == "failed"


def test_an_error_of_the_upstream_inside_a_stream_passes_and_nothing_is_added() -> None:
    error = b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"busy"}}\n\n'

    async def handle(asked: Asked) -> None:
        await asked.begin()
        await asked.chunk(b'event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":7}}}\n\n')
        await asked.chunk(error)
        await asked.end()

    journal = Kept()
    with upstream(handle) as server, serving(build_app(routes(server.url), journal=journal)) as url:
        answer = ask(url, "POST", MESSAGES, STREAM)
    assert answer.body.endswith(error)
    assert journal.all[0].how == "refused"
    assert journal.all[0].message == "busy"


def test_keep_alives_of_the_upstream_do_not_hide_that_it_is_dead() -> None:
    async def handle(asked: Asked) -> None:
        await asked.begin()
        while True:
            await asked.chunk(b": keep-alive\n\n")
            await asyncio.sleep(0.1)

    with upstream(handle) as server, serving(build_app(routes(server.url), limits=Limits(idle=0.6, quiet=5))) as url:
        begun = time.monotonic()
        answer = ask(url, "POST", CHAT, STREAM)
    assert 0.5 < time.monotonic() - begun < 3
    assert json.loads(answer.body.rpartition(b"data: ")[2])["error"]["code"] == "timeout"


def test_a_silent_upstream_is_a_timeout_where_nothing_was_said_yet() -> None:
    async def handle(asked: Asked) -> None:
        await asked.gone()

    with upstream(handle) as server, serving(build_app(routes(server.url), limits=Limits(idle=0.4))) as url:
        answer = ask(url, "POST", MESSAGES, b'{"model":"m"}')
    assert answer.status == 504
    assert json.loads(answer.body)["error"]["type"] == "timeout_error"


def test_an_empty_answer_is_no_success() -> None:
    async def handle(asked: Asked) -> None:
        await asked.begin()
        await asked.end()

    with upstream(handle) as server, serving(build_app(routes(server.url))) as url:
        answer = ask(url, "POST", CHAT, STREAM)
    assert answer.status == 502


def test_an_upstream_that_is_not_there_is_named() -> None:
    with serving(build_app(routes("http://127.0.0.1:9"))) as url:
        answer = ask(url, "POST", MESSAGES, b'{"model":"m"}')
    assert answer.status == 502
    error = json.loads(answer.body)
    assert error["type"] == "error"
    assert "http://127.0.0.1:9/v1/messages" in error["error"]["message"]


def test_a_connection_that_went_stale_in_the_pool_is_replaced_once() -> None:
    async def handle(asked: Asked) -> None:
        if len(asked_over[id(asked.writer)]) > 1:
            asked.writer.transport.abort()
            return
        await asked.answer(200, b'{"choices":[]}')

    asked_over: dict[int, list[Asked]] = {}

    async def count(asked: Asked) -> None:
        asked_over.setdefault(id(asked.writer), []).append(asked)
        await handle(asked)

    with upstream(count) as server, serving(build_app(routes(server.url))) as url:
        assert ask(url, "POST", CHAT, b'{"model":"m"}').status == 200
        assert ask(url, "POST", CHAT, b'{"model":"m"}').status == 200, "the second was dropped, and asked again"
        assert server.connections == 2
        assert len(server.asked) == 3


def test_a_new_connection_that_is_dropped_is_not_tried_again() -> None:
    async def handle(asked: Asked) -> None:
        asked.writer.transport.abort()

    with upstream(handle) as server, serving(build_app(routes(server.url))) as url:
        assert ask(url, "POST", CHAT, b'{"model":"m"}').status == 502
        assert len(server.asked) == 1


def test_an_overflow_is_answered_with_a_smaller_request_once() -> None:
    async def handle(asked: Asked) -> None:
        if b"[1]" in asked.body:
            await asked.begin()
            await asked.chunk(CONTENT + DONE)
            await asked.end()
        else:
            await asked.answer(400, TOO_LONG)

    guard = Halving()
    with upstream(handle) as server, serving(build_app(routes(server.url), guard=guard)) as url:
        answer = ask(url, "POST", CHAT, STREAM)
    assert answer.status == 200
    assert answer.body == CONTENT + DONE
    assert guard.told == [(5000, 4096)]


@pytest.mark.parametrize("can", [True, False])
def test_an_overflow_that_stays_one_reaches_the_client_untouched(can: bool) -> None:
    async def handle(asked: Asked) -> None:
        await asked.answer(400, TOO_LONG, "x-request-id: r1", "retry-after: 3")

    guard = Halving(can=can)
    with upstream(handle) as server, serving(build_app(routes(server.url), guard=guard)) as url:
        answer = ask(url, "POST", CHAT, STREAM)
        assert len(server.asked) == 1 + can
    assert (answer.status, answer.body) == (400, TOO_LONG)
    assert (answer.header("x-request-id"), answer.header("retry-after")) == ("r1", "3")


@pytest.mark.parametrize("streamed", [True, False])
def test_an_overflow_with_status_200_is_answered_with_a_smaller_request(streamed: bool) -> None:
    async def handle(asked: Asked) -> None:
        if b"[1]" in asked.body:
            await asked.answer(200, b'{"choices":[]}')
        elif streamed:
            await asked.begin()
            await asked.chunk(b"event: error\ndata: " + TOO_LONG + b"\n\n")
            await asked.end()
        else:
            await asked.answer(200, TOO_LONG)

    guard = Halving()
    with upstream(handle) as server, serving(build_app(routes(server.url), guard=guard)) as url:
        answer = ask(url, "POST", CHAT, STREAM if streamed else b'{"model":"m","messages":[]}')
    assert answer.body == b'{"choices":[]}'


def test_an_overflow_after_the_first_events_is_seen_where_the_request_is_large() -> None:
    created = b'event: response.created\ndata: {"type":"response.created","response":{},"sequence_number":0}\n\n'
    failed = (
        b'event: response.failed\ndata: {"type":"response.failed","sequence_number":1,"response":{"status":"failed","error":'
        b'{"code":"context_length_exceeded","message":"Your input exceeds the context window of this model."}}}\n\n'
    )
    done = b'event: response.completed\ndata: {"type":"response.completed","response":{"status":"completed"}}\n\n'

    async def handle(asked: Asked) -> None:
        await asked.begin()
        await asked.chunk(created)
        await asyncio.sleep(0.02)
        await asked.chunk(done if b"[1]" in asked.body else failed)
        await asked.end()

    body = json.dumps({"model": "m", "stream": True, "input": "x" * 100_000}).encode()
    guard = Halving()
    with upstream(handle) as server, serving(build_app(routes(server.url), guard=guard)) as url:
        answer = ask(url, "POST", RESPONSES, body)
    assert answer.body == created + done


def test_what_the_upstream_counted_is_told_to_the_guard() -> None:
    counted = b'{"prompt_tokens":70,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":64}}'
    usage = b'data: {"choices":[],"usage":' + counted + b"}\n\n"

    async def handle(asked: Asked) -> None:
        assert json.loads(asked.body)["stream_options"] == {"include_usage": True}
        await asked.begin()
        await asked.chunk(CONTENT + usage[:30])
        await asked.chunk(usage[30:] + DONE)
        await asked.end()

    guard = Halving()
    with upstream(handle) as server, serving(build_app(routes(server.url), guard=guard)) as url:
        answer = ask(url, "POST", CHAT, b'{"model":"m","stream":true,"messages":[]}')
    assert answer.body == CONTENT + DONE
    (reported,) = guard.reported
    assert str(reported) == "Reported(input_tokens=70, output_tokens=3, cached_tokens=64)"


def test_an_answer_in_one_piece_that_breaks_off_breaks_off_for_the_client_too() -> None:
    async def handle(asked: Asked) -> None:
        await asked.begin(kind="application/json")
        await asked.chunk(b'{"choices":[{"message":{"content":"' + b"x" * 1000)
        asked.writer.close()

    with upstream(handle) as server, serving(build_app(routes(server.url))) as url:
        answer = got(raw(url, "POST", CHAT, b'{"model":"m"}'))
    assert answer.status == 200
    assert not answer.complete


def test_a_slow_client_slows_the_upstream_and_nothing_piles_up() -> None:
    sent = 0
    piece = b"data: " + b'{"choices":[{"delta":{"content":"' + b"x" * 60_000 + b'"}}]}\n\n'

    async def handle(asked: Asked) -> None:
        nonlocal sent
        await asked.begin()
        for _ in range(2000):
            await asked.chunk(piece)
            sent += len(piece)

    with upstream(handle) as server, serving(build_app(routes(server.url))) as url:
        client = raw(url, "POST", CHAT, STREAM)
        before = -1
        while sent != before or not sent:
            before = sent
            time.sleep(0.3)
        client.close()
    assert sent < 40_000_000, "what a reader does not take stays with the sender, but for what sockets hold"


def test_the_journal_puts_its_headers_on_every_answer() -> None:
    async def handle(asked: Asked) -> None:
        await asked.answer(500 if asked.line.startswith(f"POST {MESSAGES}") else 200, b'{"choices":[]}')

    journal = Kept()
    with upstream(handle) as server, serving(build_app(routes(server.url), journal=journal, identify=lambda: "r7")) as url:
        answers = [ask(url, "POST", path, b'{"model":"m"}') for path in (CHAT, MESSAGES)]
    assert [answer.header("x-transom-request") for answer in answers] == ["r7", "r7"]
    assert [ended.how for ended in journal.all] == ["answered", "refused"]


GEMINI = "/v1beta/models/m:"


@pytest.mark.parametrize(
    ("path", "body", "answer"),
    [
        (GEMINI + "generateContent", b"{}", b'{"candidates":[{"content":{"parts":[{"text":"no reason to stop"}]}}]}'),
        ("/api/chat", b'{"model":"m","stream":false}', b'{"model":"m","message":{"content":"not done"}}'),
        (CHAT, b'{"model":"m"}', b'{"choices":[{"message":{"content":"no reason to stop"}}]}'),
        (CHAT, STREAM, b'{"choices":[{"message":{"content":"no stream, though one was asked for"}}]}'),
    ],
)
def test_nothing_is_put_into_an_answer_in_one_piece(path: str, body: bytes, answer: bytes) -> None:
    async def handle(asked: Asked) -> None:
        await asked.begin(kind="application/json")
        await asyncio.sleep(0.4)
        await asked.chunk(answer[:20])
        await asyncio.sleep(0.4)
        await asked.chunk(answer[20:])
        await asked.end()

    limits = Limits(quiet=0.1, patience=0.1)
    with upstream(handle) as server, serving(build_app(routes(server.url), limits=limits)) as url:
        found = ask(url, "POST", path, body)
    assert (found.status, found.body) == (200, answer)


@pytest.mark.parametrize(
    ("path", "kind", "pieces"),
    [
        (GEMINI + "streamGenerateContent", "application/json", [b'[{"candidates":[{"finishReason":"STOP"}]}', b"]"]),
        (
            GEMINI + "streamGenerateContent?alt=sse",
            "text/event-stream",
            [b'data: {"candidates":[{"finishReason":"STOP"}]}\r\n\r\n'],
        ),
        ("/api/chat", "application/x-ndjson", [b'{"message":{"content":"a"},"done":false}\n', b'{"done":true}\n']),
    ],
)
def test_silences_of_every_framing_are_bridged_by_what_its_clients_skip(path: str, kind: str, pieces: list[bytes]) -> None:
    async def handle(asked: Asked) -> None:
        await asyncio.sleep(0.4)
        await asked.begin(kind=kind)
        for piece in pieces:
            await asked.chunk(piece)
            await asyncio.sleep(0.3)
        await asked.end()

    limits = Limits(quiet=0.1, patience=0.1)
    with upstream(handle) as server, serving(build_app(routes(server.url), limits=limits)) as url:
        found = ask(url, "POST", path, b'{"model":"m"}')
    assert found.status == 200
    assert len(found.body) > len(b"".join(pieces)), "something was said meanwhile"
    assert b"".join(found.body.split()) == b"".join(b"".join(pieces).split()), "and it was blank"


def test_a_guard_that_fails_takes_nothing_away() -> None:
    class Faulty(NullGuard):
        async def overflowed(self, exchange: Exchange, said: int | None, window: int | None, *, certain: bool = True) -> bool:
            raise RuntimeError("a fault")

        async def after(self, exchange: Exchange) -> None:
            raise RuntimeError("another")

    async def handle(asked: Asked) -> None:
        await asked.answer(400, TOO_LONG)

    with upstream(handle) as server, serving(build_app(routes(server.url), guard=Faulty())) as url:
        answers = [ask(url, "POST", CHAT, STREAM) for _ in range(2)]
    assert [(answer.status, answer.body) for answer in answers] == [(400, TOO_LONG)] * 2


def test_an_overflow_that_comes_after_a_keep_alive_is_still_answered_with_a_smaller_request() -> None:
    async def handle(asked: Asked) -> None:
        await asyncio.sleep(0.3)
        if b"[1]" in asked.body:
            await asked.begin()
            await asked.chunk(CONTENT + DONE)
            await asked.end()
        else:
            await asked.answer(400, TOO_LONG)

    limits = Limits(quiet=0.1, patience=0.1)
    with upstream(handle) as server, serving(build_app(routes(server.url), guard=Halving(), limits=limits)) as url:
        answer = ask(url, "POST", CHAT, STREAM)
    assert answer.body.replace(b": keep-alive\n\n", b"") == CONTENT + DONE


def test_a_smaller_request_that_fails_after_all_is_told_inside_the_stream() -> None:
    async def handle(asked: Asked) -> None:
        if b"[1]" in asked.body:
            asked.writer.close()
            return
        await asyncio.to_thread(promised.wait, 5)
        await asked.begin()
        await asked.chunk(b"data: " + TOO_LONG + b"\n\n")
        await asked.end()

    promised = threading.Event()
    limits = Limits(patience=0.05)
    with upstream(handle) as server, serving(build_app(routes(server.url), guard=Halving(), limits=limits)) as url:
        client = raw(url, "POST", CHAT, STREAM)
        seen = b""
        while b": keep-alive" not in seen:
            seen += client.recv(4096)
        promised.set()
        while not seen.endswith(b"\r\n0\r\n\r\n"):
            seen += client.recv(4096)
        client.close()
    assert b"closed the connection without an answer" in seen
    assert b"context" not in seen.replace(b": keep-alive", b"")


def test_long_headers_and_many_of_them_pass_both_ways() -> None:
    many = [f"x-h{number}: {number}" for number in range(80)]

    async def handle(asked: Asked) -> None:
        assert asked.header("x-long") == "y" * 20_000
        await asked.answer(200, b'{"choices":[]}', "x-long: " + "z" * 20_000, *many)

    with upstream(handle) as server, serving(build_app(routes(server.url))) as url:
        answer = ask(url, "POST", CHAT, b'{"model":"m"}', "x-long: " + "y" * 20_000)
    assert answer.header("x-long") == "z" * 20_000
    assert answer.header("x-h79") == "79"


def test_a_fault_of_our_own_is_told_in_the_protocols_shape() -> None:
    class Faulty(Kept):
        def headers(self, exchange: Exchange) -> list[tuple[str, str]]:
            if exchange.decisions:
                return []
            exchange.decide("test", "faulty")
            raise RuntimeError("a fault")

    async def handle(asked: Asked) -> None:
        await asked.answer(200, b'{"type":"message"}')

    journal = Faulty()
    with upstream(handle) as server, serving(build_app(routes(server.url), journal=journal)) as url:
        answer = ask(url, "POST", MESSAGES, b'{"model":"m"}')
    assert answer.status == 500
    assert json.loads(answer.body)["error"]["type"] == "api_error"
    assert journal.all[0].how == "failed"
