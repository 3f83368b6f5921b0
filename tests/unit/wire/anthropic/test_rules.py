"""Each rule of Anthropic Messages is named with the message that breaks it, in the provider's words."""

from __future__ import annotations

import pytest

from transom.wire.anthropic import Anthropic

FORMAT = Anthropic()

USER = {"role": "user", "content": "hi"}
MARK = {"cache_control": {"type": "ephemeral"}}
TOOLS = [{"name": "f", "input_schema": {"type": "object"}}]


def call(*names: str) -> dict[str, object]:
    return {"role": "assistant", "content": [{"type": "tool_use", "id": name, "name": "f", "input": {}} for name in names]}


def results(*names: str) -> dict[str, object]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": name, "content": "x"} for name in names]}


def said(role: str, *blocks: dict[str, object]) -> dict[str, object]:
    return {"role": role, "content": list(blocks)}


TEXT: dict[str, object] = {"type": "text", "text": "x"}

BROKEN: list[tuple[str, int | None, object, str]] = [
    ("messages-required", None, {"model": "m", "max_tokens": 1}, "messages: Field required"),
    ("messages-empty", None, [], "at least one message is required"),
    ("max-tokens-required", None, {"model": "m", "messages": [USER]}, "max_tokens: Field required"),
    ("first-user", 0, [said("assistant", TEXT), USER], 'first message must use the "user" role'),
    ("role", 1, [USER, {"role": "tool", "content": "x"}], 'Unexpected role "tool"'),
    ("message-shape", 1, [USER, "x"], "Input should be a valid dictionary"),
    ("content-required", 0, [{"role": "user"}], "messages.0.content: Field required"),
    ("empty-content", 0, [{"role": "user", "content": ""}], "all messages must have non-empty content"),
    ("empty-text", 0, [said("user", {"type": "text", "text": ""})], "text content blocks must be non-empty"),
    ("empty-text", 0, [said("user", {"type": "text", "text": " \n"})], "must contain non-whitespace text"),
    ("empty-text", None, {"system": [{"type": "text", "text": ""}], "messages": [USER]}, "must be non-empty"),
    ("block-shape", 0, [said("user", {"text": "x"})], "messages.0.content.0"),
    ("field-required", 0, [said("user", {"type": "image"})], "messages.0.content.0.image.source: Field required"),
    (
        "field-required",
        1,
        [USER, said("assistant", {"type": "tool_use", "id": "a", "name": "f"}), results("a")],
        "input: Field required",
    ),
    ("thinking-signature", 1, [USER, said("assistant", {"type": "thinking", "thinking": "x", "signature": ""})], "signature"),
    ("block-role", 0, [said("user", {"type": "tool_use", "id": "a", "name": "f", "input": {}})], "can only be in `assistant`"),
    ("id-pattern", 1, [USER, call("a:b"), results("a:b")], "String should match pattern '^[a-zA-Z0-9_-]+$'"),
    ("ids-unique", 3, [USER, call("a"), results("a"), call("a"), results("a")], "`tool_use` ids must be unique"),
    ("call-needs-result", 1, [USER, call("a")], "without `tool_result` blocks immediately after: a"),
    ("call-needs-result", 1, [USER, call("a", "b"), results("a")], "immediately after: b"),
    ("call-needs-result", 1, [USER, call("a"), USER, results("a")], "immediately after: a"),
    ("call-needs-result", 1, [USER, call("a"), said("user", TEXT, *results("a")["content"])], "immediately after: a"),  # type: ignore[misc]
    ("result-needs-call", 0, [results("a")], "unexpected `tool_use_id` found in `tool_result` blocks: a"),
    (
        "result-needs-call",
        4,
        [USER, call("a"), results("a"), said("assistant", TEXT), results("a")],
        "unexpected `tool_use_id`",
    ),
    ("single-result", 2, [USER, call("a"), results("a", "a")], "each tool_use must have a single result"),
    ("tools-defined", None, {"model": "m", "max_tokens": 1, "messages": [USER, call("a"), results("a")]}, "must define tools"),
    (
        "tool-choice-needs-tools",
        None,
        {"tool_choice": {"type": "auto"}, "messages": [USER]},
        "only be specified while providing tools",
    ),
    ("tool-names-unique", None, {"tools": TOOLS * 2, "messages": [USER]}, "Tool names must be unique"),
    (
        "tool-name",
        None,
        {"tools": [{"name": "a b", "input_schema": {"type": "object"}}], "messages": [USER]},
        "tools.0.custom.name",
    ),
    ("tool-schema", None, {"tools": [{"name": "f"}], "messages": [USER]}, "tools.0.custom.input_schema: Field required"),
    ("tool-schema", None, {"tools": [{"name": "f", "input_schema": {}}], "messages": [USER]}, "input_schema.type"),
    (
        "thinking-budget",
        None,
        {"thinking": {"type": "enabled", "budget_tokens": 2000}, "model": "m", "max_tokens": 2000, "messages": [USER]},
        "`max_tokens` must be greater than `thinking.budget_tokens`",
    ),
    (
        "thinking-first",
        1,
        {"thinking": {"type": "enabled", "budget_tokens": 1024}, "messages": [USER, call("a"), results("a")]},
        "Expected `thinking` or `redacted_thinking`, but found `tool_use`",
    ),
    (
        "prefill",
        1,
        {"model": "claude-opus-4-6", "max_tokens": 1, "messages": [USER, said("assistant", TEXT)]},
        "This model does not support assistant message prefill",
    ),
    (
        "marker-count",
        None,
        {"system": [{**TEXT, **MARK}] * 2, "messages": [said("user", *[{**TEXT, **MARK}] * 3)]},
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ),
    ("marker-count", None, {**MARK, "messages": [said("user", *[{**TEXT, **MARK}] * 4)]}, "Found 5"),
    (
        "marker-place",
        1,
        [USER, said("assistant", {"type": "thinking", "thinking": "x", "signature": "s", **MARK})],
        "cache_control",
    ),
    ("marker-place", 0, [said("user", {"type": "text", "text": "", **MARK})], "cannot be set for empty text blocks"),
    (
        "marker-ttl",
        0,
        {
            "system": [{**TEXT, **MARK}],
            "messages": [said("user", {**TEXT, "cache_control": {"type": "ephemeral", "ttl": "1h"}})],
        },
        "must not come after a ttl='5m' cache_control block",
    ),
]


@pytest.mark.parametrize("rule, index, body, words", BROKEN)
@pytest.mark.feature("M15")
def test_a_broken_rule_is_named(rule: str, index: int | None, body: object, words: str) -> None:
    found = [violation for violation in FORMAT.validate(body) if violation.rule == f"anthropic.{rule}"]
    assert [violation.index for violation in found] == [index]
    assert words in found[0].message
    assert found[0].source.startswith("https://")


SOUND: list[object] = [
    [USER],
    [USER, USER, said("assistant", TEXT), USER],
    [USER, said("assistant", TEXT)],
    [USER, {"role": "assistant", "content": ""}],
    [USER, {"role": "system", "content": "x"}, call("a"), {"role": "system", "content": "x"}, results("a")],
    [{"role": "system", "content": "x"}, USER],
    [USER, call("a", "b"), results("b"), results("a"), USER],
    [USER, call("a"), said("user", *results("a")["content"], TEXT)],  # type: ignore[misc]
    {
        "model": "m",
        "max_tokens": 1,
        "tools": TOOLS,
        "tool_choice": {"type": "auto"},
        "messages": [USER, call("a"), results("a")],
    },
    {"model": "claude-opus-4-5-20251101", "max_tokens": 1, "messages": [USER, said("assistant", TEXT)]},
    {"model": "claude-sonnet-4-20250514", "max_tokens": 1, "messages": [USER, said("assistant", TEXT)]},
    {
        "model": "claude-opus-4-6",
        "max_tokens": 1,
        "messages": [USER, said("assistant", {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}})],
    },
    {"system": [{**TEXT, **MARK}], "messages": [said("user", *[{**TEXT, **MARK}] * 3)]},
    {"max_tokens": 5, "messages": [USER]},
    {"tools": [{"type": "web_search_20250305", "name": "web_search"}], "messages": [USER]},
    {
        "thinking": {"type": "enabled", "budget_tokens": 1024},
        "messages": [
            USER,
            said("assistant", {"type": "thinking", "thinking": "x", "signature": "s"}, *call("a")["content"]),  # type: ignore[misc]
            results("a"),
        ],
    },
]


@pytest.mark.parametrize("body", SOUND)
@pytest.mark.feature("M15")
def test_a_sound_request_breaks_nothing(body: object) -> None:
    assert FORMAT.validate(body) == []
