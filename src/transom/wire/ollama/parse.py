"""Ollama, read: the messages of ``/api/chat``, and the one prompt of ``/api/generate``.

Knows elements of ``messages``, not the head of the request. One message for each element; nothing is repaired. The parts of a
message stand in this order: reasoning, content, pictures, calls. Arguments of a call are an object and keep its exact bytes.

Source: https://github.com/ollama/ollama/blob/main/docs/api.md, ``api/types.go`` (Message, ToolCall).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from ...errors import FormatError
from ...jsontext import EMPTY, dumps
from ...messages import Attachment, Call, Content, Message, Opaque, Origin, Part, Result, Text, Thinking
from ..arguments import arguments_text
from ..attachments import media_of
from ..bodies import Item, as_item
from ..elements import kind_of, other_fields, read_elements, text_in

__all__ = ["FORMAT", "Slot", "parse_elements", "parse_items", "parse_prompt", "parse_system", "slots"]

FORMAT = "ollama"

_PICTURE = "image/*"
"""What Ollama writes down no media type of and only the bytes tell."""

_SAID = frozenset({"role", "content", "thinking", "images", "tool_calls"})
_TOOL = frozenset({"role", "content", "images", "tool_name", "tool_call_id"})
_CALL = frozenset({"id", "function"})
_FUNCTION = frozenset({"name", "arguments"})

Slot = tuple[str, int]
"""Where a part stands in its element: the field, and the index in its list (-1 where the field is no list)."""


class _RawFunction(msgspec.Struct):
    arguments: msgspec.Raw = msgspec.Raw(b"")


class _RawCall(msgspec.Struct):
    function: _RawFunction | None = None


class _RawMessage(msgspec.Struct):
    tool_calls: list[_RawCall] = []


_decode_calls = msgspec.json.Decoder(_RawMessage).decode


def parse_items(items: Sequence[object]) -> tuple[Message, ...]:
    """Read elements of ``messages``, given as parsed JSON or as JSON text."""
    return parse_elements(as_item(item) for item in items)


def parse_elements(items: Iterable[Item]) -> tuple[Message, ...]:
    """Read elements of ``messages`` together with their exact bytes.

    Raises:
        FormatError: an element that is no message; names it.
    """
    return read_elements(items, _message, "messages", "each message has a role and content")


def parse_prompt(fields: Mapping[str, object]) -> Message:
    """The ``prompt`` of ``/api/generate`` and its pictures, as the user's message. An element of its own is made of it."""
    pictures = {"images": fields["images"]} if fields.get("images") else {}
    return _other({"role": "user", "content": fields.get("prompt"), **pictures}, "prompt")


def parse_system(text: str) -> Message:
    """The ``system`` of ``/api/generate``."""
    return _other({"role": "system", "content": text}, "system")


def _other(value: dict[str, object], field: str) -> Message:
    try:
        return _message(value, dumps(value), True)
    except FormatError as error:
        raise FormatError(f"{field}{error.message}", hint=error.hint) from None


def _message(value: dict[str, object], raw: bytes, leading: bool) -> Message:
    origin = Origin(FORMAT, raw)
    content = _texts(value.get("content"))
    pictures = _pictures(value.get("images"))
    match value.get("role"):
        case "assistant":
            thought = value.get("thinking")
            thinking = (Thinking(thought),) if isinstance(thought, str) and thought else ()
            parts: tuple[Part, ...] = (*thinking, *content, *pictures, *_calls(value, raw))
            return Message.of("assistant", parts, origin, extra=other_fields(value, _SAID))
        case "tool":
            inner: tuple[Content, ...] = (*content, *pictures)
            result = Result(inner, text_in(value, "tool_call_id"), text_in(value, "tool_name"))
            return Message.of("tool", (result,), origin, extra=other_fields(value, _TOOL))
        case "user":
            return Message.of(
                "user", (*content, *pictures), origin, extra=other_fields(value, _SAID - {"thinking", "tool_calls"})
            )
        case "system":
            extra = other_fields(value, _SAID - {"thinking", "tool_calls"})
            return Message.of("system", (*content, *pictures), origin, positional=not leading, extra=extra)
        case None:
            raise FormatError(" has no role", hint="every message has one of system, user, assistant, tool")
        case role:
            raise FormatError(f".role is {role!r}", hint="known are system, user, assistant and tool")


def _texts(content: object) -> tuple[Text, ...]:
    if content is None or content == "":
        return ()
    if isinstance(content, str):
        return (Text(content),)
    raise FormatError(f".content is {kind_of(content)}", hint="content is text; pictures stand in images")


def _pictures(images: object) -> tuple[Attachment | Opaque, ...]:
    if images is None:
        return ()
    if not isinstance(images, list):
        raise FormatError(f".images is {kind_of(images)}", hint="images is a list of base64 texts")
    return tuple(
        [
            Attachment(media_of(image) or _PICTURE, data=image) if isinstance(image, str) else Opaque(FORMAT, "image", image)
            for image in images
        ]
    )


def _calls(value: Mapping[str, object], raw: bytes) -> list[Call | Opaque]:
    calls = value.get("tool_calls")
    if not calls:
        return []
    if not isinstance(calls, list):
        raise FormatError(f".tool_calls is {kind_of(calls)}", hint="tool_calls is a list")
    exact = _exact(raw)
    return [_call(call, exact[index] if exact else b"", index) for index, call in enumerate(calls)]


def _exact(raw: bytes) -> list[bytes]:
    """The exact bytes of each call's arguments; empty for text that only the slow parser reads."""
    try:
        calls = _decode_calls(raw).tool_calls
    except (msgspec.DecodeError, RecursionError, ValueError):
        return []
    return [b"" if call.function is None else bytes(call.function.arguments) for call in calls]


def _call(call: object, exact: bytes, index: int) -> Call | Opaque:
    if not isinstance(call, dict):
        raise FormatError(f".tool_calls[{index}] is {kind_of(call)}, not an object", hint="a call has a function")
    inner = call.get("function")
    if not isinstance(inner, dict):
        return Opaque(FORMAT, "tool_call", call)
    given = inner.get("arguments")
    # Some clients write the text of other providers; the server refuses it, but it is what they mean.
    arguments = given if isinstance(given, str) else arguments_text(given, exact if isinstance(given, dict) else b"")
    plain = call.keys() <= _CALL and inner.keys() <= _FUNCTION
    extra = EMPTY if plain else {**other_fields(call, _CALL), **other_fields(inner, _FUNCTION)}
    return Call(text_in(inner, "name"), arguments, text_in(call, "id"), extra=extra)


def slots(value: Mapping[str, object]) -> list[Slot]:
    """Where each part of the message made from ``value`` stands in it: one slot a part, in the same order."""
    if value.get("role") == "tool":
        return [("content", -1)]
    found: list[Slot] = []
    is_assistant = value.get("role") == "assistant"
    if is_assistant and isinstance(value.get("thinking"), str) and value["thinking"]:
        found.append(("thinking", -1))
    if value.get("content"):
        found.append(("content", -1))
    for field in ("images", "tool_calls") if is_assistant else ("images",):
        items = value.get(field)
        found.extend((field, index) for index in range(len(items) if isinstance(items, list) else 0))
    return found
