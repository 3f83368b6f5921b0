"""What a refusal without a word, and an answer that left something out, make of a request and of what is told of it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.unit.gateway.serving import Asked, Handler, ask, serving, upstream
from tests.unit.gateway.serving import Upstream as Server
from tests.unit.gateway.test_guard import Known, chat

from transom import Context, Store
from transom.gateway.app import build_app
from transom.gateway.guard import Guard
from transom.gateway.operations import Book, build_operations
from transom.gateway.upstreams import Routes, Upstream
from transom.store.backends.memory import MemoryBackend
from transom.wire.registry import builtin_registry

PATH = "/v1/chat/completions"


@contextmanager
def guarded(handle: Handler, window: int) -> Iterator[tuple[Server, str]]:
    store, book = Store(MemoryBackend()), Book()
    with upstream(handle) as server:
        routes = Routes([Upstream(name="u", url=server.url)])
        guard = Guard(lambda scope, size: Context(window=size, store=store, prune=False), Known(window), builtin_registry())
        with serving(build_app(routes, guard=guard, journal=book, operations=build_operations(routes, book))) as url:
            yield server, url


@pytest.mark.parametrize(("turns", "asked"), [(3, 1), (60, 2)], ids=["far from the window", "not far"])
@pytest.mark.parametrize("status", [400, 413])
def test_a_refusal_without_a_word_is_an_overflow_only_where_the_window_may_be_full(status: int, turns: int, asked: int) -> None:
    async def refuse(request: Asked) -> None:
        await request.answer(status, b"")

    body = json.dumps(chat(turns)).encode()
    # 60 turns are taken for 33,000 tokens, and pass.
    with guarded(refuse, 55_000) as (server, url):
        told = ask(url, "POST", PATH, body)
        assert told.status == status
        assert len(server.asked) == asked
        assert server.asked[0].body == body
        assert len(server.asked[-1].body) < len(body) or asked == 1


@pytest.mark.feature("G2")
def test_what_is_noticed_in_an_answer_is_counted() -> None:
    async def silently(request: Asked) -> None:
        usage = {"prompt_tokens": 2_048, "completion_tokens": 1}
        choice = {"index": 0, "message": {"role": "assistant", "content": "Yes."}, "finish_reason": "stop"}
        await request.answer(200, json.dumps({"choices": [choice], "usage": usage}).encode())

    with guarded(silently, 100_000) as (_, url):
        assert ask(url, "POST", PATH, json.dumps(chat(60)).encode()).status == 200
        until = time.monotonic() + 10
        while 'action="noticed"' not in (metrics := ask(url, "GET", "/_transom/metrics").body.decode()):
            assert time.monotonic() < until, metrics
        assert 'transom_decisions_total{step="guard",action="noticed",dry_run="false"} 1' in metrics


def test_an_upstream_that_refuses_to_be_asked_for_usage_is_asked_without_and_not_again() -> None:
    async def strict(request: Asked) -> None:
        if b"stream_options" in request.body:
            await request.answer(400, b'{"error":{"message":"Unrecognized request argument supplied: stream_options"}}')
            return
        await request.begin()
        await request.chunk(b'data: {"choices":[{"index":0,"delta":{"content":"Yes."},"finish_reason":"stop"}]}\n\n')
        await request.chunk(b"data: [DONE]\n\n")
        await request.end()

    body = json.dumps({**chat(2), "stream": True}).encode()
    with guarded(strict, 40_000) as (server, url):
        for _ in range(2):
            told = ask(url, "POST", PATH, body)
            assert told.status == 200
            assert b"Yes." in told.body
        assert [request.body == body for request in server.asked] == [False, True, True]
