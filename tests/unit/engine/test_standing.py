"""Whether a conversation may go on as it came is told without a compile, and told as a compile would."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transom import Context, Message, guard
from transom.engine.overflow.handoff import Handoff
from transom.errors import WindowError
from transom.jsontext import dumps, loads
from transom.messages import Tool
from transom.testing.generators import agent_sessions


async def bodies(messages: list[Message], target: str, steps: list[int]) -> list[bytes]:
    """Requests of one session, each longer than the one before, as a client writes them."""
    found, at = [], 0
    for step in steps:
        at += step
        client = Context(window=10_000_000, prune=False)
        client.append(*messages[:at])
        client.model("m", max_output_tokens=100)
        found.append((await client.compile(target)).json())
    return found


@settings(max_examples=25, deadline=None)
@given(
    agent_sessions(), st.lists(st.integers(1, 6), min_size=1, max_size=6), st.sampled_from(["openai", "anthropic", "gemini"])
)
async def test_what_stands_is_what_a_compile_leaves_as_it_came(messages: list[Message], steps: list[int], target: str) -> None:
    one, two = Context(window=4_000, prune=False), Context(window=4_000, prune=False)
    for body in await bodies(messages, target, steps):
        for context in (one, two):
            context.load(body, target)
        try:
            payload = await two.compile(target)
        except WindowError:
            assert await one.standing(target) is None
            return
        meta, standing = payload.meta, await one.standing(target)
        if standing is None:
            is_left = meta.lineage.current == "w1" and not meta.moved
            # What is above the trigger may have nothing that can leave.
            is_full = max(meta.tokens_after, two.usage.tokens) >= meta.trigger
            assert not is_left or meta.repairs or meta.failure or is_full
            assert (await one.compile(target)).json() == payload.json()
            continue
        assert (standing.tokens_before, standing.tokens_after) == (meta.tokens_before, meta.tokens_after)
        assert (standing.window, standing.trigger) == (meta.window, meta.trigger)
        assert meta.lineage.current == "w1"
        assert loads(payload.json()) == loads(body)
        for context in (one, two):
            context.report_usage(int(standing.tokens_after * 1.2))
        assert one.usage == two.usage


CHANGES: dict[str, Callable[[Context], object]] = {
    "a tail": lambda context: context.tail("the caller's"),
    "a guardrail": lambda context: context.guardrail("Only JSON."),
    "a sticky text": lambda context: context.sticky("a passage"),
    "an announcement": lambda context: context.announce("a", "A deployment is running."),
    "a state": lambda context: context.state({"town": "Rome"}),
    "a state behind the system prompt": lambda context: context.state({"town": "Rome"}, place="system"),
    "a slot": lambda context: context.use("after-adapt", lambda body: body),
    "a new window": lambda context: context.request_new_context(),
}


@pytest.mark.parametrize("change", CHANGES)
async def test_nothing_stands_where_something_is_added_or_asked_for(change: str) -> None:
    context = Context(window=40_000)
    context.append(Message("user", "one"), Message("assistant", "two"), Message("user", "three"))
    assert await context.standing("openai") is not None
    CHANGES[change](context)
    assert await context.standing("openai") is None


@pytest.mark.parametrize(
    "more", [{"handoff": Handoff(1_000)}, {"recall": "on"}, {"tool_schemas": "grammar"}, {"guard": guard()}]
)
async def test_nothing_stands_where_a_setting_shapes_what_is_sent(more: dict[str, Any]) -> None:
    context = Context(window=40_000, **more)
    context.tools(Tool("read", "Read a file.", {"type": "object", "properties": {"path": {"type": "string"}}}))
    context.append(Message("user", "one"))
    assert await context.standing("openai") is None


async def test_a_long_result_that_is_pruned_does_not_stand() -> None:
    body = {
        "model": "m",
        "messages": [
            {"role": "user", "content": "read it"},
            {
                "role": "assistant",
                "tool_calls": [{"id": "1", "type": "function", "function": {"name": "r", "arguments": "{}"}}],
            },
            {"role": "tool", "tool_call_id": "1", "content": "a line of it\n" * 20_000},
        ],
    }
    pruning, leaving = Context(window=400_000), Context(window=400_000, prune=False)
    for context in (pruning, leaving):
        context.load(dumps(body), "openai")
    assert await leaving.standing("openai") is not None
    assert await pruning.standing("openai") is None
    assert (await pruning.compile("openai")).meta.moved
