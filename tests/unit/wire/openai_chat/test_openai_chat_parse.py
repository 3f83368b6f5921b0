"""What a chat request says, read into messages."""

from __future__ import annotations

import json

import pytest

from transom.errors import FormatError, JSONError
from transom.messages import Attachment, Call, Message, Opaque, Result, Text, Thinking
from transom.wire.openai_chat import OpenAIChat

CHAT = OpenAIChat()


def one(element: object) -> Message:
    return CHAT.parse_items([element])[0]


@pytest.mark.feature("M4")
def test_text_is_read_from_a_string_and_from_parts() -> None:
    assert one({"role": "user", "content": "hi"}).parts == (Text("hi"),)
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b", "x": 1}]
    assert one({"role": "user", "content": parts}).parts == (Text("a"), Text("b", extra={"x": 1}))


def test_null_and_empty_content_give_no_parts() -> None:
    nothing: tuple[object, ...] = (None, "", [])
    for content in nothing:
        assert one({"role": "assistant", "content": content}).parts == ()


@pytest.mark.feature("M4")
def test_files_are_read_with_their_media_type() -> None:
    parts = [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA", "detail": "low"}},
        {"type": "image_url", "image_url": {"url": "https://x.org/a.png"}},
        {"type": "input_audio", "input_audio": {"data": "BBBB", "format": "mp3"}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,CCCC"}},
        {"type": "file", "file": {"file_id": "file-1"}},
    ]
    assert one({"role": "user", "content": parts}).parts == (
        Attachment("image/png", data="AAAA", extra={"detail": "low"}),
        Attachment("image/*", url="https://x.org/a.png"),
        Attachment("audio/mpeg", data="BBBB"),
        Attachment("application/pdf", data="CCCC", filename="a.pdf"),
        Attachment("application/octet-stream", url="file-1"),
    )


@pytest.mark.feature("M4")
def test_calls_of_every_kind_are_read_in_order() -> None:
    message = one(
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{ }"}},
                {"id": "b", "type": "custom", "custom": {"name": "patch", "input": "*** Begin"}},
                {"id": "c", "type": "novel", "novel": {}},
            ],
        }
    )
    assert message.parts == (
        Call("f", "{ }", "a"),
        Call("patch", "*** Begin", "b", kind="custom"),
        Opaque("openai", "novel", {"id": "c", "type": "novel", "novel": {}}),
    )


@pytest.mark.feature("M4")
def test_the_legacy_function_call_and_its_answer_are_a_call_and_a_result() -> None:
    call, result = CHAT.parse_items(
        [
            {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
            {"role": "function", "name": "f", "content": "42"},
        ]
    )
    assert call.parts == (Call("f", "{}"),)
    assert result.parts == (Result((Text("42"),), name="f"),)


@pytest.mark.feature("M4")
def test_refusal_audio_and_reasoning_are_parts() -> None:
    element = {"role": "assistant", "content": "c", "refusal": "no", "audio": {"id": "au"}, "reasoning_content": "hm"}
    parts = one(element).parts
    assert parts == (Thinking("hm"), Text("c"), Text("no", refusal=True), Opaque("openai", "audio", {"id": "au"}))


def test_arguments_written_as_an_object_are_read_as_text() -> None:
    calls = [{"type": "function", "function": {"name": "f", "arguments": {"a": 1}}}]
    assert one({"role": "assistant", "tool_calls": calls}).tool_calls[0].arguments == '{"a":1}'


@pytest.mark.feature("M4", "M9")
def test_system_messages_after_the_start_belong_where_they_stand() -> None:
    roles = ["system", "developer", "user", "system"]
    messages = CHAT.parse_items([{"role": role, "content": "x"} for role in roles])
    assert [message.role for message in messages] == ["system", "system", "user", "system"]
    assert [message.positional for message in messages] == [False, False, False, True]


def test_names_and_unknown_fields_are_kept() -> None:
    message = one({"role": "user", "content": "x", "name": "ann", "x": [1]})
    assert message.name == "ann"
    assert message.extra == {"x": [1]}


@pytest.mark.feature("M1", "M11")
def test_each_element_remembers_its_exact_bytes() -> None:
    text = b'{"model":"m","messages":[ {"role" : "user", "content":"caf\\u00e9 1.50"} ,{"role":"assistant","content":"x"}]}'
    first, second = CHAT.parse(text).messages
    assert first.origin is not None
    assert first.origin.raw == b'{"role" : "user", "content":"caf\\u00e9 1.50"}'
    assert second.origin is not None
    assert second.origin.raw == b'{"role":"assistant","content":"x"}'


def test_the_head_is_read_into_neutral_terms() -> None:
    head = CHAT.parse(
        {
            "model": "gpt-5.1",
            "max_tokens": 5,
            "temperature": 0.5,
            "stop": "END",
            "tool_choice": {"type": "function", "function": {"name": "f"}},
            "parallel_tool_calls": False,
            "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}, "strict": True}}],
            "logit_bias": {"1": 2},
            "messages": [],
        }
    ).head
    assert (head.model, head.max_output_tokens) == ("gpt-5.1", 5)
    assert head.params == {"temperature": 0.5, "stop": ["END"]}
    assert head.tool_choice is not None
    assert (head.tool_choice.mode, head.tool_choice.name, head.tool_choice.parallel) == ("tool", "f", False)
    assert head.tools[0].name == "f"
    assert head.tools[0].extra == {"strict": True}
    assert head.unshared == ("logit_bias",)


@pytest.mark.parametrize(
    "body, what",
    [
        ({"model": "m"}, "no list of messages"),
        ({"messages": [1]}, "messages[0]"),
        ({"messages": [{"content": "x"}]}, "messages[0] has no role"),
        ({"messages": [{"role": "user", "content": "x"}, {"role": "wizard"}]}, "messages[1].role"),
        ({"messages": [{"role": "user", "content": 5}]}, "messages[0].content"),
        ({"messages": [{"role": "assistant", "tool_calls": {}}]}, "messages[0].tool_calls"),
        (7, "a request body is"),
    ],
)
def test_what_is_no_chat_request_is_refused_with_the_element_named(body: object, what: str) -> None:
    with pytest.raises(FormatError) as caught:
        CHAT.parse(body)
    assert what in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("text", [b'{"messages":[{"role":"user"', b"\xff\xfe", b'{"messages":[NaN]}', b"[" * 20_000])
def test_text_that_is_no_json_is_refused(text: bytes) -> None:
    with pytest.raises(JSONError):
        CHAT.parse(text)


def test_a_lone_surrogate_and_a_number_beyond_a_float_survive() -> None:
    text = b'{"x":1e400,"messages":[{"role":"user","content":"\\ud800"}]}'
    request = CHAT.parse(text)
    assert request.messages[0].text == "\ud800"
    assert json.dumps("\ud800") in (request.messages[0].origin.raw if request.messages[0].origin else b"").decode()
