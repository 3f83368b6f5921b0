"""Conversion between formats: what is kept, what is said, and what is left alone."""

from __future__ import annotations

import json

import pytest

from transom.errors import FormatError
from transom.jsontext import loads
from transom.messages import Text
from transom.wire.convert import convert
from transom.wire.detect import detect
from transom.wire.registry import builtin_registry
from transom.wire.report import Report

REGISTRY = builtin_registry()


def to(target: str, body: object, source: str | None = None) -> tuple[dict[str, object], Report]:
    payload, report = convert(body, source, target, REGISTRY)
    value = loads(payload)
    assert isinstance(value, dict)
    return value, report


@pytest.mark.feature("M8")
@pytest.mark.parametrize("target, field", [("openai", "messages"), ("openai-responses", "input")])
def test_a_prefilled_answer_becomes_a_system_note_where_there_is_no_prefill(target: str, field: str) -> None:
    asked: object = {"role": "user", "content": "json please"}
    body = {"model": "claude-x", "max_tokens": 9, "messages": [asked, {"role": "assistant", "content": '{"answer":'}]}
    value, report = to(target, body, "anthropic")
    messages = value[field]
    assert isinstance(messages, list)
    assert [message["role"] for message in messages] == ["user", "system"]
    said = messages[1]["content"]
    text = said if isinstance(said, str) else said[0]["text"]
    assert text.endswith('do not repeat it.\n\n{"answer":')
    assert any("prefill" in note.detail for note in report.notes)
    assert REGISTRY.get(target).validate(value) == []


@pytest.mark.feature("M9")
def test_a_late_system_message_stays_where_the_target_allows_it_and_goes_first_where_not() -> None:
    roles = [("user", "a"), ("system", "late"), ("user", "b")]
    body = {"model": "m", "messages": [{"role": role, "content": text} for role, text in roles]}
    value, _ = to("openai-responses", body)
    assert isinstance(value["input"], list)
    assert [item["role"] for item in value["input"]] == ["user", "system", "user"]
    value, report = to("gemini", body)
    assert "late" in json.dumps(value["systemInstruction"])
    assert [note.code for note in report.notes if "system" in note.detail] == ["reordered"]


@pytest.mark.feature("M12")
def test_ids_used_again_in_a_later_turn_are_told_apart_where_they_must_be() -> None:
    call = {"id": "x", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    loop: list[object] = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "x", "content": "1"},
    ]
    body = {"model": "m", "max_completion_tokens": 99, "messages": [*loop, *loop]}
    value, _ = to("openai-responses", body)
    assert isinstance(value["input"], list)
    ids = [item["call_id"] for item in value["input"] if "call_id" in item]
    assert ids[0] == ids[1] == "x"
    assert ids[2] == ids[3] != "x"
    assert to("anthropic", body)[0]["messages"]
    assert (
        REGISTRY.get("anthropic").validate(
            {**to("anthropic", body)[0], "tools": [{"name": "f", "input_schema": {"type": "object"}}]}
        )
        == []
    )


@pytest.mark.feature("M12")
def test_what_the_target_does_not_know_is_reported_once() -> None:
    body = {"model": "m", "logit_bias": {"1": 1}, "seed": 3, "messages": [{"role": "user", "content": "x", "zeta": 1}] * 3}
    _, report = to("openai-responses", body)
    assert {note.where for note in report.notes} == {"logit_bias", "seed", "messages"}
    assert len(report.notes) == 3


@pytest.mark.feature("M12")
def test_nothing_is_repaired() -> None:
    orphan: list[object] = [{"role": "user", "content": "x"}, {"role": "tool", "tool_call_id": "gone", "content": "left over"}]
    value, _ = to("openai-responses", {"model": "m", "messages": orphan})
    assert isinstance(value["input"], list)
    assert value["input"][1] == {"type": "function_call_output", "call_id": "gone", "output": "left over"}


@pytest.mark.feature("M11")
@pytest.mark.parametrize(
    "body",
    [
        [{"role": "user", "content": "x"}],
        {"model": "m", "messages": [], "tools": [], "functions": []},
        {"model": "m", "input": "plain", "instructions": "i"},
        {"model": "m", "input": "", "instructions": ""},
        {"model": "m", "previous_response_id": "r", "tools": None},
        {"model": "m", "previous_response_id": "r", "input": None},
        {"model": "m", "prompt": {"id": "p"}, "input": []},
        {"previous_response_id": "r"},
        {"model": "m", "messages": [{"role": "user", "content": "x"}], "functions": [{"name": "f"}], "function_call": "auto"},
        {"model": "m", "n": 12345678901234567890123, "messages": [{"role": "user", "content": "x", "f": 1.5}]},
    ],
)
def test_odd_but_valid_bodies_come_back_equal(body: object) -> None:
    for given in (body, json.dumps(body, indent=1).encode()):
        source = detect(given, REGISTRY)
        payload, report = convert(given, source, source, REGISTRY)
        assert json.loads(payload) == body
        assert report.notes == []


@pytest.mark.feature("M12")
def test_choice_limits_and_schemas_are_carried_both_ways() -> None:
    schema = {"name": "n", "schema": {"type": "object"}, "strict": True}
    body = {
        "model": "m",
        "messages": [{"role": "user", "content": "x"}],
        "max_completion_tokens": 77,
        "response_format": {"type": "json_schema", "json_schema": schema},
        "reasoning_effort": "low",
        "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}],
        "tool_choice": {"type": "function", "function": {"name": "f"}},
        "parallel_tool_calls": False,
    }
    there, report = to("openai-responses", body)
    assert report.notes == []
    back, report = to("openai", there)
    assert report.notes == []
    assert back == {**body, "tools": back["tools"]}


@pytest.mark.parametrize(
    "body, name",
    [
        ([{"role": "user", "content": "x"}], "openai"),
        ([{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a"}]}], "anthropic"),
        ([{"role": "user", "parts": [{"text": "x"}]}], "gemini"),
        ([{"type": "function_call_output", "call_id": "a", "output": ""}], "openai-responses"),
        ({"input": "x"}, "openai-responses"),
        ({"contents": [{"parts": [{"text": "x"}]}]}, "gemini"),
        ({"messages": [{"role": "user", "content": "x"}], "system": "s", "max_tokens": 5}, "anthropic"),
        ({"messages": [{"role": "user", "content": "x"}]}, "openai"),
    ],
)
def test_a_body_is_told_by_its_marks(body: object, name: str) -> None:
    assert detect(body, REGISTRY).name == name


@pytest.mark.parametrize("body", [{}, {"a": 1}, [1], 5, None, [{"no": "role"}]])
def test_what_is_no_conversation_is_of_no_format(body: object) -> None:
    with pytest.raises(FormatError):
        detect(body, REGISTRY)


def test_converting_into_an_unknown_format_is_refused() -> None:
    with pytest.raises(FormatError):
        convert([{"role": "user", "content": "x"}], None, "nope", REGISTRY)


def test_texts_of_a_bare_list_survive_into_a_request() -> None:
    value, _ = to("openai-responses", [{"role": "user", "content": "x"}], "openai")
    assert REGISTRY.get("openai-responses").parse(value).messages[0].parts == (Text("x"),)
