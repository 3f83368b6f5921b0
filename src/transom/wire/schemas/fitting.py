"""Whether a value fits a converted schema.

Knows the few keywords that conversions write. It tells alternatives apart; whether arguments are right is for the tool to
check.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from ...jsontext import canonical

__all__ = ["fits"]


def fits(schema: Mapping[str, object], value: object, defs: Mapping[str, Mapping[str, object]], *, bounds: bool = True) -> bool:
    """Whether a value has the types, listed values and names of a schema.

    Args:
        schema: as a conversion writes it.
        value: parsed JSON.
        defs: the definitions that references lead to, by name.
        bounds: look at bounds and patterns too.
    """
    reference = schema.get("$ref")
    if isinstance(reference, str):
        return fits(defs.get(reference.rpartition("/")[2], {}), value, defs, bounds=bounds)
    union = schema.get("anyOf")
    if isinstance(union, list | tuple):
        return any(isinstance(branch, Mapping) and fits(branch, value, defs, bounds=bounds) for branch in union)
    if value is None and schema.get("nullable") is True:
        return True
    kinds = schema.get("type", ())
    if not any(_is(value, kind) for kind in (kinds if isinstance(kinds, list | tuple) else (kinds,))):
        return False
    values = schema.get("enum")
    if isinstance(values, list | tuple) and canonical(value) not in {canonical(allowed) for allowed in values}:
        return False
    if bounds and not all(_within(word, said, value) for word, said in schema.items()):
        return False
    if isinstance(value, Mapping):
        properties, required = schema.get("properties"), schema.get("required")
        known = properties if isinstance(properties, Mapping) else {}
        if isinstance(required, list | tuple) and not all(name in value for name in required):
            return False
        for name, item in value.items():
            inner = known.get(name)
            if not isinstance(inner, Mapping) or not fits(inner, item, defs, bounds=bounds):
                return False
        return True
    items = schema.get("items")
    if isinstance(value, list | tuple) and isinstance(items, Mapping):
        return all(fits(items, item, defs, bounds=bounds) for item in value)
    return True


def _is(value: object, kind: object) -> bool:
    match kind:
        case "null":
            return value is None
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
            return whole and not isinstance(value, bool)
        case "number":
            return not isinstance(value, bool | str | Mapping | list | tuple) and value is not None
        case "string":
            return isinstance(value, str)
        case "array":
            return isinstance(value, list | tuple)
        case _:
            return isinstance(value, Mapping)


def _within(word: str, said: object, value: object) -> bool:
    """Whether a value keeps one bound; true for keywords that are none, and for values of another type."""
    if word == "pattern" and isinstance(said, str) and isinstance(value, str):
        try:
            return re.search(said, value) is not None
        except re.error:
            return True
    if not isinstance(said, int | float):
        return True
    if isinstance(value, int | float) and not isinstance(value, bool):
        match word:
            case "minimum":
                return value >= said
            case "maximum":
                return value <= said
            case "exclusiveMinimum":
                return value > said
            case "exclusiveMaximum":
                return value < said
            case "multipleOf" if said:
                return math.isclose(value / said, round(value / said), abs_tol=1e-9)
        return True
    if isinstance(value, str | list | tuple | Mapping):
        kind = "Length" if isinstance(value, str) else "Properties" if isinstance(value, Mapping) else "Items"
        if word == f"min{kind}":
            return len(value) >= said
        if word == f"max{kind}":
            return len(value) <= said
    return True
