"""Servers that count what a request asks for its answer into the window: refused once, then kept to."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.gateway.learning.test_answers import Parts, talk, weighed

from transom.engine.overflow.budget import reserve_for
from transom.gateway.exchange import Exchange
from transom.gateway.overflows import overflow
from transom.gateway.reserves import answer_asked, leaves_room, within

WINDOW = 32_000
CHAT, MESSAGES = "/v1/chat/completions", "/v1/messages"


def refused(exchange: Exchange, asked: int) -> tuple[int, int] | None:
    """What a server says that counts the answer in; ``None`` where it answers."""
    read = weighed(exchange)
    if read + asked <= WINDOW:
        return None
    message = (
        f"This model's maximum context length is {WINDOW} tokens. However, you requested {read + asked} tokens ({read} in the "
        f"messages, {asked} in the completion). Please reduce the length of the messages or completion."
    )
    found = overflow("openai", 400, json.dumps({"error": {"message": message, "code": "context_length_exceeded"}}).encode())
    assert found is not None
    assert found.said is not None
    assert found.window is not None
    return found.said, found.window


@pytest.mark.feature("G2")
@pytest.mark.parametrize(("path", "asked"), [(CHAT, 22_000), (CHAT, 28_000), (MESSAGES, 16_000), (MESSAGES, 24_500)])
async def test_an_answer_that_a_server_counts_in_costs_one_refusal_and_none_after_a_restart(path: str, asked: int) -> None:
    parts, refusals, closed = Parts(None), 0, 0
    parts.windows.learn(parts.upstream, "m", WINDOW)
    before = b""
    for turns in range(8, 100, 4):
        if turns == 60:
            await parts.windows.aclose()
            parts = Parts(None, parts.store)
        said: list[dict[str, Any]] = talk(turns)[1:-2]
        exchange = await parts.asked(said, path=path, max_tokens=asked)
        actions = [decision.action for decision in exchange.decisions]
        if (told := refused(exchange, asked)) is not None:
            refusals += 1
            assert await parts.guard.overflowed(exchange, *told)
            assert refused(exchange, asked) is None
        elif actions == ["applied"] and refusals and before:
            assert exchange.sent.startswith(before)
        closed += "closed" in actions
        before = exchange.sent[:-2].rstrip()
        await parts.answered(exchange, weighed(exchange))
    assert refusals == 1
    assert closed >= 2
    assert exchange.window == WINDOW
    assert exchange.decisions[0].reason.endswith(f"of {WINDOW} tokens (an error), {asked} of them for the answer")
    await parts.windows.aclose()


async def test_an_answer_that_alone_leaves_no_room_is_for_the_client_to_mend() -> None:
    parts = Parts(WINDOW)
    for asked in (WINDOW - 500, WINDOW, 10**9):
        exchange = await parts.asked(talk(8), max_tokens=asked)
        told = refused(exchange, asked)
        assert told is not None
        assert not await parts.guard.overflowed(exchange, *told)
        assert exchange.sent is exchange.body
        assert "leave no room" in exchange.decisions[-1].reason
    assert not parts.windows.counts_answer(parts.upstream, "m")


async def test_a_refusal_of_the_input_alone_teaches_nothing_of_the_answer() -> None:
    parts = Parts(WINDOW)
    exchange = await parts.asked(talk(8), max_tokens=2_000)
    assert await parts.guard.overflowed(exchange, WINDOW + 5, WINDOW)
    assert not parts.windows.counts_answer(parts.upstream, "m")
    await parts.windows.aclose()


@pytest.mark.parametrize(
    ("protocol", "body", "asked"),
    [
        ("openai", {"max_tokens": 5, "max_completion_tokens": 7}, 7),
        ("openai", {"max_tokens": 5}, 5),
        ("openai-responses", {"max_output_tokens": 6}, 6),
        ("anthropic", {"max_tokens": 8}, 8),
        ("gemini", {"generationConfig": {"maxOutputTokens": 9}}, 9),
        ("gemini", {"generation_config": {"max_output_tokens": 9}}, 9),
        ("ollama", {"options": {"num_predict": 4}}, 4),
        ("ollama", {"options": {"num_predict": -1}}, 0),
        ("openai", {"max_tokens": "7"}, 0),
        ("openai", {"max_tokens": None}, 0),
        ("gemini", {"generationConfig": [1]}, 0),
        ("openai", {}, 0),
    ],
)
def test_what_a_request_asks_for_stands_where_its_protocol_says(protocol: Any, body: dict[str, Any], asked: int) -> None:
    assert answer_asked(protocol, {name: json.dumps(value).encode() for name, value in body.items()}) == asked


@given(st.integers(1_024, 10**7), st.integers(1, 2 * 10**7), st.sampled_from(["openai", "anthropic"]))
def test_what_the_engine_keeps_to_leaves_the_answer_its_room(window: int, asked: int, protocol: Any) -> None:
    kept = within(window, asked, protocol)
    assert kept <= window
    if leaves_room(window, asked):
        assert kept - reserve_for(kept, asked, counted=protocol == "openai") <= window - asked
