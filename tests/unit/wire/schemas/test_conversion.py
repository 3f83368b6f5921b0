"""Schemas for one target each: what is kept, what is said in words, what is written in another form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import pytest

from transom.errors import InputError
from transom.messages import Tool
from transom.testing.toolset import tools
from transom.wire.schemas import (
    PROFILES,
    SCHEMA_PROFILE,
    Profile,
    broken_rules,
    convert_schema,
    convert_tool,
    convert_tools,
    profile_for,
    restore_arguments,
    spell_arguments,
)

TARGETS: tuple[Profile, ...] = tuple(profile for profile in PROFILES if profile != "default")


def _needed(schema: Mapping[str, object], profile: Profile) -> dict[str, object]:
    """One required argument as it is written."""
    written, _ = convert_schema({"type": "object", "properties": {"a": schema}, "required": ["a"]}, profile)
    properties = written["properties"]
    assert isinstance(properties, dict)
    found = properties["a"]
    assert isinstance(found, dict)
    return found


@pytest.mark.feature("M13")
@pytest.mark.parametrize("profile", PROFILES)
def test_all_tools_of_a_large_set_keep_the_rules_of_every_target(profile: Profile) -> None:
    converted, report = convert_tools(tools(), profile)
    assert [tool.name for tool in converted] == [tool.name for tool in tools()]
    for tool in converted:
        assert broken_rules(tool.parameters or {"type": "object"}, profile) == ()
    assert report.refused == ()
    if profile != "default":
        assert report.notes


def test_the_default_profile_leaves_a_tool_alone() -> None:
    tool = tools()[0]
    assert convert_tool(tool, "default")[0] is tool


def test_even_by_default_the_root_becomes_an_object_since_no_provider_takes_another() -> None:
    place = {"type": "string", "minLength": 1, "title": "Place"}
    schema = {
        "$defs": {"Place": place},
        "anyOf": [
            {"type": "object", "properties": {"at": {"$ref": "#/$defs/Place"}}, "required": ["at"]},
            {"type": "object", "properties": {"all": {"type": "boolean"}}, "required": ["all"]},
        ],
    }
    tool, report = convert_tool(Tool("t", "d", schema), "default")
    assert tool.parameters == {
        "type": "object",
        "$defs": {"Place": place},
        "description": "Needed is one of: at; all.",
        "properties": {"at": {"$ref": "#/$defs/Place"}, "all": {"type": "boolean"}},
        "required": [],
    }
    assert [note.where for note in report.weakened] == ["t#"]
    assert restore_arguments(schema, {"at": None}, "default") == {"at": None}
    for odd in (
        {"type": "string"},
        {"enum": [1]},
        {"not": {}, "type": "object"},
        {"$ref": "#"},
        {"allOf": [{"type": "object"}]},
    ):
        written, _ = convert_schema(odd, "default")
        assert written["type"] == "object"
        assert not {"not", "enum", "$ref", "allOf"} & set(written)


@pytest.mark.parametrize("profile", TARGETS)
def test_the_unconverted_set_breaks_the_rules_of_every_target(profile: Profile) -> None:
    assert any(broken_rules(tool.parameters or {}, profile) for tool in tools())


def test_strict_mode_wants_every_argument_and_takes_null_for_an_optional_one() -> None:
    written, report = convert_schema(
        {
            "type": "object",
            "properties": {"path": {"type": "string"}, "limit": {"type": "integer", "default": 5}},
            "required": ["path"],
        },
        "openai-strict",
    )
    assert written == {
        "type": "object",
        "properties": {"path": {"type": "string"}, "limit": {"description": "Default: 5.", "type": ["integer", "null"]}},
        "required": ["path", "limit"],
        "additionalProperties": False,
    }
    assert [(note.change, note.where, note.keyword) for note in report.notes] == [
        ("dropped", "/properties/limit", "default"),
        ("rewritten", "/properties/limit", "required"),
    ]
    assert report.weakened == ()


def test_a_null_that_stands_for_not_given_goes_before_the_tool_runs() -> None:
    schema = {
        "type": "object",
        "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}, "note": {"type": ["string", "null"]}},
        "required": ["path"],
    }
    assert restore_arguments(schema, {"path": "a", "limit": None, "note": None}) == {"path": "a", "note": None}
    assert restore_arguments(schema, {"path": None, "limit": 3, "other": None}) == {"path": None, "limit": 3, "other": None}


def test_a_default_that_the_description_names_is_not_said_twice() -> None:
    said = {"type": "integer", "description": "How many. Default: 10.", "default": 10}
    assert _needed(said, "gemini") == {"description": "How many. Default: 10.", "type": "integer"}
    other = {"type": "integer", "description": "Default: 100.", "default": 10}
    assert _needed(other, "gemini")["description"] == "Default: 100. Default: 10."


def test_bounds_that_a_target_does_not_know_become_words() -> None:
    text = {"type": "string", "minLength": 1, "maxLength": 80, "pattern": "^[a-z]+$", "description": "A name"}
    assert _needed(text, "grammar") == {
        "description": "A name. Not empty. At most 80 characters. Matches ^[a-z]+$",
        "type": "string",
    }
    assert _needed(text, "gemini") == {**text, "description": "A name"}
    assert _needed(text, "openai-strict")["pattern"] == "^[a-z]+$"
    items = {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 5}
    assert _needed(items, "grammar") == {
        "description": "At least 2 items. At most 5 items.",
        "type": "array",
        "items": {"type": "string"},
    }


def test_a_grammar_keeps_the_bounds_of_whole_numbers_and_says_those_of_others() -> None:
    assert _needed({"type": "integer", "exclusiveMinimum": 0, "maximum": 10}, "grammar") == {
        "type": "integer",
        "minimum": 1,
        "maximum": 10,
    }
    assert _needed({"type": "number", "exclusiveMinimum": 0, "maximum": 10}, "grammar") == {
        "description": "More than 0. At most 10.",
        "type": "number",
    }


def test_an_exclusive_bound_in_the_spelling_of_old_drafts_is_understood() -> None:
    old = {"type": "integer", "minimum": 0, "exclusiveMinimum": True, "maximum": 9, "exclusiveMaximum": False}
    assert _needed(old, "gemini") == {"type": "integer", "minimum": 1, "maximum": 9}


@pytest.mark.parametrize("profile", TARGETS)
def test_a_fixed_value_becomes_a_list_of_one(profile: Profile) -> None:
    assert _needed({"const": "click"}, profile) == {"type": "string", "enum": ["click"]}


def test_gemini_lists_texts_only_so_numbers_are_described_and_bounded() -> None:
    assert _needed({"type": "integer", "enum": [1, 2, 5]}, "gemini") == {
        "description": "One of: 1, 2, 5.",
        "type": "integer",
        "minimum": 1,
        "maximum": 5,
    }
    assert _needed({"enum": ["", "on"]}, "gemini") == {"description": 'One of: "", "on".', "type": "string"}


@pytest.mark.parametrize(
    ("profile", "written"),
    [
        ("openai-strict", {"type": ["string", "null"], "enum": ["a", None]}),
        ("gemini", {"type": "string", "enum": ["a"], "nullable": True}),
        ("grammar", {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]}),
    ],
)
@pytest.mark.parametrize(
    "schema",
    [
        {"enum": ["a", None]},
        {"type": ["string", "null"], "enum": ["a", None]},
        {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]},
        {"type": "string", "enum": ["a"], "nullable": True},
        {"oneOf": [{"const": "a"}, {"const": None}]},
    ],
)
def test_or_null_is_understood_in_every_spelling(
    schema: dict[str, object], profile: Profile, written: dict[str, object]
) -> None:
    assert _needed(schema, profile) == written


def test_beside_a_union_gemini_takes_nothing_else() -> None:
    union = {"description": "Which.", "anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]}
    assert _needed(union, "gemini") == {
        "anyOf": [{"description": "Which.", "type": "string", "nullable": True}, {"type": "integer", "nullable": True}]
    }


@pytest.mark.parametrize("profile", TARGETS)
def test_an_object_with_free_keys_is_written_as_a_list_and_read_back(profile: Profile) -> None:
    schema = {
        "type": "object",
        "properties": {"headers": {"type": "object", "additionalProperties": {"type": "string"}, "description": "Headers."}},
        "required": ["headers"],
    }
    written, report = convert_schema(schema, profile)
    assert [(note.change, note.where) for note in report.notes if note.change == "encoded"] == [
        ("encoded", "/properties/headers")
    ]
    arguments = {"headers": {"Accept": "text/html", "X": ""}}
    spelled = spell_arguments(schema, arguments, profile)
    assert spelled == {"headers": [{"name": "Accept", "value": "text/html"}, {"name": "X", "value": ""}]}
    assert restore_arguments(schema, spelled, profile) == arguments
    assert restore_arguments(schema, arguments, profile) == arguments
    assert broken_rules(written, profile) == ()


@pytest.mark.parametrize("profile", TARGETS)
def test_what_constrains_an_object_that_is_written_otherwise_becomes_words(profile: Profile) -> None:
    schema = {
        "type": "object",
        "additionalProperties": {"type": "string"},
        "minProperties": 2,
        "propertyNames": {"pattern": "^x-"},
    }
    assert _needed(schema, profile)["description"] == "One entry for each name. At least 2 entries. Names match ^x-"


@pytest.mark.parametrize("profile", TARGETS)
def test_a_value_of_any_shape_is_written_as_json_and_read_back(profile: Profile) -> None:
    schema = {
        "type": "object",
        "properties": {"data": {"description": "What to send."}, "more": {"type": "object"}},
        "required": ["data"],
    }
    assert _needed({"description": "What to send."}, profile) == {
        "description": "What to send. Written as JSON.",
        "type": "string",
    }
    for value in ({"a": [1, None]}, [1.5, "x"], "plain", 3, True, None):
        spelled = spell_arguments(schema, {"data": value, "more": {"b": {}}}, profile)
        assert isinstance(spelled["data"], str)
        assert spelled["more"] == '{"b":{}}'
        assert restore_arguments(schema, spelled, profile) == {"data": value, "more": {"b": {}}}
    assert restore_arguments(schema, {"data": "no json"}, profile) == {"data": "no json"}


@pytest.mark.parametrize("profile", TARGETS)
def test_a_shared_definition_stands_where_it_is_used(profile: Profile) -> None:
    schema = {
        "type": "object",
        "$defs": {
            "Place": {"type": "object", "properties": {"line": {"type": "integer"}}, "required": ["line"], "title": "Place"}
        },
        "properties": {"at": {"$ref": "#/$defs/Place", "description": "Where."}, "to": {"allOf": [{"$ref": "#/$defs/Place"}]}},
        "required": ["at", "to"],
    }
    written, _ = convert_schema(schema, profile)
    properties = written["properties"]
    assert isinstance(properties, dict)
    assert properties["at"] == {"description": "Where.", **properties["to"]}
    assert "$defs" not in written


NODE = {
    "type": "object",
    "$defs": {
        "Node": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}}},
            "required": ["name"],
        }
    },
    "properties": {"tree": {"$ref": "#/$defs/Node"}},
    "required": ["tree"],
}


def test_strict_mode_keeps_a_schema_that_holds_itself() -> None:
    written, report = convert_schema(NODE, "openai-strict")
    assert broken_rules(written, "openai-strict") == ()
    assert "$defs" in written
    assert not [note for note in report.notes if note.change == "cut"]
    arguments = {"tree": {"name": "a", "children": [{"name": "b", "children": [{"name": "c"}]}]}}
    spelled = spell_arguments(NODE, arguments)
    assert spelled["tree"] == {
        "name": "a",
        "children": [{"name": "b", "children": [{"name": "c", "children": None}]}],
    }
    assert restore_arguments(NODE, spelled) == arguments


@pytest.mark.parametrize("profile", ["gemini", "grammar"])
def test_elsewhere_a_schema_that_holds_itself_is_cut_and_the_rest_is_text(profile: Profile) -> None:
    written, report = convert_schema(NODE, profile)
    assert broken_rules(written, profile) == ()
    assert [note.where for note in report.weakened if note.change == "cut"] == ["/properties/tree/properties/children/items"]
    arguments = {"tree": {"name": "a", "children": [{"name": "b", "children": [{"name": "c"}]}]}}
    spelled = spell_arguments(NODE, arguments, profile)
    assert restore_arguments(NODE, spelled, profile) == arguments


@pytest.mark.parametrize("profile", TARGETS)
@pytest.mark.parametrize(
    "defs",
    [
        {"A": {"$ref": "#/$defs/A"}},
        {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}},
        {"A": {"allOf": [{"$ref": "#/$defs/A"}]}},
        {"A": {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "string"}]}},
    ],
)
def test_a_reference_that_is_only_itself_says_nothing(defs: dict[str, object], profile: Profile) -> None:
    schema = {"type": "object", "$defs": defs, "properties": {"a": {"$ref": "#/$defs/A"}}, "required": ["a"]}
    written, _ = convert_schema(schema, profile)
    assert broken_rules(written, profile) == ()
    assert restore_arguments(schema, spell_arguments(schema, {"a": "x"}, profile), profile) == {"a": "x"}


@pytest.mark.parametrize("profile", TARGETS)
def test_references_that_unfold_without_end_are_cut(profile: Profile) -> None:
    defs: dict[str, object] = {"L0": {"type": "string"}}
    for level in range(1, 30):
        inner = {"$ref": f"#/$defs/L{level - 1}"}
        defs[f"L{level}"] = {"type": "object", "properties": {"a": inner, "b": inner}}
    schema = {"type": "object", "$defs": defs, "properties": {"root": {"$ref": "#/$defs/L29"}}}
    _, report = convert_schema(schema, profile)
    assert any(note.change == "cut" for note in report.notes)


@pytest.mark.parametrize("profile", TARGETS)
@pytest.mark.parametrize("word", ["anyOf", "oneOf", "allOf"])
def test_alternatives_at_the_root_become_one_object(word: str, profile: Profile) -> None:
    schema = {
        "type": "object",
        "properties": {"url": {"type": "string"}, "path": {"type": "string"}, "name": {"type": "string"}},
        "required": ["name"],
        word: [{"required": ["url"]}, {"required": ["path"]}],
    }
    written, report = convert_schema(schema, profile)
    assert broken_rules(written, profile) == ()
    properties = written["properties"]
    assert isinstance(properties, dict)
    assert list(properties) == ["url", "path", "name"]
    if word != "allOf":
        assert written["description"] == "Needed is one of: url; path."
        assert ("described", "") in [(note.change, note.where) for note in report.notes]
        assert profile == "openai-strict" or written["required"] == ["name"]


def test_properties_of_different_alternatives_all_stay() -> None:
    schema = {
        "oneOf": [
            {"type": "object", "properties": {"kind": {"const": "a"}, "x": {"type": "string"}}, "required": ["kind", "x"]},
            {"type": "object", "properties": {"kind": {"const": "b"}, "y": {"type": "integer"}}, "required": ["kind"]},
        ]
    }
    written, _ = convert_schema(schema, "grammar")
    assert written["properties"] == {
        "kind": {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "string", "enum": ["b"]}]},
        "x": {"type": "string"},
        "y": {"type": "integer"},
    }
    assert written["required"] == ["kind"]


def test_exactly_one_is_only_called_weaker_where_two_could_hold() -> None:
    apart = {"oneOf": [{"type": "string"}, {"type": "integer"}]}
    both = {"oneOf": [{"type": "string", "maxLength": 3}, {"type": "string", "pattern": "^a"}]}
    weaker = {}
    for name, schema in (("apart", apart), ("both", both)):
        _, report = convert_schema({"type": "object", "properties": {"a": schema}}, "gemini")
        weaker[name] = [note.keyword for note in report.weakened]
    assert weaker == {"apart": [], "both": ["oneOf"]}


def test_alternatives_that_would_look_alike_once_written_become_one_text() -> None:
    schema = {"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "object"}]}}, "required": ["a"]}
    for value in ("x", {"k": 1}, '{"k":1}'):
        assert restore_arguments(schema, spell_arguments(schema, {"a": value})) == {"a": value}


@pytest.mark.parametrize("profile", TARGETS)
@pytest.mark.parametrize("value", [{"p": '{"k":1}'}, {"p": {"k": 1}}])
def test_alternatives_whose_insides_would_look_alike_become_one_text(value: dict[str, object], profile: Profile) -> None:
    text = {"type": "object", "properties": {"p": {"type": "string"}}, "required": ["p"]}
    free = {"type": "object", "properties": {"p": {"type": "object"}}, "required": ["p"]}
    schema = {"type": "object", "properties": {"a": {"anyOf": [text, free]}}, "required": ["a"]}
    assert restore_arguments(schema, spell_arguments(schema, {"a": value}, profile), profile) == {"a": value}


def test_alternatives_that_a_fixed_value_tells_apart_stay() -> None:
    kinds = [
        {"type": "object", "properties": {"kind": {"const": kind}, "p": inner}, "required": ["kind", "p"]}
        for kind, inner in (("a", {"type": "string"}), ("b", {"type": "object"}))
    ]
    schema = {"type": "object", "properties": {"a": {"oneOf": kinds}}, "required": ["a"]}
    assert len(cast("list[object]", _needed({"oneOf": kinds}, "openai-strict")["anyOf"])) == 2
    for value in ({"kind": "a", "p": "{}"}, {"kind": "b", "p": {}}):
        assert restore_arguments(schema, spell_arguments(schema, {"a": value})) == {"a": value}


def test_an_alternative_is_chosen_by_its_bounds_too() -> None:
    small = {
        "type": "object",
        "properties": {"n": {"type": "integer", "maximum": 5}, "more": {"type": "string"}},
        "required": ["n"],
    }
    large = {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"], "additionalProperties": False}
    schema = {"type": "object", "properties": {"a": {"anyOf": [small, large]}}, "required": ["a"]}
    assert spell_arguments(schema, {"a": {"n": 9}}) == {"a": {"n": 9}}
    assert spell_arguments(schema, {"a": {"n": 3}}) == {"a": {"n": 3, "more": None}}
    assert restore_arguments(schema, {"a": {"n": 9, "more": None}}) == {"a": {"n": 9}}


def test_what_a_closed_target_cannot_take_is_said() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": True}
    _, report = convert_schema(schema, "openai-strict")
    assert [note.change for note in report.weakened] == ["closed"]


@pytest.mark.parametrize("profile", TARGETS)
@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "https://example.com/schema.json"},
        {"$ref": "#/nowhere"},
        {"$ref": "#/properties/a"},
        {"type": "strange"},
        {"type": []},
        {"enum": []},
        {"enum": [{"a": 1}, [2]]},
        {"anyOf": []},
        {"allOf": [{"type": "string"}, {"type": "integer"}]},
        {"not": {"type": "string"}},
        {"type": "array", "items": [{"type": "string"}, {"type": "integer"}]},
        {"type": "array", "prefixItems": [{"type": "string"}], "items": False},
        {"type": "object", "patternProperties": {"^x": {"type": "string"}, "^y": {"type": "integer"}}},
        {"type": "object", "properties": "odd", "required": "a"},
        {"type": "object", "required": ["b"]},
        {"type": "object", "additionalProperties": False},
        {"description": 5, "default": {"a": 1}, "examples": "x"},
        {"if": {"type": "string"}, "then": {"minLength": 3}},
        {"anyOf": [{"anyOf": [{"type": "null"}, {"type": "string"}]}, {"type": "array"}]},
    ],
)
def test_odd_schemas_are_converted_within_the_rules(schema: dict[str, object], profile: Profile) -> None:
    written, _ = convert_schema({"type": "object", "properties": {"a": schema}}, profile)
    assert broken_rules(written, profile) == ()


def _deep(word: str, levels: int) -> dict[str, object]:
    schema: dict[str, object] = {"type": "string"}
    for _ in range(levels):
        inner: object = schema
        if word in ("anyOf", "allOf"):
            inner = [schema]
        elif word == "properties":
            inner = {"a": schema}
        schema = {word: inner}
    return schema


@pytest.mark.parametrize("profile", TARGETS)
@pytest.mark.parametrize("word", ["properties", "items", "anyOf", "allOf", "additionalProperties"])
def test_a_schema_of_absurd_depth_is_cut(word: str, profile: Profile) -> None:
    schema = {"type": "object", "properties": {"a": _deep(word, 400)}}
    _, report = convert_schema(schema, profile)
    assert any(note.change == "cut" for note in report.notes)


@pytest.mark.parametrize("profile", TARGETS)
def test_a_chain_of_references_is_followed_a_while(profile: Profile) -> None:
    chain = {f"L{level}": {"$ref": f"#/$defs/L{level + 1}"} for level in range(500)}
    schema = {"type": "object", "$defs": chain, "properties": {"a": {"$ref": "#/$defs/L0"}, "b": {"$ref": "#/$defs/L490"}}}
    _, report = convert_schema(schema, profile)
    assert [note.where for note in report.notes if note.change == "cut"] == ["/properties/a"]


@pytest.mark.parametrize("profile", TARGETS)
@pytest.mark.parametrize("odd", [True, False, None, 3, "text", ["a"]])
def test_what_is_no_schema_allows_anything(odd: object, profile: Profile) -> None:
    written, _ = convert_schema({"type": "object", "properties": {"a": odd}}, profile)
    assert broken_rules(written, profile) == ()


def test_a_required_name_without_a_schema_is_an_argument_too() -> None:
    written, _ = convert_schema({"type": "object", "properties": {}, "required": ["b"]}, "openai-strict")
    assert written["properties"] == {"b": {"description": "Written as JSON.", "type": "string"}}


def test_a_schema_must_be_an_object_and_a_profile_must_exist() -> None:
    with pytest.raises(InputError, match="a schema is an object"):
        convert_schema([], "gemini")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no schema profile"):
        convert_schema({}, "nowhere")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("target", "host", "profile"),
    [
        ("openai", "", "default"),
        ("anthropic", "", "default"),
        ("gemini", "", "gemini"),
        ("openai", "llama.cpp", "grammar"),
        ("openai", "LM Studio", "grammar"),
        ("openai", "vllm", "default"),
    ],
)
def test_a_target_and_its_host_suggest_a_profile(target: str, host: str, profile: Profile) -> None:
    assert profile_for(target, host) == profile


def test_a_tool_for_strict_mode_says_so_and_one_that_is_refused_stays_as_it_was() -> None:
    small = Tool("t", "d", {"type": "object", "properties": {"a": {"type": "string"}}})
    written, report = convert_tool(small, "openai-strict")
    assert written.extra == {"strict": True, SCHEMA_PROFILE: "openai-strict"}
    assert report.notes[0].where == "t#/properties/a"
    deep: dict[str, object] = {"type": "string"}
    for _ in range(12):
        deep = {"type": "object", "properties": {"a": deep}}
    large = Tool("large", "d", deep, extra={"strict": True})
    kept, report = convert_tool(large, "openai-strict")
    assert kept.parameters == deep
    assert "strict" not in kept.extra
    assert "12 levels" in report.refused[0].detail


def test_a_gemini_tool_without_arguments_has_no_schema_and_one_with_a_bad_name_is_reported() -> None:
    assert convert_tool(Tool("t", "d", {"type": "object", "properties": {}}), "gemini")[0].parameters is None
    _, report = convert_tool(Tool("t", "d", {"type": "object", "properties": {"a.b": {"type": "string"}}}), "gemini")
    assert report.refused[0].where == "t#"


def test_too_many_bytes_for_a_grammar_are_reported() -> None:
    many = [Tool(f"{tool.name}_{copy}", tool.description, tool.parameters) for tool in tools() for copy in range(2)]
    _, report = convert_tools(many, "grammar")
    assert "may not compile" in report.refused[-1].detail


def test_hosted_and_free_text_tools_are_left_alone() -> None:
    for tool in (Tool("web_search", kind="native"), Tool("sql", "Query.", kind="custom")):
        assert convert_tool(tool, "gemini")[0] is tool


def nested(levels: int, word: str) -> dict[str, object]:
    schema: dict[str, object] = {"type": "string"}
    for _ in range(levels):
        inner: object = {"a": schema} if word == "properties" else [schema, {"type": "null"}] if word == "anyOf" else schema
        schema = {"type": "array" if word == "items" else "object", word: inner}
    return schema


@pytest.mark.parametrize("word", ["properties", "items", "anyOf"])
@pytest.mark.parametrize("profile", ["openai-strict", "gemini", "grammar"])
def test_equal_definitions_of_any_depth_are_written_and_looked_at(profile: Profile, word: str) -> None:
    twice = {name: [nested(5_000, word), nested(5_000, word)] for name in ("allOf", "anyOf", "oneOf")}
    schema = {"type": "object", "properties": {name: {name: both} for name, both in twice.items()}}
    assert broken_rules(schema, profile) == (("", "nested more than 400 levels deep"),)
    written, report = convert_tool(Tool("deep", "Deep.", schema), profile)
    assert any(note.change == "cut" for note in report.notes) or report.refused
    if not report.refused:
        assert broken_rules(written.parameters or {}, profile) == ()


def test_a_schema_that_contains_itself_breaks_a_rule() -> None:
    schema: dict[str, object] = {"type": "object"}
    schema["properties"] = {"again": schema}
    assert broken_rules(schema, "gemini") == (("", "nested more than 400 levels deep"),)
