"""How messages from elsewhere, and messages made by hand, are written as Anthropic Messages."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence

import pytest

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
from transom.wire.anthropic import Anthropic
from transom.wire.format import Element, Head, RenderOptions, join_elements
from transom.wire.report import Report

FORMAT = Anthropic()


def entries(elements: Sequence[Element], *, markers: bool = True) -> list[dict[str, object]]:
    """The elements as the entries of ``messages``."""
    return [
        json.loads(opened + b",".join(blocks) + closed) for opened, blocks, closed in join_elements(elements, markers=markers)
    ]


def render(*turn: Message, options: RenderOptions | None = None, report: Report | None = None) -> list[dict[str, object]]:
    return entries(FORMAT.render_turn(turn, options or RenderOptions(), report or Report(), "messages[4]"))


def content(*turn: Message, options: RenderOptions | None = None, report: Report | None = None) -> list[dict[str, object]]:
    """The blocks of the only entry."""
    (entry,) = render(*turn, options=options, report=report)
    blocks = entry["content"]
    assert isinstance(blocks, list)
    return blocks


def foreign(role: str, *parts: object, **marks: object) -> Message:
    """A message as another format's parser leaves it."""
    message: Message = Message.of(role, parts, Origin("openai", b"{}"), **marks)  # type: ignore[arg-type]
    return message


def codes(report: Report) -> list[str]:
    return [note.code for note in report.notes]


@pytest.mark.feature("M6", "M12")
def test_a_turn_becomes_one_assistant_entry_and_one_user_entry_with_results_in_call_order() -> None:
    report = Report()
    written = render(
        foreign("assistant", Text("both:")),
        foreign("assistant", Call("f", '{"x":1}', "a"), Call("g", "{}", "b")),
        foreign("tool", Result((Text("for g"),), "b")),
        foreign("tool", Result((Text("for f"),), "a", is_error=True)),
        report=report,
    )
    assert written == [
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "both:"},
                {"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}},
                {"type": "tool_use", "id": "b", "name": "g", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": "for f", "is_error": True},
                {"type": "tool_result", "tool_use_id": "b", "content": "for g"},
            ],
        },
    ]
    assert codes(report) == ["reordered"]


@pytest.mark.feature("M6")
def test_what_the_user_says_next_joins_the_entry_of_the_results_behind_them() -> None:
    turn = FORMAT.render_turn(
        [Message("assistant", tool_calls=[Call("f", id="a")]), Message("tool", "out", tool_call_id="a")],
        RenderOptions(),
        Report(),
    )
    after = FORMAT.render_turn([Message("user", "and now?")], RenderOptions(), Report())
    roles = [(entry["role"], [block["type"] for block in entry["content"]]) for entry in entries([*turn, *after])]  # type: ignore[attr-defined]
    assert roles == [("assistant", ["tool_use"]), ("user", ["tool_result", "text"])]


@pytest.mark.feature("M6")
def test_words_beside_a_result_stand_behind_it() -> None:
    mixed = foreign("user", Text("by the way"), Result((Text("out"),), "a"))
    assert [block["type"] for block in content(mixed)] == ["tool_result", "text"]


@pytest.mark.feature("M12")
def test_results_find_their_call_without_ids_by_name_and_order() -> None:
    written = render(
        foreign("assistant", Call("f", '{"n":1}'), Call("f", '{"n":2}'), Call("g")),
        foreign("tool", Result((Text("g"),), name="g")),
        foreign("tool", Result((Text("f1"),), name="f")),
        foreign("tool", Result((Text("f2"),), name="f")),
    )
    ids = [block["id"] for block in written[0]["content"]]  # type: ignore[attr-defined]
    assert len(set(ids)) == 3
    answers = [(block["tool_use_id"], block["content"]) for block in written[1]["content"]]  # type: ignore[attr-defined]
    assert answers == list(zip(ids, ["f1", "f2", "g"], strict=True))


@pytest.mark.feature("M12")
def test_ids_outside_the_alphabet_are_rewritten_alike_on_both_sides_and_always_to_the_same() -> None:
    turn = (foreign("assistant", Call("f", id="call:1|x")), foreign("tool", Result((), "call:1|x")))
    first, again = render(*turn), render(*turn)
    assert first == again
    call, result = first[0]["content"][0], first[1]["content"][0]  # type: ignore[index]
    assert call["id"] == result["tool_use_id"]
    assert FORMAT.validate(first) == [] or all("id-pattern" not in found.rule for found in FORMAT.validate(first))


@pytest.mark.parametrize("arguments", ["not json", "[1]", '"text"', '{"cut": "of', "null", '{"_raw_arguments": 1} x'])
@pytest.mark.feature("M12")
def test_arguments_that_are_no_object_are_wrapped_reported_and_found_again(arguments: str) -> None:
    report = Report()
    (entry,) = render(foreign("assistant", Call("f", arguments, "a")), report=report)
    assert codes(report) == ["degraded"]
    (back,) = FORMAT.parse_items([entry])
    assert back.tool_calls[0].arguments == arguments


def test_an_argument_of_the_wrapping_name_that_is_an_object_is_left_alone() -> None:
    arguments = '{"_raw_arguments":"{\\"x\\":1}"}'
    (entry,) = render(foreign("assistant", Call("f", arguments, "a")))
    (back,) = FORMAT.parse_items([entry])
    assert back.tool_calls[0].arguments == arguments


def test_arguments_that_are_an_object_go_through_verbatim() -> None:
    (element,) = FORMAT.render_turn([foreign("assistant", Call("f", ' {"b": 1.0,\n"a":1e5} ', "a"))], RenderOptions(), Report())
    assert b'"input":{"b": 1.0,\n"a":1e5}' in element.blocks[0]


def test_free_text_input_of_a_custom_tool_becomes_an_object() -> None:
    report = Report()
    (block,) = content(foreign("assistant", Call("apply_patch", "*** Begin", "a", kind="custom")), report=report)
    assert block["input"] == {"input": "*** Begin"}
    assert codes(report) == ["degraded"]


@pytest.mark.feature("M8")
def test_reasoning_of_another_provider_is_dropped_or_becomes_text_on_request() -> None:
    message = foreign("assistant", Thinking("hm", "their signature"), Text("so"))
    report = Report()
    assert [block["type"] for block in content(message, report=report)] == ["text"]
    assert [(note.code, note.where) for note in report.notes] == [("dropped", "messages[4].parts[0]")]
    as_text = content(message, options=RenderOptions(thinking="text"))
    assert [block["text"] for block in as_text] == ["<thinking>\nhm\n</thinking>", "so"]


@pytest.mark.feature("M8")
def test_signed_thinking_made_by_hand_is_trusted_and_unsigned_is_never_sent_as_thinking() -> None:
    signed = content(Message("assistant", "so", thinking=Thinking("hm", "sig")))
    assert signed[0] == {"type": "thinking", "thinking": "hm", "signature": "sig"}
    assert [block["type"] for block in content(Message("assistant", "so", thinking="hm"))] == ["text"]


@pytest.mark.feature("M8")
def test_redacted_thinking_is_never_text_and_warns_once() -> None:
    report, options = Report(), RenderOptions(thinking="text")
    turn = [foreign("assistant", RedactedThinking("x"), RedactedThinking("y"), Text("so"))]
    written = FORMAT.render_turn(turn, options, report, "messages[1]") + FORMAT.render_turn(
        turn, options, report, "messages[9]"
    )
    assert all(b"redacted" not in block and b'"x"' not in block for element in written for block in element.blocks)
    assert codes(report) == ["dropped"]


@pytest.mark.feature("M12")
def test_items_of_another_provider_are_reported_with_their_kind() -> None:
    report = Report()
    assert render(foreign("assistant", Opaque("openai-responses", "web_search_call", {})), report=report) == []
    assert [(note.code, note.detail.split(":")[0]) for note in report.notes] == [("dropped", "web_search_call")]


PNG = "iVBORw0KGgo="
TEXT = base64.b64encode("é\n".encode()).decode()


@pytest.mark.parametrize(
    "part, expected",
    [
        (
            Attachment("image/png", data=PNG),
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
        ),
        (
            Attachment("image/*", data=PNG),
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
        ),
        (Attachment("image/*", url="https://x/y"), {"type": "image", "source": {"type": "url", "url": "https://x/y"}}),
        (
            Attachment("image/*", url=f"data:image/png;base64,{PNG}"),
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
        ),
        (Attachment("image/png", url="file_011"), {"type": "image", "source": {"type": "file", "file_id": "file_011"}}),
        (
            Attachment("application/pdf", data="JVBERi0=", filename="a.pdf"),
            {
                "type": "document",
                "title": "a.pdf",
                "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="},
            },
        ),
        (
            Attachment("application/pdf", url="https://x/a"),
            {"type": "document", "source": {"type": "url", "url": "https://x/a"}},
        ),
        (
            Attachment("text/csv", data=TEXT),
            {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "é\n"}},
        ),
    ],
)
@pytest.mark.feature("M6")
def test_files_are_written_as_the_block_that_holds_them(part: Attachment, expected: dict[str, object]) -> None:
    report = Report()
    assert content(foreign("user", part), report=report) == [expected]
    assert report.notes == []


@pytest.mark.parametrize(
    "part",
    [
        Attachment("audio/wav", data="UklGRg=="),
        Attachment("image/tiff", data="SUkqAA=="),
        Attachment("application/octet-stream", url="file-openai"),
        Attachment("text/plain", data="not base64!"),
    ],
)
@pytest.mark.feature("M12")
def test_a_file_that_cannot_be_carried_leaves_a_line_in_its_place_and_a_note(part: Attachment) -> None:
    report = Report()
    (block,) = content(foreign("user", part), report=report)
    assert block["type"] == "text"
    assert codes(report) == ["degraded"]


def test_files_of_the_assistant_become_a_line_of_text() -> None:
    report = Report()
    (block,) = content(foreign("assistant", Attachment("image/png", data=PNG)), report=report)
    assert block == {"type": "text", "text": "[attachment left out: file, image/png]"}
    assert codes(report) == ["degraded"]


def test_empty_texts_make_no_block_and_an_empty_message_no_entry() -> None:
    assert render(foreign("assistant", Text(""))) == []
    assert [block["text"] for block in content(foreign("user", Text(""), Text("x"), Text(" \n")))] == ["x"]


@pytest.mark.feature("M9")
def test_a_positional_system_message_stays_in_place() -> None:
    assert render(Message("system", "today is Tuesday", positional=True)) == [
        {"role": "system", "content": [{"type": "text", "text": "today is Tuesday"}]}
    ]


@pytest.mark.feature("M6")
def test_a_prefill_stays_the_assistants() -> None:
    assert render(Message("assistant", "{")) == [{"role": "assistant", "content": [{"type": "text", "text": "{"}]}]


@pytest.mark.feature("M6")
def test_a_cache_breakpoint_marks_the_last_block_and_the_plain_bytes_stay_free_of_it() -> None:
    message = Message("user", [Text("a"), Text("b")], cache_breakpoint=True)
    elements = FORMAT.render_turn([message], RenderOptions(), Report())
    assert entries(elements)[0]["content"] == [
        {"type": "text", "text": "a"},
        {"type": "text", "text": "b", "cache_control": {"type": "ephemeral"}},
    ]
    assert b"cache_control" not in b"".join(elements[0].blocks)
    assert "cache_control" not in json.dumps(entries(elements, markers=False))
    off = FORMAT.render_turn([message], RenderOptions(cache_markers=False), Report())
    assert off[0].marked is None


@pytest.mark.feature("M6")
def test_markers_never_stand_on_reasoning() -> None:
    message = Message("assistant", [Text("a"), Thinking("hm", "sig")], cache_breakpoint=True)
    blocks = content(message)
    assert ["cache_control" in block for block in blocks] == [True, False]


@pytest.mark.feature("M6")
def test_a_clients_own_marker_goes_out_again_but_never_counts_as_part_of_the_prefix() -> None:
    raw = b'{"role":"user","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral","ttl":"1h"}}]}'
    (message,) = FORMAT.parse_items([raw])
    (element,) = FORMAT.render_turn([message], RenderOptions(), Report())
    assert element.blocks == (b'{"role":"user","content":[{"type":"text","text":"x"}]}',)
    assert element.marked == (0, raw)
    (unmarked,) = FORMAT.render_turn([message.replace(cache_breakpoint=False)], RenderOptions(), Report())
    assert unmarked.marked is None


@pytest.mark.feature("M6")
def test_a_breakpoint_set_on_a_message_of_this_format_marks_its_last_block() -> None:
    (message,) = FORMAT.parse_items([b'{"role":"user","content":"hi"}'])
    (element,) = FORMAT.render_turn([message.replace(cache_breakpoint=True)], RenderOptions(), Report())
    assert element.blocks == (b'{"role":"user","content":"hi"}',)
    assert element.marked is not None
    assert json.loads(element.marked[1])["content"] == [{"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}]


def test_fields_only_the_source_knows_are_named_once() -> None:
    report = Report()
    message = Message.of(
        "assistant", (Text("x", extra={"annotations": [1]}),), Origin("openai", b"{}"), extra={"phase": "final"}
    )
    for _ in range(3):
        render(message, report=report)
    assert [note.detail for note in report.notes] == [
        "the field 'phase', which only openai knows",
        "the field 'annotations', which only openai knows",
    ]


def test_results_built_by_hand_answer_a_call_that_goes_out_as_it_came() -> None:
    raw = b'{"role":"assistant","content":[{"type":"tool_use","id":"a:b","name":"f","input":{}}]}'
    (call,) = FORMAT.parse_items([raw])
    written = render(call, Message("tool", "out", tool_call_id="a:b"))
    assert written[1]["content"][0]["tool_use_id"] == "a:b"  # type: ignore[index]


def head_of(head: Head, *system: Message, options: RenderOptions | None = None) -> tuple[dict[str, object], Report]:
    report = Report()
    frame, first = FORMAT.render_head(head, system, options or RenderOptions(), report)
    assert first == ()
    body: dict[str, object] = json.loads(frame.before + frame.after)
    assert list(body)[-1] == "messages"
    return body, report


def test_a_head_from_elsewhere_is_written_in_this_formats_terms() -> None:
    body, report = head_of(
        Head(
            format="openai",
            model="m",
            max_output_tokens=5,
            params={
                "temperature": 1.5,
                "stop": ["a"],
                "user": "u",
                "seed": 3,
                "reasoning_effort": "minimal",
                "json_schema": {"name": "n", "schema": {"type": "object"}},
            },
            tools=(
                Tool("f", "does", {"type": "object", "properties": {}}),
                Tool("free", kind="custom"),
                Tool("bare"),
                Tool("web_search", kind="native", origin=Origin("openai", b"{}")),
            ),
            tool_choice=ToolChoice("required", parallel=False),
            unshared=("logit_bias",),
        ),
        Message("system", "be good"),
    )
    assert body == {
        "model": "m",
        "max_tokens": 5,
        "stop_sequences": ["a"],
        "metadata": {"user_id": "u"},
        "output_config": {"effort": "low", "format": {"type": "json_schema", "schema": {"type": "object"}}},
        "tool_choice": {"type": "any", "disable_parallel_tool_use": True},
        "tools": [
            {"name": "f", "description": "does", "input_schema": {"type": "object", "properties": {}}},
            {
                "name": "free",
                "input_schema": {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]},
            },
            {"name": "bare", "input_schema": {"type": "object", "properties": {}}},
        ],
        "system": [{"type": "text", "text": "be good"}],
        "messages": [],
    }
    assert sorted(note.where for note in report.notes) == [
        "logit_bias",
        "reasoning_effort",
        "seed",
        "temperature",
        "tools[free]",
        "tools[web_search]",
    ]


def test_a_limit_is_made_up_only_for_a_request_that_names_a_model() -> None:
    body, report = head_of(Head(model="m"))
    assert body["max_tokens"] == 8192
    assert codes(report) == ["degraded"]
    assert head_of(Head())[0] == {"messages": []}
    assert head_of(Head(format="anthropic", model="m"))[0] == {"model": "m", "max_tokens": 8192, "messages": []}


def test_a_tool_choice_without_tools_is_dropped() -> None:
    body, report = head_of(Head(tool_choice=ToolChoice("auto")))
    assert body == {"messages": []}
    assert codes(report) == ["dropped"]


def test_a_changed_limit_or_model_wins_over_the_field_it_was_read_from() -> None:
    head = FORMAT.parse({"model": "m", "max_tokens": 64000, "messages": []}).head
    lowered = Head(format=head.format, model="n", max_output_tokens=1000, fields=head.fields)
    assert head_of(lowered)[0] == {"model": "n", "max_tokens": 1000, "messages": []}


@pytest.mark.feature("M6")
def test_system_blocks_carry_the_marker_that_their_message_asks_for() -> None:
    own = FORMAT.parse({"system": "mine", "messages": []}).messages[0]
    body, _ = head_of(Head(), own, Message("system", "skill", cache_breakpoint=True), Message("system", "memory"))
    assert body["system"] == [
        {"type": "text", "text": "mine"},
        {"type": "text", "text": "skill", "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": "memory"},
    ]
    frame, _ = FORMAT.render_head(Head(), [Message("system", "skill", cache_breakpoint=True)], RenderOptions(), Report())
    assert frame.system == b'[{"type":"text","text":"skill"}]'


def test_the_frame_names_tools_and_system_without_markers() -> None:
    body = {
        "tools": [{"name": "f", "input_schema": {"type": "object"}, "cache_control": {"type": "ephemeral"}}],
        "system": [{"type": "text", "text": "s", "cache_control": {"type": "ephemeral"}}],
        "messages": [],
    }
    request = FORMAT.parse(body)
    frame, _ = FORMAT.render_head(request.head, request.messages, RenderOptions(), Report())
    assert b"cache_control" not in frame.tools + frame.system
    assert json.loads(frame.before + frame.after) == body


def test_a_user_element_holds_its_text() -> None:
    assert entries([FORMAT.user_element("hi")]) == [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]
