"""A request body taken apart: its fields, and the exact bytes of the elements of its lists.

Knows JSON and which fields are lists of elements; no provider.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from ..errors import FormatError, JSONError
from ..jsontext import dumps, loads

__all__ = ["Body", "Item", "as_item", "open_body"]

_LIST = ord("[")

_decode_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_items = msgspec.json.Decoder(list[msgspec.Raw]).decode
_decode_values = msgspec.json.Decoder(list[object]).decode

Item = tuple[object, bytes]
"""An element of a list: as parsed, and as the exact bytes it was written in."""


@dataclass(frozen=True, slots=True)
class Body:
    """A request body.

    Attributes:
        fields: the top-level fields in order, as parsed, without those in ``lists``.
        lists: the fields asked for as lists, element by element.
        raw: the exact bytes of fields that were asked for and are no lists; empty without source text.
    """

    fields: dict[str, object]
    lists: dict[str, list[Item]]
    raw: Mapping[str, bytes]


def as_item(value: object) -> Item:
    """An element given as parsed JSON or as JSON text."""
    if isinstance(value, bytes | bytearray | memoryview):
        raw = bytes(value)
        return loads(raw), raw
    return value, dumps(value)


def open_body(body: object, conversation: str, lists: Iterable[str] = ()) -> Body:
    """Take a request body apart.

    Args:
        body: parsed JSON, or JSON text; an object, or a bare list of conversation elements.
        conversation: the field that holds the conversation.
        lists: further fields whose elements are wanted one by one.

    Raises:
        FormatError: neither an object nor a list.
        JSONError: text that is not JSON.
    """
    wanted = (conversation, *lists)
    if isinstance(body, str):
        try:
            body = body.encode()
        except UnicodeEncodeError:
            body = loads(body)
    if isinstance(body, bytes | bytearray | memoryview):
        text = bytes(body).strip()
        try:
            return _open_text(text, conversation, wanted)
        except (JSONError, msgspec.DecodeError, RecursionError, ValueError):
            # Byte order marks and lone surrogates are beyond the fast parser; a text that is no JSON at all is refused here.
            body = loads(text)
    if isinstance(body, Mapping):
        fields = {key: value for key, value in body.items() if key not in wanted or not _is_list(value)}
        return Body(fields, {key: [(item, dumps(item)) for item in body[key]] for key in wanted if _is_list(body.get(key))}, {})
    if _is_list(body):
        assert isinstance(body, Sequence)
        return Body({}, {conversation: [as_item(item) for item in body]}, {})
    raise FormatError(
        f"a request body is an object or a list of messages, not {type(body).__name__}",
        hint=f"give the whole request, or its {conversation!r} alone",
    )


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple)


def _open_text(text: bytes, conversation: str, wanted: tuple[str, ...]) -> Body:
    """Raises whatever the fast parser does not take; the values then come from the slow one."""
    if text.startswith(b"["):
        return Body({}, {conversation: _items(text)}, {})
    fields: dict[str, object] = {}
    lists: dict[str, list[Item]] = {}
    kept: dict[str, bytes] = {}
    # A long conversation is sliced where it stands: copying it once more would cost as much as parsing it.
    for key, raw in _decode_members(text).items():
        view = memoryview(raw)
        if key in wanted and view[0] == _LIST:
            lists[key] = _items(raw)
        else:
            fields[key] = loads(view)
            if key in wanted:
                kept[key] = bytes(view)
    return Body(fields, lists, kept)


def _items(text: bytes | msgspec.Raw) -> list[Item]:
    raws = list(map(bytes, _decode_items(text)))
    try:
        # One pass over the list for all values is a fifth faster than one an element.
        values = _decode_values(text)
    except (msgspec.DecodeError, RecursionError, ValueError):
        values = [loads(raw) for raw in raws]
    return list(zip(values, raws, strict=True))
