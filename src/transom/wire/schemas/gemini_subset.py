"""Profile ``gemini``: the ``Schema`` of the Gemini API, a subset of OpenAPI 3.0, for a declaration's ``parameters``.

One type a schema; ``nullable`` instead of a null type; ``enum`` for texts only; no references, no ``const``, no
``additionalProperties``; lists say what they hold and objects what their properties are; beside ``anyOf`` nothing else stands.
Kept are lengths, numbers of items and properties, inclusive bounds, and patterns without look-around. Of the formats of texts
the developer API takes ``date-time`` only (``enum`` it takes too; we have no use for it).

Sources: https://ai.google.dev/api/caching#Schema, https://ai.google.dev/gemini-api/docs/function-calling,
https://firebase.google.com/docs/reference/js/ai.schemashared (formats). Messages of refusals: "Unknown name "const" at
'tools[0].function_declarations[0].parameters…': Cannot find field.", "…required[0]: property is not defined", "…items: missing
field", "…properties: should be non-empty for OBJECT type", "When using any_of, it must be the only field set."
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from .dialect import Dialect, each_schema

__all__ = ["DIALECT", "broken_rules"]

_KEPT = {
    "string": {"minLength", "maxLength", "pattern", "format"},
    "integer": {"minimum", "maximum", "format"},
    "number": {"minimum", "maximum", "format"},
    "array": {"minItems", "maxItems"},
    "object": {"minProperties", "maxProperties"},
}
_FORMATS = {"string": {"date-time"}, "integer": {"int32", "int64"}, "number": {"float", "double"}}
_WORDS = {"type", "description", "nullable", "enum", "anyOf", "properties", "required", "items"}
_TYPES = {"string", "integer", "number", "boolean", "array", "object"}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
"""Names of parameters, as the reference of ``FunctionDeclaration`` gives them."""


def _keeps(kind: str, word: str, value: object) -> bool:
    if word == "format":
        return value in _FORMATS.get(kind, ())
    if word == "pattern" and ("(?" in str(value) or re.search(r"\\[1-9]", str(value))):
        return False
    return word in _KEPT.get(kind, ())


DIALECT = Dialect(
    name="gemini",
    keeps=_keeps,
    null="nullable",
    exclusive_bounds=False,
    enum_types=frozenset({"string"}),
    lone_unions=True,
)
"""What a declaration's ``parameters`` understand."""


def broken_rules(schema: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Every rule of the API's ``Schema`` that a schema breaks: its JSON pointer and what is wrong."""
    for where, node in each_schema(schema):
        if "anyOf" in node:
            if len(node) > 1:
                yield where, "beside anyOf nothing else may stand"
            continue
        kind = node.get("type")
        if kind not in _TYPES:
            yield where, "one type is needed"
        for word, value in node.items():
            if word not in _WORDS and not _keeps(str(kind), word, value):
                yield where, f"{word} is not known"
        if "enum" in node:
            values = node["enum"]
            if kind != "string" or not isinstance(values, list | tuple) or not all(isinstance(v, str) and v for v in values):
                yield where, "enum is for texts that are not empty"
        if kind == "array" and not isinstance(node.get("items"), Mapping):
            yield where, "items is missing"
        if kind == "object":
            properties = node.get("properties")
            names = list(properties) if isinstance(properties, Mapping) else []
            if not names and where:
                yield where, "properties should be non-empty"
            required = node.get("required", ())
            if not isinstance(required, list | tuple) or not set(required) <= set(names):
                yield where, "a required property is not defined"
            yield from ((where, f"the name {name!r} is not taken") for name in names if not _NAME.fullmatch(name))
