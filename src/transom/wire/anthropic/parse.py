"""Anthropic Messages: the conversation, read.

Knows blocks, not the head of the request. One element of ``messages`` becomes one message and one block one part, so that an
edit finds its block by index. Blocks that only Anthropic understands (server tools, compaction, …) stay whole.

Source: https://platform.claude.com/docs/en/api/messages
"""

from __future__ import annotations

import base64
from collections.abc import Mapping

import msgspec

from ...errors import FormatError
from ...jsontext import EMPTY
from ...messages import Attachment, Call, Content, Message, Opaque, Origin, Part, RedactedThinking, Result, Role, Text, Thinking
from ..arguments import arguments_text
from ..attachments import UNKNOWN_MEDIA

__all__ = ["FORMAT", "parse_content", "parse_message", "parse_system"]

FORMAT = "anthropic"

_ROLES: Mapping[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}


class _Input(msgspec.Struct):
    input: msgspec.Raw = msgspec.Raw(b"")


class _Inputs(msgspec.Struct):
    content: list[_Input]


_decode_inputs = msgspec.json.Decoder(_Inputs).decode


def parse_message(value: object, raw: bytes, index: int) -> Message:
    """Read one element of ``messages``.

    Args:
        value: the element as parsed JSON.
        raw: its exact bytes.
        index: its place, for errors.

    Raises:
        FormatError: no object, an unknown role, or content that is neither text nor a list of objects.
    """
    where = f"messages[{index}]"
    if not isinstance(value, dict):
        raise FormatError(f"{where} is not an object", hint="each message is {role, content}")
    name = value.get("role")
    role = _ROLES.get(name) if isinstance(name, str) else None
    if role is None:
        raise FormatError(f"{where} has the role {name!r}", hint="Anthropic knows user, assistant and system")
    content = value.get("content")
    parts, marked, pinned, results = _parts(content, raw, where)
    if results and role == "user" and results == len(parts):
        role = "tool"
    extra = EMPTY
    if len(value) > 2:
        extra = {key: item for key, item in value.items() if key not in ("role", "content")} or EMPTY
    return Message.of(
        role,
        parts,
        Origin(FORMAT, raw),
        pinned=pinned,
        cache_breakpoint=marked,
        positional=role == "system",
        extra=extra,
    )


def parse_system(value: object, raw: bytes) -> Message:
    """Read the ``system`` field, text or blocks, as one message.

    Raises:
        FormatError: neither text nor a list of objects.
    """
    parts, marked, pinned, _ = _parts(value, raw, "system")
    return Message.of("system", parts, Origin(FORMAT, raw, "system"), pinned=pinned, cache_breakpoint=marked)


def _parts(content: object, raw: bytes, where: str) -> tuple[tuple[Part, ...], bool, bool, int]:
    """The parts of a content, whether a block is a cache breakpoint, whether it must be kept, and how many are results."""
    if isinstance(content, str):
        return (Text(content),), False, False, 0
    if content is None:
        return (), False, False, 0
    if not isinstance(content, list | tuple):
        raise FormatError(f"{where}.content is a {type(content).__name__}", hint="content is text or a list of blocks")
    inputs: list[_Input] | None = None
    parts: list[Part] = []
    marked = pinned = False
    results = 0
    for position, block in enumerate(content):
        if not isinstance(block, dict):
            raise FormatError(f"{where}.content[{position}] is not an object", hint="each block is an object with a type")
        if "cache_control" in block and block["cache_control"] is not None:
            marked = True
        match block.get("type"):
            case "text" if len(block) == 2 and isinstance(block.get("text"), str):
                parts.append(Text(block["text"]))
            case "tool_use" if isinstance(block.get("name"), str):
                if inputs is None:
                    inputs = _inputs(raw)
                parts.append(_call(block, bytes(inputs[position].input) if inputs else b""))
            case "tool_result":
                result, inner_marked = _result(block, where)
                marked = marked or inner_marked
                results += 1
                parts.append(result)
            case "compaction":
                pinned = True
                parts.append(Opaque(FORMAT, "compaction", block))
            case _:
                parts.append(parse_content(block))
    return tuple(parts), marked, pinned, results


def parse_content(block: Mapping[str, object]) -> Text | Thinking | RedactedThinking | Attachment | Opaque:
    """Read one block that is neither a call nor a result."""
    kind = block.get("type")
    match kind:
        case "text" if isinstance(text := block.get("text"), str):
            return Text(text) if len(block) == 2 else Text(text, extra=_rest(block, "type", "text"))
        case "thinking" if isinstance(text := block.get("thinking"), str):
            signature = block.get("signature")
            return Thinking(
                text, signature if isinstance(signature, str) else None, extra=_rest(block, "type", "thinking", "signature")
            )
        case "redacted_thinking" if isinstance(data := block.get("data"), str):
            return RedactedThinking(data, extra=_rest(block, "type", "data"))
        case "image" | "document":
            return _attachment(block, "image/*" if kind == "image" else UNKNOWN_MEDIA) or Opaque(FORMAT, str(kind), block)
        case _:
            return Opaque(FORMAT, str(kind), block)


def _rest(block: Mapping[str, object], *known: str) -> Mapping[str, object]:
    if len(block) <= len(known):
        return EMPTY
    return {key: value for key, value in block.items() if key not in known} or EMPTY


def _attachment(block: Mapping[str, object], media_type: str) -> Attachment | None:
    source = block.get("source")
    if not isinstance(source, dict):
        return None
    title = block.get("title")
    filename = title if isinstance(title, str) else None
    extra = _rest(block, "type", "source", "title") if "title" in block else _rest(block, "type", "source")
    media = source.get("media_type")
    data, url, file_id = source.get("data"), source.get("url"), source.get("file_id")
    match source.get("type"):
        case "base64" if isinstance(data, str):
            return Attachment(str(media or media_type), data=data, filename=filename, extra=extra)
        case "text" if isinstance(data, str):
            text = base64.b64encode(data.encode(errors="surrogatepass")).decode()
            return Attachment(str(media or "text/plain"), data=text, filename=filename, extra=extra)
        case "url" if isinstance(url, str):
            # A document by address is a PDF: the API takes no other kind that way.
            kind = "application/pdf" if media_type == UNKNOWN_MEDIA else media_type
            return Attachment(kind, url=url, filename=filename, extra=extra)
        case "file" if isinstance(file_id, str):
            return Attachment(media_type, url=file_id, filename=filename, extra=extra)
        case _:
            return None


def _inputs(raw: bytes) -> list[_Input] | None:
    """Where the exact bytes of each call's input stand; ``None`` for text that only the slow parser reads."""
    try:
        return _decode_inputs(raw).content
    except (msgspec.DecodeError, RecursionError, ValueError):
        return None


def _call(block: Mapping[str, object], raw_input: bytes) -> Call:
    identity = block.get("id")
    extra = _rest(block, "type", "id", "name", "input")
    arguments = arguments_text(block.get("input"), raw_input)
    return Call(str(block["name"]), arguments, identity if isinstance(identity, str) else "", extra=extra)


def _result(block: Mapping[str, object], where: str) -> tuple[Result, bool]:
    content = block.get("content")
    marked = False
    inner: list[Content] = []
    if isinstance(content, str):
        inner.append(Text(content))
    elif isinstance(content, list | tuple):
        for item in content:
            if not isinstance(item, dict):
                raise FormatError(f"{where}: a tool_result holds something that is no block", hint="content is text or blocks")
            marked = marked or item.get("cache_control") is not None
            part = parse_content(item)
            inner.append(part if isinstance(part, Text | Attachment | Opaque) else Opaque(FORMAT, str(item.get("type")), item))
    identity = block.get("tool_use_id")
    return (
        Result(
            tuple(inner),
            call_id=identity if isinstance(identity, str) else "",
            is_error=block.get("is_error") is True,
            extra=_rest(block, "type", "tool_use_id", "content", "is_error"),
        ),
        marked,
    )
