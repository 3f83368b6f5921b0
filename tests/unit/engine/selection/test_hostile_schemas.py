"""Definitions that no person would write: deep, circular, endless, of the wrong type."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from transom import Context, Tool, ToolNamespace
from transom.engine.selection.descriptions import sentences
from transom.engine.selection.minification import minify, minify_tool
from transom.engine.selection.namespaces import namespace_tool
from transom.engine.selection.ranking import search_tools
from transom.engine.selection.signatures import parameters_of, signature
from transom.engine.selection.terms import question_terms
from transom.errors import InputError
from transom.vocabulary import ENGLISH

from .toolboxes import equipped


def _limited(description: str, maximum: object = 10) -> Tool:
    inner = {"type": "integer", "description": description, "maximum": maximum}
    return Tool("count", "Counts.", {"type": "object", "properties": {"n": inner}})


def _deep(levels: int) -> dict[str, object]:
    schema: dict[str, object] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


@pytest.mark.parametrize("description", ["Maximum 127.0.0.1", "At most version 1.2.3", "From 1.2.3.4 up to 10"])
def test_a_number_with_several_dots_is_no_bound(description: str) -> None:
    tool, _ = minify_tool(_limited(description), "light")
    assert description in str(tool.parameters)


def test_a_bound_beyond_all_floats_is_a_bound() -> None:
    tool, _ = minify_tool(_limited(f"At most {10**350}.", 10**350), "light")
    assert "description" not in str(tool.parameters)
    assert minify_tool(_limited("At most 5 of them.", 10**400), "light")[0] == _limited("At most 5 of them.", 10**400)


@pytest.mark.parametrize("text", ["e.g. ", "\n", "\n ", "\r", "default", "default ", ". ", "Args:\n", "a\n\n", "max. "])
def test_a_long_description_is_minified_whatever_it_repeats(text: str) -> None:
    long = text * 100_000
    (tool,), _ = minify([_limited(long), Tool("other", long)][1:])
    assert len(tool.description) <= 300
    (tool,), _ = minify([_limited(long)])
    assert len(str(tool.parameters)) <= 400


def test_an_abbreviation_far_into_a_sentence_does_not_end_it() -> None:
    assert sentences("Takes many kinds of names, e.g. approx. Ten of them. And more.") == [
        "Takes many kinds of names, e.g. approx. Ten of them.",
        "And more.",
    ]


def test_references_that_lead_into_each_other_in_breadth_are_followed_once() -> None:
    union = {"anyOf": [{"$ref": f"#/$defs/d{index}"} for index in range(30)]}
    tool = Tool("y", "d", {**union, "$defs": {f"d{index}": union for index in range(30)}})
    assert parameters_of(tool).open
    assert parameters_of(Tool("y", "d", {"anyOf": [{"$ref": "#"}] * 30})).open
    named = {"properties": {"a": {}}, "required": ["a"]}
    known = parameters_of(Tool("y", "d", {"anyOf": [{"$ref": "#/$defs/x"}], "$ref": "#/$defs/x", "$defs": {"x": named}}))
    assert (list(known.properties), known.required, known.open) == (["a"], ["a"], False)
    either = parameters_of(Tool("y", "d", {"oneOf": [{"$ref": "#/$defs/x"}], "allOf": [], "$defs": {"x": named}}))
    assert (list(either.properties), either.required) == (["a"], [])


def test_a_schema_that_is_required_behind_an_alternative_is_required() -> None:
    named = {"properties": {"a": {}}, "required": ["a"]}
    schema = {"anyOf": [{"$ref": "#/$defs/x"}], "$defs": {"x": {"allOf": [{"$ref": "#/$defs/y"}]}, "y": named}}
    assert parameters_of(Tool("y", "d", schema)).required == []
    behind = {
        "anyOf": [{"$ref": "#/$defs/x"}],
        "oneOf": [],
        "allOf": [{"allOf": [{"$ref": "#/$defs/y"}]}],
        "$defs": schema["$defs"],
    }
    assert parameters_of(Tool("y", "d", behind)).required == ["a"]


def test_a_deep_schema_is_refused_as_an_action_and_read_as_a_tool() -> None:
    tool = Tool("deep", "Takes much.", _deep(400))
    with pytest.raises(InputError, match="nested more than 200 levels") as refused:
        namespace_tool(ToolNamespace("all", "All.", (tool,)), ENGLISH.selecting)
    assert refused.value.hint
    assert signature(tool) == "deep(a?: object)"
    arrays: dict[str, object] = {"type": "string"}
    for _ in range(5_000):
        arrays = {"type": "array", "items": arrays}
    assert signature(Tool("deep", "", {"properties": {"a": arrays}})).startswith("deep(a?: any[][]")
    every: dict[str, object] = {"properties": {"a": {}}}
    for _ in range(5_000):
        every = {"allOf": [every]}
    assert list(parameters_of(Tool("deep", "", every)).properties) == ["a"]


def test_an_action_may_be_nested_as_deep_as_published_ones() -> None:
    tool = Tool("deep", "Takes much.", {**_deep(90), "$defs": {"x": {"$ref": "#"}}})
    assert namespace_tool(ToolNamespace("all", "All.", (tool,)), ENGLISH.selecting).name == "all"


@pytest.mark.parametrize("wanted", [None, "auto", "openai-strict", "gemini", "grammar"])
def test_a_context_sends_a_deep_schema_for_every_way_of_writing_schemas(wanted: str | None) -> None:
    context = equipped(Tool("deep", "Takes much.", _deep(400)), tool_schemas=wanted, window=200_000)
    assert b"Takes much." in context.compile_sync("openai-chat").json()


@pytest.mark.parametrize("character", ["~", "\\", "/", ".", "-", "~\\", ":~", "a:\\"])
def test_a_question_of_one_character_is_read_to_its_end(character: str) -> None:
    assert "zebra" in "".join(question_terms(character * 100_000 + " zebra"))


@pytest.mark.parametrize(
    "path",
    [r"C:\dir\notes.docx", r"\\host\dir\notes.docx", "~/notes.docx", "host:~/notes.docx", "./a/notes.docx", "notes.docx"],
)
def test_what_a_file_is_called_says_nothing(path: str) -> None:
    found = question_terms(f"open {path}")
    assert "docx" in "".join(word for words in found.values() for word in words)
    assert "note" not in found


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: equipped().block_tools(["grep"]),  # type: ignore[arg-type]
        lambda: equipped().unblock_tools(["grep"]),  # type: ignore[arg-type]
        lambda: search_tools(None, [Tool("a", "")]),  # type: ignore[arg-type]
    ],
)
def test_a_value_of_the_wrong_type_is_an_input_error(wrong: Callable[[], object]) -> None:
    with pytest.raises(InputError) as refused:
        wrong()
    assert refused.value.hint


def test_the_same_tools_again_are_taken_however_deep_their_schemas_are() -> None:
    context = Context(window=8_000)
    for _ in range(2):
        schema: dict[str, object] = {"type": "string"}
        for _ in range(5_000):
            schema = {"type": "array", "items": schema}
        context.tools(Tool("deep", "Deep.", {"type": "object", "properties": {"x": schema}}))
    assert [tool.name for tool in context.head.tools] == ["deep"]
