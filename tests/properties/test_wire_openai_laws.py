"""The two OpenAI formats, for every valid body: nothing is lost on the way back, and every render is a function of its turn."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transom.jsontext import dumps, loads
from transom.messages import Call, Message, Result, Text
from transom.messages.turns import group_turns
from transom.testing.generators import chat_bodies, conversations, responses_bodies
from transom.wire.convert import convert, render_request
from transom.wire.format import Format, Head, RenderOptions, Request
from transom.wire.openai_chat import OpenAIChat
from transom.wire.openai_responses import OpenAIResponses
from transom.wire.registry import builtin_registry
from transom.wire.report import Report

CHAT = OpenAIChat()
RESPONSES = OpenAIResponses()
BODIES = st.one_of(
    chat_bodies().map(lambda body: (CHAT, body)),
    responses_bodies().map(lambda body: (RESPONSES, body)),
)
few = settings(max_examples=60, deadline=None)


@pytest.mark.feature("M4", "M5", "M11")
@few
@given(BODIES, st.sampled_from(["parsed", "bytes", "spaced"]))
def test_a_valid_body_comes_back_equal_as_json_and_valid(drawn: tuple[Format, dict[str, object]], form: str) -> None:
    format_, body = drawn
    assert format_.validate(body) == []
    given_body: object = body
    if form == "bytes":
        given_body = dumps(body)
    elif form == "spaced":
        given_body = json.dumps(body, indent=1).encode()
    payload, report = convert(given_body, format_, format_, builtin_registry())
    assert loads(payload) == loads(dumps(body))
    assert report.notes == []


@pytest.mark.feature("M11")
@few
@given(BODIES)
def test_untouched_messages_go_out_as_the_bytes_they_came_in(drawn: tuple[Format, dict[str, object]]) -> None:
    format_, body = drawn
    text = json.dumps(body, indent=2, ensure_ascii=True).encode()
    request = format_.parse(text)
    for turn in group_turns(request.messages):
        messages = list(request.messages[turn.start : turn.stop])
        if any(message.origin is None or message.origin.place for message in messages):
            continue
        elements = format_.render_turn(messages, RenderOptions(), Report())
        assert [element.blocks[0] for element in elements] == [m.origin.raw for m in messages if m.origin is not None]
        assert all(element.blocks[0] in text for element in elements)


@pytest.mark.feature("M4", "M5", "M15")
@few
@given(conversations(), st.sampled_from([CHAT, RESPONSES]), st.sampled_from(["drop", "text"]))
def test_a_conversation_made_by_hand_is_rendered_valid_and_read_back(
    messages: tuple[Message, ...], format_: Format, thinking: str
) -> None:
    options = RenderOptions(thinking="text" if thinking == "text" else "drop")
    request = Request(head=Head(model="gpt-5.1"), messages=messages)
    payload = render_request(request, format_, options, Report())
    assert format_.validate(loads(payload)) == []
    back = format_.parse(payload).messages
    assert _calls(back) == _calls(messages)
    assert _results(back) == _results(messages)
    if thinking == "drop":
        assert _texts(back) == _texts(messages)


@few
@given(conversations(), st.sampled_from([CHAT, RESPONSES]))
def test_a_turn_is_rendered_to_the_same_bytes_whatever_stands_around_it(messages: tuple[Message, ...], format_: Format) -> None:
    for turn in group_turns(messages):
        part = messages[turn.start : turn.stop]
        alone = format_.render_turn(part, RenderOptions(), Report(), "here")
        assert format_.render_turn(list(part), RenderOptions(), Report(), "there") == alone


@few
@given(BODIES, st.data())
def test_an_edit_changes_the_part_concerned_and_nothing_else(
    drawn: tuple[Format, dict[str, object]], data: st.DataObject
) -> None:
    format_, body = drawn
    messages = [m for m in format_.parse(body).messages if m.parts and m.origin is not None and not m.origin.place]
    if not messages:
        return
    message = data.draw(st.sampled_from(messages))
    index = data.draw(st.integers(0, len(message.parts) - 1))
    part = message.parts[index]
    if isinstance(part, Result):
        new: object = Result((Text("[moved]"),), call_id=part.call_id)
    elif isinstance(part, Call):
        new = Call(part.name, '{"short":1}', part.id, part.kind)
    elif isinstance(part, Text):
        new = Text("[moved]", refusal=part.refusal)
    else:
        return
    assert isinstance(new, Result | Call | Text)
    edited = message.edit({index: new})
    element = format_.render_turn([edited], RenderOptions(), Report())[0]
    back = format_.parse_items([element.blocks[0]])[0]
    assert message.origin is not None
    before, after = loads(message.origin.raw), loads(element.blocks[0])
    assert isinstance(before, dict)
    assert isinstance(after, dict)
    assert list(before) == list(after)
    assert len([key for key in before if before[key] != after[key]]) <= 1
    for at, (old, now) in enumerate(zip(message.parts, back.parts, strict=True)):
        if at != index:
            assert old == now
        elif (isinstance(new, Text) and isinstance(now, Text)) or isinstance(now, Result):
            assert now.text == "[moved]"
        else:
            assert isinstance(now, Call)
            assert now.arguments == '{"short":1}'


@few
@given(BODIES, st.text(max_size=20))
def test_appended_text_leaves_the_bytes_before_it(drawn: tuple[Format, dict[str, object]], text: str) -> None:
    format_, body = drawn
    for message in format_.parse(json.dumps(body, indent=1).encode()).messages:
        for element in format_.render_turn([message], RenderOptions(), Report()):
            appended = format_.append_text(element, text)
            if message.role != "user" or (message.origin is not None and b'"role"' not in message.origin.raw):
                continue
            assert appended is not None
            after, kept = appended
            old, new = element.blocks[0], after.blocks[0]
            assert new[:kept] == old[:kept]
            value, changed = loads(old), loads(new)
            assert isinstance(value, dict)
            assert isinstance(changed, dict)
            assert type(value["content"]) is type(changed["content"])
            assert format_.parse_items([new])[0].text.endswith(text)


def _texts(messages: tuple[Message, ...]) -> list[str]:
    return [part.text for message in messages for part in message.parts if isinstance(part, Text)]


def _calls(messages: tuple[Message, ...]) -> list[tuple[str, str, str]]:
    return [(call.id, call.name, call.arguments) for message in messages for call in message.tool_calls]


def _results(messages: tuple[Message, ...]) -> list[tuple[str, str]]:
    return [(result.call_id, result.text) for message in messages for result in message.results]
