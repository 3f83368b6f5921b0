"""Gemini generateContent: an edit written into the bytes a message came in.

Knows one element of ``contents``. Only the parts that were edited change; their signature, key order, spelling and
unknown fields stay, and a response keeps the member that held its text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...jsontext import join_object, loads, locate, raw_items, raw_object, string
from ...messages import Attachment, Call, Content, Message, Part, Result, Text, Thinking
from ..arguments import object_bytes
from ..report import Notes
from .parse import RESPONSE_KEYS, parse_file, parse_part, response_text
from .pieces import call_piece, file_piece, piece, response_bytes, result_piece, text_piece

__all__ = ["append_to_entry", "splice_message"]


def splice_message(message: Message, notes: Notes) -> bytes | None:
    """The element, or the system instruction, with the message's edits in it; ``None`` where nothing is left of its parts."""
    assert message.origin is not None
    raw = message.origin.raw
    changes = dict(message.edits)
    if raw.startswith(b'"'):
        part = changes.get(0)
        return string(part.text) if isinstance(part, Text) and part.text else None
    members = raw_object(raw)
    listed = members.get("parts", b"[]")
    written: list[bytes] = []
    for index, item in enumerate(raw_items(listed) if listed.startswith(b"[") else [listed]):
        if index not in changes:
            written.append(item)
            continue
        part = changes[index]
        new = None if part is None else _spliced(item, part, notes)
        if new is not None:
            written.append(new)
    if not written:
        return None
    members["parts"] = b"[" + b",".join(written) + b"]"
    return join_object(members)


def _spliced(item: bytes, part: Part, notes: Notes) -> bytes | None:
    members = raw_object(item)
    match part:
        case Text() | Thinking() if "text" in members:
            if not part.text and len(members) == 1:
                return None
            _put(members, "text", part.text)
        case Call() if key := _key(members, "functionCall", "function_call"):
            inner = raw_object(members[key])
            if part.id:
                _put(inner, "id", part.id)
            _put(inner, "name", part.name)
            written = object_bytes(part, notes)
            if inner.get("args", b"{}") != written:
                inner["args"] = written
            members[key] = join_object(inner)
        case Result() if key := _key(members, "functionResponse", "function_response"):
            members[key] = _spliced_response(members[key], part, notes)
        case Attachment() if _says(item, part):
            return item
        case Call():
            return call_piece(part, part.id, notes)
        case Result():
            return result_piece(part, part.call_id, part.name or "tool", notes)
        case _:
            return piece(part, False, notes)
    return join_object(members)


def _key(members: Mapping[str, bytes], camel: str, snake: str) -> str:
    return camel if camel in members else snake if snake in members else ""


def _put(members: dict[str, bytes], key: str, value: str) -> None:
    """Set a text, leaving its spelling alone where it says the same already."""
    if key not in members or loads(members[key]) != value:
        members[key] = string(value)


def _says(item: bytes, part: Part) -> bool:
    value = loads(item)
    return isinstance(value, dict) and parse_part(value) == part


def _spliced_response(raw: bytes, part: Result, notes: Notes) -> bytes:
    members = raw_object(raw)
    if part.call_id:
        _put(members, "id", part.call_id)
    if part.name:
        _put(members, "name", part.name)
    texts = [content.text for content in part.content if isinstance(content, Text)]
    old = members.get("response", b"{}")
    before, failed = response_text(loads(old), old)
    if (before, failed) != ("\n".join(texts) if texts else None, part.is_error):
        members["response"] = _response(old, texts, failed, part.is_error) if texts else b"{}"
    files = [content for content in part.content if not isinstance(content, Text)]
    if files or "parts" in members:
        kept = _files(raw_items(members["parts"]) if members.get("parts", b"").startswith(b"[") else [], files, notes)
        members["parts"] = b"[" + b",".join(kept) + b"]"
    return join_object(members)


def _response(old: bytes, texts: list[str], was_error: bool, is_error: bool) -> bytes:
    """A new text in the member the old one had; text that is an object of its own stands as such."""
    text = "\n".join(texts)
    members = raw_object(old) if old.startswith(b"{") else {}
    if len(members) == 1 and was_error == is_error and (key := next(iter(members))) in RESPONSE_KEYS:
        return join_object({key: string(text)})
    return response_bytes(texts, is_error)


def _files(items: list[bytes], wanted: Sequence[Content], notes: Notes) -> list[bytes]:
    """The files of a response: those still wanted keep their bytes."""
    known = [value if isinstance(value := loads(item), dict) else {} for item in items]
    parsed = [parse_file(value) or parse_part(value) for value in known]
    written: list[bytes] = []
    free = 0
    for part in wanted:
        same = next((index for index in range(free, len(parsed)) if parsed[index] == part), None)
        if same is not None:
            written.append(items[same])
            free = same + 1
            continue
        new = file_piece(part, notes, stand_in=False) if isinstance(part, Attachment) else piece(part, False, notes)
        if new is not None:
            written.append(new)
    return written


def append_to_entry(raw: bytes, text: str) -> tuple[bytes, int] | None:
    """A whole user entry with text at its end, and how many bytes stay; ``None`` where no text may be added."""
    members = raw_object(raw)
    if members.get("role", b'"user"') != b'"user"':
        return None
    span = locate(raw, "parts")
    if span is None or raw[span[0] : span[0] + 1] != b"[":
        return None
    start, end = span
    parts = loads(raw[start:end])
    if not isinstance(parts, list) or any(
        isinstance(part, dict) and ("functionResponse" in part or "function_response" in part) for part in parts
    ):
        return None
    stop = start + len(raw[start : end - 1].rstrip(b" \t\r\n"))
    return raw[:stop] + (b"," if parts else b"") + text_piece(text) + raw[stop:], stop
