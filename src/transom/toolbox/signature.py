"""A function's parameters as JSON Schema and as a check, both from one msgspec struct; descriptions from its docstring.

Knows no tool. An optional parameter is shown without ``null`` (grammars and models do better with one type) and takes ``null``
all the same: models send it for what they leave out.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Mapping
from functools import cached_property
from types import NoneType, UnionType
from typing import Literal, Union, get_args, get_origin

import msgspec

from .saying import sayable

__all__ = ["Signature"]

_ANY = "any"
_LARGEST = 1 << 63
"""What a whole number must stay below."""
_ENTRY = re.compile(r"(?P<names>\w+(?:, \w+)*)(?: \([^)]*\))?: +(?P<text>.*)")


class Signature:
    """The arguments of one tool.

    Args:
        name: the tool's, for messages.
        body: the function; its first parameter is not an argument.
        hints: its resolved annotations.
    """

    def __init__(self, name: str, body: Callable[..., object], hints: Mapping[str, object]) -> None:
        self._name = name
        self._parameters = list(inspect.signature(body).parameters.values())[1:]
        self._hints = hints
        self.description, self._texts = _documented(inspect.getdoc(body) or "")

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters, in order."""
        return tuple(_wire(item.name) for item in self._parameters)

    @property
    def required(self) -> tuple[str, ...]:
        """Those without a default."""
        return tuple(_wire(item.name) for item in self._parameters if item.default is inspect.Parameter.empty)

    @cached_property
    def _struct(self) -> type[msgspec.Struct]:
        fields: list[tuple[str, type] | tuple[str, type, object]] = []
        for item in self._parameters:
            kind = self._hints[item.name]
            if item.default is inspect.Parameter.empty:
                fields.append((item.name, kind))  # type: ignore[arg-type]
            else:
                fields.append((item.name, _with_null(kind), item.default))  # type: ignore[arg-type]
        return msgspec.defstruct(self._name, fields, kw_only=True, forbid_unknown_fields=True, rename=_wire)

    def check(self, arguments: Mapping[str, object]) -> dict[str, object]:
        """The arguments as the function takes them; what is null or not given is left to the defaults.

        Numbers and booleans written as text are taken for what they say.

        Raises:
            msgspec.ValidationError: one that is missing, unknown, of the wrong type or out of bounds.
            RecursionError: nested too deeply.
        """
        try:
            made = msgspec.convert(dict(arguments), self._struct, strict=False)
        except UnicodeError:
            raise msgspec.ValidationError(f"Half of a surrogate pair stands in {_with_halves(arguments)}") from None
        except (ValueError, OverflowError) as error:
            if isinstance(error, msgspec.ValidationError):
                raise
            # CPython refuses to spell integers of more than 4,300 digits (sys.set_int_max_str_digits).
            raise msgspec.ValidationError("An integer value is out of range") from None
        given = {name for name, value in arguments.items() if value is not None}
        taken = {item.name: getattr(made, item.name) for item in self._parameters if _wire(item.name) in given}
        for name, value in taken.items():
            if not all(map(_is_in_range, value if isinstance(value, list) else (value,))):
                raise msgspec.ValidationError(f"A number is out of range - at `$.{_wire(name)}`")
        return taken

    @cached_property
    def schema(self) -> Mapping[str, object]:
        """The JSON Schema of the arguments: an object, without references, key order fixed."""
        (made,), parts = msgspec.json.schema_components([self._struct], schema_hook=_anything, ref_template="{name}")
        inlined = _inlined(parts[self._name] if "$ref" in made else made, parts)
        assert isinstance(inlined, dict)
        shown = inlined.get("properties", {})
        properties: dict[str, object] = {}
        for item in self._parameters:
            name = _wire(item.name)
            part = _without_null(shown[name])
            if "enum" in part and (written := _values(self._hints[item.name])):
                # msgspec sorts them and leaves their type out: their own order says more, and some targets want the type.
                part = {
                    **({"type": "string"} if all(isinstance(value, str) for value in written) else {}),
                    **part,
                    "enum": written,
                }
            text = self._texts.get(item.name, "")
            properties[name] = {**part, "description": text} if text else part
        schema: dict[str, object] = {"type": "object", "properties": properties}
        if needed := inlined.get("required"):
            schema["required"] = needed
        return {**schema, "additionalProperties": False}


def _wire(name: str) -> str:
    """What a model calls a parameter: a word that Python keeps for itself is written with an underscore behind it."""
    return name.removesuffix("_")


def _is_in_range(value: object) -> bool:
    """Whether a number is one that systems count in: msgspec bounds no integer, and takes ``nan``."""
    match value:
        case int():
            return -_LARGEST <= value < _LARGEST
        case float():
            return math.isfinite(value)
        case _:
            return True


def _with_halves(arguments: Mapping[str, object]) -> str:
    """The arguments that are text which no encoding has."""
    texts = {name: f"{name}{value}" if isinstance(value, str) else name for name, value in arguments.items()}
    found = [name for name, text in texts.items() if sayable(text) != text]
    return ", ".join(f"`{name}`" for name in found) or "an argument"


def _anything(kind: type) -> dict[str, object]:
    if kind is object:
        # msgspec takes an empty schema for no answer.
        return {_ANY: True}
    raise NotImplementedError(f"a tool cannot take {kind}")


def _with_null(kind: object) -> object:
    if get_origin(kind) in {Union, UnionType} and NoneType in get_args(kind):
        return kind
    return kind | None  # type: ignore[operator]


def _values(kind: object) -> list[object]:
    """The values of a ``Literal``, wherever it stands in an annotation."""
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    return [value for part in get_args(kind) for value in _values(part)]


def _inlined(part: object, parts: Mapping[str, object]) -> object:
    """A schema with every reference replaced by what it names; titles, which only repeat names, are dropped."""
    match part:
        case {"$ref": str(name)}:
            return _inlined(parts[name], parts)
        case dict():
            # A property may have either name; what it holds is an object then.
            return {
                key: _inlined(value, parts)
                for key, value in part.items()
                if key not in {_ANY, "title"} or isinstance(value, dict)
            }
        case list():
            return [_inlined(value, parts) for value in part]
        case _:
            return part


def _without_null(part: Mapping[str, object]) -> dict[str, object]:
    shown = dict(part)
    match shown:
        case {"anyOf": list(kinds)} if {"type": "null"} in kinds:
            left = [kind for kind in kinds if kind != {"type": "null"}]
            del shown["anyOf"]
            shown = {**left[0], **shown} if len(left) == 1 else {"anyOf": left, **shown}
        case {"enum": list(values)} if None in values:
            shown["enum"] = [value for value in values if value is not None]
        case _:
            pass
    if shown.get("default", 0) is None:
        del shown["default"]
    return shown


def _documented(text: str) -> tuple[str, dict[str, str]]:
    """A docstring's description, and what its ``Args:`` say of each parameter."""
    told, _, rest = text.partition("\nArgs:\n")
    description = "\n".join(_paragraph(part) for part in told.strip().split("\n\n"))
    texts: dict[str, str] = {}
    current: tuple[str, ...] = ()
    for line in rest.splitlines():
        if line and not line.startswith(" "):
            break
        entry = _ENTRY.fullmatch(line.strip()) if line.startswith("    ") and not line.startswith("        ") else None
        if entry:
            current = tuple(entry["names"].split(", "))
            texts.update(dict.fromkeys(current, entry["text"].strip()))
        else:
            texts.update({name: f"{texts[name]} {line.strip()}".strip() for name in current})
    return description, texts


def _paragraph(text: str) -> str:
    """A paragraph as one line; an indented one, which shows a form, as it is written."""
    return text if all(line.startswith("    ") for line in text.splitlines()) else " ".join(text.split())
