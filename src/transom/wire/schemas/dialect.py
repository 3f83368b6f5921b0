"""What a target understands of JSON Schema, as data: the keywords it keeps and the forms it wants.

Knows no target. Each target's module holds one ``Dialect`` and the sources of its rules, and checks a finished schema by
itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

__all__ = ["Dialect", "each_schema", "is_deeper"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """A subset of JSON Schema.

    Attributes:
        name: the profile.
        keeps: whether a constraint may stand: called with the type, the keyword and its value.
        null: how "or null" is written: as a further type, as ``nullable``, or as one more alternative.
        exclusive_bounds: ``exclusiveMinimum`` and ``exclusiveMaximum`` are known.
        enum_types: types that may carry ``enum``.
        all_required: every property is required, and what was optional may be null.
        closed: objects say ``additionalProperties: false``.
        references: a schema that holds itself may stay so, through ``$defs``.
        lone_unions: beside ``anyOf`` nothing else may stand.
        empty_objects: an object without properties is taken.
    """

    name: str
    keeps: Callable[[str, str, object], bool]
    null: Literal["type", "nullable", "alternative"]
    exclusive_bounds: bool
    enum_types: frozenset[str]
    all_required: bool = False
    closed: bool = False
    references: bool = False
    lone_unions: bool = False
    empty_objects: bool = False


def each_schema(schema: Mapping[str, object], where: str = "") -> Iterator[tuple[str, Mapping[str, object]]]:
    """A converted schema and all schemas inside it, each with its JSON pointer."""
    yield where, schema
    for word in ("properties", "$defs"):
        inner = schema.get(word)
        if isinstance(inner, Mapping):
            for name, value in inner.items():
                if isinstance(value, Mapping):
                    yield from each_schema(value, f"{where}/{word}/{pointed(name)}")
    items = schema.get("items")
    if isinstance(items, Mapping):
        yield from each_schema(items, f"{where}/items")
    union = schema.get("anyOf")
    if isinstance(union, list | tuple):
        for index, value in enumerate(union):
            if isinstance(value, Mapping):
                yield from each_schema(value, f"{where}/anyOf/{index}")


def is_deeper(schema: Mapping[str, object], levels: int) -> bool:
    """Whether objects and lists in a schema are nested deeper than so many levels; one that contains itself is."""
    ahead: list[tuple[object, int]] = [(schema, 1)]
    while ahead:
        value, level = ahead.pop()
        if level > levels:
            return True
        if isinstance(value, Mapping):
            ahead.extend((inner, level + 1) for inner in value.values() if isinstance(inner, Mapping | list | tuple))
        elif isinstance(value, list | tuple):
            ahead.extend((inner, level + 1) for inner in value if isinstance(inner, Mapping | list | tuple))
    return False


def pointed(name: str) -> str:
    """A key as a step of a JSON pointer (RFC 6901)."""
    return name.replace("~", "~0").replace("/", "~1")
