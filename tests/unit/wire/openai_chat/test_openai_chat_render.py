"""Messages written as chat entries."""

from __future__ import annotations

import pytest

from transom.jsontext import loads
from transom.messages import Attachment, Call, Message, Opaque, RedactedThinking, Result, Text, Thinking
from transom.wire.format import Element, RenderOptions
from transom.wire.openai_chat import OpenAIChat
from transom.wire.report import Report

CHAT = OpenAIChat()


def entries(*turn: Message, report: Report | None = None, thinking: str = "drop") -> list[dict[str, object]]:
    options = RenderOptions(thinking="text" if thinking == "text" else "drop")
    found: list[dict[str, object]] = []
    for element in CHAT.render_turn(turn, options, report or Report(), "messages[1]"):
        assert element.merge == ""
        value = loads(element.open + b",".join(element.blocks) + element.close)
        assert isinstance(value, dict)
        found.append(value)
    return found


@pytest.mark.feature("M4")
def test_a_run_of_assistant_messages_becomes_one_entry_followed_by_its_results_in_call_order() -> None:
    turn = (
        Message("assistant", "first"),
        Message("assistant", "second", tool_calls=[Call("f", "{}", "a"), Call("g", "{}", "b")]),
        Message("tool", "B", tool_call_id="b"),
        Message("tool", "A", tool_call_id="a"),
    )
    assistant, first, second = entries(*turn)
    assert assistant["content"] == [{"type": "text", "text": "first"}, {"type": "text", "text": "second"}]
    assert isinstance(assistant["tool_calls"], list)
    assert [first["tool_call_id"], second["tool_call_id"]] == ["a", "b"]
    assert [first["content"], second["content"]] == ["A", "B"]


@pytest.mark.feature("M12")
def test_calls_without_ids_get_the_same_ones_every_time_and_results_follow_by_name_and_order() -> None:
    turn = (
        Message("assistant", tool_calls=[Call("f", "{}"), Call("g", "{}"), Call("f", "{}")]),
        Message("tool", [Result((Text("g1"),), name="g"), Result((Text("f1"),), name="f"), Result((Text("f2"),), name="f")]),
    )
    once, again = entries(*turn), entries(*turn)
    assert once == again
    calls = once[0]["tool_calls"]
    assert isinstance(calls, list)
    ids = [call["id"] for call in calls]
    assert len(set(ids)) == 3
    assert [(entry["tool_call_id"], entry["content"]) for entry in once[1:]] == list(zip(ids, ["f1", "g1", "f2"], strict=True))


def test_an_id_used_twice_in_one_turn_is_told_apart() -> None:
    turn = (
        Message("assistant", tool_calls=[Call("f", "{}", "x"), Call("g", "{}", "x")]),
        Message("tool", [Result((Text("1"),), call_id="x"), Result((Text("2"),), call_id="x")]),
    )
    assistant, first, second = entries(*turn)
    assert isinstance(assistant["tool_calls"], list)
    ids = [call["id"] for call in assistant["tool_calls"]]
    assert ids[0] == "x" != ids[1]
    assert [(first["tool_call_id"], first["content"]), (second["tool_call_id"], second["content"])] == [
        ("x", "1"),
        (ids[1], "2"),
    ]


@pytest.mark.feature("M12")
def test_a_picture_in_a_result_goes_into_a_user_entry_after_all_results() -> None:
    report = Report()
    turn = (
        Message("assistant", tool_calls=[Call("shot", "{}", "a"), Call("f", "{}", "b")]),
        Message("tool", [Text("see"), Attachment("image/png", data="AAAA")], tool_call_id="a"),
        Message("tool", "done", tool_call_id="b"),
    )
    assert [entry["role"] for entry in entries(*turn, report=report)] == ["assistant", "tool", "tool", "user"]
    assert [note.code for note in report.notes] == ["degraded"]


@pytest.mark.feature("M8")
def test_reasoning_is_dropped_with_a_note_or_becomes_text_on_request() -> None:
    report = Report()
    message = Message("assistant", "so", thinking=Thinking("hm", "sig"))
    assert entries(message, report=report)[0]["content"] == "so"
    assert [note.code for note in report.notes] == ["dropped"]
    content = entries(message, thinking="text")[0]["content"]
    assert isinstance(content, list)
    assert "hm" in content[0]["text"]


@pytest.mark.feature("M8")
def test_redacted_reasoning_never_becomes_text_and_is_warned_of_once() -> None:
    report = Report()
    for _ in range(3):
        secret = Message("assistant", "so", thinking=RedactedThinking("c2VjcmV0"))
        assert entries(secret, report=report, thinking="text") == [{"role": "assistant", "content": "so"}]
    assert len(report.notes) == 1


def test_what_only_another_provider_understands_is_dropped_and_named() -> None:
    report = Report()
    message = Message("assistant", [Text("x"), Opaque("anthropic", "server_tool_use", {"type": "server_tool_use"})])
    assert entries(message, report=report)[0]["content"] == "x"
    assert "server_tool_use" in report.notes[0].detail
    assert report.notes[0].where == "messages[1].parts[1]"


def test_a_turn_of_own_entries_and_made_results_is_joined() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    own = CHAT.parse_items([{"role": "assistant", "content": None, "tool_calls": [call], "x": 1}])[0]
    first, second = entries(own, Message("tool", "made", tool_call_id="a"))
    assert first["x"] == 1
    assert second == {"role": "tool", "tool_call_id": "a", "content": "made"}


def test_an_own_call_before_a_made_assistant_message_is_merged_so_that_its_result_follows() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    own = CHAT.parse_items([{"role": "assistant", "content": None, "tool_calls": [call]}])[0]
    made = entries(own, Message("assistant", "and"), Message("tool", "made", tool_call_id="a"))
    assert CHAT.validate(made) == []
    assert [entry["role"] for entry in made] == ["assistant", "tool"]


@pytest.mark.feature("M4")
def test_names_openai_refuses_are_dropped_and_said() -> None:
    report = Report()
    assert entries(Message("user", "x", name="ann"))[0]["name"] == "ann"
    assert "name" not in entries(Message("user", "x", name="ann b"), report=report)[0]
    assert "ann b" in report.notes[0].detail


def test_dropping_the_only_call_leaves_an_entry_the_api_takes() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    own = CHAT.parse_items([{"role": "assistant", "content": None, "tool_calls": [call]}])[0]
    assert entries(own.edit({0: None})) == [{"role": "assistant", "content": ""}]


def test_an_edit_keeps_numbers_escapes_and_spacing_of_everything_else() -> None:
    raw = b'{"role":"user","content":[{"type":"text","text":"old"},{"type":"text","text":"caf\\u00e9"}],"n":1.50e3}'
    own = CHAT.parse_items([raw])[0]
    element = CHAT.render_turn([own.edit({0: Text("new")})], RenderOptions(), Report())[0]
    assert element.blocks[0] == raw.replace(b"old", b"new")


def test_nothing_is_appended_to_an_entry_that_is_not_the_users() -> None:
    for raw in (b'{"role":"assistant","content":"x"}', b'{"role":"tool","tool_call_id":"a","content":"x"}'):
        assert CHAT.append_text(Element(b"", (raw,)), "tail") is None


def test_text_is_appended_in_the_form_the_entry_has() -> None:
    raw = b'{"role":"user","content":"caf\\u00e9","name":"ann"}'
    appended = CHAT.append_text(Element(b"", (raw,)), 'a "tail"')
    assert appended is not None
    element, kept = appended
    assert element.blocks[0][:kept] == raw[:kept] == b'{"role":"user","content":"caf\\u00e9'
    assert loads(element.blocks[0]) == {"role": "user", "content": 'café\n\na "tail"', "name": "ann"}
