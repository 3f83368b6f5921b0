"""What a tool carries beside name, description and schema reaches the provider that knows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from transom.jsontext import dumps, loads
from transom.messages import Message, Tool
from transom.wire.convert import render_request
from transom.wire.format import Head, RenderOptions, Request
from transom.wire.registry import builtin_registry
from transom.wire.report import Report
from transom.wire.schemas import Profile, convert_tool

SCHEMA = {"type": "object", "properties": {"q": {"type": ["string", "null"]}}}
FIELDS = {
    "strict": True,
    "defer_loading": True,
    "cache_control": {"type": "ephemeral"},
    "allowed_callers": ["direct"],
    "input_examples": [{"q": "a"}],
    "output_schema": {"type": "object"},
    "behavior": "NON_BLOCKING",
}


def _rendered(target: str, *tools: Tool, options: RenderOptions | None = None) -> tuple[list[Mapping[str, object]], list[str]]:
    """The tools of a request, and what was dropped."""
    report = Report()
    request = Request(head=Head(tools=tools), messages=(Message("user", "Hello"),))
    body = loads(render_request(request, builtin_registry().get(target), options or RenderOptions(), report))
    assert isinstance(body, dict)
    found = body["tools"]
    return found, [note.detail for note in report.notes if note.where.startswith("tools")]


@pytest.mark.feature("P4")
@pytest.mark.parametrize(
    ("target", "known"),
    [
        ("anthropic", {"strict", "defer_loading", "cache_control", "allowed_callers", "input_examples"}),
        ("openai-responses", {"strict", "defer_loading", "allowed_callers", "output_schema"}),
        ("openai", {"strict"}),
        ("gemini", {"behavior"}),
    ],
)
def test_fields_of_a_tool_made_by_hand_reach_the_provider_that_knows_them(target: str, known: set[str]) -> None:
    (tool,), dropped = _rendered(target, Tool("search", "Search.", SCHEMA, extra=FIELDS))
    spelled = tool
    if target == "openai":
        inner = tool["function"]
        assert isinstance(inner, dict)
        spelled = inner
    if target == "gemini":
        declarations = tool["functionDeclarations"]
        assert isinstance(declarations, list)
        spelled = declarations[0]
    assert {name: spelled[name] for name in FIELDS if name in spelled} == {
        name: FIELDS[name] for name in FIELDS if name in known
    }
    assert len(dropped) == len(FIELDS) - len(known)


@pytest.mark.feature("P4")
@pytest.mark.parametrize("target", ["anthropic", "openai-responses"])
def test_deferred_tools_come_back_as_they_were_read(target: str) -> None:
    tool = {"name": "search", "description": "Search.", "defer_loading": True}
    if target == "anthropic":
        body: dict[str, object] = {
            "model": "m",
            "max_tokens": 10,
            "tools": [{"type": "tool_search_tool_bm25_20251119", "name": "find"}, {**tool, "input_schema": SCHEMA}],
            "messages": [{"role": "user", "content": "Hello"}],
        }
    else:
        spelled = {"type": "function", **tool, "parameters": SCHEMA, "strict": False}
        body = {"model": "m", "tools": [{"type": "tool_search"}, spelled], "input": [{"role": "user", "content": "Hello"}]}
    form = builtin_registry().get(target)
    request = form.parse(dumps(body))
    assert loads(render_request(request, form, RenderOptions(), Report())) == body


def test_a_deferred_tool_from_another_provider_is_loaded_at_once_and_that_is_reported() -> None:
    read = (
        builtin_registry()
        .get("openai-responses")
        .parse(
            {
                "tools": [{"type": "function", "name": "search", "parameters": SCHEMA, "strict": False, "defer_loading": True}],
                "input": [{"role": "user", "content": "Hello"}],
            }
        )
    )
    (tool,), dropped = _rendered("anthropic", *read.head.tools)
    assert "defer_loading" not in tool
    assert "search tool" in dropped[0]


def test_a_cache_marker_on_a_tool_goes_only_where_markers_are_written() -> None:
    tool = Tool("search", "Search.", SCHEMA, extra={"cache_control": {"type": "ephemeral"}})
    (plain,), _ = _rendered("anthropic", tool, options=RenderOptions(cache_markers=False))
    assert "cache_control" not in plain


@pytest.mark.feature("M13")
@pytest.mark.parametrize(
    ("profile", "target", "field"),
    [
        ("gemini", "gemini", "parameters"),
        ("default", "gemini", "parametersJsonSchema"),
        ("openai-strict", "openai-responses", "strict"),
        ("grammar", "openai", ""),
    ],
)
def test_a_converted_tool_is_written_where_its_target_reads_it(profile: Profile, target: str, field: str) -> None:
    tool, _ = convert_tool(Tool("search", "Search.", SCHEMA), profile)
    (written,), dropped = _rendered(target, tool)
    text = dumps(written).decode()
    assert f'"{field}":' in text if field else '"strict"' not in text
    assert "schema_profile" not in text
    assert dropped == []


def test_a_tool_that_was_read_is_written_anew_once_it_is_converted() -> None:
    form = builtin_registry().get("openai")
    body = {
        "tools": [{"type": "function", "function": {"name": "search", "description": "Search.", "parameters": SCHEMA}}],
        "messages": [{"role": "user", "content": "Hello"}],
    }
    request = form.parse(dumps(body))
    tools = tuple(convert_tool(tool, "openai-strict")[0] for tool in request.head.tools)
    rendered = loads(render_request(replace(request, head=replace(request.head, tools=tools)), form, RenderOptions(), Report()))
    assert isinstance(rendered, dict)
    assert rendered["tools"][0]["function"]["strict"] is True
