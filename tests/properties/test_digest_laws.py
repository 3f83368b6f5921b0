"""What the two digests cover and what they leave out, and that a prefix digest stands for its whole prefix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transom.jsontext import dumps_text, loads
from transom.messages import (
    Attachment,
    Call,
    History,
    Message,
    Opaque,
    Origin,
    Part,
    RedactedThinking,
    Result,
    Text,
    Thinking,
    bytes_digest,
    meaning_digest,
)
from transom.messages.digest import ROOT, link
from transom.testing.generators import conversations

pytestmark = pytest.mark.feature("O21")

Messages = tuple[Message, ...]
some = settings(deadline=None, max_examples=60)


def places(messages: Sequence[Message]) -> list[bytes]:
    history = History()
    history.extend(messages)
    return [*history.prefix, *history.chain(history.tail()[0])]


def rebuilt(message: Message, parts: Sequence[Part], **marks: object) -> Message:
    known: dict[str, object] = {"name": message.name, "pinned": message.pinned, "extra": message.extra}
    known |= {"cache_breakpoint": message.cache_breakpoint, "positional": message.positional}
    return Message.of(message.role, tuple(parts), **(known | marks))  # type: ignore[arg-type]


def respelled(part: Part) -> Part:
    """The same part as another client would send it: other ids, keys in another order, fields nobody knows."""
    match part:
        case Call():
            try:
                value = loads(part.arguments)
            except ValueError:
                value = None
            turned = dumps_text(dict(reversed(value.items()))) if isinstance(value, dict) else part.arguments
            return replace(part, id=part.id and f"other_{part.id}", arguments=turned, extra={"x": 1})
        case Result():
            return replace(part, call_id=part.call_id and f"other_{part.call_id}", name="", extra={"cache_control": {}})
        case Text() | Attachment():
            return replace(part, extra={"cache_control": {"type": "ephemeral"}})
        case _:
            return part


@some
@given(conversations(), st.data())
def test_what_clients_change_from_turn_to_turn_changes_no_place(messages: Messages, data: st.DataObject) -> None:
    changed: list[Message] = []
    for message in messages:
        parts: list[Part] = [respelled(part) for part in message.parts if not isinstance(part, Thinking | RedactedThinking)]
        if message.role == "assistant" and data.draw(st.booleans()):
            parts.insert(0, Thinking("another train of thought", signature="sig"))
        changed.append(rebuilt(message, parts, cache_breakpoint=True, extra={"x": "y"}))
    conversation = [message for message in messages if message.role != "system"]
    assert places(conversation) == places([message for message in changed if message.role != "system"])


@some
@given(conversations(thinking=True, attachments=True))
def test_a_message_of_nothing_but_reasoning_is_no_link(messages: Messages) -> None:
    only = Message("assistant", [Thinking("hm"), RedactedThinking("b64==")])
    assert meaning_digest(only) is None
    assert link(ROOT, only) == ROOT
    conversation = [message for message in messages if message.role != "system"]
    assert places([*conversation, only])[-1] == places(conversation)[-1]


DIFFERENT: list[tuple[Message, Message]] = [
    (Message("user", "a"), Message("assistant", "a")),
    (Message("user", "a"), Message("user", "b")),
    (Message("user", "a"), Message("user", "a", name="ann")),
    (Message("user", "a"), Message("user", "a", pinned=True)),
    (Message("system", "a", positional=True), Message("system", "a")),
    (Message("user", [Text("a"), Text("b")]), Message("user", [Text("ab")])),
    (Message("user", [Text("a"), Text("b")]), Message("user", [Text("b"), Text("a")])),
    (Message("assistant", [Text("a")]), Message("assistant", [Text("a", refusal=True)])),
    (Message("assistant", tool_calls=[Call("f")]), Message("assistant", tool_calls=[Call("g")])),
    (Message("assistant", tool_calls=[Call("f", '{"a":1}')]), Message("assistant", tool_calls=[Call("f", '{"a":2}')])),
    (Message("assistant", tool_calls=[Call("f", '{"a":1}')]), Message("assistant", tool_calls=[Call("f", '{"a":"1"}')])),
    (Message("assistant", tool_calls=[Call("f", "not json")]), Message("assistant", tool_calls=[Call("f", "not JSON")])),
    (
        Message("assistant", tool_calls=[Call("f", '{"a":1}')]),
        Message("assistant", tool_calls=[Call("f", '{"a":1}', kind="custom")]),
    ),
    (
        Message("assistant", tool_calls=[Call("f", '{"a": 1}', kind="custom")]),
        Message("assistant", tool_calls=[Call("f", '{"a":1}', kind="custom")]),
    ),
    (Message("tool", "r", tool_call_id="a"), Message("tool", "s", tool_call_id="a")),
    (Message("tool", "r", tool_call_id="a"), Message("tool", "r", tool_call_id="a", is_error=True)),
    (Message("tool", "r", tool_call_id="a"), Message("user", "r")),
    (
        Message("user", [Text("a"), Attachment("image/png", data="AA==")]),
        Message("user", [Text("a"), Attachment("image/png", data="AB==")]),
    ),
    (
        Message("user", [Text("a"), Attachment("image/png", url="https://x/1")]),
        Message("user", [Text("a"), Attachment("image/png", url="https://x/2")]),
    ),
    (
        Message("user", [Attachment("text/plain", data="AA==", filename="a")]),
        Message("user", [Attachment("text/plain", data="AA==", filename="b")]),
    ),
    (Message("tool", [Result((Attachment("image/png", data="AA=="),))]), Message("tool", [Result((Text("AA=="),))])),
    (Message("assistant", [Opaque("anthropic", "x", {"v": 1})]), Message("assistant", [Opaque("anthropic", "x", {"v": 2})])),
    (Message("assistant", [Opaque("anthropic", "x", {})]), Message("assistant", [Opaque("gemini", "x", {})])),
    (Message("user", "[]"), Message("user", [])),
]


@pytest.mark.parametrize(("one", "two"), DIFFERENT)
def test_whatever_a_message_says_is_in_its_meaning(one: Message, two: Message) -> None:
    assert meaning_digest(one) != meaning_digest(two)
    assert bytes_digest(one) != bytes_digest(two)


ALIKE: list[tuple[Message, Message]] = [
    (Message("user", "a"), Message("user", "a", cache_breakpoint=True)),
    (Message("user", "a"), Message("user", "a", extra={"x": 1})),
    (Message("user", [Text("a")]), Message("user", [Text("a"), Text("")])),
    (Message("user", [Text("a")]), Message("user", [Text("a", extra={"citations": []})])),
    (Message("assistant", "a"), Message("assistant", "a", thinking="hm")),
    (Message("assistant", "a"), Message("assistant", [RedactedThinking("b"), Text("a")])),
    (
        Message("assistant", tool_calls=[Call("f", '{"a":1,"b":[2]}', "x")]),
        Message("assistant", tool_calls=[Call("f", '{ "b": [2], "a": 1 }', "y", signature="s")]),
    ),
    (Message("tool", "r", tool_call_id="a"), Message("tool", "r", tool_call_id="b")),
    (
        Message("assistant", [Opaque("anthropic", "x", {"v": 1, "w": 2, "id": "1"})]),
        Message("assistant", [Opaque("anthropic", "x", {"w": 2, "v": 1, "id": "2", "cache_control": {"type": "ephemeral"}})]),
    ),
    (
        Message.of("user", (Text("a"),), Origin("openai", b'{"role":"user","content":"a"}')),
        Message.of("user", (Text("a"),), Origin("anthropic", b'{"role":"user","content":[{"type":"text","text":"a"}]}')),
    ),
]


@pytest.mark.parametrize(("one", "two"), ALIKE)
def test_how_a_message_is_spelt_is_in_its_bytes_only(one: Message, two: Message) -> None:
    assert meaning_digest(one) == meaning_digest(two)
    assert bytes_digest(one) != bytes_digest(two)


@some
@given(conversations())
def test_equal_messages_have_equal_digests_in_any_object(messages: Messages) -> None:
    for message in messages:
        twin = rebuilt(message, message.parts)
        assert bytes_digest(message) == bytes_digest(twin)
        assert meaning_digest(message) == meaning_digest(twin)


def answered(*order: str, **texts: str) -> list[Message]:
    return [
        Message("user", "go"),
        Message("assistant", tool_calls=[Call("f", '{"n":1}', "a"), Call("f", '{"n":2}', "b")]),
        *(Message("tool", texts[call], tool_call_id=call) for call in order),
        Message("user", "next"),
    ]


def test_a_result_belongs_to_its_call_and_not_to_its_position_or_id() -> None:
    straight = places(answered("a", "b", a="one", b="two"))
    assert straight == places(answered("b", "a", a="one", b="two"))
    assert straight != places(answered("a", "b", a="two", b="one"))
    assert straight != places(answered("b", "a", a="two", b="one"))


@some
@given(conversations(), conversations())
def test_two_histories_share_places_only_as_far_as_they_say_the_same(one: Messages, two: Messages) -> None:
    def said(messages: Messages) -> list[bytes | None]:
        return [meaning_digest(message) for message in messages if meaning_digest(message) is not None]

    first = [message for message in one if message.role != "system"]
    second = [message for message in two if message.role != "system"]
    for left, right in zip(places(first)[1:], places(second)[1:], strict=False):
        if left == right:
            count = places(first).index(left)
            assert said(tuple(first))[:count] == said(tuple(second))[:count]
    if said(tuple(first)) != said(tuple(second)):
        assert places(first)[-1] != places(second)[-1]
