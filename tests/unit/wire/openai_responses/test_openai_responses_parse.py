"""What a Responses request says, read into messages."""

from __future__ import annotations

import pytest

from transom.errors import FormatError
from transom.messages import Attachment, Call, Message, Opaque, RedactedThinking, Result, Text, Thinking
from transom.wire.openai_responses import OpenAIResponses

RESPONSES = OpenAIResponses()


def one(item: object) -> Message:
    return RESPONSES.parse_items([item])[0]


@pytest.mark.feature("M5")
def test_messages_are_read_with_and_without_a_type() -> None:
    for item in ({"role": "user", "content": "hi"}, {"type": "message", "role": "user", "content": "hi"}):
        assert one(item).parts == (Text("hi"),)
    content = [{"type": "output_text", "text": "a", "annotations": []}, {"type": "refusal", "refusal": "no"}]
    message = one({"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": content, "phase": "x"})
    assert message.parts == (Text("a", extra={"annotations": []}), Text("no", refusal=True))
    assert message.extra == {"id": "m", "status": "completed", "phase": "x"}


@pytest.mark.feature("M5")
def test_calls_and_outputs_are_joined_by_call_id() -> None:
    items = [
        {"type": "function_call", "id": "fc", "call_id": "a", "name": "f", "arguments": "{ }"},
        {"type": "custom_tool_call", "call_id": "b", "name": "patch", "input": "*** Begin"},
        {"type": "custom_tool_call_output", "call_id": "b", "output": [{"type": "input_text", "text": "ok"}]},
        {"type": "function_call_output", "call_id": "a", "output": "42"},
    ]
    messages = RESPONSES.parse_items(items)
    assert [message.role for message in messages] == ["assistant", "assistant", "tool", "tool"]
    assert messages[0].parts == (Call("f", "{ }", "a"),)
    assert messages[1].parts == (Call("patch", "*** Begin", "b", kind="custom"),)
    assert messages[2].parts == (Result((Text("ok"),), call_id="b"),)
    assert messages[3].parts == (Result((Text("42"),), call_id="a"),)


@pytest.mark.feature("M5")
def test_tools_that_a_client_offers_in_the_conversation_are_a_part_of_the_system_prompt() -> None:
    offered = {"type": "additional_tools", "id": "at", "role": "developer", "tools": [{"type": "custom", "name": "exec"}]}
    told = {"type": "message", "role": "developer", "content": "Be brief."}
    messages = RESPONSES.parse_items([offered, told, {"role": "user", "content": "Hi"}, {**offered, "id": "at_2"}])
    assert [message.role for message in messages] == ["system", "system", "user", "system"]
    assert messages[0].parts == (Opaque("openai-responses", "additional_tools", offered),)
    # Those that come later stand where they stand, and stay.
    assert [(message.positional, message.pinned) for message in messages] == [(False, False)] * 3 + [(True, True)]


@pytest.mark.feature("M5")
def test_reasoning_keeps_its_summary_and_what_is_encrypted() -> None:
    item = {"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "s"}], "encrypted_content": "gAAA=="}
    assert one(item).parts == (Thinking("s"), RedactedThinking("gAAA=="))
    stored = {"type": "reasoning", "id": "rs", "summary": []}
    assert one(stored).parts == (Opaque("openai-responses", "reasoning", stored),)


@pytest.mark.feature("M5")
def test_files_and_pictures_are_attachments() -> None:
    content = [
        {"type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,AAAA"},
        {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,CCCC"},
        {"type": "input_file", "file_url": "https://x.org/a.pdf"},
        {"type": "input_image", "detail": "auto", "file_id": "file-1"},
    ]
    assert one({"role": "user", "content": content}).parts == (
        Attachment("image/png", data="AAAA", extra={"detail": "auto"}),
        Attachment("application/pdf", data="CCCC", filename="a.pdf"),
        Attachment("application/octet-stream", url="https://x.org/a.pdf"),
        Attachment("image/*", url="file-1", extra={"detail": "auto"}),
    )


@pytest.mark.feature("M5")
@pytest.mark.parametrize(
    "kind", ["web_search_call", "mcp_list_tools", "item_reference", "compaction", "computer_call_output", "new"]
)
def test_items_of_the_provider_pass_through_whole(kind: str) -> None:
    item = {"type": kind, "id": "x", "anything": [1, {"a": None}]}
    message = one(item)
    assert message.parts == (Opaque("openai-responses", kind, item),)
    assert message.pinned == (kind == "compaction")


@pytest.mark.feature("M5")
def test_instructions_are_the_system_prompt_and_a_plain_input_is_the_users() -> None:
    system, user = RESPONSES.parse({"model": "m", "instructions": "be kind", "input": "hi"}).messages
    assert (system.role, system.text, system.origin and system.origin.place) == ("system", "be kind", "instructions")
    assert (user.role, user.text) == ("user", "hi")


def test_a_request_that_continues_a_stored_one_may_have_no_input() -> None:
    assert RESPONSES.parse({"model": "m", "previous_response_id": "resp_1"}).messages == ()


def test_the_head_is_read_into_neutral_terms() -> None:
    schema = {"type": "object"}
    head = RESPONSES.parse(
        {
            "model": "m",
            "max_output_tokens": 99,
            "reasoning": {"effort": "low"},
            "text": {"format": {"type": "json_schema", "name": "n", "schema": schema}},
            "tools": [{"type": "web_search"}, {"type": "function", "name": "f", "parameters": schema, "strict": True}],
            "tool_choice": {"type": "function", "name": "f"},
            "truncation": "auto",
            "input": [],
        }
    ).head
    assert head.params == {"reasoning_effort": "low", "json_schema": {"name": "n", "schema": schema}}
    assert [(tool.kind, tool.name) for tool in head.tools] == [("native", "web_search"), ("function", "f")]
    assert head.max_output_tokens == 99
    assert head.unshared == ("truncation",)


@pytest.mark.parametrize(
    "body, what",
    [
        ({"model": "m"}, "no input"),
        ({"model": "m", "input": 5}, "no input"),
        ({"input": ["x"]}, "input[0]"),
        ({"input": [{"role": "tool", "content": "x"}]}, "input[0].role"),
        ({"input": [{"type": 5}]}, "input[0].type"),
        ({"input": [{"role": "user", "content": {}}]}, "input[0].content"),
    ],
)
def test_what_is_no_responses_request_is_refused_with_the_item_named(body: object, what: str) -> None:
    with pytest.raises(FormatError) as caught:
        RESPONSES.parse(body)
    assert what in caught.value.message
