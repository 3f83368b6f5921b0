"""What is edited for an upstream's sake: just that, and every other byte as it was."""

from __future__ import annotations

import json
import timeit
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.gateway.edits import with_usage, without_billing, without_ttl

LINE = "x-anthropic-billing-header: cc_version=2.1; cch=0a1b2"
SECOND = '{"type":"text", "text":"You are \\u00e9 \\/ 1.0"}'

WORDS = st.text('a"\\/\n,:{}[]é\u2028 ', max_size=6) | st.sampled_from(["ttl", "cache_control", '"cache_control":{"ttl":1}'])
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(WORDS | st.sampled_from(["ttl", "type", "text", "content"]), inner, max_size=3)
    ),
    max_leaves=6,
)
SEPARATORS = st.sampled_from([(",", ":"), (", ", ": "), (" ,\n", " :\t")])
CONTROLS = st.sampled_from(
    [
        {"type": "ephemeral", "ttl": "1h"},
        {"ttl": "5m", "type": "ephemeral"},
        {"ttl": "1h"},
        {"type": "ephemeral", "ttl": "1h", "scope": "global"},
        {"type": "ephemeral"},
        {"type": "ephemeral", "nested": {"ttl": "1h"}},
    ]
)


@st.composite
def _blocks(draw: st.DrawFn, deep: int = 2) -> dict[str, Any]:
    kind = draw(st.sampled_from(["text", "tool_use", "tool_result", "document"]))
    block: dict[str, Any] = {"type": kind}
    if kind == "text":
        block["text"] = draw(WORDS)
    elif kind == "tool_use":
        block["input"] = draw(VALUES | st.just({"cache_control": {"ttl": "1h"}, "content": [{"cache_control": {"ttl": 1}}]}))
    elif deep:
        content = draw(st.lists(_blocks(deep - 1), max_size=2) | WORDS)
        block |= {"content": content} if kind == "tool_result" else {"source": {"type": "content", "content": content}}
    if draw(st.booleans()):
        block["cache_control"] = draw(CONTROLS)
    return block


@st.composite
def _requests(draw: st.DrawFn) -> tuple[dict[str, Any], str]:
    content = st.lists(_blocks(), max_size=3) | WORDS
    request: dict[str, Any] = {
        "model": "m",
        "tools": draw(
            st.lists(st.fixed_dictionaries({"input_schema": VALUES}, optional={"cache_control": CONTROLS}), max_size=2)
        ),
        "system": draw(WORDS | st.lists(_blocks(0), max_size=2)),
        "messages": [{"role": "user", "content": part} for part in draw(st.lists(content, max_size=3))],
        "metadata": draw(VALUES),
    }
    if draw(st.booleans()):
        request["cache_control"] = draw(CONTROLS)
    return request, json.dumps(request, separators=draw(SEPARATORS), ensure_ascii=draw(st.booleans()))


def _bare(value: dict[str, Any]) -> dict[str, Any]:
    """An object without the lifetime of its cache."""
    control = value.get("cache_control")
    if not isinstance(control, dict):
        return value
    return value | {"cache_control": {key: kept for key, kept in control.items() if key != "ttl"}}


def _bare_block(block: dict[str, Any]) -> dict[str, Any]:
    block = _bare(block)
    if block["type"] == "tool_result" and isinstance(block.get("content"), list):
        return block | {"content": [_bare_block(inner) for inner in block["content"]]}
    if block["type"] == "document" and isinstance(block.get("source", {}).get("content"), list):
        inner = [_bare_block(part) for part in block["source"]["content"]]
        return block | {"source": block["source"] | {"content": inner}}
    return block


def _bare_blocks(content: Any) -> Any:
    return [_bare_block(block) for block in content] if isinstance(content, list) else content


def _is_cut_of(short: bytes, whole: bytes) -> bool:
    """Whether nothing but cuts makes one of the other."""
    position = 0
    for byte in short:
        position = whole.find(bytes([byte]), position) + 1
        if not position:
            return False
    return True


@given(_requests())
def test_a_lifetime_is_taken_out_where_the_api_has_one_and_nowhere_else(made: tuple[dict[str, Any], str]) -> None:
    request, text = made
    body = text.encode()
    edited = without_ttl(body)
    expected = _bare(request) | {
        "tools": [_bare(tool) for tool in request["tools"]],
        "system": _bare_blocks(request["system"]),
        "messages": [message | {"content": _bare_blocks(message["content"])} for message in request["messages"]],
    }
    assert json.loads(edited) == expected
    assert _is_cut_of(edited, body)
    assert edited is body or expected != request
    assert without_ttl(edited) is edited


@given(_requests(), st.booleans(), SEPARATORS)
def test_the_billing_line_is_taken_out_and_every_other_byte_stays(
    made: tuple[dict[str, Any], str], is_text: bool, separators: tuple[str, str]
) -> None:
    request, _ = made
    system = request["system"]
    if is_text and isinstance(system, str):
        came, expected = request | {"system": f"{LINE}\n{system}"}, request
    else:
        blocks = system if isinstance(system, list) else [{"type": "text", "text": "kept"}]
        came = request | {"system": [{"type": "text", "text": LINE}, *blocks]}
        expected = request | {"system": blocks}
    before, after = (json.dumps(value, separators=separators).encode() for value in (came, expected))
    edited = without_billing(before)
    assert json.loads(edited) == expected
    if isinstance(expected["system"], str) or expected["system"]:
        assert edited == after


def test_bytes_around_the_billing_block_are_as_they_were_written() -> None:
    first = json.dumps({"type": "text", "text": LINE})
    before, after = b'{ "n": 1.0e5, "system" : [ ', b' ], "x": "\\ud83d\\ude00" }'
    second = SECOND.encode()
    assert without_billing(before + first.encode() + b" ,\n " + second + after) == before + second + after
    assert json.loads(without_billing(b'{"system":[%b]}' % first.encode())) == {"system": []}


@pytest.mark.parametrize("end", ["\\n", "\\u000a", "\\u000A", "\\r\\n"])
def test_text_loses_its_first_line_and_no_more(end: str) -> None:
    line = LINE + ' \\u00e9 \\\\n \\"'
    rest = "You are\\nkind \\ud83d\\ude00"
    body = f'{{"system": "{line}{end}{rest}", "n": 1.0}}'
    assert without_billing(body.encode()) == f'{{"system": "{rest}", "n": 1.0}}'.encode()
    assert without_billing(f'{{"system":"{line}"}}'.encode()) == b'{"system":""}'


@pytest.mark.parametrize(
    "body",
    [
        {"system": f"Do not send {LINE}"},
        {"system": [{"type": "text", "text": "You are"}, {"type": "text", "text": LINE}]},
        {"system": [{"type": "image", "source": LINE}]},
        {"messages": [{"role": "user", "content": LINE}]},
        {"system": {"text": LINE}},
        {"system": 1, "x": LINE},
    ],
)
def test_a_billing_line_anywhere_else_is_left_alone(body: dict[str, Any]) -> None:
    written = json.dumps(body).encode()
    assert without_billing(written) is written


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"x-anthropic-billing-header:",
        b'{"system":["x-anthropic-billing-header:',
        b'["x-anthropic-billing-header: a","ttl","cache_control"]',
        b'{"cache_control":{"ttl":',
        b'{"cache_control":"ttl","ttl":1}',
        b'{"system":[{"text": "x-anthropic-billing-header: \\ud800"}], "cache_control":{"ttl": "\\ud800"}}',
        b'"cache_control" "ttl" \xff x-anthropic-billing-header:',
    ],
)
def test_what_cannot_be_told_apart_stays_the_same_object(body: bytes) -> None:
    assert without_ttl(without_billing(body)) is body


def test_results_that_nest_without_end_are_left_where_they_are() -> None:
    deep: dict[str, Any] = {"type": "text", "cache_control": {"ttl": "1h"}}
    for _ in range(300):
        deep = {"type": "tool_result", "content": [deep]}
    body = json.dumps({"messages": [{"content": [deep]}]}).encode()
    assert without_ttl(body) is body


def test_usage_is_asked_for_once() -> None:
    asked = with_usage(b'{"stream": true, "n": 1.0} \n')
    assert asked == b'{"stream": true, "n": 1.0,"stream_options":{"include_usage":true}}'
    assert with_usage(asked) is asked
    assert with_usage(broken := b'{"stream":true') is broken


def test_a_request_without_any_mark_costs_next_to_nothing() -> None:
    body = json.dumps({"messages": [{"role": "user", "content": "word " * 4000}]}).encode()
    taken = min(timeit.repeat(lambda: without_ttl(without_billing(body)), number=100, repeat=5)) / 100
    assert taken < 20e-6
