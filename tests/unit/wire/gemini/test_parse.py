"""How Gemini contents are read."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from transom.errors import FormatError
from transom.messages import Attachment, Call, Message, Opaque, Result, Text, Thinking, ToolChoice
from transom.wire.gemini import Gemini

FORMAT = Gemini()


def read(*parts: Mapping[str, object], role: str | None = "user") -> Message:
    content: dict[str, object] = {"parts": list(parts)}
    if role is not None:
        content["role"] = role
    (message,) = FORMAT.parse_items([content])
    return message


@pytest.mark.feature("M7")
def test_every_known_part_becomes_one_of_ours_in_document_order_with_its_signature() -> None:
    message = read(
        {"text": "hm", "thought": True, "thoughtSignature": "a"},
        {"text": "so", "thoughtSignature": "b"},
        {"functionCall": {"id": "1", "name": "f", "args": {"b": 1, "a": 2}}, "thoughtSignature": "c"},
        {"executableCode": {"code": "1"}, "thoughtSignature": "d"},
        {"inlineData": {"mimeType": "image/png", "data": "AA=="}},
        {"fileData": {"mimeType": "video/mp4", "fileUri": "files/1", "displayName": "v"}, "videoMetadata": {"fps": 1}},
        role="model",
    )
    assert message.role == "assistant"
    assert message.parts == (
        Thinking("hm", "a"),
        Text("so", extra={"thoughtSignature": "b"}),
        Call("f", '{"b":1,"a":2}', "1", signature="c"),
        Opaque("gemini", "executableCode", {"executableCode": {"code": "1"}, "thoughtSignature": "d"}),
        Attachment("image/png", data="AA=="),
        Attachment("video/mp4", url="files/1", filename="v", extra={"videoMetadata": {"fps": 1}}),
    )


@pytest.mark.feature("M7")
def test_both_spellings_read_alike() -> None:
    camel = read(
        {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "s"},
        {"inlineData": {"mimeType": "a/b", "data": "AA=="}},
    )
    snake = read(
        {"function_call": {"name": "f", "args": {}}, "thought_signature": "s"},
        {"inline_data": {"mime_type": "a/b", "data": "AA=="}},
    )
    assert camel.parts == snake.parts


@pytest.mark.feature("M7")
def test_base64_that_is_safe_in_addresses_is_read_into_the_plain_alphabet() -> None:
    assert read({"inline_data": {"mime_type": "image/jpeg", "data": "_9j-4A"}}).attachments[0].data == "/9j+4A=="


@pytest.mark.feature("M7")
def test_arguments_keep_the_exact_bytes_of_the_request() -> None:
    body = b'{"contents":[{"role":"model","parts":[{"text":"x"},{"functionCall":{"args": {"n" : 1.0},"name":"f"}}]}]}'
    (message,) = FORMAT.parse(body).messages
    assert message.tool_calls[0].arguments == '{"n" : 1.0}'


@pytest.mark.parametrize(
    "response, text, is_error",
    [
        ({"output": "fine"}, "fine", False),
        ({"result": "fine"}, "fine", False),
        ({"error": "bad"}, "bad", True),
        ({"temperature": 20, "unit": "C"}, '{"temperature":20,"unit":"C"}', False),
        ({"output": {"a": 1}}, '{"output":{"a":1}}', False),
        ({"error": "bad", "code": 7}, '{"error":"bad","code":7}', True),
        ({"error": None, "x": 1}, '{"error":null,"x":1}', False),
    ],
)
@pytest.mark.feature("M7")
def test_a_response_is_its_text_or_its_json(response: dict[str, object], text: str, is_error: bool) -> None:
    message = read({"functionResponse": {"id": "1", "name": "f", "response": response}})
    assert message.role == "tool"
    assert message.results == (Result((Text(text),), "1", "f", is_error),)


def test_a_response_may_hold_files_and_no_text() -> None:
    part = {
        "functionResponse": {"name": "f", "response": {}, "parts": [{"inlineData": {"mimeType": "image/png", "data": "AA=="}}]}
    }
    assert read(part).results[0].content == (Attachment("image/png", data="AA=="),)


def test_results_beside_words_stay_the_users_and_a_missing_role_is_the_users() -> None:
    answer = {"functionResponse": {"name": "f", "response": {"output": "x"}}}
    assert read(answer, {"text": "go on"}).role == "user"
    assert read(answer, role="function").role == "tool"
    assert read({"text": "x"}, role=None).role == "user"


@pytest.mark.feature("M7")
def test_wrapped_arguments_are_found_again() -> None:
    message = read({"functionCall": {"name": "f", "args": {"_raw_arguments": "not json"}}}, role="model")
    assert message.tool_calls[0].arguments == "not json"


def test_the_head_is_read_into_neutral_terms() -> None:
    head = FORMAT.parse(
        {
            "model": "models/gemini-x",
            "generationConfig": {
                "maxOutputTokens": 9,
                "topK": 3,
                "stopSequences": ["END"],
                "responseMimeType": "application/json",
                "responseSchema": {
                    "type": "OBJECT",
                    "properties": {"a": {"type": "STRING", "nullable": True, "maxLength": "5"}},
                },
                "thinkingConfig": {"thinkingLevel": "HIGH"},
                "responseModalities": ["TEXT"],
            },
            "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["f"]}},
            "safetySettings": [],
            "tools": [
                {"functionDeclarations": [{"name": "f", "description": "d", "parameters": {"type": "OBJECT"}}]},
                {"googleSearch": {}},
            ],
            "contents": [],
        }
    ).head
    assert (head.model, head.max_output_tokens) == ("gemini-x", 9)
    assert head.params == {
        "top_k": 3,
        "stop": ["END"],
        "json_schema": {"schema": {"type": "object", "properties": {"a": {"type": ["string", "null"], "maxLength": 5}}}},
        "reasoning_effort": "high",
    }
    assert head.tool_choice == ToolChoice("tool", "f")
    assert [(tool.name, tool.kind, tool.parameters) for tool in head.tools] == [
        ("f", "function", {"type": "object"}),
        ("googleSearch", "native", None),
    ]
    assert head.unshared == ("safetySettings", "generationConfig.responseModalities")


def test_errors_name_the_element() -> None:
    with pytest.raises(FormatError, match=r"contents\[1\]"):
        FORMAT.parse({"contents": [{"role": "user", "parts": []}, {"role": "assistant", "parts": []}]})
    with pytest.raises(FormatError, match=r"contents\[0\]\.parts\[1\]"):
        FORMAT.parse({"contents": [{"role": "user", "parts": [{"text": "x"}, "y"]}]})


@pytest.mark.parametrize(
    "body, expected",
    [
        ({"contents": [{"parts": [{"text": "x"}]}]}, True),
        ([{"role": "model", "parts": []}], True),
        ({"contents": []}, True),
        ({"contents": [{"role": "user", "content": "x"}]}, False),
        ([], False),
        ({"messages": []}, False),
    ],
)
def test_detection_goes_by_contents_and_parts(body: object, expected: bool) -> None:
    assert FORMAT.detect(body) is expected
