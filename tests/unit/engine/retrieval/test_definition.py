"""What a model is told of the context tools."""

from __future__ import annotations

from dataclasses import replace

import pytest

from transom import Tool
from transom.engine.retrieval import COMMANDS, context_tools, native_memory_tool
from transom.jsontext import dumps
from transom.vocabulary import ENGLISH
from transom.wire.format import Head, RenderOptions
from transom.wire.registry import builtin_registry
from transom.wire.report import Report

TARGETS = ("openai", "openai-responses", "anthropic", "gemini")


def rendered(target: str, *tools: Tool) -> tuple[bytes, Report]:
    report = Report()
    frame, _ = builtin_registry().get(target).render_head(Head(model="m", tools=tools), (), RenderOptions(), report)
    return frame.tools, report


def enums(schema: object) -> list[object]:
    if isinstance(schema, dict):
        return ([schema["enum"]] if "enum" in schema else []) + [found for value in schema.values() for found in enums(value)]
    return [found for value in schema for found in enums(value)] if isinstance(schema, list) else []


@pytest.mark.feature("R1")
def test_one_tool_with_one_enum_and_no_list_of_keys() -> None:
    context, new_context = context_tools()
    assert (context.name, new_context.name) == ("context", "new_context")
    assert enums(context.parameters) == [list(COMMANDS)]
    assert new_context.parameters == {"type": "object", "properties": {}}


@pytest.mark.feature("R1")
@pytest.mark.parametrize("target", TARGETS)
def test_a_definition_is_the_same_bytes_whenever_it_is_made_and_is_taken_whole_by_every_target(target: str) -> None:
    first, report = rendered(target, *context_tools())
    assert first == rendered(target, *context_tools())[0]
    assert not [note for note in report.notes if "tool" in note.where]
    assert b"context://notes/plan.md" in first


def test_its_words_are_those_of_the_vocabulary() -> None:
    german = replace(ENGLISH, locale="de", retrieving=replace(ENGLISH.retrieving, description="Liest, was ging."))
    assert context_tools(german)[0].description == "Liest, was ging."
    assert dumps(context_tools(german)[0].parameters) == dumps(context_tools()[0].parameters)


def test_it_can_be_called_otherwise() -> None:
    assert context_tools(name="transom_context")[0].name == "transom_context"


@pytest.mark.feature("R4")
def test_the_memory_tool_of_anthropic_is_offered_to_it_and_left_out_elsewhere() -> None:
    assert rendered("anthropic", native_memory_tool())[0] == b'[{"type":"memory_20250818","name":"memory"}]'
    tools, report = rendered("openai", native_memory_tool())
    assert (tools, [note.code for note in report.notes]) == (b"", ["dropped"])
