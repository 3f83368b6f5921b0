"""The published cases for schemas, tried on a large set of tools. Skipped where the cases are not at hand."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from transom.testing.toolset import tools
from transom.wire.schemas import Profile, convert_tools

CASES = Path(__file__).resolve().parents[5] / "shared" / "cases" / "toolbox-schema.jsonl"
PROFILES: Mapping[str, Profile] = {"llamacpp": "grammar", "gemini": "gemini", "openai-strict": "openai-strict"}


def _cases() -> list[dict[str, object]]:
    if not CASES.is_file():
        return []
    read = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    return [case for case in read if case["args"]["profile"] in PROFILES]


def _schemas(schema: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """A schema and those inside it; names of properties are no keywords."""
    yield schema
    for word, value in schema.items():
        if word in ("properties", "$defs") and isinstance(value, Mapping):
            for inner in value.values():
                yield from _schemas(inner)
        elif isinstance(value, Mapping):
            yield from _schemas(value)
        elif word == "anyOf" and isinstance(value, list):
            for inner in value:
                yield from _schemas(inner)


def _holds(rule: str, wanted: object, schema: Mapping[str, object]) -> bool:
    is_object = schema.get("type") == "object"
    properties = schema.get("properties", {})
    assert isinstance(properties, Mapping)
    match rule:
        case "forbid_anywhere":
            assert isinstance(wanted, list)
            return not set(wanted) & set(schema)
        case "forbid_empty_object":
            return not is_object or bool(properties)
        case "single_type":
            return isinstance(schema.get("type", ""), str)
        case "array_has_items":
            return schema.get("type") != "array" or "items" in schema
        case "all_properties_required":
            required = schema.get("required", [])
            assert isinstance(required, list)
            return not is_object or set(required) == set(properties)
        case "additional_properties_false":
            return not is_object or schema.get("additionalProperties") is False
    raise AssertionError(f"no rule {rule!r}")


@pytest.mark.feature("M13")
@pytest.mark.skipif(not CASES.is_file(), reason="the cases are not beside this checkout")
@pytest.mark.parametrize("case", _cases(), ids=lambda case: case["id"])
def test_a_case_holds_for_all_tools(case: dict[str, dict[str, object]]) -> None:
    converted, _ = convert_tools(tools(), PROFILES[str(case["args"]["profile"])])
    rules = case["expected"]["for_all_tools"]
    assert isinstance(rules, dict)
    for tool in converted:
        for schema in _schemas(tool.parameters or {}):
            for rule, wanted in rules.items():
                assert _holds(rule, wanted, schema), f"{tool.name}: {rule}"
