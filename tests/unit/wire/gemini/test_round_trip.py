"""What comes in as Gemini contents goes out again as the same JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transom.errors import FormatError
from transom.messages.turns import group_turns, leading_system
from transom.wire.format import RenderOptions, Request, join_elements
from transom.wire.gemini import Gemini
from transom.wire.report import Report

FORMAT = Gemini()


def rendered(request: Request) -> tuple[bytes, Report]:
    """The whole payload of a request in its own format."""
    report, options = Report(), RenderOptions()
    count = leading_system(request.messages)
    frame, elements = FORMAT.render_head(request.head, request.messages[:count], options, report)
    entries = list(elements)
    rest = request.messages[count:]
    for turn in group_turns(rest):
        entries.extend(FORMAT.render_turn(rest[turn.start : turn.stop], options, report))
    joined = b",".join([opened + b",".join(blocks) + closed for opened, blocks, closed in join_elements(entries)])
    return frame.before + joined + frame.after, report


def assert_lossless(body: object) -> None:
    """Both ways of handing a body in give the same JSON back, and say nothing about it."""
    for source in (body, json.dumps(body).encode()):
        out, report = rendered(FORMAT.parse(source))
        assert json.loads(out) == body
        assert report.notes == []


@pytest.mark.feature("M7", "M11")
def test_a_recorded_request_with_signatures_and_a_picture_comes_back_as_it_was(transcripts: Path) -> None:
    raw = (transcripts / "gemini-contents-image.json").read_bytes()
    assert_lossless(json.loads(raw))
    request = FORMAT.parse(raw)
    assert [message.role for message in request.messages] == ["user", *["assistant", "tool"] * 3]
    assert all(call.signature for message in request.messages for call in message.tool_calls)
    assert request.messages[2].results[0].is_error
    (picture,) = request.messages[6].results[0].content
    assert getattr(picture, "media_type", "") == "image/jpeg"


CAMEL = {
    "model": "models/gemini-3-pro",
    "systemInstruction": {"role": "system", "parts": [{"text": "be good"}, {"text": "and brief"}]},
    "tools": [
        {
            "functionDeclarations": [{"name": "f", "parameters": {"type": "OBJECT"}}, {"name": "g", "behavior": "BLOCKING"}],
            "googleSearch": {},
        },
        {"codeExecution": {}},
        {},
        {"functionDeclarations": []},
    ],
    "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["f"]}, "retrievalConfig": {}},
    "generationConfig": {"maxOutputTokens": 9, "thinkingConfig": {"thinkingLevel": "LOW"}, "unknown": 1e5},
    "safetySettings": [{"category": "X", "threshold": "OFF"}],
    "cachedContent": "cachedContents/1",
    "labels": None,
    "contents": [
        {
            "role": "user",
            "parts": [
                {"text": "hi"},
                {"fileData": {"mimeType": "video/mp4", "fileUri": "files/1"}, "videoMetadata": {"fps": 1.0}},
            ],
        },
        {"role": "user", "parts": [{"text": "and another"}], "unknown": {}},
        {
            "role": "model",
            "parts": [
                {"text": "hm", "thought": True, "thoughtSignature": "YQ=="},
                {"text": "", "thoughtSignature": "Yg=="},
                {"executableCode": {"language": "PYTHON", "code": "1"}},
                {"codeExecutionResult": {"outcome": "OUTCOME_OK"}, "thoughtSignature": "Yw=="},
                {"functionCall": {"name": "f", "args": {"b": 1, "a": 1.0}}, "thoughtSignature": "ZA=="},
                {"functionCall": {"name": "f"}},
            ],
        },
        {
            "role": "function",
            "parts": [{"functionResponse": {"name": "f", "response": {"deep": [1]}, "willContinue": False}}] * 2,
        },
        {"parts": [{}]},
        {"role": "model"},
    ],
}
SNAKE = {
    "system_instruction": {"parts": {"text": "one"}},
    "tools": [{"function_declarations": [{"name": "f", "parameters_json_schema": {}}]}],
    "tool_config": {"function_calling_config": {"mode": "auto"}},
    "generation_config": {"max_output_tokens": 9, "top_k": 3},
    "contents": [
        {"role": "model", "parts": [{"function_call": {"name": "f", "args": {}}, "thought_signature": "YQ=="}]},
        {"role": "user", "parts": [{"function_response": {"name": "f", "response": {"result": "x"}}}]},
        {"role": "user", "parts": [{"inline_data": {"mime_type": "image/png", "data": "_9j_"}}]},
    ],
}


@pytest.mark.parametrize("body", [CAMEL, SNAKE], ids=["camelCase", "snake_case"])
@pytest.mark.feature("M7", "M11")
def test_unknown_fields_parts_and_tools_pass_through_in_either_spelling(body: object) -> None:
    assert_lossless(body)


@pytest.mark.parametrize(
    "field, value", [("tools", []), ("tools", None), ("systemInstruction", None), ("systemInstruction", "x")]
)
def test_odd_fields_come_back_as_they_were(field: str, value: object) -> None:
    assert_lossless({field: value, "contents": [{"role": "user", "parts": None}]})


@pytest.mark.parametrize(
    "body", [{}, {"contents": "hi"}, 7, [7], [{"role": "assistant", "parts": []}], [{"parts": 7}], [{"parts": [7]}]]
)
def test_what_is_no_conversation_is_refused(body: object) -> None:
    with pytest.raises(FormatError):
        FORMAT.parse(body)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=3,
)
OBJECTS = st.dictionaries(st.text(max_size=5), VALUES, max_size=2)
SIGNED = {"thoughtSignature": st.text(), "thought": st.booleans(), "partMetadata": VALUES}
PARTS = st.one_of(
    st.fixed_dictionaries({"text": st.text()}, optional=SIGNED),
    st.fixed_dictionaries(
        {"functionCall": st.fixed_dictionaries({}, optional={"id": st.text(), "name": st.text(), "args": OBJECTS})},
        optional=SIGNED,
    ),
    st.fixed_dictionaries(
        {
            "functionResponse": st.fixed_dictionaries(
                {"name": st.text(), "response": OBJECTS | st.builds(lambda text: {"output": text}, st.text())},
                optional={"parts": VALUES},
            )
        },
        optional=SIGNED,
    ),
    st.fixed_dictionaries({"inlineData": OBJECTS}),
    st.fixed_dictionaries({"fileData": VALUES}),
    OBJECTS,
)
CONTENTS = st.fixed_dictionaries(
    {"parts": st.lists(PARTS, max_size=3)}, optional={"role": st.sampled_from(["user", "model", "function"]), "x": VALUES}
)
DECLARATIONS = st.lists(st.fixed_dictionaries({"name": st.text()}, optional={"parameters": OBJECTS}), max_size=2)
BODIES = st.fixed_dictionaries(
    {"contents": st.lists(CONTENTS, max_size=4)},
    optional={
        "systemInstruction": st.fixed_dictionaries({"parts": st.lists(PARTS, max_size=2)}),
        "tools": st.lists(
            st.fixed_dictionaries({}, optional={"functionDeclarations": DECLARATIONS, "googleSearch": OBJECTS}), max_size=3
        ),
        "toolConfig": VALUES,
        "generationConfig": OBJECTS,
        "unknown": VALUES,
    },
)


@settings(max_examples=50)
@given(BODIES)
@pytest.mark.feature("M11")
def test_any_payload_comes_back_equal_as_json(body: dict[str, object]) -> None:
    assert_lossless(body)
