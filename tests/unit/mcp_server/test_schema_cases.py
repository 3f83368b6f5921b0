"""The shared cases about schemas: the list as a client gets it, every tool switched on, in each profile."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from transom.mcp_server.listing import ToolList
from transom.runtime import build_toolbox
from transom.wire.schemas import PROFILES, Profile

PROFILE_OF: Mapping[str, Profile] = {"llamacpp": "grammar"}
"""The cases' names for profiles, where ours differ."""
LIMIT = 90_000
"""Bytes of all schemas together that grammars of llama.cpp still compile."""


def cases() -> list[Any]:
    file = Path(__file__).parents[2] / "cases" / "toolbox-schema.jsonl"
    read = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return [pytest.param(case, id=case["id"]) for case in read]


def listed(profile: Profile) -> list[dict[str, Any]]:
    return ToolList(build_toolbox(enable=["all"]), profile=profile).shown()


def parts(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A schema and all schemas in it: what stands under ``properties`` are names, no keywords."""
    yield schema
    for keyword, value in schema.items():
        if keyword in {"properties", "$defs", "patternProperties"}:
            children = list(value.values())
        elif keyword in {"anyOf", "oneOf", "allOf", "prefixItems"}:
            children = list(value)
        elif keyword in {"items", "additionalProperties", "not"} and isinstance(value, dict):
            children = [value]
        else:
            continue
        for child in children:
            yield from parts(child)


def broken(tools: list[dict[str, Any]], rule: str, wanted: Any) -> list[str]:
    """The tools that break a rule."""
    match rule:
        case "root_type":
            return [tool["name"] for tool in tools if tool["inputSchema"].get("type") != wanted]
        case "forbid_root":
            return [tool["name"] for tool in tools if set(wanted) & set(tool["inputSchema"])]
        case "name_pattern":
            return [tool["name"] for tool in tools if not re.search(wanted, tool["name"])]
        case "unique_names":
            names = [tool["name"] for tool in tools]
            return [name for name in names if names.count(name) > 1]
        case "require":
            return [tool["name"] for tool in tools if not all(tool.get(key) for key in wanted)]
        case "forbid_anywhere":
            return [_at(tool, part) for tool, part in _every(tools) if set(wanted) & set(part)]
        case "forbid_empty_object":
            return [
                _at(tool, part) for tool, part in _every(tools) if part.get("type") == "object" and not part.get("properties")
            ]
        case "single_type":
            return [_at(tool, part) for tool, part in _every(tools) if not isinstance(part.get("type", "object"), str)]
        case "array_has_items":
            return [_at(tool, part) for tool, part in _every(tools) if part.get("type") == "array" and not part.get("items")]
        case "all_properties_required":
            return [
                _at(tool, part)
                for tool, part in _every(tools)
                if set(part.get("properties", {})) != set(part.get("required", []))
            ]
        case "additional_properties_false":
            objects = [(tool, part) for tool, part in _every(tools) if part.get("type") in ("object", ["object", "null"])]
            return [_at(tool, part) for tool, part in objects if part.get("additionalProperties") is not False]
        case _:
            raise AssertionError(f"a rule that nothing checks: {rule}")


def _every(tools: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], Mapping[str, Any]]]:
    for tool in tools:
        for part in parts(tool["inputSchema"]):
            yield tool, part


def _at(tool: Mapping[str, Any], part: Mapping[str, Any]) -> str:
    return f"{tool['name']}: {json.dumps(part)[:200]}"


@pytest.mark.parametrize("case", cases())
def test_the_shared_cases_of_schemas(case: Mapping[str, Any]) -> None:
    name = case["args"]["profile"]
    tools = listed(PROFILE_OF.get(name, name))
    assert len(tools) > 40
    for rule, wanted in case["expected"]["for_all_tools"].items():
        assert broken(tools, rule, wanted) == [], f"{case['id']}, {rule}: {case['why']}"


def test_all_schemas_together_fit_a_grammar() -> None:
    schemas = [tool["inputSchema"] for tool in listed("grammar")]
    assert len(json.dumps(schemas, separators=(",", ":"))) < LIMIT


@pytest.mark.parametrize("profile", PROFILES)
def test_no_tool_is_refused_by_a_target(profile: Profile) -> None:
    assert ToolList(build_toolbox(enable=["all"]), profile=profile).report().refused == ()


def test_by_default_forty_tools_are_listed_at_most() -> None:
    assert len(ToolList(build_toolbox()).shown()) <= 40
