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
"""Arrays and unions in each other that a type in a signature names."""
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
    named = _gather(tool.parameters, found)
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


def _gather(root: Mapping[str, object], found: Parameters) -> bool:
    """Take in what all schemas of the one object say, each once; whether any of them names its arguments."""
    named = False
    # What is alternative makes nothing required; where both ways lead to a schema, it is read again for what it requires.
    seen: set[tuple[int, bool]] = set()
    ahead: list[tuple[Mapping[str, object] | None, bool]] = [(root, False)]
    while ahead:
        schema, optional = ahead.pop()
        if schema is None:
            found.open = named = True
            continue
        if (id(schema), optional) in seen or (id(schema), False) in seen:
            continue
        seen.add((id(schema), optional))
        properties = schema.get("properties")
        if isinstance(properties, Mapping):
            named = True
            for name, value in properties.items():
                found.properties.setdefault(str(name), value)
        required = schema.get("required")
        if not optional and isinstance(required, Sequence) and not isinstance(required, str):
            found.required.extend(str(name) for name in required if name not in found.required)
        if schema.get("additionalProperties", False) is not False or schema.get("patternProperties"):
            found.open = True
        ahead.extend(reversed([(inner, optional or either) for inner, either in _inner(schema, root)]))
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


def _type(schema: object, depth: int = _DEEPEST) -> str:
    """A type in a few characters."""
    if depth == 0 or not isinstance(schema, Mapping):
        return "any"
    values = schema.get("enum")
    if isinstance(values, list | tuple) and values:
        shown = "|".join(dumps_text(value) for value in islice(values, _MOST_VALUES))
        return shown if len(values) <= _MOST_VALUES else f"{shown}|…"
    kinds = schema.get("type")
    if kinds == "array":
        inner = _type(schema.get("items", {}), depth - 1)
        return f"({inner})[]" if "|" in inner else f"{inner}[]"
    if isinstance(kinds, str):
        return kinds
    if isinstance(kinds, list | tuple) and kinds:
        return "|".join(map(str, kinds))
    for word in ("anyOf", "oneOf"):
        members = schema.get(word)
        if isinstance(members, list | tuple) and members:
            return "|".join(dict.fromkeys(_type(member, depth - 1) for member in members))
    return "any"
