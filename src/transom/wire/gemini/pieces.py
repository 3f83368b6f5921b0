"""Gemini generateContent: one part of a message, written as a part of a content.

Knows parts, not messages. What Gemini has no place for is reported.

Sources: https://ai.google.dev/api/caching#Part, https://ai.google.dev/gemini-api/docs/function-calling
"""

from __future__ import annotations

from collections.abc import Mapping

from ...jsontext import dumps, join_object, string
from ...messages import Attachment, Call, Opaque, Part, RedactedThinking, Result, Text, Thinking
from ..arguments import object_bytes
from ..attachments import UNKNOWN_MEDIA, media_of, split_data_url
from ..report import Notes
from .parse import FORMAT

__all__ = ["call_piece", "file_piece", "piece", "response_bytes", "result_files", "result_piece", "text_piece", "tool_name"]

_READABLE = ("image/", "audio/", "video/", "text/")
_ENDINGS: Mapping[str, str] = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "webp": "image/webp",
    "gif": "image/gif",
    "pdf": "application/pdf",
    "mp4": "video/mp4",
    "mp3": "audio/mp3",
    "wav": "audio/wav",
    "txt": "text/plain",
}


def text_piece(text: str) -> bytes:
    """A part of plain text."""
    return b'{"text":' + string(text) + b"}"


def tool_name(name: str) -> str:
    """The name as the API takes it: letters, digits, ``_.:-``, a letter or underscore first, at most 128."""
    plain = name.replace("_", "").replace(".", "").replace(":", "").replace("-", "")
    if name.isascii() and (plain.isalnum() or not plain) and len(name) <= 128 and (name[:1].isalpha() or name[:1] == "_"):
        return name
    safe = "".join(char if char in "_.:-" or (char.isascii() and char.isalnum()) else "_" for char in name)
    return (safe if safe[:1].isalpha() or safe[:1] == "_" else f"_{safe}")[:128]


def piece(part: Part, thinking_as_text: bool, notes: Notes) -> bytes | None:
    """A part that is neither a call nor a result; ``None`` where nothing is left to send."""
    match part:
        case Text():
            return text_piece(part.text) if part.text else None
        case Thinking():
            if thinking_as_text and part.text:
                notes("degraded", "reasoning that Gemini did not sign became text")
                return text_piece(notes.words.as_reasoning(part.text))
            notes("dropped", "reasoning that Gemini did not sign")
            return None
        case Attachment():
            return file_piece(part, notes)
        case Opaque():
            if part.format == FORMAT:
                return dumps(part.value)
            notes("dropped", f"{part.kind}: only {part.format} understands it")
            return None
        case RedactedThinking():
            return None
        case Call() | Result():
            raise TypeError("calls and results are written with the ids of their turn")


def call_piece(call: Call, identity: str, notes: Notes) -> bytes:
    """A ``functionCall`` part with the signature that is bound to it. A call without an id goes out without one."""
    members: dict[str, bytes] = {}
    if identity:
        members["id"] = string(identity)
    name = tool_name(call.name)
    if name != call.name:
        notes("degraded", f"the tool name {call.name!r} was written {name!r}")
    members["name"] = string(name)
    members["args"] = object_bytes(call, notes)
    outer = {"functionCall": join_object(members)}
    if call.signature:
        outer["thoughtSignature"] = string(call.signature)
    return join_object(outer)


def result_piece(result: Result, identity: str, name: str, notes: Notes) -> bytes:
    """A ``functionResponse`` part. Pictures and files stand in its ``parts``."""
    members: dict[str, bytes] = {}
    if identity:
        members["id"] = string(identity)
    members["name"] = string(tool_name(name))
    files = result_files(result, notes)
    texts = [part.text for part in result.content if isinstance(part, Text)]
    members["response"] = response_bytes(texts, result.is_error) if texts or not files else b"{}"
    if files:
        members["parts"] = b"[" + b",".join(files) + b"]"
    return b'{"functionResponse":' + join_object(members) + b"}"


def response_bytes(texts: list[str], is_error: bool) -> bytes:
    """The response object around text: "output", or "error" for a failure, as the API suggests."""
    return (b'{"error":' if is_error else b'{"output":') + string("\n".join(texts)) + b"}"


def result_files(result: Result, notes: Notes) -> list[bytes]:
    """The files of a result; what Gemini cannot take there is reported."""
    files: list[bytes] = []
    for part in result.content:
        match part:
            case Attachment():
                written = file_piece(part, notes, stand_in=False)
                if written is not None:
                    files.append(written)
            case Opaque():
                if part.format == FORMAT:
                    files.append(dumps(part.value))
                else:
                    notes("dropped", f"{part.kind}: only {part.format} understands it")
            case Text():
                pass
    return files


def file_piece(part: Attachment, notes: Notes, *, stand_in: bool = True) -> bytes | None:
    """An ``inlineData`` or ``fileData`` part.

    Args:
        part: the file.
        notes: told about what is lost.
        stand_in: write a line of text where Gemini cannot take the file; else ``None`` is returned.
    """
    data, url, media = part.data, part.url, part.media_type
    if url is not None and (inline := split_data_url(url)) is not None:
        (media, data), url = inline, None
    if data is not None:
        media = _readable(media, data)
        if media:
            _note_name(part, notes)
            return dumps({"inlineData": {"mimeType": media, "data": data}})
    elif url is not None and (url.startswith(("http://", "https://", "gs://", "files/"))):
        source = {"fileUri": url}
        media = media if media != UNKNOWN_MEDIA and "*" not in media else _by_ending(url)
        _note_name(part, notes)
        return dumps({"fileData": {"mimeType": media, **source} if media else source})
    name = part.filename or (part.url if part.url and len(part.url) < 200 else "") or notes.words.file
    if not stand_in:
        notes("dropped", f"the attachment {name} ({part.media_type}): Gemini cannot read it")
        return None
    notes("degraded", f"Gemini cannot read the attachment {name} ({part.media_type}); a line of text stands in for it")
    return text_piece(notes.words.left_out(name, part.media_type))


def _note_name(part: Attachment, notes: Notes) -> None:
    """``displayName`` is refused outside Vertex."""
    if part.filename:
        notes("dropped", f"the file name {part.filename!r}")


def _readable(media: str, data: str) -> str:
    if media in ("application/json", "application/xml"):
        return "text/plain"
    if "*" in media or media == UNKNOWN_MEDIA:
        return media_of(data)
    return media if media.startswith(_READABLE) or media == "application/pdf" else ""


def _by_ending(url: str) -> str:
    path = url.split("?", 1)[0].split("#", 1)[0]
    return _ENDINGS.get(path.rsplit(".", 1)[-1].lower(), "")
