"""What comes from elsewhere, written for Ollama: its own spelling, and a word for whatever is lost."""

from __future__ import annotations

from typing import cast

import pytest

from transom.jsontext import loads
from transom.messages import Attachment, Call, Message, Opaque, RedactedThinking, Result, Text, Thinking, Tool, ToolChoice
from transom.wire.convert import convert, convert_request
from transom.wire.format import Head, RenderOptions, Request
from transom.wire.ollama import Ollama
from transom.wire.registry import builtin_registry
from transom.wire.report import Report

FORMAT = Ollama()
PNG = "iVBORw0KGgo="


def written(
    *messages: Message, head: Head | None = None, options: RenderOptions | None = None
) -> tuple[dict[str, object], Report]:
    """The payload of a request from elsewhere."""
    report = Report()
    payload = convert_request(Request(head=head or Head(model="m"), messages=messages), FORMAT, options, report)
    value = loads(payload)
    assert isinstance(value, dict)
    assert FORMAT.validate(value) == []
    return value, report


def details(report: Report) -> str:
    """All that a report says."""
    return "\n".join(f"{note.code} {note.where}: {note.detail}" for note in report.notes)


def test_calls_and_results_keep_their_ids_names_and_order() -> None:
    value, report = written(
        Message("user", "go"),
        Message("assistant", "I will", tool_calls=[Call("f", '{"a":1}', "c1"), Call("g", "", "c2")]),
        Message("tool", "second", tool_call_id="c2"),
        Message("tool", "first", tool_call_id="c1"),
    )
    assert value["messages"] == [
        {"role": "user", "content": "go"},
        {
            "role": "assistant",
            "content": "I will",
            "tool_calls": [
                {"id": "c1", "function": {"name": "f", "arguments": {"a": 1}}},
                {"id": "c2", "function": {"name": "g", "arguments": {}}},
            ],
        },
        {"role": "tool", "content": "first", "tool_name": "f", "tool_call_id": "c1"},
        {"role": "tool", "content": "second", "tool_name": "g", "tool_call_id": "c2"},
    ]
    assert report.notes == []


def test_arguments_that_are_no_object_are_wrapped_and_found_again() -> None:
    value, report = written(Message("user", "go"), Message("assistant", tool_calls=[Call("f", "not json", "c")]))
    assert "wrapped" in details(report)
    assert FORMAT.parse(value).messages[1].tool_calls[0].arguments == "not json"


def test_several_texts_become_one_and_the_report_says_so() -> None:
    value, report = written(Message("user", [Text("a"), Text("b")]))
    assert value["messages"] == [{"role": "user", "content": "a\nb"}]
    assert "several texts" in details(report)


def test_pictures_stand_beside_the_text_and_other_files_are_named_as_lost() -> None:
    pdf = Attachment("application/pdf", data="JVBERi0=")
    far = Attachment("image/png", url="https://example.org/a.png")
    near = Attachment("image/*", url=f"data:image/png;base64,{PNG}")
    value, report = written(Message("user", [Text("look"), Attachment("image/png", data=PNG), near, pdf, far]))
    assert value["messages"] == [{"role": "user", "content": "look", "images": [PNG, PNG]}]
    assert details(report).count("dropped") == 2
    shown = Message("tool", [Result((Text("here"), Attachment("image/png", data=PNG)), "c")])
    value, _ = written(Message("user", "go"), Message("assistant", tool_calls=[Call("f", "{}", "c")]), shown)
    assert value["messages"][2]["images"] == [PNG]  # type: ignore[index]


def test_reasoning_stays_reasoning_unless_it_is_wanted_as_text() -> None:
    said = Message("assistant", [Thinking("hm", "sig"), RedactedThinking("x"), Text("yes")])
    value, report = written(Message("user", "go"), said)
    assert value["messages"][1] == {"role": "assistant", "thinking": "hm", "content": "yes"}  # type: ignore[index]
    assert "signature" in details(report)
    assert "encrypted" in details(report)
    value, _ = written(Message("user", "go"), said, options=RenderOptions(thinking="text"))
    assert "hm" in value["messages"][1]["content"]  # type: ignore[index]


def test_what_only_others_understand_is_named_as_lost() -> None:
    _, report = written(
        Message("user", [Text("go"), Opaque("anthropic", "container_upload", {})], cache_breakpoint=True, name="ann"),
        Message("assistant", tool_calls=[Call("f", "{}", "c", signature="s")]),
        Message("tool", "no", tool_call_id="c", is_error=True),
    )
    for lost in ("container_upload", "cache breakpoints", "name of the speaker", "thought signatures", "error"):
        assert lost in details(report)


def test_sampling_goes_into_the_options_and_an_answer_is_only_streamed_where_it_was_asked_for() -> None:
    params = {"temperature": 0.5, "stop": ["a"], "seed": 1, "user": "u", "reasoning_effort": "high"}
    head = Head(format="openai", model="m", max_output_tokens=9, params=params, tool_choice=ToolChoice("required"))
    value, report = written(Message("user", "go"), head=head)
    assert value["options"] == {"temperature": 0.5, "stop": ["a"], "seed": 1, "num_predict": 9}
    assert value["stream"] is False
    for lost in ("user", "reasoning_effort", "tool_choice"):
        assert lost in details(report)
    streaming, _ = written(Message("user", "go"), head=Head(model="m", params={"stream": True}))
    assert streaming["stream"] is True


def test_a_stream_that_ollama_takes_for_granted_is_asked_for_elsewhere() -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "options": {"num_ctx": 9}}
    payload, report = convert(body, "ollama", "openai", builtin_registry())
    value = loads(payload)
    assert isinstance(value, dict)
    assert value["stream"] is True
    assert "options" in details(report)


def test_a_schema_for_the_answer_is_the_format() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    head = Head(model="m", params={"json_schema": {"name": "n", "schema": schema}})
    value, _ = written(Message("user", "go"), head=head)
    assert value["format"] == schema
    payload, _ = convert({**value, "options": {}}, "ollama", "openai", builtin_registry())
    back = loads(payload)
    assert isinstance(back, dict)
    assert back["response_format"]["json_schema"]["schema"] == schema


def test_tools_are_written_as_functions() -> None:
    tools = (
        Tool("f", "does it", {"type": "object"}, extra={"strict": True}),
        Tool("free", kind="custom"),
        Tool("web_search", kind="native"),
    )
    value, report = written(Message("user", "go"), head=Head(model="m", tools=tools))
    first, free = cast("list[dict[str, dict[str, dict[str, object]]]]", value["tools"])
    assert first == {"type": "function", "function": {"name": "f", "description": "does it", "parameters": {"type": "object"}}}
    assert free["function"]["parameters"]["required"] == ["input"]
    for lost in ("strict", "free text", "hosted by another"):
        assert lost in details(report)


def test_a_late_system_message_stays_where_it_is() -> None:
    value, _ = written(Message("user", "a"), Message("system", "now", positional=True), Message("user", "b"))
    assert [entry["role"] for entry in value["messages"]] == ["user", "system", "user"]  # type: ignore[attr-defined]


def test_text_is_added_at_the_end_of_a_user_entry_only() -> None:
    added = FORMAT.append_text(FORMAT.user_element("hi"), "today")
    assert added is not None
    assert loads(added[0].blocks[0]) == {"role": "user", "content": "hi\n\ntoday"}
    assert added[0].blocks[0][: added[1]] == b'{"role":"user","content":"hi'
    (tool,) = FORMAT.render_turn((Message("tool", "x", tool_call_id="c"),), RenderOptions(), Report())
    assert FORMAT.append_text(tool, "today") is None


def test_an_answer_that_has_begun_is_continued_here_and_asked_for_elsewhere() -> None:
    begun = {
        "model": "m",
        "max_tokens": 9,
        "messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}],
    }
    payload, report = convert(begun, "anthropic", "ollama", builtin_registry())
    value = loads(payload)
    assert isinstance(value, dict)
    assert value["messages"][-1] == {"role": "assistant", "content": "b"}
    assert "prefilled" not in details(report)


@pytest.mark.parametrize(
    ("body", "rule", "words"),
    [
        ({"messages": []}, "ollama.model", "model is required"),
        ({"model": 1, "messages": []}, "ollama.model", "cannot unmarshal number"),
        ({"model": "m", "messages": {}}, "ollama.messages", "[]api.Message"),
        ({"model": "m", "messages": [1]}, "ollama.message", "api.Message"),
        ({"model": "m", "messages": [{"role": "bot", "content": ""}]}, "ollama.role", "invalid role: bot"),
        ({"model": "m", "messages": [{"role": "user", "content": [{"type": "text"}]}]}, "ollama.content", "unmarshal array"),
        ({"model": "m", "messages": [{"role": "user", "images": ["ä"]}]}, "ollama.images", "illegal base64"),
        ({"model": "m", "messages": [{"role": "user", "images": [1]}]}, "ollama.images", "api.ImageData"),
        ({"model": "m", "messages": [{"role": "user", "images": "x"}]}, "ollama.images", "[]api.ImageData"),
        ({"model": "m", "messages": [{"role": "assistant", "tool_calls": {}}]}, "ollama.tool-calls", "[]api.ToolCall"),
        ({"model": "m", "messages": [{"role": "assistant", "tool_calls": [1]}]}, "ollama.tool-calls", "api.ToolCall"),
        (
            {"model": "m", "messages": [{"role": "assistant", "tool_calls": [{"function": {"arguments": "{}"}}]}]},
            "ollama.arguments",
            "cannot unmarshal string",
        ),
        ({"model": "m", "messages": [], "options": []}, "ollama.options", "unmarshal array"),
        ({"model": "m", "messages": [], "stream": "yes"}, "ollama.stream", "type bool"),
        ({"model": "m", "messages": [], "think": "much"}, "ollama.think", "invalid think value"),
        ({"model": "m", "messages": [], "think": 1}, "ollama.think", "think must be"),
        ({"model": "m", "messages": [], "format": "xml"}, "ollama.format", "invalid format"),
        ({"model": "m", "messages": [], "tools": {}}, "ollama.tools", "[]api.Tool"),
        ({"model": "m", "messages": [], "tools": [1]}, "ollama.tools", "api.Tool"),
        ({"model": "m", "messages": [], "tools": [{"function": {"name": 1}}]}, "ollama.tools", "tools.function.name"),
        ({"model": "m", "prompt": ["a"]}, "ollama.prompt", "GenerateRequest.prompt"),
        ({"model": "m", "prompt": "a", "raw": True, "system": "s"}, "ollama.raw", "raw mode does not support"),
        ("x", "ollama.body", "cannot unmarshal string"),
    ],
)
def test_what_the_server_refuses_is_said_in_its_words(body: object, rule: str, words: str) -> None:
    found = FORMAT.validate(body)
    assert [violation.rule for violation in found] == [rule]
    assert words in found[0].message
    assert found[0].source.startswith("ollama/ollama")


def test_what_the_server_takes_is_not_complained_of() -> None:
    assert FORMAT.validate({"model": "m"}) == []
    assert FORMAT.validate({"model": "m", "messages": [{"role": "assistant", "content": None}], "think": "high"}) == []
    assert FORMAT.validate([{"role": "user", "content": "hi"}]) == []
