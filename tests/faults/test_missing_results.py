"""Parallel calls of which some were never answered, sent to the provider the conversation came from."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from transom import Context
from transom.jsontext import loads

ANSWERED: tuple[tuple[int, ...], ...] = ((0, 1), (1, 2), (2, 0), (2, 1, 0), (1,), ())


def anthropic(answered: Sequence[int], said: str) -> dict[str, object]:
    calls = [{"type": "tool_use", "id": f"c{number}", "name": "f", "input": {}} for number in range(3)]
    answers: list[object] = [
        {"type": "tool_result", "tool_use_id": f"c{number}", "content": f"r{number}"} for number in answered
    ]
    return {
        "model": "claude-m",
        "max_tokens": 10,
        "tools": [{"name": "f", "input_schema": {"type": "object"}}],
        "messages": [
            {"role": "user", "content": "q"},
            {"role": "assistant", "content": calls},
            {"role": "user", "content": [*answers, {"type": "text", "text": said}] if said else answers},
            {"role": "assistant", "content": "d"},
            {"role": "user", "content": "z"},
        ],
    }


def gemini(answered: Sequence[int], said: str) -> dict[str, object]:
    calls = [{"functionCall": {"id": f"c{number}", "name": "f", "args": {}}} for number in range(3)]
    answers: list[object] = [
        {"functionResponse": {"id": f"c{number}", "name": "f", "response": {"output": f"r{number}"}}} for number in answered
    ]
    return {
        "tools": [{"functionDeclarations": [{"name": "f"}]}],
        "contents": [
            {"role": "user", "parts": [{"text": "q"}]},
            {"role": "model", "parts": calls},
            {"role": "user", "parts": [*answers, {"text": said}] if said else answers},
            {"role": "model", "parts": [{"text": "d"}]},
            {"role": "user", "parts": [{"text": "z"}]},
        ],
    }


@pytest.mark.parametrize(
    ("answered", "said"), [(answered, said) for answered in ANSWERED for said in ("", "and this") if answered or said], ids=str
)
@pytest.mark.parametrize("target", ["anthropic", "gemini"])
@pytest.mark.parametrize("body", [anthropic, gemini], ids=["from anthropic", "from gemini"])
async def test_what_stands_in_for_a_missing_result_joins_those_that_came(
    body: object, target: str, answered: tuple[int, ...], said: str
) -> None:
    source = anthropic if body is anthropic else gemini
    context = Context(window=20_000)
    context.load(source(answered, said), format=source.__name__)
    payload = await context.compile(target)
    sent = payload.json().decode()
    rules = [found.rule for found in context.formats.get(target).validate(loads(sent))]
    assert [rule for rule in rules if not rule.endswith((".model", ".max-tokens"))] == []
    results = sent.partition('"c2"')[2].partition('"z"')[0]
    assert all(f'"r{number}"' in results for number in answered)
    assert said in results
    assert results.count("No result was recorded") == 3 - len(answered)
