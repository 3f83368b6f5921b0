"""Profile ``openai-strict``: what OpenAI enforces while a model writes the arguments of a function with ``strict: true``.

Every object lists all its properties as required and takes no others; what was optional may be null. The root is an object and
no union. Kept are ``enum``, ``anyOf``, numeric bounds, ``multipleOf``, ``pattern``, nine formats, and the number of items. Not
taken: ``allOf``, ``not``, ``if``, ``dependent…``, ``patternProperties``, ``default``; the guide names lengths of texts among
what is not enforced everywhere, so they become words. A schema may hold itself through ``$defs``.

Sources: https://developers.openai.com/api/docs/guides/structured-outputs (supported schemas, limits),
https://developers.openai.com/api/docs/guides/function-calling (strict mode). Message of a refusal: "Invalid schema for function
'…': In context=('properties', '…'), 'additionalProperties' is required to be supplied and to be false."
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .dialect import Dialect, each_schema

__all__ = ["DIALECT", "LIMITS", "broken_limits", "broken_rules"]

LIMITS: Mapping[str, int] = {"properties": 5_000, "levels": 10, "enum values": 1_000, "characters of names and values": 120_000}
"""The guide's limits: properties in all, levels of nesting, enum values in all, and characters of property names, definition
names and enum values in all."""

_LARGE_ENUM = 250
_LARGE_ENUM_CHARACTERS = 15_000
"""A single enum of more than 250 texts may have 15,000 characters."""

_KEPT = {
    "string": {"pattern", "format"},
    "integer": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"},
    "number": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"},
    "array": {"minItems", "maxItems"},
}
_FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
_WORDS = {"type", "description", "enum", "anyOf", "properties", "required", "additionalProperties", "items", "$ref", "$defs"}


def _keeps(kind: str, word: str, value: object) -> bool:
    if word == "format":
        return kind == "string" and value in _FORMATS
    if word == "pattern" and "(?" in str(value):
        # Look-around and named groups are refused ("pattern" is compiled to a grammar).
        return False
    return word in _KEPT.get(kind, ())


DIALECT = Dialect(
    name="openai-strict",
    keeps=_keeps,
    null="type",
    exclusive_bounds=True,
    enum_types=frozenset({"string", "integer", "number", "boolean"}),
    all_required=True,
    closed=True,
    references=True,
    empty_objects=True,
)
"""What strict mode understands."""


def broken_rules(schema: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Every rule of strict mode that a schema breaks: its JSON pointer and what is wrong."""
    if schema.get("type") != "object" or "anyOf" in schema:
        yield "", "the root must be an object and no union"
    for where, node in each_schema(schema):
        kinds = node.get("type")
        listed = kinds if isinstance(kinds, list | tuple) else [kinds] if kinds is not None else []
        if not listed and not ({"anyOf", "$ref"} & set(node)):
            yield where, "a type is missing"
        for word, value in node.items():
            if word not in _WORDS and not any(_keeps(str(kind), word, value) for kind in listed):
                yield where, f"{word} is not supported"
        if "object" in listed:
            properties, required = node.get("properties"), node.get("required")
            names = list(properties) if isinstance(properties, Mapping) else []
            if not isinstance(required, list | tuple) or set(required) != set(names):
                yield where, "required must name every property"
            if node.get("additionalProperties") is not False:
                yield where, "additionalProperties must be false"
        if "array" in listed and not isinstance(node.get("items"), Mapping):
            yield where, "items is missing"
    yield from (("", problem) for problem in broken_limits(schema))


def broken_limits(schema: Mapping[str, object]) -> Iterator[str]:
    """Every limit of size that a converted schema breaks."""
    found = dict.fromkeys(LIMITS, 0)
    found["levels"] = _levels(schema)
    for _, node in each_schema(schema):
        for word in ("properties", "$defs"):
            names = node.get(word)
            if isinstance(names, Mapping):
                found["characters of names and values"] += sum(map(len, names))
                found["properties"] += len(names) if word == "properties" else 0
        values = node.get("enum")
        if isinstance(values, list | tuple):
            length = sum(len(value) for value in values if isinstance(value, str))
            found["enum values"] += len(values)
            found["characters of names and values"] += length
            if len(values) > _LARGE_ENUM and length > _LARGE_ENUM_CHARACTERS:
                yield f"an enum of {len(values)} values has {length} characters, {_LARGE_ENUM_CHARACTERS} are allowed"
    for what, limit in LIMITS.items():
        if found[what] > limit:
            yield f"{found[what]} {what}, {limit} are allowed"


def _levels(schema: Mapping[str, object]) -> int:
    """How deep objects and lists are nested; the root is level 1."""
    inner: list[object] = []
    for word in ("properties", "$defs"):
        value = schema.get(word)
        inner.extend(value.values() if isinstance(value, Mapping) else ())
    inner.append(schema.get("items"))
    deepest = max((_levels(node) for node in inner if isinstance(node, Mapping)), default=0)
    union = schema.get("anyOf")
    if isinstance(union, list | tuple):
        # An alternative stands on the level of its union.
        return max([deepest, *(_levels(node) for node in union if isinstance(node, Mapping))])
    kinds = schema.get("type")
    listed = kinds if isinstance(kinds, list | tuple) else [kinds]
    return deepest + 1 if {"object", "array"} & set(listed) else deepest
