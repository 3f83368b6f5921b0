"""A message written as JSON and read back is the same message, with its origin, marks and edits."""

from __future__ import annotations

import pytest
from hypothesis import given

from transom.errors import FormatError
from transom.jsontext import dumps, loads
from transom.messages import (
    Attachment,
    Call,
    Message,
    Opaque,
    Origin,
    RedactedThinking,
    Result,
    Text,
    Thinking,
    Tool,
    ToolChoice,
)
from transom.messages.codec import decode_choice, decode_message, decode_tool, encode_choice, encode_message, encode_tool
from transom.messages.digest import bytes_digest
from transom.testing.generators import chat_bodies, conversations, responses_bodies
from transom.wire.registry import builtin_registry


def again(message: Message) -> Message:
    return decode_message(loads(dumps(encode_message(message))))


def same(one: Message, two: Message) -> bool:
    return one == two and (one.origin, one.edits) == (two.origin, two.edits) and bytes_digest(one) == bytes_digest(two)


@given(conversations())
def test_any_conversation_comes_back(messages: list[Message]) -> None:
    assert all(same(message, again(message)) for message in messages)


@given(chat_bodies())
def test_messages_read_from_chat_bodies_come_back_with_their_bytes(body: dict[str, object]) -> None:
    assert all(same(message, again(message)) for message in builtin_registry().get("openai").parse(dumps(body)).messages)


@given(responses_bodies())
def test_messages_read_from_responses_come_back_with_their_bytes(body: dict[str, object]) -> None:
    messages = builtin_registry().get("openai-responses").parse(dumps(body)).messages
    assert all(same(message, again(message)) for message in messages)


def test_marks_edits_and_rare_parts_come_back() -> None:
    message = Message.of(
        "assistant",
        (
            Text("no", refusal=True, extra={"a": [1, None]}),
            Thinking("", signature="s"),
            RedactedThinking("data"),
            Attachment("image/png", data="aGk=", filename="x"),
            Call("run", "{bad", "c1", kind="custom", signature="t"),
            Opaque("anthropic", "compaction", {"type": "compaction", "n": 2**70}),
        ),
        Origin("anthropic", b'{"text":"\\ud800"}', "system"),
        name="n",
        pinned=True,
        cache_breakpoint=True,
        positional=True,
        extra={"x": {"y": 1}},
    ).edit({0: Text("yes"), 2: None})
    assert same(message, again(message))
    answered = Message("user", [Result((Text("t"), Attachment("image/png", url="u")), "c1", "run", True), Text("go")])
    assert same(answered, again(answered))


def test_tools_and_choices_come_back() -> None:
    tool = Tool("f", "does", {"type": "object"}, "function", {"strict": True}, Origin("openai", b'{"type":"function"}'))
    back = decode_tool(loads(dumps(encode_tool(tool))))
    assert back == tool
    assert back.origin == tool.origin
    choice = ToolChoice("tool", "f", parallel=False)
    assert decode_choice(loads(dumps(encode_choice(choice)))) == choice


@pytest.mark.parametrize("value", [None, [], {}, {"role": "user"}, {"role": "user", "parts": [{"kind": "no"}]}])
def test_what_is_no_message_is_named(value: object) -> None:
    with pytest.raises(FormatError, match="no message of a snapshot"):
        decode_message(value)
