"""What stays of a turn behind a cut: its reasoning where providers want it back, and the words that the user wrote last."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from tests.unit.gateway.test_guard import Known, asked, guard

from transom import Context, Store
from transom.errors import StoreError
from transom.gateway.exchange import Reported
from transom.gateway.guard import Guard
from transom.jsontext import raw_items, raw_object
from transom.store.backend import Write
from transom.store.backends.memory import MemoryBackend
from transom.wire.registry import builtin_registry

LONG = "words and numbers " * 220


def thinking_loop(steps: int) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Look at all parts."}]
    for number in range(steps):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "read", "arguments": "{}"}}
        messages += [
            {"role": "assistant", "content": None, "reasoning_content": f"I need part {number}.", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": f"part {number}: {LONG}"},
        ]
        if number % 3 == 2:
            messages += [
                {"role": "assistant", "content": f"Part {number} is fine.", "reasoning_content": f"Part {number} is read."},
                {"role": "user", "content": "Go on."},
            ]
    return {"model": "m", "messages": messages}


def reminded_loop(steps: int) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Rename every worker, and tell nobody."}]
    reminder = {"type": "text", "text": "<system-reminder>\nThe list of tasks is empty.\n</system-reminder>"}
    for number in range(steps):
        use = {"type": "tool_use", "id": f"t{number}", "name": "read", "input": {}}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": f"part {number}: {LONG}"}
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result, reminder]}]
    tools = [{"name": "read", "input_schema": {"type": "object"}}]
    return {"model": "m", "max_tokens": 500, "tools": tools, "messages": messages}


class Full(MemoryBackend):
    """Refuses to write while it is told to."""

    full = False

    async def batch(self, writes: Iterable[Write]) -> list[bool]:
        if self.full:
            raise StoreError("the disk is full", hint="make room")
        return list(await super().batch(writes))


def scripted_loop(steps: int) -> dict[str, Any]:
    """As Codex asks newer models: what offers the tools and instructs the model leads the conversation."""
    inner = {"type": "custom", "name": "exec", "description": "Runs a script.", "format": {"type": "text"}}
    tools = [{"type": "namespace", "name": "functions", "description": "", "tools": [inner]}]

    def told(text: str) -> dict[str, Any]:
        return {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": text}]}

    items: list[dict[str, Any]] = [
        {"type": "additional_tools", "id": "at_1", "role": "developer", "tools": tools},
        told("You are an agent."),
        told("You may write files."),
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Look at all parts."}]},
    ]
    for number in range(steps):
        output = [{"type": "input_text", "text": "Script completed"}, {"type": "input_text", "text": f"part {number}: {LONG}"}]
        items += [
            {"type": "custom_tool_call", "call_id": f"c{number}", "name": "exec", "input": f"text({number})"},
            {"type": "custom_tool_call_output", "call_id": f"c{number}", "output": output},
        ]
        if number == 1:
            items.append({"type": "additional_tools", "id": "at_2", "role": "developer", "tools": tools})
    return {"model": "m", "store": False, "input": items}


async def test_tools_and_instructions_that_stand_in_the_conversation_never_leave_it() -> None:
    guarded, _, _ = guard(8_000)
    exchange = asked("/v1/responses", scripted_loop(20))
    await guarded.before(exchange)
    assert exchange.decisions[0].action == "closed"
    came, sent = (raw_items(raw_object(body)["input"]) for body in (exchange.body, exchange.sent))
    assert sent[:3] == came[:3]
    assert came[8] in sent
    assert json.loads(came[8])["id"] == "at_2"
    assert len(sent) < len(came) / 2
    await guarded.aclose()


async def test_reasoning_goes_back_with_the_calls_it_led_to_and_is_never_null() -> None:
    guarded, store, _ = guard(16_000)
    exchange = asked("/v1/chat/completions", thinking_loop(12))
    await guarded.before(exchange)
    assert exchange.strategy == "clear"
    sent = json.loads(exchange.sent)["messages"]
    called = [item for item in sent if item.get("tool_calls")]
    assert len(called) == 12
    assert all(item["reasoning_content"].startswith("I need part") for item in called)
    others = [item["reasoning_content"] for item in sent if "reasoning_content" in item and "tool_calls" not in item]
    assert "" in others
    # What was cleared of it is where the decision says.
    archive = exchange.decisions[0].uris[-1]
    assert archive.startswith("context://archive/")
    assert b"Part 2 is read." in await store.expand(archive)
    await guarded.aclose()


async def test_what_a_client_inserts_beside_results_does_not_push_out_what_the_user_wrote() -> None:
    guarded, _, _ = guard(8_000)
    for number in range(1, 20):
        exchange = asked("/v1/messages", json.dumps(reminded_loop(number)).encode())
        await guarded.before(exchange)
        items = raw_items(raw_object(exchange.sent)["messages"])
        assert raw_items(raw_object(exchange.body)["messages"])[0] in items
    assert exchange.edited
    await guarded.aclose()


async def test_what_was_counted_of_a_request_that_could_not_be_compiled_is_told_of_no_other() -> None:
    backend = Full()
    guarded, _, _ = guard(12_000, Store(backend))
    small = asked("/v1/chat/completions", thinking_loop(1))
    await guarded.before(small)
    backend.full = True
    large = asked("/v1/chat/completions", thinking_loop(20))
    large.id = "2"
    await guarded.before(large)
    assert [decision.action for decision in large.decisions] == ["failed"]
    backend.full = False
    assert await guarded.overflowed(large, 24_000, 12_000)
    assert large.tokens_before is not None
    # Taken for what the small one weighs, 24,000 would make many times as many of these.
    assert 15_000 < large.tokens_before < 26_000
    assert large.tokens_after is not None
    assert large.tokens_after <= 12_000
    await guarded.aclose()


async def test_what_was_counted_of_a_request_is_told_of_no_other_that_was_compiled_since() -> None:
    guarded, _, _ = guard(32_000)
    first, second = (asked("/v1/chat/completions", thinking_loop(steps)) for steps in (12, 1))
    second.id = "2"
    await guarded.before(first)
    await guarded.before(second)
    first.reported = Reported(input_tokens=11_000)
    await guarded.after(first)
    following = asked("/v1/chat/completions", thinking_loop(13))
    await guarded.before(following)
    assert following.tokens_before is not None
    assert following.tokens_before < 14_000
    assert not following.edited
    await guarded.aclose()


async def test_a_conversation_that_fits_by_what_was_learnt_of_its_weight_goes_on_although_tools_are_added() -> None:
    store = Store(MemoryBackend())
    guarded = Guard(
        lambda _, size: Context(window=size, store=store, prune=False, usage_preference="feed-first"),
        Known(20_000),
        builtin_registry(),
    )
    body = thinking_loop(1)
    body["messages"][-1]["content"] = "words and numbers " * 4_100
    first = asked("/v1/chat/completions", body)
    await guarded.before(first)
    assert first.tokens_after is not None
    assert not first.edited
    first.reported = Reported(input_tokens=first.tokens_after * 4 // 5)
    await guarded.after(first)
    tool = {"type": "function", "function": {"name": "more", "description": LONG * 2}}
    second = asked("/v1/chat/completions", {**body, "tools": [tool]})
    second.id = "2"
    await guarded.before(second)
    assert [(decision.action, decision.reason[:7]) for decision in second.decisions] == [("passed", "it fits")]
    await guarded.aclose()


async def test_what_another_branch_had_closed_is_closed_for_this_one_in_every_process() -> None:
    tool = {"type": "function", "function": {"name": "more", "description": LONG * 3}}
    store = Store(MemoryBackend())
    guarded, _, _ = guard(12_000, store)
    body = {**thinking_loop(7), "tools": [tool]}
    ended = [*body["messages"], {"role": "assistant", "content": "All is read."}]
    for asking in ("And now?", "Or rather: why?"):
        exchange = asked("/v1/chat/completions", {**body, "messages": [*ended, {"role": "user", "content": asking}]})
        await guarded.before(exchange)
        assert exchange.decisions[0].action == "closed"
    # With less to offer, it would not have to close any more.
    last = {**body, "messages": [*ended, {"role": "user", "content": "Or rather: why?"}], "tools": []}
    here = asked("/v1/chat/completions", last)
    await guarded.before(here)
    again, _, _ = guard(12_000, store)
    there = asked("/v1/chat/completions", last)
    await again.before(there)
    assert here.edited
    assert there.sent == here.sent
    await guarded.aclose()
    await again.aclose()
