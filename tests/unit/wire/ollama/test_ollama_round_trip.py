"""What comes in as an Ollama request goes out again as the same JSON, and what comes from elsewhere is kept."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transom.errors import FormatError, JSONError
from transom.jsontext import canonical, loads
from transom.messages import Attachment, Call, Message, Result, Text, Thinking
from transom.messages.turns import group_turns
from transom.testing.generators import TOOL_NAMES, conversations, json_values, words
from transom.wire.convert import convert, convert_request
from transom.wire.detect import detect
from transom.wire.format import Head, Request
from transom.wire.ollama import Ollama
from transom.wire.pairing import pair
from transom.wire.registry import builtin_registry
from transom.wire.report import Report

FORMAT = Ollama()
PNG = "iVBORw0KGgo="

_IDS = st.none() | st.just("call_1")


@st.composite
def chats(draw: st.DrawFn) -> dict[str, object]:
    """A valid body of ``POST /api/chat``."""
    unknown = st.dictionaries(st.sampled_from(["x_one", "x_two"]), json_values(), max_size=1)
    messages: list[dict[str, object]] = [{"role": "system", "content": text} for text in draw(st.lists(words(), max_size=2))]
    for _ in range(draw(st.integers(0, 4))):
        pictures = {"images": [PNG] * draw(st.integers(1, 2))} if draw(st.booleans()) else {}
        messages.append({"role": "user", "content": draw(words()), **pictures, **draw(unknown)})
        names = draw(st.lists(st.sampled_from(TOOL_NAMES), max_size=2))
        values = [draw(st.dictionaries(st.text(max_size=4), json_values(), max_size=3)) for _ in names]
        calls = [
            {"id": f"call_{index}", "function": {"index": index, "name": name, "arguments": value}}
            for index, (name, value) in enumerate(zip(names, values, strict=True))
        ]
        said: dict[str, object] = {"role": "assistant", "content": draw(words() | st.just(""))}
        if draw(st.booleans()):
            said["thinking"] = draw(words())
        if calls:
            said["tool_calls"] = calls
        messages.append(said)
        messages.extend({"role": "tool", "content": draw(words()), "tool_name": name} for name in names)
    fields: dict[str, st.SearchStrategy[object]] = {
        "stream": st.booleans(),
        "keep_alive": st.just("5m") | st.integers(-1, 300),
        "think": st.booleans() | st.sampled_from(["high", "low"]),
        "format": st.just("json") | st.just({"type": "object"}),
        "options": st.fixed_dictionaries({}, optional={"temperature": st.floats(0, 2), "num_ctx": st.integers(1, 9_999)}),
        "tools": st.just([{"type": "function", "function": {"name": "f", "description": "d", "parameters": {}}}]) | st.just([]),
    }
    return {"model": "qwen3", **draw(st.fixed_dictionaries({}, optional=fields)), "messages": messages, **draw(unknown)}


def prompts() -> st.SearchStrategy[dict[str, object]]:
    """A valid body of ``POST /api/generate``."""
    fields: dict[str, st.SearchStrategy[object]] = {
        "prompt": words() | st.just(""),
        "system": words(),
        "suffix": words(),
        "images": st.just([PNG]),
        "options": st.just({"num_ctx": 4096}),
        "context": st.lists(st.integers(0, 99), min_size=1),
        "stream": st.booleans(),
    }
    return st.fixed_dictionaries({"model": st.just("qwen3")}, optional=fields)


@pytest.mark.parametrize("form", ["parsed", "bytes", "spaced"])
@given(body=chats() | prompts())
def test_a_valid_body_comes_back_equal_as_json_and_nothing_is_said_of_it(form: str, body: dict[str, object]) -> None:
    assert FORMAT.validate(body) == []
    given_body: object = {"parsed": body, "bytes": json.dumps(body).encode(), "spaced": json.dumps(body, indent=1).encode()}[
        form
    ]
    payload, report = convert(given_body, "ollama", "ollama", builtin_registry())
    assert loads(payload) == loads(json.dumps(body))
    assert report.notes == []


@given(chats())
def test_untouched_messages_go_out_as_the_bytes_they_came_in(body: dict[str, object]) -> None:
    text = json.dumps(body, indent=2, ensure_ascii=True).encode()
    request = FORMAT.parse(text)
    payload, _ = convert(text, FORMAT, FORMAT, builtin_registry())
    assert all(message.origin is not None and message.origin.raw in text for message in request.messages)
    assert all(message.origin is not None and message.origin.raw in payload for message in request.messages)


@given(chats(), st.data())
def test_an_edit_changes_its_part_and_no_other(body: dict[str, object], data: st.DataObject) -> None:
    request = FORMAT.parse(json.dumps(body).encode())
    places = [(at, index) for at, message in enumerate(request.messages) for index in range(len(message.parts))]
    if not places:
        return
    at, index = data.draw(st.sampled_from(places))
    before = request.messages[at].parts[index]
    drop = data.draw(st.booleans()) and not isinstance(before, Result)
    edited = list(request.messages)
    edited[at] = edited[at].edit({index: None if drop else _changed(before)})
    payload = convert_request(Request(head=request.head, messages=tuple(edited)), FORMAT, None, Report())
    assert FORMAT.validate(loads(payload)) == []
    again = FORMAT.parse(payload).messages
    assert [message.parts for message in again] == [message.parts for message in edited]
    untouched = [message.origin.raw for place, message in enumerate(request.messages) if place != at and message.origin]
    assert all(raw in payload for raw in untouched)


def _changed(part: object) -> Text | Thinking | Attachment | Call | Result:
    match part:
        case Text():
            return Text("other words")
        case Thinking():
            return Thinking("other thoughts")
        case Attachment():
            return Attachment("image/jpeg", data="/9j/AAAA")
        case Call():
            return Call("run", '{"other": 1.0}', part.id, extra=part.extra)
        case Result():
            return Result((Text("see context://x"),), part.call_id, part.name)
        case _:
            raise AssertionError(part)


# ── from one format to another ──────────────────────────────────────────────────────────────────────────────────────────


def _said(messages: Sequence[Message]) -> tuple[list[tuple[str, str]], list[tuple[str, str]], dict[int, str]]:
    """Texts by speaker (those that follow one another joined), calls in order, results by the call they answer."""
    texts: list[tuple[str, str]] = []
    calls: list[tuple[str, str]] = []
    results: dict[int, str] = {}
    for turn in group_turns(messages):
        inside = messages[turn.start : turn.stop]
        pairing = pair(inside)
        first = len(calls)
        for at, message in enumerate(inside):
            for index, part in enumerate(message.parts):
                match part:
                    case Text() if part.text.strip():
                        texts.append(("user" if message.role == "tool" else message.role, part.text))
                    case Call():
                        calls.append((part.name, _arguments(part)))
                    case Result():
                        results[first + pairing.order[at, index]] = part.text.strip()
                    case _:
                        pass
    joined = [(role, "\n".join(text for _, text in group)) for role, group in itertools.groupby(texts, lambda said: said[0])]
    return joined, calls, results


def _arguments(call: Call) -> str:
    try:
        return canonical(loads(call.arguments)).decode()
    except JSONError:
        return call.arguments


@pytest.mark.parametrize("target", ["openai", "openai-responses", "anthropic", "gemini"])
@settings(max_examples=30)
@given(drawn=conversations(attachments=False))
def test_everything_said_is_kept_on_the_way_to_ollama_and_from_there(target: str, drawn: tuple[Message, ...]) -> None:
    registry = builtin_registry()
    request = Request(head=Head(model="m", max_output_tokens=100), messages=(*drawn, Message("user", "go on")))
    elsewhere = convert_request(request, registry.get(target), None, Report())
    here, _ = convert(elsewhere, target, "ollama", registry)
    value = loads(here)
    assert isinstance(value, dict)
    assert FORMAT.validate({"model": "m", **value}) == []
    expected = _said(registry.get(target).parse(elsewhere).messages)
    assert _said(FORMAT.parse(here).messages) == expected
    back, _ = convert(here, "ollama", target, registry)
    assert _said(registry.get(target).parse(back).messages) == expected


# ── what is read ────────────────────────────────────────────────────────────────────────────────────────────────────────

CHAT: dict[str, object] = {
    "model": "qwen3",
    "messages": [
        {"role": "system", "content": "be good"},
        {"role": "user", "content": "look", "images": [PNG]},
        {
            "role": "assistant",
            "content": "",
            "thinking": "hm",
            "tool_calls": [{"function": {"name": "f", "arguments": {"b": 1.0, "a": [1]}}}],
        },
        {"role": "tool", "content": "42", "tool_name": "f"},
    ],
    "tools": [{"type": "function", "function": {"name": "f", "description": "does it", "parameters": {"type": "object"}}}],
    "options": {"temperature": 0.5, "num_predict": 128, "num_ctx": 8192, "stop": "END"},
}


def test_a_conversation_is_read_with_reasoning_pictures_calls_and_results() -> None:
    request = FORMAT.parse(json.dumps(CHAT).encode())
    system, user, assistant, tool = request.messages
    assert (system.role, system.positional) == ("system", False)
    assert user.parts == (Text("look"), Attachment("image/png", data=PNG))
    assert assistant.parts == (Thinking("hm"), Call("f", '{"b": 1.0, "a": [1]}'))
    assert tool.results == (Result((Text("42"),), name="f"),)
    head = request.head
    assert (head.model, head.max_output_tokens, head.tools[0].name) == ("qwen3", 128, "f")
    assert head.params == {"temperature": 0.5, "stop": ["END"], "stream": True}
    assert head.unshared == ("options",)


def test_a_prompt_in_one_piece_is_read_as_a_conversation_of_one_message() -> None:
    request = FORMAT.parse({"model": "m", "system": "be good", "prompt": "look", "images": [PNG]})
    assert [(message.role, message.text) for message in request.messages] == [("system", "be good"), ("user", "look")]
    assert request.messages[1].attachments == (Attachment("image/png", data=PNG),)
    assert FORMAT.parse({"model": "m"}).messages == ()


def test_a_prompt_written_anew_with_more_messages_becomes_a_conversation_and_the_report_says_so() -> None:
    request = FORMAT.parse({"model": "m", "system": "be good", "prompt": "look", "suffix": "x", "options": {"num_ctx": 9}})
    report = Report()
    payload = convert_request(
        Request(head=request.head, messages=(*request.messages, Message("user", "more"))), FORMAT, None, report
    )
    assert loads(payload) == {
        "model": "m",
        "options": {"num_ctx": 9},
        "messages": [
            {"role": "system", "content": "be good"},
            {"role": "user", "content": "look"},
            {"role": "user", "content": "more"},
        ],
    }
    assert [note.code for note in report.notes] == ["degraded"]


@pytest.mark.parametrize(
    ("body", "words_"),
    [
        ({"messages": "x"}, "no messages"),
        ({"model": "m", "messages": "x"}, "no messages"),
        ({}, "no messages"),
        ({"messages": [1]}, "messages[0] is int"),
        ({"messages": [{"content": "x"}]}, "messages[0] has no role"),
        ({"messages": [{"role": "developer"}]}, "messages[0].role"),
        ({"messages": [{"role": "user", "content": [1]}]}, "messages[0].content is list"),
        ({"messages": [{"role": "user", "images": "x"}]}, "messages[0].images is str"),
        ({"messages": [{"role": "assistant", "tool_calls": {"a": 1}}]}, "messages[0].tool_calls is dict"),
        ({"messages": [{"role": "assistant", "tool_calls": [1]}]}, "messages[0].tool_calls[0] is int"),
        ({"prompt": ["x"]}, "prompt.content is list"),
    ],
)
def test_what_is_no_request_is_refused_by_its_place(body: object, words_: str) -> None:
    with pytest.raises(FormatError) as caught:
        FORMAT.parse(body)
    assert words_ in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (CHAT, "ollama"),
        ({"model": "m", "messages": [{"role": "user", "content": "hi"}], "options": {"num_ctx": 4096}}, "ollama"),
        ({"model": "m", "messages": [{"role": "user", "content": "hi"}], "keep_alive": 0}, "ollama"),
        ({"model": "m", "messages": [{"role": "user", "content": "hi", "images": [PNG]}]}, "ollama"),
        ({"model": "m", "prompt": "hi", "options": {}}, "ollama"),
        ({"model": "m", "prompt": "hi", "system": "s"}, "ollama"),
        ([{"role": "tool", "content": "x", "tool_name": "f"}], "ollama"),
        ({"model": "m", "messages": [{"role": "user", "content": "hi"}]}, "openai"),
        ({"model": "m", "messages": [{"role": "user", "content": "hi"}], "max_tokens": 9, "system": "s"}, "anthropic"),
        ({"model": "m", "prompt": {"id": "pmpt_1"}}, "openai-responses"),
        ({"model": "m", "previous_response_id": "resp_1"}, "openai-responses"),
    ],
)
def test_a_body_is_told_from_others_by_what_only_ollama_writes(body: object, name: str) -> None:
    assert detect(body, builtin_registry()).name == name


def test_a_completion_of_old_is_nobodys() -> None:
    with pytest.raises(FormatError):
        detect({"model": "m", "prompt": "hi", "max_tokens": 5}, builtin_registry())
