"""What comes in as Anthropic Messages goes out again as the same JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transom.errors import FormatError, JSONError
from transom.messages.turns import group_turns, leading_system
from transom.wire.anthropic import Anthropic
from transom.wire.format import RenderOptions, Request, join_elements
from transom.wire.report import Report

FORMAT = Anthropic()


def rendered(request: Request) -> tuple[bytes, Report]:
    """The whole payload of a request in its own format."""
    report, options = Report(), RenderOptions()
    count = leading_system(request.messages)
    frame, elements = FORMAT.render_head(request.head, request.messages[:count], options, report)
    entries = list(elements)
    rest = request.messages[count:]
    for turn in group_turns(rest):
        entries.extend(FORMAT.render_turn(rest[turn.start : turn.stop], options, report))
    joined = b",".join([opened + b",".join(blocks) + closed for opened, blocks, closed in join_elements(entries)])
    return frame.before + joined + frame.after, report


def assert_lossless(body: object) -> None:
    """Both ways of handing a body in give the same JSON back, and say nothing about it."""
    for source in (body, json.dumps(body).encode()):
        out, report = rendered(FORMAT.parse(source))
        assert json.loads(out) == body
        assert report.notes == []


@pytest.mark.feature("M11")
def test_a_recorded_request_with_server_tools_comes_back_as_it_was(transcripts: Path) -> None:
    raw = (transcripts / "anthropic-messages-web-search.json").read_bytes()
    assert_lossless(json.loads(raw))
    request = FORMAT.parse(raw)
    assert [len(message.parts) for message in request.messages] == [1, 27]
    elements = FORMAT.render_turn(request.messages[1:], RenderOptions(), Report())
    assert elements[0].blocks[0] in raw


UNUSUAL = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 64000,
    "system": [
        {"type": "text", "text": "x-anthropic-billing-header: abc"},
        {"type": "text", "text": "Be careful.", "cache_control": {"type": "ephemeral", "ttl": "1h", "scope": "global"}},
    ],
    "betas": ["context-management-2025-06-27"],
    "context_management": {"edits": [{"type": "clear_tool_uses_20250919", "trigger": {"type": "input_tokens", "value": 9}}]},
    "metadata": {"user_id": '{"device":1}', "more": None},
    "thinking": {"type": "adaptive", "display": "omitted"},
    "output_config": {"effort": "high"},
    "tools": [
        {
            "name": "bash",
            "description": "",
            "input_schema": {"type": "object"},
            "defer_loading": True,
            "eager_input_streaming": True,
        },
        {"type": "web_search_20250305", "name": "web_search", "max_uses": None},
        {"type": "custom", "name": "x", "input_schema": {"type": "object"}, "cache_control": {"type": "ephemeral"}},
    ],
    "tool_choice": {"type": "tool", "name": "bash", "disable_parallel_tool_use": True},
    "an_unknown_field": {"deep": [1, 1.0, 1e5, 10**30]},
    "messages": [
        {"role": "user", "content": "hello", "an_unknown_field": [1]},
        {"role": "system", "content": "The date is Tuesday."},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "", "signature": "c2ln"},
                {"type": "redacted_thinking", "data": "ZW5j"},
                {"type": "text", "text": "so", "citations": [{"type": "char_location", "cited_text": "x"}]},
                {
                    "type": "tool_use",
                    "id": "toolu_1",
                    "name": "bash",
                    "input": {"b": 1, "a": {"cache_control": 1}},
                    "caller": {"type": "direct"},
                },
                {"type": "container_upload", "file_id": "f"},
                {"type": "a_block_of_tomorrow", "x": [None]},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "is_error": False, "content": []},
                {"type": "text", "text": "and?", "cache_control": {"type": "ephemeral"}},
                {
                    "type": "document",
                    "source": {"type": "text", "media_type": "text/plain", "data": "é"},
                    "title": "t",
                    "context": "c",
                },
                {"type": "image", "source": {"type": "file", "file_id": "file_1"}},
            ],
        },
        {"role": "assistant", "content": []},
    ],
}


@pytest.mark.feature("M6", "M11")
def test_unknown_fields_blocks_betas_and_context_management_pass_through() -> None:
    assert_lossless(UNUSUAL)


@pytest.mark.parametrize("field, value", [("tools", []), ("tools", None), ("system", ""), ("system", []), ("system", None)])
@pytest.mark.feature("M11")
def test_empty_fields_come_back_as_empty_as_they_were(field: str, value: object) -> None:
    assert_lossless({"model": "m", field: value, "messages": [{"role": "user", "content": None}]})


def test_a_bare_list_is_a_conversation_without_a_head() -> None:
    request = FORMAT.parse([{"role": "user", "content": "hi"}])
    assert request.head.fields == {}
    assert [message.text for message in request.messages] == ["hi"]


@pytest.mark.parametrize(
    "body",
    [{}, {"messages": "hi"}, {"contents": []}, 7, [7], [{"role": "tool", "content": ""}], [{"role": "user", "content": 7}]],
)
def test_what_is_no_conversation_is_refused_with_its_place(body: object) -> None:
    with pytest.raises(FormatError):
        FORMAT.parse(body)


def test_text_that_is_no_json_is_refused() -> None:
    with pytest.raises(JSONError):
        FORMAT.parse(b'{"messages": [')


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=3,
)
TEXTS = st.fixed_dictionaries(
    {"type": st.just("text"), "text": st.text()}, optional={"citations": VALUES, "cache_control": VALUES}
)
BLOCKS = st.one_of(
    TEXTS,
    st.fixed_dictionaries(
        {
            "type": st.just("tool_use"),
            "id": st.text(),
            "name": st.text(),
            "input": st.dictionaries(st.text(max_size=5), VALUES, max_size=3),
        }
    ),
    st.fixed_dictionaries({"type": st.just("thinking"), "thinking": st.text(), "signature": st.text()}),
    st.fixed_dictionaries({"type": st.just("redacted_thinking"), "data": st.text()}),
    st.fixed_dictionaries(
        {"type": st.just("tool_result"), "tool_use_id": st.text()},
        optional={"content": st.text() | st.lists(TEXTS, max_size=2), "is_error": st.booleans(), "cache_control": VALUES},
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("image"),
            "source": st.fixed_dictionaries({"type": st.just("base64"), "media_type": st.text(), "data": st.text()}),
        }
    ),
    st.fixed_dictionaries({"type": st.text(), "anything": VALUES}),
)
MESSAGES = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "system"]), "content": st.text() | st.lists(BLOCKS, max_size=4)},
    optional={"unknown": VALUES},
)
BODIES = st.fixed_dictionaries(
    {"messages": st.lists(MESSAGES, max_size=5)},
    optional={
        "model": st.text(),
        "system": st.text() | st.lists(TEXTS, max_size=2),
        "max_tokens": st.integers(1, 9),
        "tools": st.lists(st.dictionaries(st.text(max_size=5), VALUES, max_size=3), max_size=3),
        "tool_choice": VALUES,
        "metadata": VALUES,
        "output_config": VALUES,
        "unknown": VALUES,
    },
)


@settings(max_examples=50)
@given(BODIES)
@pytest.mark.feature("M11")
def test_any_payload_comes_back_equal_as_json(body: dict[str, object]) -> None:
    assert_lossless(body)
