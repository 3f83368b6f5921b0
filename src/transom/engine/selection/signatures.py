"""Signatures: which arguments a tool takes, as a check needs it and as a line that a model reads.

Knows JSON Schema as far as names go: properties, required, references within the document, and unions of objects. Values are
not looked at: what a value has to be, the tool says itself when it is called.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from ...jsontext import dumps_text
from ...messages import Tool
from .descriptions import sentences

__all__ = ["Parameters", "parameters_of", "signature", "summary"]

_DEEPEST = 16
"""References and unions followed before a schema counts as open: one that leads into itself ends."""
_MOST_VALUES = 6
"""Values of an enumeration that a signature names."""
_SHOWN = 160
"""Characters of a description in a line."""
_ESCAPED = re.compile(r"~[01]")


@dataclass(slots=True)
class Parameters:
    """The arguments of a tool.

    Attributes:
        properties: their schemas by name, in order.
        required: those that every call needs.
        open: further names are allowed, or nobody can say.
    """

    properties: dict[str, object] = field(default_factory=dict)
    required: list[str] = field(default_factory=list)
    open: bool = False


def parameters_of(tool: Tool) -> Parameters:
    """What a tool takes. A tool without a schema takes anything; one whose schema names its arguments takes no others, unless
    the schema says that it does.
    """
    found = Parameters()
    if tool.kind != "function" or tool.parameters is None:
        found.open = True
        return found
    named = _gather(tool.parameters, tool.parameters, found, _DEEPEST)
    found.open = found.open or not named
    for name in found.required:
        found.properties.setdefault(name, {})
    return found


def signature(tool: Tool) -> str:
    """A tool as a line of code: ``read_file(path: string, limit?: integer)``."""
    known = parameters_of(tool)
    arguments = [f"{name}{'' if name in known.required else '?'}: {_type(schema)}" for name, schema in known.properties.items()]
    return f"{tool.name}({', '.join([*arguments, '…'] if known.open else arguments)})"


def summary(tool: Tool) -> str:
    """The first sentence of a tool's description, cut where it is long."""
    first = next(iter(sentences(tool.description)), "")
    return first if len(first) <= _SHOWN else first[: _SHOWN - 1].rstrip() + "…"


def _gather(schema: Mapping[str, object], root: Mapping[str, object], found: Parameters, depth: int) -> bool:
    """Take in what one object schema says; whether it names its arguments."""
    if depth == 0:
        found.open = True
        return True
    properties, named = schema.get("properties"), False
    if isinstance(properties, Mapping):
        named = True
        for name, value in properties.items():
            found.properties.setdefault(str(name), value)
    required = schema.get("required")
    if isinstance(required, Sequence) and not isinstance(required, str):
        found.required.extend(str(name) for name in required if name not in found.required)
    if schema.get("additionalProperties", False) is not False or schema.get("patternProperties"):
        found.open = True
    for inner, optional in _inner(schema, root):
        if inner is None:
            found.open = named = True
            continue
        before = list(found.required)
        named = _gather(inner, root, found, depth - 1) or named
        if optional:
            found.required[:] = before
    return named


def _inner(schema: Mapping[str, object], root: Mapping[str, object]) -> Iterator[tuple[Mapping[str, object] | None, bool]]:
    """The schemas that say more of the same object, and whether they are alternatives; ``None`` for one that is not found."""
    if "$ref" in schema:
        yield _resolved(schema["$ref"], root), False
    for word, optional in (("allOf", False), ("anyOf", True), ("oneOf", True)):
        members = schema.get(word)
        for member in members if isinstance(members, list | tuple) else ():
            if isinstance(member, Mapping):
                yield member, optional


def _resolved(reference: object, root: Mapping[str, object]) -> Mapping[str, object] | None:
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    place: object = root
    for step in reference[1:].split("/")[1:]:
        if not isinstance(place, Mapping):
            return None
        place = place.get(_ESCAPED.sub(lambda found: "~" if found[0] == "~0" else "/", step))
    return place if isinstance(place, Mapping) else None


def _type(schema: object) -> str:
    """A type in a few characters."""
    if not isinstance(schema, Mapping):
        return "any"
    values = schema.get("enum")
    if isinstance(values, list | tuple) and values:
        shown = "|".join(dumps_text(value) for value in islice(values, _MOST_VALUES))
        return shown if len(values) <= _MOST_VALUES else f"{shown}|…"
    kinds = schema.get("type")
    if kinds == "array":
        inner = _type(schema.get("items", {}))
        return f"({inner})[]" if "|" in inner else f"{inner}[]"
    if isinstance(kinds, str):
        return kinds
    if isinstance(kinds, list | tuple) and kinds:
        return "|".join(map(str, kinds))
    for word in ("anyOf", "oneOf"):
        members = schema.get(word)
        if isinstance(members, list | tuple) and members:
            return "|".join(dict.fromkeys(_type(member) for member in members))
    return "any"
