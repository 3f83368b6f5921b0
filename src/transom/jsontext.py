"""JSON in and out, and what JSON parsers disagree on.

Knows nothing of messages. The fast parsers (msgspec in, orjson out) take the common case. What they refuse but people's
files hold (lone surrogates) goes through the standard library, and numbers that no float holds exactly (``1e400``) travel as
``decimal.Decimal``, so that what came in goes out again with the same value. Integers keep every digit.

Literals that are not JSON (NaN, Infinity) and nesting deeper than ``MAX_DEPTH`` are refused with a position.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import TypeVar

import msgspec
import orjson

from .errors import JSONError

__all__ = [
    "EMPTY",
    "MAX_DEPTH",
    "canonical",
    "dumps",
    "dumps_text",
    "join_object",
    "loads",
    "locate",
    "raw_items",
    "raw_object",
    "spells",
    "string",
    "typed",
]


class _Empty(dict[str, object]):
    """Hashable, so that it may be a dataclass default, and read-only, since everybody shares it."""

    __hash__ = object.__hash__  # type: ignore[assignment]

    def __setitem__(self, key: str, value: object) -> None:
        raise TypeError("the shared empty mapping is read-only: build a new dict")


EMPTY: Mapping[str, object] = _Empty()
"""The shared empty mapping, for fields that are nearly always absent."""

T = TypeVar("T")

MAX_DEPTH = 900
"""Nesting that any JSON library in reach still reads (orjson stops at 1,024, a client's parser may stop earlier)."""

_decode = msgspec.json.Decoder().decode
_decode_raw_list = msgspec.json.Decoder(list[msgspec.Raw]).decode
_decode_raw_object = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_OPT_SORTED = orjson.OPT_SORT_KEYS


def loads(data: bytes | bytearray | memoryview | str) -> object:
    """Parse one JSON text.

    Args:
        data: the text, as ``str`` or UTF-8 bytes. A UTF-8 byte order mark is skipped.

    Returns:
        Python values. Integers are exact; a number beyond the range of a float is a ``Decimal``.

    Raises:
        JSONError: not JSON, not UTF-8, NaN or Infinity, or nested deeper than ``MAX_DEPTH``.
    """
    try:
        return _decode(data)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return _loads_slowly(data)


def _loads_slowly(data: bytes | bytearray | memoryview | str) -> object:
    if isinstance(data, str):
        text = data.removeprefix("\ufeff")
    else:
        try:
            text = bytes(data).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise JSONError(
                f"not UTF-8 text (byte {error.start})", hint="JSON is UTF-8; convert the file, or check that it is text at all"
            ) from None
    try:
        value = json.loads(text, parse_float=_number, parse_constant=_refuse_constant)
    except RecursionError:
        raise JSONError(f"nested deeper than {MAX_DEPTH} levels", hint="no provider accepts such a document") from None
    except json.JSONDecodeError as error:
        raise JSONError(f"not JSON: {error.msg.removesuffix(' at')} at line {error.lineno}, column {error.colno}") from None
    except ValueError as error:
        # CPython refuses integers of more than 4,300 digits (sys.set_int_max_str_digits).
        raise JSONError(f"not JSON that can be held: {error}") from None
    return value


def _number(text: str) -> float | Decimal:
    value = float(text)
    return value if math.isfinite(value) else Decimal(text)


def _refuse_constant(text: str) -> object:
    raise JSONError(f"{text} is not JSON", hint="write null, or a number in quotes")


def dumps(value: object) -> bytes:
    """Serialise compactly, keeping the order of keys.

    Raises:
        JSONError: a value that JSON cannot hold (a set, a key that is not text, too deep, a cycle). A NaN becomes null.
    """
    try:
        # What orjson 3.13 returns keeps the whole buffer it was written in, 4 to 16 KB for a message of 1 KB; a copy does not.
        return bytes(memoryview(orjson.dumps(value)))
    except TypeError:
        return _dumps_slowly(value, sort=False)


def spells(value: object, text: bytes) -> bool:
    """Whether ``dumps(value)`` is ``text``: for long lists of values that are nearly always the same as before."""
    try:
        return orjson.dumps(value) == text
    except TypeError:
        return _dumps_slowly(value, sort=False) == text


def dumps_text(value: object) -> str:
    """``dumps`` as text."""
    return dumps(value).decode()


def canonical(value: object) -> bytes:
    """Serialise with sorted keys: equal values give equal bytes, whatever the order they came in."""
    try:
        return orjson.dumps(value, option=_OPT_SORTED)
    except TypeError:
        return _dumps_slowly(value, sort=True)


def string(text: str) -> bytes:
    """A JSON string literal, quotes included."""
    return dumps(text)


def _dumps_slowly(value: object, *, sort: bool) -> bytes:
    try:
        return "".join(_encode(value, sort, 0)).encode()
    except RecursionError:
        raise JSONError(f"nested deeper than {MAX_DEPTH} levels") from None


def _encode(value: object, sort: bool, depth: int) -> Iterator[str]:
    """The standard encoder writes no ``Decimal``, so containers are walked here and scalars are left to it."""
    if depth > MAX_DEPTH:
        raise JSONError(f"nested deeper than {MAX_DEPTH} levels", hint="or a value that contains itself")
    if isinstance(value, Mapping):
        yield "{"
        keys = sorted(value) if sort else list(value)
        for index, key in enumerate(keys):
            if not isinstance(key, str):
                raise JSONError(f"an object key must be text, not {type(key).__name__}")
            yield f"{',' if index else ''}{_encode_text(key)}:"
            yield from _encode(value[key], sort, depth + 1)
        yield "}"
    elif isinstance(value, list | tuple):
        yield "["
        for index, item in enumerate(value):
            if index:
                yield ","
            yield from _encode(item, sort, depth + 1)
        yield "]"
    elif isinstance(value, str):
        yield _encode_text(value)
    elif isinstance(value, Decimal):
        if not value.is_finite():
            raise JSONError(f"{value} is not JSON")
        yield str(value)
    elif isinstance(value, float) and not math.isfinite(value):
        raise JSONError(f"{value} is not JSON", hint="write null, or a number in quotes")
    elif value is None or isinstance(value, bool | float):
        # The fast writer's spelling (1e-7, not 1e-07), so that a part reads the same alone and inside a document.
        yield orjson.dumps(value).decode()
    elif isinstance(value, int):
        yield _encode_integer(value)
    else:
        raise JSONError(f"JSON cannot hold a {type(value).__name__}")


def _encode_integer(value: int) -> str:
    try:
        return int.__repr__(value)
    except ValueError as error:
        raise JSONError(f"an integer too long to write: {error}") from None


def _encode_text(text: str) -> str:
    """Plain UTF-8 where it can be, escapes where a lone surrogate has no UTF-8 form."""
    try:
        return orjson.dumps(text).decode()
    except TypeError:
        return json.dumps(text, ensure_ascii=True)


def typed(value: object, kind: type[T]) -> T:
    """JSON values as what they have to be: a dataclass, a ``TypedDict``, a list of either.

    Args:
        value: parsed JSON, or values that would be written as such.
        kind: numbers do not pass for text nor 1 for true; fields it does not name are passed over.

    Raises:
        JSONError: says which field is of another type.
    """
    try:
        return msgspec.convert(value, kind)
    except (msgspec.MsgspecError, TypeError, OverflowError):
        # Text of a subclass of ``str`` and the like are what they say once they are written.
        plain = loads(dumps(value))
    try:
        return msgspec.convert(plain, kind)
    except (msgspec.MsgspecError, UnicodeError, OverflowError) as error:
        raise JSONError(str(error)) from None


def raw_items(data: bytes) -> list[bytes]:
    """The elements of a JSON array as the exact bytes they were written in.

    Where the array holds what the fast parser refuses (a lone surrogate), the elements are equal as JSON instead.

    Raises:
        JSONError: not a JSON array.
    """
    try:
        return [bytes(item) for item in _decode_raw_list(data)]
    except (msgspec.DecodeError, RecursionError, ValueError):
        value = loads(data)
    if not isinstance(value, list):
        raise JSONError("not a JSON array")
    return [dumps(item) for item in value]


def raw_object(data: bytes) -> dict[str, bytes]:
    """The members of a JSON object in their order, each value as the exact bytes it was written in.

    Of a key that stands twice the last value counts, as for every JSON parser here. Where the object holds what the fast
    parser refuses (a lone surrogate), the values are equal as JSON instead.

    Raises:
        JSONError: not a JSON object.
    """
    try:
        return {key: bytes(value) for key, value in _decode_raw_object(data).items()}
    except (msgspec.DecodeError, RecursionError, ValueError):
        value = loads(data)
    if not isinstance(value, dict):
        raise JSONError("not a JSON object")
    return {key: dumps(item) for key, item in value.items()}


def join_object(members: Mapping[str, bytes]) -> bytes:
    """A JSON object from members whose values are JSON text already: the way back from ``raw_object``."""
    return b"{" + b",".join(dumps(key) + b":" + value for key, value in members.items()) + b"}"


def locate(data: bytes, key: str) -> tuple[int, int] | None:
    """Where the value of one member of a JSON object stands.

    Returns:
        First byte and the byte after the last; ``None`` where there is no such member or the bytes cannot be told apart (a
        key that stands twice, text that only the slow parser reads).
    """
    position = data.index(b"{") + 1
    found: tuple[int, int] | None = None
    for name, value in raw_object(data).items():
        position = _end_of_string(data, data.find(b'"', position))
        position = _end_of_blanks(data, data.find(b":", position) + 1)
        if not data.startswith(value, position):
            return None
        if name == key:
            found = position, position + len(value)
        position = _end_of_blanks(data, position + len(value))
        if data[position : position + 1] not in (b",", b"}"):
            return None
    return found if data[position : position + 1] == b"}" else None


def _end_of_blanks(data: bytes, position: int) -> int:
    while position < len(data) and data[position] in b" \t\r\n":
        position += 1
    return position


def _end_of_string(data: bytes, start: int) -> int:
    position = start + 1
    while 0 < position < len(data):
        quote = data.find(b'"', position)
        if quote < 0:
            break
        slashes = quote
        while data[slashes - 1] == 0x5C:
            slashes -= 1
        if (quote - slashes) % 2 == 0:
            return quote + 1
        position = quote + 1
    return len(data)
