"""Tool parameters on their way from one provider to another.

Knows JSON Schema. Three of the four formats take a schema as it is. Gemini reads a subset in ``parameters``; which keywords it
would ignore or refuse is said here, so that nothing is weakened in silence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

__all__ = ["GEMINI_KEYWORDS", "unsupported_keywords"]

GEMINI_KEYWORDS = frozenset(
    {
        "type",
        "format",
        "title",
        "description",
        "nullable",
        "enum",
        "maxItems",
        "minItems",
        "properties",
        "required",
        "minProperties",
        "maxProperties",
        "minLength",
        "maxLength",
        "pattern",
        "example",
        "anyOf",
        "propertyOrdering",
        "default",
        "items",
        "minimum",
        "maximum",
    }
)
"""Keywords of Gemini's ``Schema`` (https://ai.google.dev/api/caching#Schema)."""

_NAMED = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLE = ("items", "not", "additionalProperties", "if", "then", "else", "contains", "propertyNames")


def unsupported_keywords(schema: object, supported: frozenset[str] = GEMINI_KEYWORDS) -> tuple[str, ...]:
    """The keywords of a schema that are not among ``supported``, sorted, at any depth."""
    return tuple(sorted({keyword for keyword in _keywords(schema) if keyword not in supported}))


def _keywords(schema: object) -> Iterator[str]:
    pending = [schema]
    while pending:
        current = pending.pop()
        if not isinstance(current, Mapping):
            continue
        yield from current
        for keyword in _NAMED:
            inner = current.get(keyword)
            if isinstance(inner, Mapping):
                pending.extend(inner.values())
        for keyword in _LISTS:
            inner = current.get(keyword)
            if isinstance(inner, list):
                pending.extend(inner)
        pending.extend(current[keyword] for keyword in _SINGLE if keyword in current)
