"""The one message type: what it holds, what it refuses, and that edits compose."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transom import Context
from transom.jsontext import loads
from transom.messages import (
    Attachment,
    Call,
    Message,
    Opaque,
    Part,
    RedactedThinking,
    Result,
    Text,
    Thinking,
    is_user_request,
    leading_system,
)
from transom.wire.anthropic import Anthropic
from transom.wire.format import RenderOptions
from transom.wire.report import Report

pytestmark = pytest.mark.feature("M1")


def test_a_message_holds_reasoning_then_content_then_files_then_calls() -> None:
    message = Message(
        "assistant",
        "words",
        thinking=Thinking("hm", signature="s"),
        attachments=[Attachment("image/png", data="AA==")],
        tool_calls=[Call("f", '{"a":1}', "c1")],
        name="bot",
        pinned=True,
        cache_breakpoint=True,
        extra={"x": 1},
    )
    assert [type(part) for part in message.parts] == [Thinking, Text, Attachment, Call]
    assert message.text == "words"
    assert message.thinking == "hm"
    assert message.tool_calls[0].id == "c1"
    assert message.attachments[0].media_type == "image/png"
    assert (message.name, message.pinned, message.cache_breakpoint, message.extra) == ("bot", True, True, {"x": 1})


def test_a_tool_message_makes_its_content_the_result_of_its_call() -> None:
    message = Message("tool", "42", tool_call_id="c1", name="f", is_error=True)
    assert message.results == (Result((Text("42"),), call_id="c1", name="f", is_error=True),)
    assert message.tool_call_id == "c1"
    assert message.text == "42"


def test_a_message_cannot_be_changed() -> None:
    message = Message("user", "a")
    with pytest.raises(AttributeError):
        message.name = "b"  # type: ignore[misc]


@pytest.mark.parametrize("role", ["wizard", "", "USER"])
def test_an_unknown_role_is_refused_with_the_known_ones(role: str) -> None:
    with pytest.raises(ValueError, match="system, user, assistant, tool"):
        Message(role, "a")  # type: ignore[arg-type]


@pytest.mark.parametrize("role", ["system", "assistant"])
def test_results_are_refused_where_no_provider_takes_them(role: str) -> None:
    with pytest.raises(ValueError, match="cannot carry tool results"):
        Message(role, [Result((Text("x"),))])  # type: ignore[arg-type]


def test_only_what_the_user_wrote_is_a_request() -> None:
    assert is_user_request(Message("user", "a"))
    assert is_user_request(Message("user", [Result((Text("r"),)), Text("and?")]))
    assert not is_user_request(Message("user", [Result((Text("r"),))]))
    reminder = Text("<system-reminder>\nThe list of tasks is empty.\n</system-reminder>\n")
    assert not is_user_request(Message("user", [Result((Text("r"),)), reminder]))
    assert is_user_request(Message("user", [Result((Text("r"),)), Text(f"{reminder.text}and?")]))
    assert is_user_request(Message("user", [Result((Text("r"),)), Text("<system-reminder>never closed")]))
    assert is_user_request(Message("user", [reminder]))
    assert not is_user_request(Message("tool", "r", tool_call_id="a"))


def test_the_system_prompt_is_what_leads_and_has_no_place_of_its_own() -> None:
    system = Message("system", "rules")
    assert leading_system([system, system, Message("user", "a"), system]) == 2
    assert leading_system([Message("system", "note", positional=True), Message("user", "a")]) == 0


def test_marks_can_be_replaced_and_nothing_else_changes() -> None:
    message = Message("user", "a", name="ann")
    marked = message.replace(pinned=True, cache_breakpoint=True, positional=True)
    assert (marked.pinned, marked.cache_breakpoint, marked.positional) == (True, True, True)
    assert (marked.parts, marked.name) == (message.parts, "ann")
    assert not message.pinned


PARTS: list[Part] = [
    Thinking("think", signature="s"),
    Text("one"),
    Text("two"),
    RedactedThinking("zz"),
    Call("f", '{"a":1}', "c1"),
    Call("g", "{}", "c2"),
    Opaque("anthropic", "server_tool_use", {"type": "server_tool_use", "id": "s1", "name": "x", "input": {}}),
]


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_one_edit_after_another_is_the_same_as_the_result_of_both(data: st.DataObject) -> None:
    message = edited = Message.of("assistant", tuple(PARTS))
    expected: list[Part] = list(PARTS)
    for _ in range(data.draw(st.integers(1, 4))):
        indices = st.integers(0, max(0, len(expected) - 1))
        new = st.none() | st.just(Text("new")) | st.just(Text("newer"))
        changes = data.draw(st.dictionaries(indices, new, max_size=3)) if expected else {}
        edited = edited.edit(changes)
        expected = [part for index, old in enumerate(expected) if (part := changes.get(index, old)) is not None]
        assert list(edited.parts) == expected
        replayed: list[Part | None] = list(PARTS)
        for index, part in edited.edits:
            replayed[index] = part
        assert [part for part in replayed if part is not None] == expected, "edits say how to come from the original here"
    assert message.parts == tuple(PARTS)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from([None, "x", "yy"])), min_size=1, max_size=4))
def test_edits_of_a_parsed_message_go_out_in_their_blocks_and_leave_the_others_alone(
    steps: list[tuple[int, str | None]],
) -> None:
    wire = Anthropic()
    blocks = [{"type": "text", "text": name, "x_unknown": name} for name in ("a", "b", "c")]
    body = {"model": "claude", "max_tokens": 1, "messages": [{"role": "user", "content": blocks}]}
    message = wire.parse(body).messages[0]
    texts, marks = ["a", "b", "c"], ["a", "b", "c"]
    for at, text in steps:
        if at < len(texts):
            message = message.edit({at: None if text is None else Text(text)})
            texts[at : at + 1] = [] if text is None else [text]
            marks[at : at + 1] = [] if text is None else [marks[at]]
    assert [part.text for part in message.parts if isinstance(part, Text)] == texts
    rendered = wire.render_turn([message], RenderOptions(), Report())
    if texts:
        sent = loads(b"".join(b"".join((element.open, *element.blocks, element.close)) for element in rendered))
        assert isinstance(sent, dict)
        expected = [{"type": "text", "text": text, "x_unknown": mark} for text, mark in zip(texts, marks, strict=True)]
        assert sent == {"role": "user", "content": expected}
    else:
        assert rendered == ()


@pytest.mark.parametrize(
    "part",
    [
        Call("read", {"path": "x"}, "c1"),  # type: ignore[arg-type]
        Call("read", "{}", ["c1"]),  # type: ignore[arg-type]
        Call(5),  # type: ignore[arg-type]
        Text(None),  # type: ignore[arg-type]
        Result((), 7),  # type: ignore[arg-type]
    ],
)
def test_a_part_of_something_else_than_text_is_refused_and_nothing_of_it_added(part: Part) -> None:
    context = Context(window=8_000)
    with pytest.raises(TypeError, match="is text, not"):
        context.append(Message("tool" if isinstance(part, Result) else "assistant", [part]))
    context.append(Message("user", "go on"))
    assert "go on" in context.compile_sync("openai").json().decode()
    context.close()
