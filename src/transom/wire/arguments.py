"""Arguments of calls for formats that hold them as an object.

Knows calls, no provider. Arguments that are a JSON object go through verbatim; whatever else a model wrote is wrapped in an
object of one member, by which ``arguments_text`` finds it again.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import JSONError
from ..jsontext import dumps, dumps_text, loads
from ..messages import Call
from .report import Notes

__all__ = ["RAW", "arguments_text", "object_bytes"]

RAW = "_raw_arguments"
"""The one member of an object that holds arguments which are no JSON object themselves."""


def object_bytes(call: Call, notes: Notes) -> bytes:
    """The arguments as the bytes of a JSON object; wrapping is noted."""
    text = call.arguments
    if call.kind == "custom":
        notes("degraded", f"the free-text input of {call.name!r} was wrapped in an object")
        return dumps({"input": text})
    try:
        value = loads(text)
    except JSONError:
        value = None
    if isinstance(value, Mapping):
        try:
            return dumps(value) if text.startswith("\ufeff") else text.strip(" \t\r\n").encode()
        except UnicodeEncodeError:
            return dumps(value)
    if not text.strip():
        return b"{}"
    notes("degraded", f"arguments of {call.name!r} that are no JSON object were wrapped in one")
    return dumps({RAW: text})


def arguments_text(value: object, raw: bytes) -> str:
    """The arguments as text: what was wrapped, else the bytes of the object, else the object written anew.

    Args:
        value: the object as parsed.
        raw: its exact bytes; empty where they are not known.
    """
    wrapped = _unwrapped(value)
    if wrapped is not None:
        return wrapped
    if raw:
        return raw.decode()
    return "{}" if value is None else dumps_text(value)


def _unwrapped(value: object) -> str | None:
    """Only what could not have gone out bare was ever wrapped: a JSON object under that name is somebody's own argument."""
    if not isinstance(value, Mapping) or len(value) != 1:
        return None
    text = value.get(RAW)
    if not isinstance(text, str):
        return None
    try:
        return None if isinstance(loads(text), Mapping) else text
    except JSONError:
        return text
