"""The path language of ``json_query``: ``.users[0].name``, ``.items[*].id``, ``."a.b"``, ``.list[-1]``, ``.list[0:5]``.

Knows values, no files and no words. A step is a key, an index, a slice or ``*``. A path without those two means one value;
behind the first of those it means the list of all it finds, and values without the next key are left out. ``| keys`` and
``| length`` may end it. Keys are keys of the document, never attributes of anything. A present null is a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ....errors import JSONError
from ....jsontext import dumps_text, loads

__all__ = ["MOST_STEPS", "BadQuery", "Found", "Missing", "Query", "find", "parse"]

MOST_STEPS = 50

Step: TypeAlias = "str | int | slice[int | None, int | None, None] | Every"
Filter = Literal["", "keys", "length"]

_KEY = re.compile(r"[^\s.\[\]\"'|*]+")
_DOUBLE = re.compile(r'"(?:[^"\\]|\\.)*"')
_SINGLE = re.compile(r"'([^'\\]*)'")
_INDEX = re.compile(r"\s*(-?\d{1,12})\s*\]")
_SLICE = re.compile(r"\s*(-?\d{1,12})?\s*:\s*(-?\d{1,12})?\s*\]")
_STAR = re.compile(r"\s*\*?\s*\]")


@dataclass(frozen=True, slots=True)
class Every:
    """``*``: each item of a list, each value of an object."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query that was read.

    Attributes:
        steps: its steps; none for the whole document.
        filter: what is done with each value it finds.
    """

    steps: tuple[Step, ...]
    filter: Filter = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a query found.

    Attributes:
        value: the value, or the list of them.
        number: how many values there were.
    """

    value: object
    number: int


class BadQuery(Exception):
    """A query that cannot be read.

    Attributes:
        position: of the character that does not fit, from 1.
        found: what stands there; empty at the end.
        long: it has too many steps.
    """

    def __init__(self, position: int, found: str = "", *, long: bool = False) -> None:
        super().__init__(position)
        self.position, self.found, self.long = position, found, long


class Missing(Exception):
    """A path that ends where there is nothing.

    Attributes:
        where: the path up to there; empty for the document.
        value: what is there.
        step: what it does not have.
    """

    def __init__(self, where: str, value: object, step: str | int) -> None:
        super().__init__(where)
        self.where, self.value, self.step = where, value, step


def parse(text: str) -> Query:
    """Read a query. It may begin with ``$`` or with a key without a dot.

    Raises:
        BadQuery: says where.
    """
    end = len(text.rstrip())
    position = _behind_space(text, 0)
    if text.startswith("$", position):
        position += 1
    steps: list[Step] = []
    chosen: Filter = ""
    first = True
    while position < end:
        character = text[position]
        if character == "|" or (character.isspace() and text[position:end].lstrip().startswith("|")):
            chosen = _filter(text, position, end)
            break
        if character == "[":
            step, position = _bracketed(text, position + 1)
        elif character == "." and position + 1 >= end:
            if steps:
                raise BadQuery(position + 2)
            break
        elif character == "." and text[position + 1 : end].lstrip().startswith("|") and not steps:
            position += 1
            continue
        elif character == "." and text[position + 1] == "[":
            # ``.[0]`` of people who know jq; ``.a.[0]`` as well.
            position += 1
            continue
        elif character == "." or first:
            step, position = _named(text, position + (character == "."))
        else:
            raise BadQuery(position + 1, text[position:end].strip()[:20])
        steps.append(step)
        first = False
        if len(steps) > MOST_STEPS:
            raise BadQuery(position, long=True)
    return Query(tuple(steps), chosen)


def _named(text: str, position: int) -> tuple[Step, int]:
    """A key, in quotes or not, or ``*``."""
    if text.startswith("*", position):
        return Every(), position + 1
    quoted = _quoted(text, position)
    if quoted is not None:
        return quoted
    match = _KEY.match(text, position)
    if match is None:
        raise BadQuery(position + 1, text[position : position + 1])
    return match[0], match.end()


def _bracketed(text: str, position: int) -> tuple[Step, int]:
    """An index, a slice, ``*`` or nothing, or a key in quotes, with the bracket that ends it."""
    position = _behind_space(text, position)
    quoted = _quoted(text, position)
    if quoted is not None:
        key, after = quoted
        after = _behind_space(text, after)
        if not text.startswith("]", after):
            raise BadQuery(after + 1, text[after : after + 1])
        return key, after + 1
    if match := _INDEX.match(text, position):
        return int(match[1]), match.end()
    if match := _SLICE.match(text, position):
        return slice(*(int(part) if part else None for part in match.groups())), match.end()
    if match := _STAR.match(text, position):
        return Every(), match.end()
    raise BadQuery(position + 1, text[position : position + 1])


def _behind_space(text: str, position: int) -> int:
    return len(text) - len(text[position:].lstrip()) if position < len(text) else position


def _quoted(text: str, position: int) -> tuple[str, int] | None:
    """A key in quotes, those of JSON with their escapes, single ones without."""
    if match := _DOUBLE.match(text, position):
        try:
            key = loads(match[0])
        except JSONError:
            raise BadQuery(position + 1, match[0]) from None
        return str(key), match.end()
    if match := _SINGLE.match(text, position):
        return match[1], match.end()
    return None


def _filter(text: str, position: int, end: int) -> Filter:
    name = text[position:end].lstrip()[1:].strip()
    if name == "keys":
        return "keys"
    if name == "length":
        return "length"
    raise BadQuery(position + 1, text[position:end].strip())


def find(document: object, query: Query) -> Found:
    """What a query finds.

    Raises:
        Missing: there is nothing before the first ``*`` or slice, or at the end of a path without; or ``keys`` or ``length`` of
            what has none.
    """
    value, where = document, ""
    for place, step in enumerate(query.steps):
        if isinstance(step, Every | slice):
            if not isinstance(value, list) and not (isinstance(value, dict) and isinstance(step, Every)):
                raise Missing(where, value, 0)
            where += "".join(map(_shown, query.steps[place:]))
            values = [_filtered(item, query, where) for item in _each(value, query.steps[place:])]
            return Found(value=values, number=len(values))
        if not _has(value, step):
            raise Missing(where, value, step)
        value = value[step]  # type: ignore[index]
        where += _shown(step)
    return Found(value=_filtered(value, query, where), number=1)


def _has(value: object, step: str | int) -> bool:
    if isinstance(step, str):
        return isinstance(value, dict) and step in value
    return isinstance(value, list) and -len(value) <= step < len(value)


def _each(value: object, steps: Sequence[Step]) -> Iterator[object]:
    if not steps:
        yield value
        return
    first, *rest = steps
    match first:
        case Every():
            inside = value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else []
        case slice():
            inside = value[first] if isinstance(value, list) else []
        case _:
            inside = [value[first]] if _has(value, first) else []  # type: ignore[index]
    for item in inside:
        yield from _each(item, rest)


def _filtered(value: object, query: Query, where: str) -> object:
    if query.filter == "keys":
        if not isinstance(value, dict):
            raise Missing(where, value, "| keys")
        return list(value)
    if query.filter == "length":
        if not isinstance(value, dict | list | str):
            raise Missing(where, value, "| length")
        return len(value)
    return value


def _shown(step: Step) -> str:
    match step:
        case str():
            return f".{step}" if _KEY.fullmatch(step) else f".{dumps_text(step)}"
        case int():
            return f"[{step}]"
        case slice():
            return "[{}:{}]".format(*("" if end is None else end for end in (step.start, step.stop)))
        case _:
            return "[*]"
