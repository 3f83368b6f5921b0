"""OpenAI Responses: one part at a time, written as a content part or an item.

Knows parts; not which message they stand in.
"""

from __future__ import annotations

from ...messages import Attachment, Call, Opaque, Part, Text, Thinking
from ...vocabulary.mending import MendingWords
from ..attachments import data_url, is_audio, is_image
from .parse import FORMAT

__all__ = ["call_item", "content_block", "is_carried"]


def content_block(part: Part, words: MendingWords) -> dict[str, object]:
    """An ``input_*`` content part that says what ``part`` says."""
    match part:
        case Text(text) | Thinking(text):
            return {"type": "input_text", "text": text}
        case Attachment():
            return _attachment(part, words)
        case Opaque(format, _, dict() as value) if format == FORMAT:
            return value
        case _:
            return {"type": "input_text", "text": ""}


def _attachment(part: Attachment, words: MendingWords) -> dict[str, object]:
    if is_image(part.media_type):
        detail = part.extra.get("detail")
        image: dict[str, object] = {"type": "input_image", "detail": detail if isinstance(detail, str) else "auto"}
        if part.data is not None:
            image["image_url"] = data_url(part.media_type, part.data)
        else:
            image["image_url" if part.url and "://" in part.url else "file_id"] = part.url
        return image
    file: dict[str, object] = {"type": "input_file"}
    if part.data is not None:
        file["filename"] = part.filename or words.file
        file["file_data"] = data_url(part.media_type, part.data)
    else:
        file["file_url" if part.url and "://" in part.url else "file_id"] = part.url
    return file


def is_carried(part: Attachment) -> bool:
    """Whether an input message can hold the file: everything but sound."""
    return not is_audio(part.media_type) and (part.data is not None or part.url is not None)


def call_item(call: Call, call_id: str) -> dict[str, object]:
    """The item for a call."""
    if call.kind == "custom":
        return {"type": "custom_tool_call", "call_id": call_id, "name": call.name, "input": call.arguments}
    return {"type": "function_call", "call_id": call_id, "name": call.name, "arguments": call.arguments}
