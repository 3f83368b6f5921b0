"""Whatever schema a tool has: a conversion keeps the target's rules, loses no argument, and says what it weakens; minified it
takes the same values.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties.schema_values import Schema, accepts, schemas, values

from transom.engine.selection.minification import LEVELS, Level, minify_tool
from transom.jsontext import dumps
from transom.messages import Tool
from transom.wire.schemas import PROFILES, Profile, broken_rules, convert_schema, restore_arguments, spell_arguments

few = settings(max_examples=60, deadline=None)
TARGETS = st.sampled_from([profile for profile in PROFILES if profile != "default"])


def _without_nulls(value: object) -> object:
    """Values as they are compared: for what may be null and may be left out both mean the same."""
    if isinstance(value, Mapping):
        return {name: _without_nulls(item) for name, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


def _properties(schema: Schema) -> list[str]:
    found = schema["properties"]
    assert isinstance(found, Mapping)
    return list(found)


@few
@given(schemas(), TARGETS)
def test_a_converted_schema_keeps_the_rules_of_its_target(schema: dict[str, object], profile: Profile) -> None:
    written, _ = convert_schema(schema, profile)
    assert broken_rules(written, profile) == ()


@few
@given(schemas(), TARGETS)
def test_no_argument_is_lost_or_added(schema: dict[str, object], profile: Profile) -> None:
    written, _ = convert_schema(schema, profile)
    assert _properties(written) == _properties(schema)
    required = schema.get("required", [])
    assert profile == "openai-strict" or written.get("required", []) == required


@few
@given(schemas(), TARGETS)
def test_a_conversion_gives_the_same_bytes_and_changes_nothing(schema: dict[str, object], profile: Profile) -> None:
    before = copy.deepcopy(schema)
    first, second = convert_schema(schema, profile), convert_schema(schema, profile)
    assert dumps(first[0]) == dumps(second[0])
    assert first[1] == second[1]
    assert schema == before


@few
@given(st.data(), schemas(), TARGETS)
def test_what_the_original_takes_can_be_said_and_is_read_back(
    data: st.DataObject, schema: dict[str, object], profile: Profile
) -> None:
    arguments = cast("dict[str, object]", data.draw(values(schema, schema)))
    written, _ = convert_schema(schema, profile)
    spelled = spell_arguments(schema, arguments, profile)
    assert accepts(written, spelled, written)
    assert _without_nulls(restore_arguments(schema, spelled, profile)) == _without_nulls(arguments)


@few
@given(st.data(), schemas(), TARGETS)
def test_what_a_target_lets_through_and_no_note_names_the_original_takes(
    data: st.DataObject, schema: dict[str, object], profile: Profile
) -> None:
    written, report = convert_schema(schema, profile)
    if report.weakened or any(note.change == "encoded" for note in report.notes):
        return
    arguments = cast("dict[str, object]", data.draw(values(written, written)))
    assert accepts(schema, restore_arguments(schema, arguments, profile), schema)


@pytest.mark.parametrize("profile", PROFILES)
@few
@given(schemas(), st.data())
def test_arguments_of_no_known_shape_pass_through(profile: Profile, schema: dict[str, object], data: st.DataObject) -> None:
    strange = data.draw(st.dictionaries(st.sampled_from(["zzz", "path"]), st.sampled_from([[1], "x", 3, {"k": [{}]}])))
    assert set(restore_arguments(schema, strange, profile)) == set(strange)


@few
@given(st.data(), schemas(), st.sampled_from(LEVELS))
def test_a_minified_schema_takes_what_the_original_takes_and_nothing_else(
    data: st.DataObject, schema: dict[str, object], level: Level
) -> None:
    tool, _ = minify_tool(Tool("t", "Do something.", schema), level)
    written = dict(tool.parameters or {})
    for one, other in ((schema, written), (written, schema)):
        arguments = data.draw(values(one, one))
        assert accepts(other, arguments, other)
    assert _properties(written) == _properties(schema)
    assert _bounds(written) == _bounds(schema)


def _bounds(schema: object) -> list[str]:
    """Every keyword that constrains, with its value, wherever it stands."""
    words = ("enum", "const", "minimum", "maximum", "minLength", "maxLength", "maxItems", "pattern", "format", "multipleOf")
    if isinstance(schema, list):
        return sorted(found for item in schema for found in _bounds(item))
    if not isinstance(schema, Mapping):
        return []
    own = [f"{word}={dumps(schema[word]).decode()}" for word in words if word in schema]
    return sorted(own + [found for value in schema.values() for found in _bounds(value)])
