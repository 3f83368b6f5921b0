"""Profile ``grammar``: what llama.cpp and LM Studio can turn into a grammar, whichever build runs there.

Converters unroll bounds into repetitions. One ``maxLength`` of 2,000, or smaller ones that multiply over nesting, and
**every** call of the session fails with "failed to parse grammar"; patterns, references inside references and objects without
properties fail in some builds. So this profile carries no length bounds and no patterns, nothing that holds itself, no
reference and no empty object; what is left out is said in the description and checked in code. All definitions of a request
together stay below 90 kB: 97,102 bytes compiled, 100,026 did not.

Sources: https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md (JSON Schemas → GBNF, known limitations), and the
reports https://github.com/ggml-org/llama.cpp/issues/27859 (bounds), …/25923 (empty objects), …/25895 (bytes in all), …/8073
(nested references), …/7703 (properties beside unions).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .dialect import Dialect, each_schema

__all__ = ["DIALECT", "MOST_BYTES", "broken_rules"]

MOST_BYTES = 90_000
"""Bytes that the definitions of one request may have together."""

_FORMATS = {"date", "time", "date-time", "uuid"}
_WORDS = {"type", "description", "enum", "anyOf", "properties", "required", "items"}
_MOST = 10**9
"""Bounds of whole numbers become alternatives of digits; beyond this a bound says nothing that is worth them."""


def _keeps(kind: str, word: str, value: object) -> bool:
    if word == "format":
        return kind == "string" and value in _FORMATS
    return kind == "integer" and word in ("minimum", "maximum") and isinstance(value, int) and abs(value) <= _MOST


DIALECT = Dialect(
    name="grammar",
    keeps=_keeps,
    null="alternative",
    exclusive_bounds=False,
    enum_types=frozenset({"string", "integer", "number", "boolean"}),
)
"""What every build turns into a grammar."""


def broken_rules(schema: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Every rule of this profile that a schema breaks: its JSON pointer and what is wrong."""
    for where, node in each_schema(schema):
        kind = node.get("type")
        if not isinstance(kind, str) and "anyOf" not in node:
            yield where, "a type is missing"
        if "anyOf" in node and "properties" in node:
            yield where, "properties cannot stand beside a union"
        for word, value in node.items():
            if word not in _WORDS and not _keeps(str(kind), word, value):
                yield where, f"{word} is not safe in a grammar"
        if kind == "array" and not isinstance(node.get("items"), Mapping):
            yield where, "items is missing"
        if kind == "object" and not node.get("properties"):
            yield where, "an object needs a property"
