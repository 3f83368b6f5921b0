"""OpenAI Responses, read.

Knows the items of ``POST /v1/responses`` (OpenAI API reference, "Create a model response", ``input``). One message for each
item; ``instructions`` is a system message before them. Items of hosted tools, references, compactions and everything unknown
are ``Opaque``. Nothing is repaired. With newer models Codex offers its tools in an item ``additional_tools`` of the developer's
that leads ``input``, and sends its instructions in messages behind it: such an item is a system message, and is never moved.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from ...errors import FormatError
from ...jsontext import dumps_text
from ...messages import Attachment, Call, Message, Opaque, Origin, Part, RedactedThinking, Result, Role, Text, Thinking
from ..attachments import UNKNOWN_MEDIA, split_data_url
from ..bodies import Item, as_item
from ..elements import kind_of, other_fields, read_elements, text_in

__all__ = ["FORMAT", "Slot", "instructions", "parse_elements", "parse_items", "plain_input", "slots"]

FORMAT: Literal["openai-responses"] = "openai-responses"

_MESSAGE = frozenset({"type", "role", "content"})
_CALL = frozenset({"type", "call_id", "name", "arguments"})
_CUSTOM_CALL = frozenset({"type", "call_id", "name", "input"})
_OUTPUT = frozenset({"type", "call_id", "output", "name"})
_REASONING = frozenset({"type", "summary", "content", "encrypted_content"})
_TEXT = frozenset({"type", "text"})
_TEXTS = ("input_text", "output_text", "text", "summary_text", "reasoning_text")
_SYSTEM = ("developer", "system")
_ROLES: dict[object, Role] = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}

Slot = tuple[str, int]
"""Where a part stands in its item: the field, and the index in its list (-1 where the field is no list)."""


def instructions(raw: bytes, text: str) -> Message:
    """The system message made from the field ``instructions``."""
    return Message.of("system", (Text(text),) if text else (), Origin(FORMAT, raw, "instructions"))


def plain_input(raw: bytes, text: str) -> Message:
    """The user message made from an ``input`` that is one string."""
    return Message.of("user", (Text(text),) if text else (), Origin(FORMAT, raw, "input"))


def parse_items(items: Sequence[object]) -> tuple[Message, ...]:
    """Read items of ``input``, given as parsed JSON or as JSON text."""
    return parse_elements(as_item(item) for item in items)


def parse_elements(items: Iterable[Item]) -> tuple[Message, ...]:
    """Read items of ``input`` together with their exact bytes.

    Raises:
        FormatError: something that is no item; names it.
    """
    return read_elements(items, _message, "input", "is this a list of response items?")


def _message(value: dict[str, object], raw: bytes, leading: bool) -> Message:
    origin = Origin(FORMAT, raw)
    match value.get("type", "message" if "role" in value else "item_reference"):
        case "message":
            return _said(value, origin, leading)
        case "function_call":
            call = Call(text_in(value, "name"), _arguments(value.get("arguments")), text_in(value, "call_id"))
            return Message.of("assistant", (call,), origin, extra=other_fields(value, _CALL))
        case "custom_tool_call":
            call = Call(text_in(value, "name"), text_in(value, "input"), text_in(value, "call_id"), kind="custom")
            return Message.of("assistant", (call,), origin, extra=other_fields(value, _CUSTOM_CALL))
        case "function_call_output" | "custom_tool_call_output":
            inner = _content(value.get("output"), "output")
            result = Result(inner, call_id=text_in(value, "call_id"), name=text_in(value, "name"))
            return Message.of("tool", (result,), origin, extra=other_fields(value, _OUTPUT))
        case "reasoning":
            return Message.of("assistant", _reasoning(value), origin, extra=other_fields(value, _REASONING))
        case str() as kind:
            part = Opaque(FORMAT, kind, value)
            if value.get("role") in _SYSTEM:
                return Message.of("system", (part,), origin, pinned=not leading, positional=not leading)
            return Message.of(_role_of(kind), (part,), origin, pinned=kind.startswith("compaction"))
        case kind:
            raise FormatError(f".type is {kind_of(kind)}", hint="an item's type is text")


def _role_of(kind: str) -> Role:
    """Who an item comes from that nobody but the provider understands."""
    if kind.endswith(("_output", "_response")):
        return "tool"
    return "user" if kind.startswith("compaction") else "assistant"


def _said(value: dict[str, object], origin: Origin, leading: bool) -> Message:
    spelled = value.get("role")
    role = _ROLES.get(spelled) if isinstance(spelled, str) else None
    if role is None:
        raise FormatError(f".role is {spelled!r}", hint="known are user, assistant, system and developer")
    extra = other_fields(value, _MESSAGE)
    if spelled == "developer":
        extra = {**extra, "role": spelled}
    content = _content(value.get("content"), "content")
    return Message.of(role, content, origin, positional=role == "system" and not leading, extra=extra)


def _arguments(arguments: object) -> str:
    if isinstance(arguments, str):
        return arguments
    return "{}" if arguments is None else dumps_text(arguments)


def _content(content: object, field: str) -> tuple[Text | Attachment | Opaque, ...]:
    if isinstance(content, str):
        return (Text(content),) if content else ()
    if content is None:
        return ()
    if isinstance(content, list):
        return tuple([_content_part(part, f".{field}[{index}]") for index, part in enumerate(content)])
    raise FormatError(f".{field} is {kind_of(content)}", hint=f"{field} is text or a list of parts")


def _content_part(part: object, where: str) -> Text | Attachment | Opaque:
    if not isinstance(part, dict):
        raise FormatError(f"{where} is {kind_of(part)}, not an object", hint="a content part has a type")
    kind = part.get("type")
    if kind in _TEXTS and isinstance(part.get("text"), str):
        return Text(part["text"], extra=other_fields(part, _TEXT))
    if kind == "refusal" and isinstance(part.get("refusal"), str):
        return Text(part["refusal"], refusal=True, extra=other_fields(part, frozenset({"type", "refusal"})))
    found = _image(part) if kind == "input_image" else _file(part) if kind == "input_file" else None
    return Opaque(FORMAT, str(kind), part) if found is None else found


def _image(part: dict[str, object]) -> Attachment | None:
    extra = other_fields(part, frozenset({"type", "image_url", "file_id"}))
    url = part.get("image_url") or part.get("file_id")
    if not isinstance(url, str):
        return None
    split = split_data_url(url)
    return Attachment(split[0], data=split[1], extra=extra) if split else Attachment("image/*", url=url, extra=extra)


def _file(part: dict[str, object]) -> Attachment | None:
    extra = other_fields(part, frozenset({"type", "file_data", "file_url", "file_id", "filename"}))
    filename = part.get("filename")
    name = filename if isinstance(filename, str) else None
    data, url = part.get("file_data"), part.get("file_url") or part.get("file_id")
    if isinstance(data, str):
        media, text = split_data_url(data) or (UNKNOWN_MEDIA, data)
        return Attachment(media, data=text, filename=name, extra=extra)
    return Attachment(UNKNOWN_MEDIA, url=url, filename=name, extra=extra) if isinstance(url, str) else None


def _reasoning(value: dict[str, object]) -> tuple[Part, ...]:
    parts: list[Part] = []
    for field in ("summary", "content"):
        entries = value.get(field)
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict) and isinstance(entry.get("text"), str):
                parts.append(Thinking(entry["text"]))
            else:
                parts.append(Opaque(FORMAT, f"reasoning.{field}", entry))
    encrypted = value.get("encrypted_content")
    if isinstance(encrypted, str):
        parts.append(RedactedThinking(encrypted))
    return tuple(parts) or (Opaque(FORMAT, "reasoning", value),)


def slots(value: Mapping[str, object]) -> list[Slot]:
    """Where each part of the message made from an item stands in it: one slot a part, in the same order.

    The field is empty for an item that is one opaque part as a whole.
    """
    match value.get("type", "message" if "role" in value else "item_reference"):
        case "message":
            content = value.get("content")
            if isinstance(content, list):
                return [("content", index) for index in range(len(content))]
            return [("content", -1)] if content else []
        case "function_call":
            return [("arguments", -1)]
        case "custom_tool_call":
            return [("input", -1)]
        case "function_call_output" | "custom_tool_call_output":
            return [("output", -1)]
        case "reasoning":
            found: list[Slot] = []
            for field in ("summary", "content"):
                entries = value.get(field)
                found.extend((field, index) for index in range(len(entries) if isinstance(entries, list) else 0))
            if isinstance(value.get("encrypted_content"), str):
                found.append(("encrypted_content", -1))
            return found or [("", -1)]
        case _:
            return [("", -1)]
