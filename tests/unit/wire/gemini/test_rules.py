"""Each rule of Gemini is named with the content that breaks it, in the provider's words."""

from __future__ import annotations

import pytest

from transom.wire.gemini import Gemini

FORMAT = Gemini()

USER = {"role": "user", "parts": [{"text": "hi"}]}
MODEL = {"role": "model", "parts": [{"text": "ok"}]}


def call(*names: str, signature: str = "") -> dict[str, object]:
    parts: list[dict[str, object]] = [{"functionCall": {"name": name, "args": {}}} for name in names]
    if signature:
        parts[0]["thoughtSignature"] = signature
    return {"role": "model", "parts": parts}


def answer(*names: str) -> dict[str, object]:
    return {"role": "user", "parts": [{"functionResponse": {"name": name, "response": {"output": "x"}}} for name in names]}


def user(*parts: object) -> dict[str, object]:
    return {"role": "user", "parts": list(parts)}


BROKEN: list[tuple[str, int | None, object, str]] = [
    ("contents-required", None, {"model": "m"}, "contents is not specified"),
    ("contents-required", None, [], "contents is not specified"),
    ("content-shape", 0, ["x"], "contents[0]"),
    ("role", 1, [USER, {"role": "assistant", "parts": [{"text": "x"}]}], "Please use a valid role: user, model."),
    ("parts-empty", 0, [user()], "contents[0].parts: contents.parts must not be empty"),
    ("parts-empty", None, {"systemInstruction": {"parts": []}, "contents": [USER]}, "system_instruction.parts"),
    ("part-shape", 0, [user("x")], "contents[0].parts[0]"),
    ("part-shape", 0, [user({"text": "x", "functionCall": {"name": "f"}})], "already set"),
    ("part-empty", 0, [user({})], "required oneof field 'data' must have one initialized field"),
    ("call-name", 1, [USER, {"role": "model", "parts": [{"functionCall": {"args": {}}}]}, answer("f")], "Name cannot be empty"),
    ("response-name", 2, [USER, call("f"), user({"functionResponse": {"response": {}}})], "Name cannot be empty"),
    ("response-object", 2, [USER, call("f"), user({"functionResponse": {"name": "f", "response": "x"}})], "Struct"),
    ("source-missing", 0, [user({"inlineData": {"data": "AA=="}})], "mime_type"),
    ("call-place", 0, [call("f"), answer("f")], "function call turn comes immediately after a user turn"),
    ("call-place", 2, [USER, MODEL, call("f"), answer("f")], "function call turn comes immediately after a user turn"),
    ("response-place", 1, [USER, answer("f")], "function response turn comes immediately after a function call turn"),
    ("response-place", 3, [USER, call("f"), USER, answer("f")], "function response turn comes immediately after"),
    ("response-count", 2, [USER, call("f", "g"), answer("f")], "number of function response parts is equal"),
    ("call-needs-response", 1, [USER, call("f")], "number of function response parts is equal"),
    ("call-needs-response", 1, [USER, call("f"), USER], "number of function response parts is equal"),
    (
        "signature",
        1,
        {"model": "gemini-3-pro-preview", "contents": [USER, call("f"), answer("f")]},
        "Function call `f` in the `2.` content block is missing a `thought_signature`.",
    ),
    ("tool-name", None, {"tools": [{"functionDeclarations": [{"name": "1 x"}]}], "contents": [USER]}, "Invalid function name"),
    (
        "tool-names-unique",
        None,
        {"tools": [{"functionDeclarations": [{"name": "f"}, {"name": "f"}]}], "contents": [USER]},
        "Duplicate function declaration found: f",
    ),
]


@pytest.mark.parametrize("rule, index, body, words", BROKEN)
@pytest.mark.feature("M15")
def test_a_broken_rule_is_named(rule: str, index: int | None, body: object, words: str) -> None:
    found = [violation for violation in FORMAT.validate(body) if violation.rule == f"gemini.{rule}"]
    assert [violation.index for violation in found] == [index]
    assert words in found[0].message
    assert found[0].source.startswith("https://")


SOUND: list[object] = [
    [USER],
    [USER, USER, MODEL, USER],
    [USER, MODEL],
    [USER, call("f", "g"), answer("f", "g"), call("f"), answer("f"), MODEL],
    [USER, call("f"), {"role": "function", "parts": answer("f")["parts"]}, USER],
    [
        user({"inline_data": {"mime_type": "a/b", "data": "AA=="}}),
        {"role": "model", "parts": [{"text": "", "thought_signature": "YQ=="}]},
    ],
    {"model": "gemini-2.5-pro", "contents": [USER, call("f"), answer("f")]},
    {
        "model": "models/gemini-3-pro",
        "contents": [USER, call("f"), answer("f"), MODEL, USER, call("f", "g", signature="YQ=="), answer("f", "g")],
    },
    {"contents": [user({"a_part_of_tomorrow": {}})]},
]


@pytest.mark.parametrize("body", SOUND)
@pytest.mark.feature("M15")
def test_a_sound_request_breaks_nothing(body: object) -> None:
    assert FORMAT.validate(body) == []
