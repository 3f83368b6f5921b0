"""Each rule of the Responses API, broken once."""

from __future__ import annotations

import pytest

from transom.wire.openai_responses import OpenAIResponses

RESPONSES = OpenAIResponses()
USER: object = {"role": "user", "content": "x"}
CALL: object = {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"}
OUTPUT: object = {"type": "function_call_output", "call_id": "a", "output": "x"}
REASONING: object = {"type": "reasoning", "id": "rs_1", "summary": []}


@pytest.mark.feature("M15")
@pytest.mark.parametrize(
    "items, rule, index, wording",
    [
        ([USER, CALL], "responses.call-answered", 1, "No tool output found for function call a."),
        ([USER, OUTPUT], "responses.result-follows-call", 1, "No tool call found for function call output with call_id a."),
        (
            [USER, REASONING],
            "responses.reasoning-followed",
            1,
            "Item 'rs_1' of type 'reasoning' was provided without its required",
        ),
        ([REASONING, USER], "responses.reasoning-followed", 0, "required following item"),
        (
            [{"type": "function_call", "call_id": "a", "name": "f", "arguments": {}}, OUTPUT],
            "responses.arguments",
            0,
            "a string",
        ),
        ([{"type": "function_call", "name": "f", "arguments": "{}"}], "responses.call-id", 0, "call_id"),
        ([CALL, {"type": "function_call_output", "call_id": "a"}], "responses.output", 1, "Missing required parameter"),
        ([{"role": "tool", "content": "x"}], "responses.role", 0, "Supported values are"),
        ([{"role": "user"}], "responses.content", 0, "Missing required parameter"),
        ([{"role": "user", "content": [{"type": "text", "text": "x"}]}], "responses.content", 0, "Supported values are"),
        ([{"role": "assistant", "content": [{"type": "input_text", "text": "x"}]}], "responses.content", 0, "'output_text'"),
        (
            [{"id": "m", "role": "user", "content": "x"}, {"id": "m", "role": "user", "content": "y"}],
            "responses.item-id",
            1,
            "Duplicate",
        ),
        (["x"], "responses.item", 0, "expected an object"),
        ([{"type": "item_reference"}], "responses.item", 0, "Missing required parameter"),
    ],
)
def test_a_broken_rule_is_named_with_its_item(items: list[object], rule: str, index: int, wording: str) -> None:
    found = [violation for violation in RESPONSES.validate({"model": "m", "input": items}) if violation.rule == rule]
    assert [violation.index for violation in found] == [index]
    assert wording in found[0].message
    assert found[0].source


@pytest.mark.feature("M15")
@pytest.mark.parametrize(
    "body, rule",
    [
        ({"input": "x"}, "responses.model"),
        ({"model": "m"}, "responses.input"),
        ({"model": "m", "input": 5}, "responses.input"),
        ({"model": "m", "input": "x", "max_output_tokens": 1}, "responses.max-output-tokens"),
        ({"model": "m", "input": "x", "tools": [{"type": "function"}]}, "responses.name"),
        ({"model": "m", "input": "x", "tools": [{}]}, "responses.tools"),
        (None, "responses.body"),
    ],
)
def test_a_broken_rule_of_the_request_is_named(body: object, rule: str) -> None:
    assert [violation.rule for violation in RESPONSES.validate(body)] == [rule]


def test_outputs_may_come_in_any_order_and_calls_may_be_held_by_the_server() -> None:
    other: object = {"type": "function_call", "call_id": "b", "name": "f", "arguments": "{}"}
    late: object = {"type": "function_call_output", "call_id": "b", "output": "x"}
    assert RESPONSES.validate({"model": "m", "input": [USER, CALL, other, late, OUTPUT]}) == []
    assert RESPONSES.validate({"model": "m", "previous_response_id": "r", "input": [OUTPUT]}) == []
