"""Messages as JSON values and back, nothing left out: marks, edits and the bytes they were read from included.

Pure. For snapshots; no provider speaks this. Fields that hold their default are not written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from typing import cast

from ..errors import FormatError
from ..jsontext import EMPTY
from .message import Message, Origin, Role
from .parts import Attachment, Call, Content, Opaque, Part, RedactedThinking, Result, Text, Thinking
from .tools import Tool, ToolChoice

__all__ = [
    "decode_choice",
    "decode_message",
    "decode_tool",
    "encode_choice",
    "encode_message",
    "encode_tool",
]

_KINDS: dict[str, type] = {
    "text": Text,
    "thinking": Thinking,
    "redacted": RedactedThinking,
    "attachment": Attachment,
    "call": Call,
    "result": Result,
    "opaque": Opaque,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}
_MARKS = ("name", "pinned", "cache_breakpoint", "positional", "extra")


def encode_message(message: Message) -> dict[str, object]:
    """A message as JSON values."""
    encoded: dict[str, object] = {"role": message.role, "parts": [_part(part) for part in message.parts]}
    for mark in _MARKS:
        value = getattr(message, mark)
        if value:
            encoded[mark] = value
    if message.origin is not None:
        encoded["origin"] = _origin(message.origin)
    if message.edits:
        encoded["edits"] = [[index, None if part is None else _part(part)] for index, part in message.edits]
    return encoded


def decode_message(value: object) -> Message:
    """A message read back.

    Raises:
        FormatError: the value was not written by ``encode_message``.
    """
    try:
        record = _record(value)
        edits = cast("Sequence[Sequence[object]]", record.get("edits", ()))
        return Message.of(
            cast("Role", record["role"]),
            tuple(_decoded(part) for part in cast("Sequence[object]", record["parts"])),
            _decoded_origin(record.get("origin")),
            name=cast("str | None", record.get("name")),
            pinned=bool(record.get("pinned", False)),
            cache_breakpoint=bool(record.get("cache_breakpoint", False)),
            positional=bool(record.get("positional", False)),
            extra=_extra(record.get("extra")),
            edits=tuple((cast("int", index), None if part is None else _decoded(part)) for index, part in edits),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FormatError(f"this is no message of a snapshot: {error}", hint="take it from Context.snapshot") from None


def encode_tool(tool: Tool) -> dict[str, object]:
    """A tool as JSON values."""
    return _fields(tool)


def decode_tool(value: object) -> Tool:
    """A tool read back.

    Raises:
        FormatError: the value was not written by ``encode_tool``.
    """
    try:
        record = dict(_record(value))
        return Tool(**{**record, "extra": _extra(record.get("extra")), "origin": _decoded_origin(record.get("origin"))})  # type: ignore[arg-type]
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"this is no tool of a snapshot: {error}", hint="take it from Context.snapshot") from None


def encode_choice(choice: ToolChoice) -> dict[str, object]:
    """A tool choice as JSON values."""
    return _fields(choice)


def decode_choice(value: object) -> ToolChoice:
    """A tool choice read back."""
    return ToolChoice(**_record(value))  # type: ignore[arg-type]


def _part(part: Part) -> dict[str, object]:
    # A part's own ``kind`` gives way to the one that says which part it is.
    return {"kind": _NAMES[type(part)], **{"form" if key == "kind" else key: held for key, held in _fields(part).items()}}


def _fields(value: object) -> dict[str, object]:
    encoded: dict[str, object] = {}
    for item in fields(value):  # type: ignore[arg-type]
        held = getattr(value, item.name)
        if item.default is not MISSING and (held is item.default or held == item.default):
            continue
        if isinstance(held, tuple):
            held = [_part(part) for part in held]
        elif isinstance(held, Origin):
            held = _origin(held)
        encoded[item.name] = held
    return encoded


def _decoded(value: object) -> Part:
    record = dict(_record(value))
    kind = _KINDS[cast("str", record.pop("kind"))]
    if "form" in record:
        record["kind"] = record.pop("form")
    if kind is not Opaque:
        record["extra"] = _extra(record.get("extra"))
    if kind is Result:
        record["content"] = tuple(
            cast("Content", _decoded(part)) for part in cast("Sequence[object]", record.get("content", ()))
        )
    return cast("Part", kind(**record))


def _origin(origin: Origin) -> dict[str, object]:
    return {"format": origin.format, "raw": origin.raw.decode("utf-8", "surrogateescape"), "place": origin.place}


def _decoded_origin(value: object) -> Origin | None:
    if value is None:
        return None
    record = _record(value)
    raw = cast("str", record["raw"]).encode("utf-8", "surrogateescape")
    return Origin(cast("str", record["format"]), raw, cast("str", record.get("place", "")))


def _extra(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if value else EMPTY


def _record(value: object) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise TypeError(f"expected an object, found {type(value).__name__}")
    return value
