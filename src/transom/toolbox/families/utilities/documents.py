"""YAML and TOML as JSON values, and JSON as YAML.

Knows texts and values, no files. What JSON does not have is either written as text, and said so (dates, keys that are no
text), or refused (infinities, a list that contains itself, an alias bomb). YAML is written so that readers of YAML 1.1 and 1.2
read the same: whatever could be taken for something else is quoted.
"""

from __future__ import annotations

import base64
import datetime as dt
import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from ....jsontext import dumps_text

__all__ = ["MOST_DEPTH", "MOST_VALUES", "Document", "Unreadable", "Unwritable", "from_toml", "from_yaml", "to_yaml"]

MOST_VALUES = 1_000_000
"""Values of one document, aliases unfolded."""
MOST_DEPTH = 100
"""Levels of a document: what is written level by level takes frames of the interpreter for each."""


class Unreadable(Exception):
    """The text is no such document; the message says why and where."""


class Unwritable(Exception):
    """A value that JSON does not have.

    Attributes:
        reason: ``no_number``, ``no_cycle``, ``too_deep`` or ``too_many_values``: a field of ``vocabulary.converting``.
        value: the number.
    """

    def __init__(self, reason: str, value: str = "") -> None:
        super().__init__(reason)
        self.reason, self.value = reason, value


@dataclass(slots=True)
class Document:
    """What was read.

    Attributes:
        value: it as JSON holds it.
        documents: how many there were; more than one are one list.
        keys: keys that were no text are text now.
        dates: dates and times are text now.
    """

    value: object = None
    documents: int = 1
    keys: bool = False
    dates: bool = False


def from_toml(text: str) -> Document:
    """TOML as JSON.

    Raises:
        Unreadable: it is no TOML.
        Unwritable: infinity or not-a-number.
    """
    try:
        value = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise Unreadable(str(error).rstrip(".") or "nested too deep") from None
    return _plain([value])


def from_yaml(text: str) -> Document:
    """YAML 1.2 as JSON; several documents become a list.

    Raises:
        Unreadable: it is no YAML, has tags that name types of a programming language, or keys that are one as text.
        Unwritable: what JSON does not have.
    """
    from .yaml_reading import TooDeep, bounded_yaml

    try:
        found = list(bounded_yaml(MOST_DEPTH).load_all(text))
    except TooDeep:
        raise Unwritable("too_deep") from None
    except Exception as error:  # noqa: BLE001 - an escape beyond Unicode is an OverflowError to the library
        mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
        where = f"line {mark.line + 1}: " if mark is not None else ""
        raise Unreadable(where + (problem or "nested too deep or not YAML")) from None
    return _plain(found or [None])


def _plain(found: list[object]) -> Document:
    made = Document(documents=len(found))
    values = [_Plain(made).value(item) for item in found]
    made.value = values[0] if len(values) == 1 else values
    return made


class _Plain:
    """Makes values of a YAML or TOML reader into those of JSON, once over all of them."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._open: set[int] = set()
        self._count = 0

    def value(self, value: object) -> object:
        self._count += 1
        if self._count > MOST_VALUES:
            raise Unwritable("too_many_values")
        match value:
            case None | bool() | int() | str():
                return value
            case float():
                if not math.isfinite(value):
                    raise Unwritable("no_number", str(value))
                return float(value)
            case bytes():
                return base64.b64encode(value).decode()
            case dt.date() | dt.time():
                self._document.dates = True
                return value.isoformat()
            case Mapping() | list() | tuple() | set():
                return self._inside(value)
            case _:
                return str(value)

    def _inside(self, value: Mapping[object, object] | list[object] | tuple[object, ...] | set[object]) -> object:
        if id(value) in self._open:
            raise Unwritable("no_cycle")
        if len(self._open) >= MOST_DEPTH:
            raise Unwritable("too_deep")
        self._open.add(id(value))
        if isinstance(value, Mapping):
            made: object = self._object(value)
        elif isinstance(value, set):
            made = {self._key(key): None for key in value}
        else:
            made = [self.value(item) for item in value]
        self._open.discard(id(value))
        return made

    def _object(self, value: Mapping[object, object]) -> dict[str, object]:
        made: dict[str, object] = {}
        for key, item in value.items():
            name = self._key(key)
            if name in made:
                raise Unreadable(f"the key {name} stands twice, once as text and once as something else")
            made[name] = self.value(item)
        return made

    def _key(self, key: object) -> str:
        if isinstance(key, str):
            return key
        self._document.keys = True
        plain = self.value(key)
        return plain if isinstance(plain, str) else dumps_text(plain)


# ── writing ────────────────────────────────────────────────────────────────────────────────────────────────────────────

_PLAIN = re.compile(r"[A-Za-z_][\w./()+@-]*(?: [\w./()+@-]+)*", re.ASCII)
_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n", "nan", "inf"})
"""What one version or the other takes for something else than text."""
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""What JSON writes plainly and YAML does not take, or takes for the end of a line."""


def to_yaml(value: object) -> str:
    """A JSON value as a YAML document in block style.

    Raises:
        Unwritable: nested too deep.
    """
    return "".join(f"{line}\n" for line in _lines(value, 0))


def _lines(value: object, depth: int) -> Iterator[str]:
    if depth > MOST_DEPTH:
        raise Unwritable("too_deep")
    match value:
        case dict() if value:
            for key, item in value.items():
                yield from _entry(f"{_text(key)}:", item, depth)
        case list() if value:
            for item in value:
                yield from _entry("-", item, depth)
        case _:
            yield _scalar(value)


def _entry(head: str, item: object, depth: int) -> Iterator[str]:
    """A key or a dash with what follows: a value beside it, a block below; a mapping begins beside its dash."""
    if not isinstance(item, dict | list) or not item:
        yield f"{head} {_scalar(item)}"
        return
    inner = _lines(item, depth + 1)
    if head == "-":
        yield f"- {next(inner)}"
        for line in inner:
            yield f"  {line}"
        return
    yield head
    for line in inner:
        yield line if isinstance(item, list) else f"  {line}"


def _scalar(value: object) -> str:
    match value:
        case str():
            return _text(value)
        case float() | Decimal():
            # Readers of YAML 1.1 take a number for text unless it has a point and its exponent a sign.
            whole, exponent, power = dumps_text(value).lower().partition("e")
            if not exponent:
                return whole
            return f"{whole if '.' in whole else f'{whole}.0'}e{power if power[0] in '+-' else f'+{power}'}"
        case _:
            return dumps_text(value)


def _text(text: str) -> str:
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", dumps_text(text))
