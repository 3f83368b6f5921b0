"""A prompt that the upstream had cached was read all the same: nothing of it is taken for left out, however it is counted."""

from __future__ import annotations

import json
from collections.abc import Mapping

from tests.unit.gateway.serving import Asked, ask, serving, upstream

from transom.gateway.app import build_app
from transom.gateway.exchange import Exchange
from transom.gateway.overflows import cut, weight
from transom.gateway.parties import NullGuard
from transom.gateway.upstreams import Routes, Upstream

TEXT = "words and numbers " * 3_000
MESSAGES = [{"role": "user", "content": TEXT}]
READ, FRESH, CACHED, WRITTEN = 9_000, 300, 8_600, 100

CHAT, ANTHROPIC, RESPONSES = "/v1/chat/completions", "/v1/messages", "/v1/responses"
GEMINI, OLLAMA = "/v1beta/models/m:generateContent", "/api/chat"

CASES: list[tuple[str, str, Mapping[str, object], Mapping[str, object]]] = [
    (
        "Chat",
        CHAT,
        {"messages": MESSAGES},
        {"usage": {"prompt_tokens": READ, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": CACHED}}},
    ),
    (
        "Chat, of a server that counts as Anthropic does",
        CHAT,
        {"messages": MESSAGES},
        {
            "usage": {
                "prompt_tokens": FRESH,
                "completion_tokens": 5,
                "cache_read_input_tokens": CACHED,
                "cache_creation_input_tokens": WRITTEN,
            }
        },
    ),
    (
        "Chat, of a server that counts what it computed",
        CHAT,
        {"messages": MESSAGES},
        {
            "usage": {"prompt_tokens": FRESH + WRITTEN, "completion_tokens": 5},
            "timings": {"prompt_n": FRESH + WRITTEN, "cache_n": CACHED, "predicted_n": 5},
        },
    ),
    (
        "Responses",
        RESPONSES,
        {"input": TEXT},
        {
            "object": "response",
            "usage": {"input_tokens": READ, "output_tokens": 5, "input_tokens_details": {"cached_tokens": CACHED}},
        },
    ),
    (
        "Messages",
        ANTHROPIC,
        {"max_tokens": 9, "messages": MESSAGES},
        {
            "type": "message",
            "usage": {
                "input_tokens": FRESH,
                "output_tokens": 5,
                "cache_read_input_tokens": CACHED,
                "cache_creation_input_tokens": WRITTEN,
            },
        },
    ),
    (
        "Gemini",
        GEMINI,
        {"contents": [{"role": "user", "parts": [{"text": TEXT}]}]},
        {"usageMetadata": {"promptTokenCount": READ, "candidatesTokenCount": 5, "cachedContentTokenCount": CACHED}},
    ),
    (
        "Ollama",
        OLLAMA,
        {"messages": MESSAGES, "stream": False},
        {"done": True, "prompt_eval_count": READ, "eval_count": 5},
    ),
]


class Seeing(NullGuard):
    """Keeps what it is told of."""

    def __init__(self) -> None:
        self.exchanges: list[Exchange] = []

    async def after(self, exchange: Exchange) -> None:
        self.exchanges.append(exchange)


def test_what_was_cached_counts_as_read_in_every_protocol() -> None:
    seeing, answers = Seeing(), iter(CASES)

    async def handle(asked: Asked) -> None:
        await asked.answer(200, json.dumps(next(answers)[3]).encode())

    with upstream(handle) as server:
        routes = Routes([Upstream(name="u", url=server.url)])
        with serving(build_app(routes, guard=seeing)) as url:
            for name, path, body, _ in CASES:
                assert ask(url, "POST", path, json.dumps({"model": "m", **body}).encode()).status == 200, name
    for (name, *_), exchange in zip(CASES, seeing.exchanges, strict=True):
        reported = exchange.reported
        assert reported is not None, name
        assert reported.input_tokens == READ, name
        assert weight(exchange) > READ / 2, name
        assert not cut(exchange, reported), name
        assert not cut(exchange, reported, expected=READ), name
