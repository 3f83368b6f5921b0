"""Two schemas that both hold, as one: what ``allOf`` and the siblings of a reference or a union mean.

Knows JSON Schema's keywords, no target. Where both cannot be said in one schema the one further outside stays and the other
goes with a note: what is left allows more than the two together, never less.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...jsontext import canonical

__all__ = ["ANNOTATIONS", "merge"]

Note = Callable[[str, str], None]
"""Takes the keyword that was given up, and why."""

ANNOTATIONS = frozenset(
    {"title", "description", "default", "examples", "example", "deprecated", "readOnly", "writeOnly", "$comment", "$schema",
     "$id", "$anchor", "$defs", "definitions"}
)  # fmt: skip
"""Keywords that constrain nothing."""

_LOWER = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"})
_UPPER = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"})
_SCHEMAS = frozenset({"items", "additionalProperties", "contains", "propertyNames"})


def merge(outer: Mapping[str, object], inner: Mapping[str, object], note: Note) -> dict[str, object]:
    """One schema for two that both hold.

    Args:
        outer: the one that stands further outside; its annotations win.
        inner: the other.
        note: told what had to be given up.
    """
    merged = dict(outer)
    for word, value in inner.items():
        if word not in merged:
            merged[word] = value
        elif word not in ANNOTATIONS and not _same(merged[word], value):
            merged[word] = _both(word, merged[word], value, note)
    return merged


def _same(one: object, other: object) -> bool:
    """Whether two definitions are equal; of such that are too deep to compare, that they are not."""
    try:
        return one == other
    except RecursionError:
        # Both are written then, and cut where any schema is.
        return False


def _both(word: str, one: object, other: object, note: Note) -> object:
    if word == "properties" and isinstance(one, Mapping) and isinstance(other, Mapping):
        both = dict(one)
        for name, value in other.items():
            both[name] = {"allOf": [both[name], value]} if name in both and not _same(both[name], value) else value
        return both
    if word == "required" and isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return list(dict.fromkeys((*one, *other)))
    if word == "type":
        return _types(one, other, note)
    if word == "enum" and isinstance(one, list | tuple) and isinstance(other, list | tuple):
        allowed = {canonical(value) for value in other}
        common = [value for value in one if canonical(value) in allowed]
        if not common:
            note(word, "two lists of values have none in common")
        return common or one
    if word in _SCHEMAS:
        if one is False or other is False:
            return False
        return {"allOf": [one, other]}
    if word in _LOWER | _UPPER and isinstance(one, int | float) and isinstance(other, int | float):
        return max(one, other) if word in _LOWER else min(one, other)
    note(word, "two of them hold at one place, the outer one stayed")
    return one


def _types(one: object, other: object, note: Note) -> object:
    first = list(one) if isinstance(one, list | tuple) else [one]
    second = list(other) if isinstance(other, list | tuple) else [other]
    common = [kind for kind in first if kind in second or (kind == "integer" and "number" in second)]
    common += [kind for kind in second if kind == "integer" and "number" in first and kind not in common]
    if not common:
        note("type", "two types that exclude each other")
        return one
    return common if len(common) > 1 else common[0]
