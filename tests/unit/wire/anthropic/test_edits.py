"""Edits and volatile text are spliced into the bytes a message came in."""

from __future__ import annotations

import json

import pytest

from transom.messages import Attachment, Call, Message, Result, Text
from transom.wire.anthropic import Anthropic
from transom.wire.format import Element, RenderOptions
from transom.wire.report import Report

FORMAT = Anthropic()


def parse_one(raw: bytes) -> Message:
    (message,) = FORMAT.parse_items([raw])
    return message


def bytes_of(message: Message) -> bytes:
    (element,) = FORMAT.render_turn([message], RenderOptions(), Report())
    return element.open + b",".join(element.blocks) + element.close


RAW = (
    b'{"content":[{"type":"text","text":"caf\\u00e9","citations":[1.0]},'
    b'{"x":1e5,"type":"tool_result","tool_use_id":"a","content":"long output","cache":null},'
    b'{"type":"tool_result","content":[{"type":"text","text":"one","k":1},{"type":"image","source":{"type":"url","url":"https://x/y"}}],"tool_use_id":"b"}],'
    b'"role":"user"}'
)


@pytest.mark.feature("M6")
def test_an_edited_result_changes_its_own_block_and_no_other_byte() -> None:
    message = parse_one(RAW)
    edited = message.edit({1: Result((Text("short"),), "a")})
    assert bytes_of(edited) == RAW.replace(b'"long output"', b'"short"')


@pytest.mark.feature("M6")
def test_a_list_of_blocks_stays_a_list_and_what_is_unchanged_in_it_keeps_its_bytes() -> None:
    message = parse_one(RAW)
    picture = Attachment("image/*", url="https://x/y")
    edited = message.edit({2: Result((Text("two"), picture), "b")})
    assert bytes_of(edited) == RAW.replace(b'"one"', b'"two"')


def test_a_dropped_part_takes_only_its_block_away() -> None:
    edited = parse_one(RAW).edit({0: None})
    assert [block["type"] for block in json.loads(bytes_of(edited))["content"]] == ["tool_result", "tool_result"]
    assert b'"x":1e5' in bytes_of(edited)


def test_edits_after_a_dropped_part_find_the_block_they_mean() -> None:
    edited = parse_one(RAW).edit({0: None}).edit({0: Result((Text("short"),), "a")})
    assert json.loads(bytes_of(edited))["content"][0]["content"] == "short"


def test_content_that_was_a_string_stays_a_string() -> None:
    raw = b'{"role":"user", "content":"hello"}'
    assert bytes_of(parse_one(raw).edit({0: Text('say "hi"')})) == b'{"role":"user","content":"say \\"hi\\""}'


def test_new_ids_and_arguments_leave_the_rest_of_a_call_alone() -> None:
    block = b'{"type":"tool_use","caller":{"type":"direct"},"id":"a","name":"f","input":{"x": 1.0}}'
    raw = b'{"role":"assistant","content":[' + block + b"]}"
    message = parse_one(raw)
    call = message.tool_calls[0]
    renamed = message.edit({0: Call("f", call.arguments, "a_2", extra=call.extra)})
    assert bytes_of(renamed) == raw.replace(b'"id":"a"', b'"id":"a_2"')
    shortened = message.edit({0: Call("f", '{"x":"…"}', "a", extra=call.extra)})
    assert bytes_of(shortened) == raw.replace(b'{"x": 1.0}', '{"x":"…"}'.encode())


def test_a_message_without_parts_left_is_not_sent_and_said_so() -> None:
    report = Report()
    edited = parse_one(b'{"role":"user","content":"x"}').edit({0: None})
    assert FORMAT.render_turn([edited], RenderOptions(), report, "messages[3]") == ()
    assert [(note.code, note.where) for note in report.notes] == [("skipped", "messages[3]")]


@pytest.mark.parametrize(
    "raw, expected",
    [
        (b'{"role":"user","content":"now"}', b'{"role":"user","content":"now\\n\\ntail"}'),
        (b'{"role":"user","content":""}', b'{"role":"user","content":"tail"}'),
        (b'{ "content" : "a\\"" , "role" : "user" }', b'{ "content" : "a\\"\\n\\ntail" , "role" : "user" }'),
        (b'{"role":"user","content":"user","z":"user"}', b'{"role":"user","content":"user\\n\\ntail","z":"user"}'),
        (
            b'{"role":"user","content":[{"type":"text","text":"x"} ]}',
            b'{"role":"user","content":[{"type":"text","text":"x"},{"type":"text","text":"tail"} ]}',
        ),
        (b'{"role":"user","content":[]}', b'{"role":"user","content":[{"type":"text","text":"tail"}]}'),
    ],
)
@pytest.mark.feature("M6")
def test_volatile_text_is_added_in_the_form_the_message_has(raw: bytes, expected: bytes) -> None:
    added = FORMAT.append_text(Element(b"", (raw,)), "tail")
    assert added is not None
    element, kept = added
    (written,) = element.blocks
    assert json.loads(written) == json.loads(expected)
    assert written == expected
    assert written[:kept] == raw[:kept]
    assert written[kept] != raw[kept]


@pytest.mark.parametrize(
    "raw",
    [
        b'{"role":"assistant","content":"x"}',
        b'{"role":"system","content":"x"}',
        b'{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}',
        b'{"role":"user","content":null}',
    ],
)
def test_nothing_is_added_to_results_or_to_what_others_said(raw: bytes) -> None:
    assert FORMAT.append_text(Element(b"", (raw,)), "tail") is None


def test_text_joins_a_built_user_entry_and_counts_the_bytes_that_stay() -> None:
    (element,) = FORMAT.render_turn([Message("user", "hi", cache_breakpoint=True)], RenderOptions(), Report())
    added = FORMAT.append_text(element, "tail")
    assert added is not None
    longer, kept = added
    before = element.open + b",".join(element.blocks)
    assert (longer.open + b",".join(longer.blocks))[:kept] == before
    assert kept == len(before)
    assert longer.marked == element.marked
    (results,) = FORMAT.render_turn([Message("tool", "out", tool_call_id="a")], RenderOptions(), Report())
    assert FORMAT.append_text(results, "tail") is None
