"""Edits and volatile text are spliced into the bytes a content came in."""

from __future__ import annotations

import json

import pytest

from transom.messages import Attachment, Call, Message, Result, Text
from transom.wire.format import Element, RenderOptions
from transom.wire.gemini import Gemini
from transom.wire.report import Report

FORMAT = Gemini()


def parse_one(raw: bytes) -> Message:
    (message,) = FORMAT.parse_items([raw])
    return message


def bytes_of(message: Message) -> bytes:
    (element,) = FORMAT.render_turn([message], RenderOptions(), Report())
    return element.open + b",".join(element.blocks) + element.close


RAW = (
    b'{"parts":[{"text":"caf\\u00e9","thoughtSignature":"YQ=="},'
    b'{"thought_signature":"Yg==","function_call":{"name":"f","x":1e5,"args":{"n": 1.0}}},'
    b'{"functionResponse":{"response":{"result":"long"},"name":"f","willContinue":false}},'
    b'{"functionResponse":{"name":"f","response":{"deep": [1.0]},'
    b'"parts":[{"inline_data":{"data":"_w","mime_type":"image/png"}}]}}],'
    b'"role":"user"}'
)


@pytest.mark.feature("M7")
def test_an_edited_response_keeps_the_member_that_held_its_text() -> None:
    edited = parse_one(RAW).edit({2: Result((Text("short"),), name="f")})
    assert bytes_of(edited) == RAW.replace(b'"long"', b'"short"')


@pytest.mark.feature("M7")
def test_a_signature_stays_on_its_part_whatever_is_edited() -> None:
    message = parse_one(RAW)
    edited = message.edit({0: Text("tea"), 1: Call("f", '{"n":"…"}', signature="Yg==")})
    expected = RAW.replace(b'"caf\\u00e9"', b'"tea"').replace(b'{"n": 1.0}', '{"n":"…"}'.encode())
    assert bytes_of(edited) == expected


@pytest.mark.feature("M7")
def test_a_structured_response_becomes_an_output_and_its_files_keep_their_bytes() -> None:
    message = parse_one(RAW)
    picture = message.results[1].content[1]
    assert isinstance(picture, Attachment)
    edited = message.edit({3: Result((Text("short"), picture), name="f")})
    assert bytes_of(edited) == RAW.replace(b'{"deep": [1.0]}', b'{"output":"short"}')
    without = message.edit({3: Result((Text('{"deep": [1.0]}'),), name="f")})
    assert b'"parts":[]' in bytes_of(without)
    assert b'{"deep": [1.0]}' in bytes_of(without)


def test_ids_given_later_are_put_in() -> None:
    message = parse_one(b'{"role":"model","parts":[{"functionCall":{"name":"f","args":{}},"thoughtSignature":"YQ=="}]}')
    edited = message.edit({0: Call("f", "{}", "call_1", signature="YQ==")})
    assert json.loads(bytes_of(edited))["parts"][0] == {
        "functionCall": {"name": "f", "args": {}, "id": "call_1"},
        "thoughtSignature": "YQ==",
    }


def test_a_dropped_part_takes_only_itself_away_and_an_empty_content_is_not_sent() -> None:
    assert len(json.loads(bytes_of(parse_one(RAW).edit({0: None})))["parts"]) == 3
    report = Report()
    assert (
        FORMAT.render_turn([parse_one(b'{"parts":[{"text":"x"}]}').edit({0: None})], RenderOptions(), report, "messages[3]")
        == ()
    )
    assert [(note.code, note.where) for note in report.notes] == [("skipped", "messages[3]")]


@pytest.mark.parametrize(
    "raw, expected",
    [
        (b'{"role":"user","parts":[{"text":"x"} ]}', b'{"role":"user","parts":[{"text":"x"},{"text":"tail"} ]}'),
        (b'{"parts":[{"text":"x"}],"role":"user"}', b'{"parts":[{"text":"x"},{"text":"tail"}],"role":"user"}'),
        (b'{"parts":[]}', b'{"parts":[{"text":"tail"}]}'),
    ],
)
@pytest.mark.feature("M7")
def test_volatile_text_is_one_more_part(raw: bytes, expected: bytes) -> None:
    added = FORMAT.append_text(Element(b"", (raw,)), "tail")
    assert added is not None
    element, kept = added
    assert element.blocks == (expected,)
    assert expected[:kept] == raw[:kept]
    assert expected[kept] != raw[kept]


@pytest.mark.parametrize(
    "raw",
    [
        b'{"role":"model","parts":[{"text":"x"}]}',
        b'{"role":"user","parts":[{"functionResponse":{"name":"f"}}]}',
        b'{"role":"user","parts":[{"function_response":{"name":"f"}}]}',
        b'{"role":"user"}',
    ],
)
def test_nothing_is_added_to_responses_or_to_what_others_said(raw: bytes) -> None:
    assert FORMAT.append_text(Element(b"", (raw,)), "tail") is None


def test_text_joins_a_built_user_entry_and_counts_the_bytes_that_stay() -> None:
    (element,) = FORMAT.render_turn([Message("user", "hi")], RenderOptions(), Report())
    added = FORMAT.append_text(element, "tail")
    assert added is not None
    longer, kept = added
    before = element.open + b",".join(element.blocks)
    assert (longer.open + b",".join(longer.blocks))[:kept] == before
    assert kept == len(before)
    (results,) = FORMAT.render_turn([Message("tool", "out", tool_call_id="a", name="f")], RenderOptions(), Report())
    assert FORMAT.append_text(results, "tail") is None
