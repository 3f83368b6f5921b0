"""What a provider's prefix cache can still serve of a conversation that passed the guard, over forty turns."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.unit.gateway.test_guard import asked, guard

from transom.jsontext import raw_object

TURNS = 40
SAID = "words and numbers " * 40


def chat(turns: int) -> tuple[str, str, dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "system", "content": "You help."}]
    for number in range(turns):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "read", "arguments": f'{{"n": {number}}}'}}
        messages += [
            {"role": "user", "content": f"Look at part {number}."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": f"part {number}: {SAID}"},
            {"role": "assistant", "content": f"Part {number} is fine."},
        ]
    messages.append({"role": "user", "content": f"Look at part {turns}."})
    return "/v1/chat/completions", "messages", {"model": "m", "seed": 1, "messages": messages}


def messages(turns: int) -> tuple[str, str, dict[str, Any]]:
    said: list[dict[str, Any]] = []
    for number in range(turns):
        call = {"type": "tool_use", "id": f"t{number}", "name": "read", "input": {"n": number}}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": f"part {number}: {SAID}"}
        said += [
            {"role": "user", "content": f"Look at part {number}."},
            {"role": "assistant", "content": [{"type": "text", "text": "Reading."}, call]},
            {"role": "user", "content": [result]},
            {"role": "assistant", "content": f"Part {number} is fine."},
        ]
    said.append({"role": "user", "content": f"Look at part {turns}."})
    tools = [{"name": "read", "input_schema": {"type": "object", "properties": {"n": {"type": "integer"}}}}]
    body = {"model": "m", "max_tokens": 500, "system": "You help.", "tools": tools, "messages": said}
    return "/v1/messages", "messages", body


def responses(turns: int) -> tuple[str, str, dict[str, Any]]:
    items: list[dict[str, Any]] = []
    for number in range(turns):
        items += [
            {"role": "user", "content": f"Look at part {number}."},
            {"type": "function_call", "call_id": f"f{number}", "name": "read", "arguments": f'{{"n": {number}}}'},
            {"type": "function_call_output", "call_id": f"f{number}", "output": f"part {number}: {SAID}"},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": f"Part {number} is fine."}]},
        ]
    items.append({"role": "user", "content": f"Look at part {turns}."})
    return "/v1/responses", "input", {"model": "m", "instructions": "You help.", "store": False, "input": items}


PROTOCOLS = pytest.mark.parametrize("make", [chat, messages, responses])


def served(before: bytes, now: bytes, field: str) -> bool:
    """Whether everything up to the end of the conversation before stands at the beginning of the request now."""
    listed = raw_object(before)[field]
    return now.startswith(before[: before.index(listed)] + listed[:-1].rstrip())


@PROTOCOLS
async def test_requests_that_fit_are_the_clients_own_bytes_so_that_a_cache_serves_what_it_did(make: Any) -> None:
    guarded, _, _ = guard(200_000)
    for turns in range(1, TURNS):
        path, _, body = make(turns)
        exchange = asked(path, body)
        await guarded.before(exchange)
        assert exchange.sent is exchange.body


@PROTOCOLS
async def test_what_was_sent_stands_still_until_the_next_window_closes(make: Any) -> None:
    guarded, store, _ = guard(6_000)
    before, closings, kept = b"", 0, 0
    for turns in range(1, TURNS):
        path, field, body = make(turns)
        if turns == TURNS // 2:
            # Another process goes on with what the store holds.
            guarded, _, _ = guard(6_000, store)
        exchange = asked(path, json.dumps(body).encode())
        await guarded.before(exchange)
        if exchange.decisions[0].action == "closed":
            closings += 1
        elif before:
            assert served(before, exchange.sent, field)
            kept += 1
        before = exchange.sent
    assert closings >= 2
    assert kept >= TURNS - 2 - closings
    assert kept >= 4 * closings
