"""Messages as JSON values and back, nothing left out: marks, edits and the bytes they were read from included.

Pure. For snapshots; no provider speaks this. Fields that hold their default are not written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, replace
from typing import NotRequired, TypedDict, cast

from ..errors import FormatError, JSONError
from ..jsontext import EMPTY, typed
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
_NOT_IN_RESULTS = (Thinking, RedactedThinking, Call, Result)
_NAMES = {kind: name for name, kind in _KINDS.items()}
_MARKS = ("name", "pinned", "cache_breakpoint", "positional", "extra")


class _Origin(TypedDict):
    format: str
    raw: str
    place: NotRequired[str]


class _Message(TypedDict):
    role: Role
    parts: list[object]
    name: NotRequired[str | None]
    pinned: NotRequired[bool]
    cache_breakpoint: NotRequired[bool]
    positional: NotRequired[bool]
    extra: NotRequired[dict[str, object]]
    origin: NotRequired[_Origin | None]
    edits: NotRequired[list[tuple[int, object]]]


@dataclass(frozen=True, slots=True)
class _Answered:
    """A ``Result`` without its content, which is of several kinds."""

    call_id: str = ""
    name: str = ""
    is_error: bool = False
    extra: Mapping[str, object] = EMPTY


def encode_message(message: Message) -> dict[str, object]:
    """A message as JSON values."""
    encoded: dict[str, object] = {"role": message.role, "parts": [_part(part) for part in message.parts]}
    for mark in _MARKS:
        value = getattr(message, mark)
        if value:
            encoded[mark] = value if mark in {"name", "extra"} else True
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
        record = typed(value, _Message)
        parts = tuple(map(_decoded, record["parts"]))
        if record["role"] in ("system", "assistant") and any(isinstance(part, Result) for part in parts):
            raise ValueError(f"a {record['role']} message with tool results")
        return Message.of(
            record["role"],
            parts,
            _decoded_origin(record.get("origin")),
            name=record.get("name"),
            pinned=record.get("pinned", False),
            cache_breakpoint=record.get("cache_breakpoint", False),
            positional=record.get("positional", False),
            extra=record.get("extra") or EMPTY,
            edits=tuple((index, None if part is None else _decoded(part)) for index, part in record.get("edits", ())),
        )
    except (KeyError, TypeError, ValueError, JSONError) as error:
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
        origin = record.pop("origin", None)
        tool = typed(record, Tool)
        return tool if origin is None else replace(tool, origin=_decoded_origin(typed(origin, _Origin)))
    except (TypeError, ValueError, JSONError) as error:
        raise FormatError(f"this is no tool of a snapshot: {error}", hint="take it from Context.snapshot") from None


def encode_choice(choice: ToolChoice) -> dict[str, object]:
    """A tool choice as JSON values."""
    return _fields(choice)


def decode_choice(value: object) -> ToolChoice:
    """A tool choice read back.

    Raises:
        FormatError: the value was not written by ``encode_choice``.
    """
    try:
        return typed(value, ToolChoice)
    except JSONError as error:
        raise FormatError(f"this is no tool choice of a snapshot: {error}", hint="take it from Context.snapshot") from None


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
    if kind is not Result:
        return cast("Part", typed(record, kind))
    content = cast("tuple[Content, ...]", tuple(map(_decoded, typed(record.pop("content", []), list[object]))))
    if any(isinstance(part, _NOT_IN_RESULTS) for part in content):
        raise ValueError("a tool result holds text, files and opaque items")
    told = typed(record, _Answered)
    return Result(content, told.call_id, told.name, told.is_error, told.extra)


def _origin(origin: Origin) -> dict[str, object]:
    return {"format": origin.format, "raw": origin.raw.decode("utf-8", "surrogateescape"), "place": origin.place}


def _decoded_origin(record: _Origin | None) -> Origin | None:
    if record is None:
        return None
    return Origin(record["format"], record["raw"].encode("utf-8", "surrogateescape"), record.get("place", ""))


def _record(value: object) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise TypeError(f"expected an object, found {type(value).__name__}")
    return value
