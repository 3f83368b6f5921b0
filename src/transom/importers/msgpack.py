"""Reads a MessagePack array record by record, however large it is, and as far as it is whole.

Knows the encoding (https://github.com/msgpack/msgpack/blob/master/spec.md), nothing of what is in it. A record is measured
before it is decoded, so that memory is bounded by the largest record that is taken. Text is read as JavaScript's encoders write
it: a lone surrogate may stand as three bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from ..errors import InputError
from ..store.blobs import blob_text

__all__ = ["MAX_RECORD", "MAX_VALUES", "Damaged", "Oversized", "Value", "decode", "records"]

MAX_RECORD = 16 * 1024 * 1024
"""Bytes of a record that is decoded."""

MAX_VALUES = 1_000_000
"""Values in a record that is decoded: as objects of Python they take many times the bytes that they take in the file."""

_MAX_DEPTH = 100
_STEP = 1 << 20


@dataclass(frozen=True, slots=True)
class Value:
    """A record, decoded: ``None``, bool, int, float, str, bytes, list, or dict with text as keys."""

    value: object


@dataclass(frozen=True, slots=True)
class Oversized:
    """A record of more bytes or values than are decoded; its bytes."""

    size: int


@dataclass(frozen=True, slots=True)
class Damaged:
    """Where the file stops making sense; nothing follows. ``records`` is how many came before."""

    reason: str
    records: int


class _Broken(InputError):
    """Bytes that are no MessagePack."""


# Kinds by first byte: how many bytes of length follow, and what for.
_SIZED = {0xC4: 1, 0xC5: 2, 0xC6: 4, 0xD9: 1, 0xDA: 2, 0xDB: 4}
_EXTENSIONS = {0xC7: 1, 0xC8: 2, 0xC9: 4}
_FIXED_EXTENSIONS = {0xD4: 1, 0xD5: 2, 0xD6: 4, 0xD7: 8, 0xD8: 16}
_NUMBERS = {
    0xCA: ">f",
    0xCB: ">d",
    0xCC: ">B",
    0xCD: ">H",
    0xCE: ">I",
    0xCF: ">Q",
    0xD0: ">b",
    0xD1: ">h",
    0xD2: ">i",
    0xD3: ">q",
}
_ARRAYS = {0xDC: 2, 0xDD: 4}
_MAPS = {0xDE: 2, 0xDF: 4}
_CONSTANTS = {0xC0: None, 0xC2: False, 0xC3: True}


def records(file: BinaryIO, *, limit: int = MAX_RECORD) -> Iterator[Value | Oversized | Damaged]:
    """The elements of the array that a file holds, in order.

    Args:
        file: open for reading, at its start, and able to seek.
        limit: bytes of a record that is decoded.
    """
    number = 0
    try:
        count = _array(file)
        for number in range(count):  # noqa: B007  # said where it breaks off
            start = file.tell()
            values = _skip(file)
            size = file.tell() - start
            if size > limit or values > MAX_VALUES:
                yield Oversized(size)
                continue
            file.seek(start)
            yield Value(decode(file.read(size)))
        number = count
        if file.read(1):
            yield Damaged("something follows the last record", count)
    except _Broken as error:
        yield Damaged(error.message, number)
    except OSError as error:
        yield Damaged(error.strerror or str(error), number)


def decode(data: bytes) -> object:
    """One value that is whole.

    Raises:
        InputError: it is not.
    """
    value, end = _value(data, 0, 0)
    if end != len(data):
        raise _Broken("something follows the value")
    return value


def _array(file: BinaryIO) -> int:
    first = _take(file, 1)[0]
    if first in _ARRAYS:
        return int.from_bytes(_take(file, _ARRAYS[first]), "big")
    if first & 0xF0 == 0x90:
        return first & 0x0F
    raise _Broken("it is no list of records")


def _take(file: BinaryIO, size: int) -> bytes:
    data = file.read(size)
    if len(data) < size:
        raise _Broken("it is cut off")
    return data


def _skip(file: BinaryIO) -> int:
    """Go past one value; how many values it is, those inside it included."""
    passed = 0
    # How many values each open list still has to come; a map has two for each of its pairs.
    waiting = [1]
    while waiting:
        if not waiting[-1]:
            waiting.pop()
            continue
        waiting[-1] -= 1
        passed += 1
        children = _pass(file)
        if children:
            if len(waiting) > _MAX_DEPTH:
                raise _Broken(f"it is nested deeper than {_MAX_DEPTH} levels")
            waiting.append(children)
    return passed


def _pass(file: BinaryIO) -> int:
    """Go past the bytes of one value itself; how many values it holds."""
    first = _take(file, 1)[0]
    if first < 0x80 or first >= 0xE0 or first in _CONSTANTS:
        return 0
    if first < 0x90:
        return 2 * (first & 0x0F)
    if first < 0xA0:
        return first & 0x0F
    if first in _ARRAYS:
        return int.from_bytes(_take(file, _ARRAYS[first]), "big")
    if first in _MAPS:
        return 2 * int.from_bytes(_take(file, _MAPS[first]), "big")
    _leap(file, _payload(file, first))
    return 0


def _payload(file: BinaryIO, first: int) -> int:
    if first < 0xC0:
        return first & 0x1F
    if first in _SIZED:
        return int.from_bytes(_take(file, _SIZED[first]), "big")
    if first in _EXTENSIONS:
        return int.from_bytes(_take(file, _EXTENSIONS[first]), "big") + 1
    if first in _FIXED_EXTENSIONS:
        return _FIXED_EXTENSIONS[first] + 1
    if first in _NUMBERS:
        return struct.calcsize(_NUMBERS[first])
    raise _Broken(f"the byte {first:#04x} begins nothing")


def _leap(file: BinaryIO, size: int) -> None:
    if size > _STEP:
        # The last byte is read, for one can seek past the end of a file.
        file.seek(size - 1, 1)
        size = 1
    _take(file, size)


def _value(data: bytes, at: int, depth: int) -> tuple[object, int]:
    """The value that begins at a place, and where it ends."""
    if depth > _MAX_DEPTH:
        raise _Broken(f"it is nested deeper than {_MAX_DEPTH} levels")
    first = _bytes(data, at, 1)[0]
    at += 1
    if first < 0x80:
        return first, at
    if first >= 0xE0:
        return first - 0x100, at
    if first < 0x90:
        return _map(data, at, first & 0x0F, depth)
    if first < 0xA0:
        return _list(data, at, first & 0x0F, depth)
    if first < 0xC0:
        return _text(_bytes(data, at, first & 0x1F)), at + (first & 0x1F)
    if first in _CONSTANTS:
        return _CONSTANTS[first], at
    if first in _NUMBERS:
        size = struct.calcsize(_NUMBERS[first])
        return struct.unpack(_NUMBERS[first], _bytes(data, at, size))[0], at + size
    width = _SIZED.get(first) or _ARRAYS.get(first) or _MAPS.get(first) or _EXTENSIONS.get(first) or 0
    size = int.from_bytes(_bytes(data, at, width), "big") if width else _FIXED_EXTENSIONS.get(first, -1)
    at += width
    if first in _ARRAYS:
        return _list(data, at, size, depth)
    if first in _MAPS:
        return _map(data, at, size, depth)
    if first in _SIZED:
        raw = _bytes(data, at, size)
        return raw if first < 0xD0 else _text(raw), at + size
    if size < 0:
        raise _Broken(f"the byte {first:#04x} begins nothing")
    return _extension(_bytes(data, at, size + 1)), at + size + 1


def _list(data: bytes, at: int, count: int, depth: int) -> tuple[object, int]:
    items = []
    for _ in range(count):
        item, at = _value(data, at, depth + 1)
        items.append(item)
    return items, at


def _map(data: bytes, at: int, count: int, depth: int) -> tuple[object, int]:
    items = {}
    for _ in range(count):
        key, at = _value(data, at, depth + 1)
        value, at = _value(data, at, depth + 1)
        items[key if isinstance(key, str) else str(key)] = value
    return items, at


def _bytes(data: bytes, at: int, size: int) -> bytes:
    if at + size > len(data):
        raise _Broken("it is cut off")
    return data[at : at + size]


def _text(raw: bytes) -> str:
    try:
        return blob_text(raw)
    except UnicodeDecodeError:
        return raw.decode("utf-8", "replace")


def _extension(raw: bytes) -> object:
    """A moment as milliseconds (the extension of number -1), as the other times of these files are; nothing of any other."""
    if raw[0] != 0xFF:
        return None
    body = raw[1:]
    match len(body):
        case 4:
            return int.from_bytes(body, "big") * 1000
        case 8:
            packed = int.from_bytes(body, "big")
            return (packed & 0x3_FFFF_FFFF) * 1000 + (packed >> 34) // 1_000_000
        case 12:
            return int.from_bytes(body[4:], "big", signed=True) * 1000 + int.from_bytes(body[:4], "big") // 1_000_000
        case _:
            return None
