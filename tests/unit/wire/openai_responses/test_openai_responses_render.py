"""Messages written as response items."""

from __future__ import annotations

import pytest

from transom.jsontext import loads
from transom.messages import Attachment, Call, Message, RedactedThinking, Result, Text, Thinking
from transom.wire.format import Element, Head, RenderOptions
from transom.wire.openai_responses import OpenAIResponses
from transom.wire.report import Report

RESPONSES = OpenAIResponses()


def items(*turn: Message, report: Report | None = None, thinking: str = "drop") -> list[dict[str, object]]:
    options = RenderOptions(thinking="text" if thinking == "text" else "drop")
    found: list[dict[str, object]] = []
    for element in RESPONSES.render_turn(turn, options, report or Report(), "messages[1]"):
        value = loads(element.open + b",".join(element.blocks) + element.close)
        assert isinstance(value, dict)
        found.append(value)
    return found


@pytest.mark.feature("M5")
def test_texts_and_calls_keep_their_order_as_items_and_outputs_follow_in_call_order() -> None:
    turn = (
        Message("assistant", [Text("a"), Call("f", "{}", "1"), Text("b"), Call("p", "raw", "2", kind="custom")]),
        Message("tool", [Result((Text("two"),), call_id="2"), Result((Text("one"),), call_id="1")]),
    )
    assert items(*turn) == [
        {"role": "assistant", "content": "a"},
        {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"},
        {"role": "assistant", "content": "b"},
        {"type": "custom_tool_call", "call_id": "2", "name": "p", "input": "raw"},
        {"type": "function_call_output", "call_id": "1", "output": "one"},
        {"type": "custom_tool_call_output", "call_id": "2", "output": "two"},
    ]


@pytest.mark.feature("M12")
def test_a_picture_stays_inside_its_output() -> None:
    turn = (
        Message("assistant", tool_calls=[Call("shot", "{}", "1")]),
        Message("tool", [Text("see"), Attachment("image/png", data="AAAA")], tool_call_id="1"),
    )
    output = items(*turn)[1]["output"]
    assert isinstance(output, list)
    assert [part["type"] for part in output] == ["input_text", "input_image"]


@pytest.mark.feature("M8")
def test_reasoning_from_elsewhere_is_dropped_or_becomes_text_and_what_is_redacted_never_does() -> None:
    report = Report()
    message = Message("assistant", [Thinking("hm"), RedactedThinking("x"), Text("so")])
    assert items(message, report=report) == [{"role": "assistant", "content": "so"}]
    assert [note.code for note in report.notes] == ["dropped", "dropped"]
    texts = [str(item["content"]) for item in items(message, thinking="text")]
    assert "hm" in texts[0]
    assert texts[1:] == ["so"]


@pytest.mark.feature("M5", "M11")
def test_encrypted_reasoning_goes_out_byte_for_byte() -> None:
    raw = b'{"type":"reasoning", "summary":[],"encrypted_content":"gAAA\\u002bB=="}'
    element = RESPONSES.render_turn(RESPONSES.parse_items([raw]), RenderOptions(), Report())[0]
    assert element.blocks == (raw,)


@pytest.mark.feature("M9")
def test_one_system_text_becomes_instructions_and_several_stay_items() -> None:
    head = Head(model="m")
    frame, elements = RESPONSES.render_head(head, [Message("system", "be kind")], RenderOptions(), Report())
    assert loads(frame.before + frame.after) == {"model": "m", "instructions": "be kind", "input": []}
    assert frame.system == b'"be kind"'
    assert elements == ()
    frame, elements = RESPONSES.render_head(head, [Message("system", "a"), Message("system", "b")], RenderOptions(), Report())
    assert frame.system == b""
    assert [loads(element.blocks[0]) for element in elements] == [{"role": "system", "content": text} for text in ("a", "b")]


def test_a_plain_input_becomes_an_item_where_the_conversation_goes_on() -> None:
    message = RESPONSES.parse({"model": "m", "input": "hi"}).messages[0]
    assert items(message) == [{"role": "user", "content": "hi"}]


def test_an_edit_of_arguments_output_and_reasoning_keeps_the_rest() -> None:
    raw = b'{"type":"function_call","id":"fc_1","call_id":"a","name":"f","arguments":"{}","status":"completed"}'
    call = RESPONSES.parse_items([raw])[0]
    assert items(call.edit({0: Call("f", '{"a":1}', "a")}))[0] == {**dict_of(raw), "arguments": '{"a":1}'}
    listed = b'{"type":"function_call_output","call_id":"a","output":[{"type":"input_text","text":"long"}],"n":1.50}'
    output = RESPONSES.parse_items([listed])[0]
    element = RESPONSES.render_turn([output.edit({0: Result((Text("short"),), call_id="a")})], RenderOptions(), Report())[0]
    assert element.blocks[0] == listed.replace(b"long", b"short")
    thought = RESPONSES.parse_items([b'{"type":"reasoning","summary":[],"encrypted_content":"x"}'])[0]
    assert items(thought.edit({0: None})) == []


def dict_of(raw: bytes) -> dict[str, object]:
    value = loads(raw)
    assert isinstance(value, dict)
    return value


def test_text_is_appended_to_the_users_item_only() -> None:
    listed = b'{"role":"user","content":[{"type":"input_text","text":"a"}],"x":1}'
    appended = RESPONSES.append_text(Element(b"", (listed,)), "tail")
    assert appended is not None
    element, kept = appended
    assert element.blocks[0][:kept] == listed[:kept]
    assert dict_of(element.blocks[0])["content"] == [
        {"type": "input_text", "text": "a"},
        {"type": "input_text", "text": "tail"},
    ]
    output = b'{"type":"function_call_output","call_id":"a","output":"x"}'
    assert RESPONSES.append_text(Element(b"", (output,)), "tail") is None


@pytest.mark.feature("M12")
def test_tools_from_elsewhere_are_written_flat_and_not_strict() -> None:
    from transom.messages import Tool

    head = Head(model="m", tools=(Tool("f", "does", {"type": "object"}), Tool("x", kind="native")), params={"seed": 1})
    report = Report()
    frame, _ = RESPONSES.render_head(head, [], RenderOptions(), report)
    assert loads(frame.tools) == [
        {"type": "function", "name": "f", "description": "does", "parameters": {"type": "object"}, "strict": False}
    ]
    assert {note.where for note in report.notes} == {"seed", "tools[x]"}
