"""Each rule of the chat API, broken once."""

from __future__ import annotations

from typing import Any

import pytest

from transom.wire.openai_chat import OpenAIChat

CHAT = OpenAIChat()


def call(call_id: str = "a", arguments: object = "{}") -> dict[str, object]:
    return {"id": call_id, "type": "function", "function": {"name": "f", "arguments": arguments}}


def asked(*calls: object) -> dict[str, object]:
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def answered(call_id: str) -> dict[str, object]:
    return {"role": "tool", "tool_call_id": call_id, "content": "x"}


USER = {"role": "user", "content": "x"}


@pytest.mark.feature("M15")
@pytest.mark.parametrize(
    "messages, rule, index, wording",
    [
        ([USER, asked(call())], "openai.calls-answered", 1, "did not have response messages: a"),
        ([USER, asked(call("a"), call("b")), answered("b"), USER], "openai.calls-answered", 1, "response messages: a"),
        (
            [USER, asked(call()), USER, answered("a")],
            "openai.result-follows-call",
            3,
            "must be a response to a preceeding message",
        ),
        ([USER, answered("a")], "openai.result-follows-call", 1, "must be a response to a preceeding message"),
        ([USER, asked(call()), answered("a"), answered("a")], "openai.one-result-per-call", 3, "Duplicate"),
        ([USER, asked(call(), call()), answered("a")], "openai.call-id", 1, "Duplicate"),
        ([USER, {"role": "assistant", "content": None}], "openai.content", 1, "expected a string, got null"),
        ([USER, {"role": "assistant", "content": "x", "tool_calls": []}], "openai.tool-calls", 1, "empty array"),
        ([USER, asked(call("a", {"k": 1})), answered("a")], "openai.arguments", 1, "expected a string, but got an object"),
        ([{"role": "user", "content": None}], "openai.content", 0, "got null"),
        ([{"role": "user", "content": []}], "openai.content", 0, "empty array"),
        ([{"role": "user", "content": 5}], "openai.content", 0, "Invalid type"),
        ([{"content": "x"}], "openai.role", 0, "Missing required parameter: 'messages[0].role'"),
        ([{"role": "wizard", "content": "x"}], "openai.role", 0, "Supported values are"),
        ([{"role": "user", "content": "x", "name": "a b"}], "openai.name", 0, "does not match pattern"),
        ([{"role": "user", "content": [{"type": "tool_use"}]}], "openai.content-part", 0, "Supported values are"),
        (
            [{"role": "system", "content": [{"type": "image_url", "image_url": {"url": "u"}}]}],
            "openai.content-part",
            0,
            "Image URLs are only allowed",
        ),
        ([USER, "x"], "openai.message", 1, "expected an object, but got a string"),
        ([USER, {"role": "tool", "content": "x"}], "openai.result-id", 1, "tool_call_id"),
    ],
)
def test_a_broken_rule_is_named_with_its_message(messages: list[Any], rule: str, index: int, wording: str) -> None:
    found = [violation for violation in CHAT.validate({"model": "m", "messages": messages}) if violation.rule == rule]
    assert [violation.index for violation in found] == [index]
    assert wording in found[0].message
    assert found[0].source
    assert found == [violation for violation in CHAT.validate(messages) if violation.rule == rule]


@pytest.mark.feature("M15")
@pytest.mark.parametrize(
    "body, rule",
    [
        ({"messages": [USER]}, "openai.model"),
        ({"model": "m"}, "openai.messages"),
        ({"model": "m", "messages": []}, "openai.messages"),
        ({"model": "m", "messages": [USER], "tools": []}, "openai.tools"),
        ({"model": "m", "messages": [USER], "tools": [{"type": "function", "function": {"name": "a b"}}]}, "openai.tools"),
        ({"model": "m", "messages": [USER], "tool_choice": "required"}, "openai.tool-choice"),
        ({"model": "m", "messages": [USER], "stop": list("abcde")}, "openai.stop"),
        (5, "openai.body"),
    ],
)
def test_a_broken_rule_of_the_request_is_named(body: object, rule: str) -> None:
    assert [violation.rule for violation in CHAT.validate(body)] == [rule]


def test_parallel_answers_may_come_in_any_order() -> None:
    messages = [USER, asked(call("a"), call("b")), answered("b"), answered("a")]
    assert CHAT.validate({"model": "m", "messages": messages}) == []
