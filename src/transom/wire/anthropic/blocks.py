"""Anthropic Messages: one part of a message, written as a block.

Knows blocks, not messages. What a block cannot hold is reported. A block is written without a cache marker; ``with_marker``
adds one and ``without_markers`` takes them out.

Sources: https://platform.claude.com/docs/en/api/messages,
https://platform.claude.com/docs/en/build-with-claude/prompt-caching
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping

from ...jsontext import dumps, join_object, loads, raw_items, raw_object, string
from ...messages import Attachment, Call, Content, Opaque, Part, RedactedThinking, Result, Text, Thinking
from ..arguments import object_bytes
from ..attachments import UNKNOWN_MEDIA, is_image, split_data_url
from ..report import Notes
from .parse import FORMAT

__all__ = [
    "MARKER",
    "block_without_marker",
    "blocks_without_markers",
    "call_block",
    "content_block",
    "is_blank",
    "mark_entry",
    "may_be_marked",
    "result_block",
    "result_content",
    "stand_in",
    "text_block",
    "tool_name",
    "valid_id",
    "with_marker",
    "without_markers",
]

MARKER = b'{"type":"ephemeral"}'
"""The five-minute marker, the provider's default."""

IMAGE_TYPES = ("image/jpeg", "image/png", "image/gif", "image/webp")

_SIGNATURES = (("iVBOR", "image/png"), ("/9j/", "image/jpeg"), ("R0lG", "image/gif"), ("UklG", "image/webp"))


def is_blank(text: str) -> bool:
    """Whether the provider refuses the text: "text content blocks must contain non-whitespace text"."""
    return not text or text.isspace()


def valid_id(identity: str) -> bool:
    """Whether a call id may be sent: the API demands ``^[a-zA-Z0-9_-]+$``."""
    return identity.isascii() and identity.replace("_", "a").replace("-", "a").isalnum()


def tool_name(name: str) -> str:
    """The name as the API takes it, ``^[a-zA-Z0-9_-]{1,128}$``: other characters become underscores."""
    if valid_id(name) and len(name) <= 128:
        return name
    return "".join(char if char in "_-" or (char.isascii() and char.isalnum()) else "_" for char in name)[:128] or "tool"


def text_block(text: str) -> bytes:
    """A block of plain text."""
    return b'{"type":"text","text":' + string(text) + b"}"


def content_block(part: Part, native: bool, thinking_as_text: bool, note: Notes) -> bytes | None:
    """A block for a part that is neither a call nor a result.

    Args:
        part: what to write.
        native: whether the part comes from an Anthropic message or was made by hand, so that its signature can be trusted.
        thinking_as_text: whether reasoning that cannot go out as such becomes text.
        note: told about what is lost.

    Returns:
        ``None`` where nothing is left to send.
    """
    match part:
        case Text():
            if is_blank(part.text):
                if part.text:
                    note("dropped", "a text of white space alone, which Anthropic refuses")
                return None
            return text_block(part.text)
        case Thinking():
            return _thinking(part, native, thinking_as_text, note)
        case RedactedThinking():
            # What another provider encrypted is noted once for the whole conversation, by the caller.
            return b'{"type":"redacted_thinking","data":' + string(part.data) + b"}" if native else None
        case Attachment():
            return file_block(part, note)
        case Opaque():
            if part.format == FORMAT:
                return dumps(part.value)
            note("dropped", f"{part.kind}: only {part.format} understands it")
            return None
        case Call() | Result():
            raise TypeError("calls and results are written with the ids of their turn")


def _thinking(part: Thinking, native: bool, to_text: bool, note: Notes) -> bytes | None:
    if native and part.signature:
        return b'{"type":"thinking","thinking":' + string(part.text) + b',"signature":' + string(part.signature) + b"}"
    why = "without a signature" if native else "of another provider"
    if to_text and not is_blank(part.text):
        note("degraded", f"reasoning {why} became text")
        return text_block(note.words.as_reasoning(part.text))
    note("dropped", f"reasoning {why}")
    return None


def call_block(call: Call, identity: str, note: Notes) -> bytes:
    """A ``tool_use`` block."""
    name = tool_name(call.name)
    if name != call.name:
        note("degraded", f"the tool name {call.name!r} was written {name!r}")
    head = b'{"type":"tool_use","id":' + string(identity) + b',"name":' + string(name)
    return head + b',"input":' + object_bytes(call, note) + b"}"


def result_block(result: Result, identity: str, note: Notes) -> bytes:
    """A ``tool_result`` block."""
    members = {"type": b'"tool_result"', "tool_use_id": string(identity)}
    content = result_content(result.content, note)
    if content:
        members["content"] = content
    if result.is_error:
        members["is_error"] = b"true"
    return join_object(members)


def result_content(content: tuple[Content, ...], note: Notes) -> bytes:
    """What a tool answered: text as a string, anything more as blocks; empty where there is nothing."""
    if not content:
        return b""
    if len(content) == 1 and isinstance(content[0], Text):
        return string(content[0].text)
    blocks = [block for part in content if (block := content_block(part, True, False, note)) is not None]
    return b"[" + b",".join(blocks) + b"]" if blocks else b""


def file_block(part: Attachment, note: Notes) -> bytes:
    """An ``image`` or ``document`` block; a line of text where the API takes no such file."""
    data, url, media = part.data, part.url, part.media_type
    if url is not None and (inline := split_data_url(url)) is not None:
        (media, data), url = inline, None
    if data is not None:
        return _inline(part, media, data, note)
    if url is not None and url.startswith(("http://", "https://")):
        if is_image(media):
            return _source("image", {"type": "url", "url": url}, None)
        if media in ("application/pdf", UNKNOWN_MEDIA):
            return _source("document", {"type": "url", "url": url}, part.filename)
    elif url is not None and url.startswith("file_"):
        return _source("image" if is_image(media) else "document", {"type": "file", "file_id": url}, part.filename)
    return stand_in(part, "is an address that Anthropic cannot read", note)


def _inline(part: Attachment, media: str, data: str, note: Notes) -> bytes:
    if is_image(media):
        if media not in IMAGE_TYPES:
            media = next((kind for start, kind in _SIGNATURES if data.startswith(start)), "")
        if media:
            return _source("image", {"type": "base64", "media_type": media, "data": data}, None)
        return stand_in(part, "is a picture of a kind that Anthropic does not read", note)
    if media == "application/pdf" or (media == UNKNOWN_MEDIA and data.startswith("JVBERi")):
        return _source("document", {"type": "base64", "media_type": "application/pdf", "data": data}, part.filename)
    if media.startswith("text/") or media in ("application/json", "application/xml"):
        try:
            text = base64.b64decode(data, validate=True).decode()
        except (binascii.Error, UnicodeDecodeError, ValueError):
            return stand_in(part, "is not the text it claims to be", note)
        return _source("document", {"type": "text", "media_type": "text/plain", "data": text}, part.filename)
    return stand_in(part, "is of a kind that Anthropic does not read", note)


def _source(kind: str, source: Mapping[str, object], title: str | None) -> bytes:
    if title and kind == "document":
        return dumps({"type": kind, "source": source, "title": title})
    return dumps({"type": kind, "source": source})


def stand_in(part: Attachment, why: str, note: Notes) -> bytes:
    """A line of text where a file stood, so that the message neither vanishes nor pretends."""
    name = part.filename or (part.url if part.url and len(part.url) < 200 else "") or note.words.file
    note("degraded", f"the attachment {name} ({part.media_type}) {why}; a line of text stands in for it")
    return text_block(note.words.left_out(name, part.media_type))


def with_marker(block: bytes, marker: bytes = MARKER) -> bytes:
    """The block with a cache marker as its last member; one it carries already stays."""
    members = raw_object(block)
    if members.get("cache_control", b"null") == b"null":
        members["cache_control"] = marker
    return join_object(members)


def without_markers(entry: bytes) -> bytes:
    """A message without the cache markers of its blocks; the very bytes where there is none."""
    if b'"cache_control"' not in entry:
        return entry
    members = raw_object(entry)
    content = members.get("content", b"")
    plain = blocks_without_markers(content)
    if plain is content:
        return entry
    members["content"] = plain
    return join_object(members)


def blocks_without_markers(blocks: bytes) -> bytes:
    """A list of blocks or tools, or a system prompt, without cache markers; the very bytes where there is none."""
    if b'"cache_control"' not in blocks or not blocks.startswith(b"["):
        return blocks
    items = raw_items(blocks)
    plain = [block_without_marker(item) for item in items]
    return blocks if plain == items else b"[" + b",".join(plain) + b"]"


def block_without_marker(block: bytes) -> bytes:
    """A block without its cache marker.

    Markers stand on a block and on the blocks inside a result; anything else of that name is data.
    """
    if b'"cache_control"' not in block or not block.startswith(b"{"):
        return block
    members = raw_object(block)
    found = members.get("cache_control", b"null") != b"null"
    if found:
        del members["cache_control"]
    content = members.get("content")
    if content is not None and members.get("type") == b'"tool_result"':
        members["content"] = blocks_without_markers(content)
        found = found or members["content"] is not content
    return join_object(members) if found else block


def mark_entry(entry: bytes) -> bytes | None:
    """A whole message with a marker on its last block that may carry one; ``None`` where none may."""
    members = raw_object(entry)
    content = members.get("content", b"")
    if content.startswith(b'"'):
        text = loads(content)
        if not isinstance(text, str) or is_blank(text):
            return None
        members["content"] = b"[" + with_marker(b'{"type":"text","text":' + content + b"}") + b"]"
        return join_object(members)
    if not content.startswith(b"["):
        return None
    blocks = raw_items(content)
    for index in reversed(range(len(blocks))):
        if may_be_marked(blocks[index]):
            blocks[index] = with_marker(blocks[index])
            members["content"] = b"[" + b",".join(blocks) + b"]"
            return join_object(members)
    return None


def may_be_marked(block: bytes) -> bool:
    """Whether a block may carry a cache marker: not reasoning, not an empty text."""
    value = loads(block)
    if not isinstance(value, Mapping) or value.get("type") in ("thinking", "redacted_thinking"):
        return False
    return value.get("type") != "text" or bool(value.get("text"))
