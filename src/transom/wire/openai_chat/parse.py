"""OpenAI Chat Completions, read.

Knows the request of ``POST /v1/chat/completions`` (OpenAI API reference, "Create chat completion") and what compatible servers
add to it (``reasoning_content``, ``reasoning``). One message for each element; nothing is repaired. The parts of an assistant
message stand in this order: reasoning, content, refusal, audio, calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from ...errors import FormatError
from ...jsontext import EMPTY, dumps_text
from ...messages import Attachment, Call, Message, Opaque, Origin, Part, Result, Text, Thinking
from ..attachments import UNKNOWN_MEDIA, split_data_url
from ..bodies import Item, as_item
from ..elements import kind_of, other_fields, read_elements, text_in

__all__ = ["AUDIO_TYPES", "FORMAT", "Slot", "parse_elements", "parse_items", "slots"]

FORMAT: Literal["openai"] = "openai"

AUDIO_TYPES = {"wav": "audio/wav", "mp3": "audio/mpeg"}

_COMMON = frozenset({"role", "content", "tool_calls"})
_CALL = frozenset({"id", "type", "function"})
_FUNCTION = frozenset({"name", "arguments"})
_ASSISTANT = frozenset(
    {"role", "content", "name", "tool_calls", "function_call", "refusal", "audio", "reasoning_content", "reasoning"}
)
_TOOL = frozenset({"role", "content", "name", "tool_call_id"})
_NAMED = frozenset({"role", "content", "name"})
_TEXT = frozenset({"type", "text"})

Slot = tuple[str, int]
"""Where a part stands in its element: the field, and the index in its list (-1 where the field is no list)."""


def parse_items(items: Sequence[object]) -> tuple[Message, ...]:
    """Read elements of ``messages``, given as parsed JSON or as JSON text."""
    return parse_elements(as_item(item) for item in items)


def parse_elements(items: Iterable[Item]) -> tuple[Message, ...]:
    """Read elements of ``messages`` together with their exact bytes.

    Raises:
        FormatError: an element that is no chat message; names it.
    """
    return read_elements(items, _message, "messages", "is this a chat conversation?")


def _message(value: dict[str, object], raw: bytes, leading: bool) -> Message:
    role = value.get("role")
    origin = Origin(FORMAT, raw)
    content = value.get("content")
    inner = ((Text(content),) if content else ()) if isinstance(content, str) else _content(content)
    if role == "assistant":
        if (len(value) == 3 and "content" in value and "tool_calls" in value) or value.keys() <= _COMMON:
            return Message.of("assistant", (*inner, *_calls(value.get("tool_calls"))), origin)
        parts = _assistant_parts(value, inner)
        return Message.of("assistant", parts, origin, name=_name(value), extra=other_fields(value, _ASSISTANT))
    if role == "tool":
        if len(value) == 3 and isinstance(call_id := value.get("tool_call_id"), str) and "content" in value:
            return Message.of("tool", (Result(inner, call_id),), origin)
        result = Result(inner, text_in(value, "tool_call_id"), text_in(value, "name"))
        return Message.of("tool", (result,), origin, extra=other_fields(value, _TOOL))
    if role == "user":
        if len(value) == 2:
            return Message.of("user", inner, origin)
        return Message.of("user", inner, origin, name=_name(value), extra=other_fields(value, _NAMED))
    if role in ("system", "developer"):
        extra = other_fields(value, _NAMED) if role == "system" else {**other_fields(value, _NAMED), "role": role}
        return Message.of("system", inner, origin, name=_name(value), positional=not leading, extra=extra)
    if role == "function":
        result = Result(inner, text_in(value, "tool_call_id"), text_in(value, "name"))
        return Message.of("tool", (result,), origin, extra={**other_fields(value, _TOOL), "role": role})
    if role is None:
        raise FormatError(" has no role", hint="every chat message has one of system, developer, user, assistant, tool")
    raise FormatError(f".role is {role!r}", hint="known are system, developer, user, assistant, tool and function")


def _name(value: Mapping[str, object]) -> str | None:
    name = value.get("name")
    return name if isinstance(name, str) else None


def _content(content: object) -> tuple[Text | Attachment | Opaque, ...]:
    if isinstance(content, str):
        return (Text(content),) if content else ()
    if content is None:
        return ()
    if isinstance(content, list):
        return tuple([_content_part(part, index) for index, part in enumerate(content)])
    raise FormatError(f".content is {kind_of(content)}", hint="content is text, a list of parts, or null")


def _content_part(part: object, index: int) -> Text | Attachment | Opaque:
    if not isinstance(part, dict):
        if isinstance(part, str):
            return Text(part)
        raise FormatError(f".content[{index}] is {kind_of(part)}, not an object", hint="a content part has a type")
    kind = part.get("type")
    found: Text | Attachment | None = None
    if kind == "text":
        text = part.get("text")
        if isinstance(text, str):
            return Text(text, extra=other_fields(part, _TEXT))
    elif kind == "refusal":
        text = part.get("refusal")
        if isinstance(text, str):
            return Text(text, refusal=True, extra=other_fields(part, frozenset({"type", "refusal"})))
    elif kind == "image_url":
        found = _image(part)
    elif kind == "input_audio":
        found = _audio(part)
    elif kind == "file":
        found = _file(part)
    return Opaque(FORMAT, str(kind), part) if found is None else found


def _image(part: dict[str, object]) -> Attachment | None:
    inner = part.get("image_url")
    url = inner.get("url") if isinstance(inner, dict) else inner
    if not isinstance(url, str):
        return None
    extra = dict(other_fields(part, frozenset({"type", "image_url"})))
    if isinstance(inner, dict):
        extra.update(other_fields(inner, frozenset({"url"})))
    split = split_data_url(url)
    if split:
        return Attachment(split[0], data=split[1], extra=extra or EMPTY)
    return Attachment("image/*", url=url, extra=extra or EMPTY)


def _audio(part: dict[str, object]) -> Attachment | None:
    inner = part.get("input_audio")
    if not isinstance(inner, dict) or not isinstance(inner.get("data"), str):
        return None
    spelled = str(inner.get("format"))
    extra = {**other_fields(part, frozenset({"type", "input_audio"})), **other_fields(inner, frozenset({"data", "format"}))}
    return Attachment(AUDIO_TYPES.get(spelled, f"audio/{spelled}"), data=inner["data"], extra=extra or EMPTY)


def _file(part: dict[str, object]) -> Attachment | None:
    inner = part.get("file")
    if not isinstance(inner, dict):
        return None
    data, file_id, filename = inner.get("file_data"), inner.get("file_id"), inner.get("filename")
    name = filename if isinstance(filename, str) else None
    known = frozenset({"file_data", "file_id", "filename"})
    extra = {**other_fields(part, frozenset({"type", "file"})), **other_fields(inner, known)} or EMPTY
    if isinstance(data, str):
        split = split_data_url(data)
        return Attachment(*(split or (UNKNOWN_MEDIA, data)), filename=name, extra=extra)
    if isinstance(file_id, str):
        return Attachment(UNKNOWN_MEDIA, url=file_id, filename=name, extra=extra)
    return None


def _assistant_parts(value: dict[str, object], content: tuple[Part, ...]) -> tuple[Part, ...]:
    parts: list[Part] = []
    reasoning = value.get("reasoning_content") or value.get("reasoning")
    if isinstance(reasoning, str) and reasoning:
        parts.append(Thinking(reasoning))
    parts.extend(content)
    refusal = value.get("refusal")
    if isinstance(refusal, str) and refusal:
        parts.append(Text(refusal, refusal=True))
    if value.get("audio") is not None:
        parts.append(Opaque(FORMAT, "audio", value["audio"]))
    parts.extend(_calls(value.get("tool_calls")))
    legacy = value.get("function_call")
    if isinstance(legacy, dict):
        parts.append(Call(text_in(legacy, "name"), _arguments(legacy.get("arguments"))))
    return tuple(parts)


def _calls(calls: object) -> list[Call | Opaque]:
    if calls is None:
        return []
    if not isinstance(calls, list):
        raise FormatError(f".tool_calls is {kind_of(calls)}", hint="tool_calls is a list")
    return [_call(call, index) for index, call in enumerate(calls)]


def _call(call: object, index: int) -> Call | Opaque:
    if not isinstance(call, dict):
        raise FormatError(
            f".tool_calls[{index}] is {kind_of(call)}, not an object", hint="a call has an id, a type and a function"
        )
    kind = call.get("type")
    inner = call.get("function")
    if isinstance(inner, dict):
        name, arguments, call_id = inner.get("name"), inner.get("arguments"), call.get("id")
        # The usual spelling first: comparing sets of keys takes longer than making the call.
        usual = len(call) == 3 and len(inner) == 2 and "type" in call
        if usual and isinstance(name, str) and isinstance(arguments, str) and isinstance(call_id, str):
            return Call(name, arguments, call_id)
        plain = call.keys() <= _CALL and inner.keys() <= _FUNCTION
        extra = EMPTY if plain else {**other_fields(call, _CALL), **other_fields(inner, _FUNCTION)}
        return Call(text_in(inner, "name"), _arguments(arguments), text_in(call, "id"), extra=extra)
    inner = call.get("custom")
    if kind == "custom" and isinstance(inner, dict):
        extra = {**other_fields(call, frozenset({"id", "type", "custom"})), **other_fields(inner, frozenset({"name", "input"}))}
        return Call(text_in(inner, "name"), text_in(inner, "input"), text_in(call, "id"), kind="custom", extra=extra or EMPTY)
    return Opaque(FORMAT, str(kind), call)


def _arguments(arguments: object) -> str:
    """Text as it is. Some clients write an object instead, which is not valid but is what they mean."""
    if isinstance(arguments, str):
        return arguments
    return "{}" if arguments is None else dumps_text(arguments)


def slots(value: Mapping[str, object]) -> list[Slot]:
    """Where each part of the message made from ``value`` stands in it: one slot a part, in the same order."""
    role = value.get("role")
    if role in ("tool", "function"):
        return [("content", -1)]
    content = value.get("content")
    found: list[Slot] = []
    if role == "assistant":
        for field in ("reasoning_content", "reasoning"):
            if isinstance(value.get(field), str) and value[field] and not found:
                found.append((field, -1))
    if isinstance(content, str) and content:
        found.append(("content", -1))
    elif isinstance(content, list):
        found.extend(("content", index) for index in range(len(content)))
    if role == "assistant":
        if isinstance(value.get("refusal"), str) and value["refusal"]:
            found.append(("refusal", -1))
        if value.get("audio") is not None:
            found.append(("audio", -1))
        calls = value.get("tool_calls")
        found.extend(("tool_calls", index) for index in range(len(calls) if isinstance(calls, list) else 0))
        if isinstance(value.get("function_call"), dict):
            found.append(("function_call", -1))
    return found
