"""Anthropic Messages: an edit written into the bytes a message came in.

Knows one element of the conversation list. Only the blocks that were edited change, each in the form it has: a string stays a
string, a list of blocks stays a list, key order and unknown fields stay.
"""

from __future__ import annotations

from ...jsontext import join_object, loads, locate, raw_items, raw_object, string
from ...messages import Attachment, Call, Content, Edit, Message, Part, Result, Text, Thinking
from ..arguments import object_bytes
from ..report import Notes
from .blocks import call_block, content_block, is_blank, result_block, result_content, text_block
from .parse import parse_content

__all__ = ["append_to_entry", "splice_content", "splice_message"]


def splice_message(message: Message, note: Notes) -> bytes | None:
    """The element with the message's edits in it; ``None`` where nothing is left of its content."""
    assert message.origin is not None
    members = raw_object(message.origin.raw)
    content = splice_content(members.get("content", b"null"), message.edits, note)
    if content is None:
        return None
    members["content"] = content
    return join_object(members)


def splice_content(content: bytes, edits: tuple[Edit, ...], note: Notes) -> bytes | None:
    """A ``content`` or ``system`` value with edits in it, by index of its blocks; ``None`` where nothing is left."""
    changes = dict(edits)
    if not content.startswith(b"["):
        part = changes.get(0)
        if isinstance(part, Text):
            return string(part.text) if part.text else None
        block = None if part is None else _built(part, note)
        return None if block is None else b"[" + block + b"]"
    blocks: list[bytes] = []
    for index, block in enumerate(raw_items(content)):
        if index not in changes:
            blocks.append(block)
            continue
        part = changes[index]
        written = None if part is None else _spliced(block, part, note)
        if written is not None:
            blocks.append(written)
    return b"[" + b",".join(blocks) + b"]" if blocks else None


def _built(part: Part, note: Notes) -> bytes | None:
    if isinstance(part, Call):
        return call_block(part, part.id, note)
    if isinstance(part, Result):
        return result_block(part, part.call_id, note)
    return content_block(part, True, False, note)


def _spliced(block: bytes, part: Part, note: Notes) -> bytes | None:
    members = raw_object(block)
    kind = loads(members.get("type", b"null"))
    match part:
        case Text() if kind == "text":
            if is_blank(part.text):
                return None
            _put(members, "text", part.text)
        case Thinking() if kind == "thinking" and part.signature:
            _put(members, "thinking", part.text)
            _put(members, "signature", part.signature)
        case Call() if kind == "tool_use":
            _put(members, "id", part.id)
            _put(members, "name", part.name)
            written = object_bytes(part, note)
            if members.get("input") != written:
                members["input"] = written
        case Result() if kind == "tool_result":
            _splice_result(members, part, note)
        case Attachment() if parse_content(_object(block)) == part:
            return block
        case _:
            return _built(part, note)
    return join_object(members)


def _put(members: dict[str, bytes], key: str, value: str) -> None:
    """Set a text, leaving its spelling alone where it says the same already."""
    if key not in members or loads(members[key]) != value:
        members[key] = string(value)


def _splice_result(members: dict[str, bytes], part: Result, note: Notes) -> None:
    _put(members, "tool_use_id", part.call_id)
    if part.is_error:
        members["is_error"] = b"true"
    elif members.get("is_error") == b"true":
        members["is_error"] = b"false"
    old = members.get("content", b"")
    if old.startswith(b"["):
        members["content"] = _splice_items(raw_items(old), part.content, note)
    else:
        content = result_content(part.content, note)
        if content or old:
            members["content"] = content or b'""'


def _splice_items(items: list[bytes], content: tuple[Content, ...], note: Notes) -> bytes:
    """Blocks of a result: those that still say the same keep their bytes, a changed text keeps its other fields."""
    known = [parse_content(_object(item)) for item in items]
    written: list[bytes] = []
    free = 0
    for part in content:
        same = next((index for index in range(free, len(known)) if known[index] == part), None)
        if same is not None:
            written.append(items[same])
            free = same + 1
            continue
        if isinstance(part, Text) and free < len(known) and isinstance(known[free], Text):
            members = raw_object(items[free])
            free += 1
            if is_blank(part.text):
                continue
            members["text"] = string(part.text)
            written.append(join_object(members))
            continue
        block = content_block(part, True, False, note)
        if block is not None:
            written.append(block)
    return b"[" + b",".join(written) + b"]"


def _object(block: bytes) -> dict[str, object]:
    value = loads(block)
    return value if isinstance(value, dict) else {"type": None, "value": value}


def append_to_entry(raw: bytes, text: str) -> tuple[bytes, int] | None:
    """A whole user entry with text at its end, and how many bytes stay; ``None`` where no text may be added."""
    members = raw_object(raw)
    if members.get("role") != b'"user"':
        return None
    span = locate(raw, "content")
    if span is None:
        return None
    start, end = span
    if raw[start : start + 1] == b'"':
        joint = "\n\n" if end - start > 2 else ""
        return raw[: end - 1] + string(joint + text)[1:-1] + raw[end - 1 :], end - 1
    if raw[start : start + 1] != b"[":
        return None
    blocks = loads(raw[start:end])
    if not isinstance(blocks, list) or any(isinstance(block, dict) and block.get("type") == "tool_result" for block in blocks):
        return None
    stop = start + len(raw[start : end - 1].rstrip(b" \t\r\n"))
    return raw[:stop] + (b"," if blocks else b"") + text_block(text) + raw[stop:], stop
