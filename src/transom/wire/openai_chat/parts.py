"""OpenAI Chat Completions: one part at a time, written as a content part or a call.

Knows parts; not which message they stand in.
"""

from __future__ import annotations

from ...messages import Attachment, Call, Opaque, Part, Text, Thinking
from ...vocabulary.mending import MendingWords
from ..attachments import data_url, is_audio, is_image
from .parse import AUDIO_TYPES, FORMAT

__all__ = ["call_block", "content_block", "is_carried"]

_AUDIO_NAMES = {**{media: name for name, media in AUDIO_TYPES.items()}, "audio/mp3": "mp3", "audio/x-wav": "wav"}


def content_block(part: Part, words: MendingWords) -> dict[str, object]:
    """A content part that says what ``part`` says; text where there is no such part."""
    match part:
        case Text(text, True):
            return {"type": "refusal", "refusal": text}
        case Text(text) | Thinking(text):
            return {"type": "text", "text": text}
        case Attachment():
            return _attachment(part, words)
        case Opaque(format, _, dict() as value) if format == FORMAT:
            return value
        case _:
            return {"type": "text", "text": ""}


def _attachment(part: Attachment, words: MendingWords) -> dict[str, object]:
    if is_image(part.media_type):
        url = part.url if part.data is None else data_url(part.media_type, part.data)
        detail = part.extra.get("detail")
        image: dict[str, object] = {"url": url}
        if isinstance(detail, str) and detail in ("auto", "low", "high"):
            image["detail"] = detail
        return {"type": "image_url", "image_url": image}
    if is_audio(part.media_type) and part.data is not None and part.media_type in _AUDIO_NAMES:
        return {"type": "input_audio", "input_audio": {"data": part.data, "format": _AUDIO_NAMES[part.media_type]}}
    file: dict[str, object] = {}
    if part.data is not None:
        file["file_data"] = data_url(part.media_type, part.data)
        file["filename"] = part.filename or words.file
    else:
        file["file_id"] = part.url
        if part.filename:
            file["filename"] = part.filename
    return {"type": "file", "file": file}


def is_carried(part: Attachment) -> bool:
    """Whether a chat message can hold the file: pictures by any address, all else inline or by the id of an uploaded file."""
    if is_image(part.media_type):
        return part.data is not None or (part.url is not None and "://" in part.url)
    if is_audio(part.media_type) and part.media_type not in _AUDIO_NAMES:
        return False
    return part.data is not None or (part.url is not None and "://" not in part.url)


def call_block(call: Call, call_id: str) -> dict[str, object]:
    """An entry of ``tool_calls``."""
    if call.kind == "custom":
        return {"id": call_id, "type": "custom", "custom": {"name": call.name, "input": call.arguments}}
    return {"id": call_id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
