"""Dynamic state: what an agent knows of its own situation, as XML that a model reads.

Pure. A value becomes plain JSON values once, when it is set, and one text: the same value gives the same bytes, whatever order
its keys were put in. The text is well-formed XML 1.0 whatever the value holds, and says everything the value says:

- a key is an element, or ``<entry key="…">`` where it is no XML name; an entry of a list is ``<item>``;
- numbers, ``true``, ``false`` and ``null`` stand as JSON spells them; text that reads like one of these says ``type="text"``;
- an empty list or mapping says so; text that holds what XML forbids is ``type="json"``, a JSON string.

Models are taken by shape (``model_dump``, ``model_validate``): nothing of pydantic is imported.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from json import dumps
from math import isfinite
from pathlib import PurePath
from typing import Literal
from uuid import UUID

from ...errors import InputError

__all__ = ["DynamicState", "StatePlace", "plain_state", "render_state", "validated"]

StatePlace = Literal["last_user", "system"]
"""Where state stands: at the effective tail, or in the system prompt, where it is frozen until the window closes."""

DEEPEST = 64
"""Levels of nesting that a state may have; more is a value that holds itself."""

_MOST_BITS = 2_048
"""Integers of that size have less than 640 digits, the smallest bound that Python can be set to."""

_NAME = re.compile(r"(?!(?i:xml))[A-Za-z_][A-Za-z0-9_.-]*\Z")
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LITERAL = re.compile(r"(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)\Z")
_IN_TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
_IN_ATTRIBUTE = {**_IN_TEXT, ord('"'): "&quot;", ord("\t"): "&#9;", ord("\n"): "&#10;"}


@dataclass(frozen=True, slots=True)
class DynamicState:
    """State as it was when it was set; a change to the object it was made of changes nothing here.

    Args:
        value: a pydantic model, a dataclass, a mapping; nested lists, mappings and scalars inside.
        tag: the element around it, an XML name.
        place: ``last_user`` puts it at the tail, ``system`` behind the system prompt, frozen until the window closes.

    Attributes:
        value: the same as JSON values.
        text: the XML.

    Raises:
        InputError: a value that JSON cannot hold, a tag that is no XML name, or an unknown place.
    """

    value: object
    tag: str = field(default="state", kw_only=True)
    place: StatePlace = field(default="last_user", kw_only=True)
    text: str = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.place not in ("last_user", "system"):
            raise InputError(f"state has no place {self.place!r}", hint="last_user or system")
        value = plain_state(self.value)
        object.__setattr__(self, "value", value)
        object.__setattr__(self, "text", _document(value, self.tag))


def render_state(value: object, tag: str = "state") -> str:
    """A value as XML.

    Args:
        value: as ``DynamicState`` takes it.
        tag: the outermost element.

    Raises:
        InputError: a value that JSON cannot hold, or a tag that is no XML name.
    """
    return _document(plain_state(value), tag)


def validated(value: object, schema: object) -> object:
    """A value as an instance of a schema.

    Args:
        value: a mapping, or an instance, which is taken as it is.
        schema: a pydantic model class, or anything with ``model_validate`` that raises a ``ValueError``.

    Raises:
        InputError: it does not fit; every field is named. Or the schema is none.
    """
    check = getattr(schema, "model_validate", None)
    if not callable(check):
        raise InputError(
            f"a schema of state is a pydantic model class, not {type(schema).__name__}", hint="class Progress(BaseModel): …"
        )
    try:
        return check(value)
    except ValueError as error:
        raise InputError(f"state does not fit {getattr(schema, '__name__', 'its schema')}: {_complaint(error)}") from error


def _complaint(error: ValueError) -> str:
    listed = getattr(error, "errors", None)
    found = listed() if callable(listed) else ()
    said = [
        f"{'.'.join(map(str, item.get('loc', ()))) or 'the whole'}: {item.get('msg', 'invalid')}"
        for item in found
        if isinstance(item, Mapping)
    ]
    return "; ".join(said) or str(error)


def plain_state(value: object) -> object:
    """A value as JSON values with keys in order.

    Raises:
        InputError: something in it that JSON cannot hold; names the place.
    """
    return _plain(value, "", 0)


def _plain(value: object, where: str, depth: int) -> object:
    if depth > DEEPEST:
        raise InputError(f"state is nested more than {DEEPEST} levels deep at {_place(where)}", hint="does it hold itself?")
    match value:
        case None | bool() | str() if not isinstance(value, Enum):
            return value
        case Enum():
            return _plain(value.value, where, depth + 1)
        case int():
            _check_digits(value, where)
            return value
        case float() if isfinite(value):
            return value
        case float():
            raise InputError(f"state holds {value} at {_place(where)}, which JSON cannot", hint="say it in words")
        case datetime() | date() | time():
            return value.isoformat()
        case Decimal() | UUID() | PurePath():
            return str(value)
        case Mapping():
            return _mapping(value, where, depth)
        case AbstractSet():
            return sorted((_plain(item, where, depth + 1) for item in value), key=_sorting)
        case Sequence() if not isinstance(value, bytes | bytearray | memoryview):
            return [_plain(item, f"{where}[{index}]", depth + 1) for index, item in enumerate(value)]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields: dict[object, object] = {item.name: getattr(value, item.name) for item in dataclasses.fields(value)}
        return _mapping(fields, where, depth)
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        return _plain(_in_order(dump(mode="json"), dump()), where, depth + 1)
    raise InputError(f"state holds {type(value).__name__} at {_place(where)}", hint="text, numbers, lists, mappings, models")


def _mapping(value: Mapping[object, object], where: str, depth: int) -> dict[str, object]:
    named: dict[str, object] = {}
    for key, item in value.items():
        name = _key(key, where)
        if name in named:
            raise InputError(f"state has two keys {name!r} at {_place(where)}")
        named[name] = _plain(item, f"{where}.{name}" if where else name, depth + 1)
    return dict(sorted(named.items()))


def _key(key: object, where: str) -> str:
    plain = key.value if isinstance(key, Enum) else key
    if isinstance(plain, str):
        return str(plain)
    if plain is None or isinstance(plain, bool | int | float):
        if isinstance(plain, int):
            _check_digits(plain, where)
        return dumps(plain)
    if isinstance(plain, date | time | Decimal | UUID | PurePath):
        return plain.isoformat() if isinstance(plain, date | time) else str(plain)
    raise InputError(f"a key of state is {type(plain).__name__} at {_place(where)}", hint="use text for keys")


def _check_digits(value: int, where: str) -> None:
    """Refuse what no JSON parser in reach takes back; Python itself writes at most 4,300 digits.

    Raises:
        InputError: names the place.
    """
    if value.bit_length() > _MOST_BITS:
        raise InputError(f"state holds an integer of too many digits at {_place(where)}", hint="say it in words, or as text")


def _in_order(dumped: object, original: object) -> object:
    """JSON values of a model, its sets in order: a set of texts lists itself differently in each process."""
    if isinstance(original, AbstractSet) and isinstance(dumped, list):
        return sorted(dumped, key=_sorting)
    if isinstance(original, Mapping) and isinstance(dumped, Mapping) and len(original) == len(dumped):
        return {key: _in_order(item, at) for (key, item), at in zip(dumped.items(), original.values(), strict=True)}
    if isinstance(original, list | tuple) and isinstance(dumped, list) and len(original) == len(dumped):
        return [_in_order(item, at) for item, at in zip(dumped, original, strict=True)]
    return dumped


def _sorting(value: object) -> str:
    return dumps(value, sort_keys=True)


def _place(where: str) -> str:
    return where or "its top"


def _document(value: object, tag: str) -> str:
    if not _NAME.match(tag):
        raise InputError(f"{tag!r} is no name for an XML element", hint="letters, digits, '_', '-' and '.'")
    lines: list[str] = []
    _element(value, tag, tag, "", lines)
    return "\n".join(lines)


def _element(value: object, opening: str, closing: str, indent: str, lines: list[str]) -> None:
    match value:
        case Mapping() if value:
            lines.append(f"{indent}<{opening}>")
            for key, item in value.items():
                if _NAME.match(key) and key != "item":
                    _element(item, key, key, indent + "  ", lines)
                else:
                    _element(item, f"entry{_attribute('key', key)}", "entry", indent + "  ", lines)
            lines.append(f"{indent}</{closing}>")
        case list() if value:
            lines.append(f"{indent}<{opening}>")
            for item in value:
                _element(item, "item", "item", indent + "  ", lines)
            lines.append(f"{indent}</{closing}>")
        case Mapping():
            lines.append(f'{indent}<{opening} type="object"/>')
        case list():
            lines.append(f'{indent}<{opening} type="list"/>')
        case _:
            kind, text = _scalar(value)
            lines.append(f"{indent}<{opening}{kind}>{text.translate(_IN_TEXT)}</{closing}>")


def _attribute(name: str, value: str) -> str:
    """An attribute; under another name, as a JSON string, where the value holds what XML forbids."""
    if _FORBIDDEN.search(value):
        name, value = f"{name}-json", dumps(value)
    return f' {name}="{value.translate(_IN_ATTRIBUTE)}"'


def _scalar(value: object) -> tuple[str, str]:
    """Its type attribute, where one is needed, and its text."""
    if not isinstance(value, str):
        return "", dumps(value)
    if _FORBIDDEN.search(value):
        return ' type="json"', dumps(value)
    return (' type="text"' if _LITERAL.match(value) else ""), value
