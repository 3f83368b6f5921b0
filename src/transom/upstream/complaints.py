"""What a server says when it refuses, whatever its shape: OpenAI's, Anthropic's, Gemini's, Ollama's, FastAPI's.

Pure. Also for errors that come with status 200, which some hosts send (LM Studio and OpenRouter do).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..safety.masking import beginning

__all__ = ["Complaint", "complaint"]

MOST = 500
"""Characters of a server's own words that an error repeats."""

_HINTS: Mapping[int, str] = {
    401: "the key is missing or wrong",
    403: "the key may not do this",
    404: "check the address and the model's name",
    429: "the server wants fewer requests, or the account is used up",
}


@dataclass(frozen=True, slots=True)
class Complaint:
    """A refusal.

    Attributes:
        message: the server's own words in one line, secrets in them masked; empty where it gave none.
        kind: its symbol for what is wrong (``context_length_exceeded``, ``exceed_context_size_error``, …), or empty.
        hint: the way out, where the status tells one.
    """

    message: str
    kind: str = ""
    hint: str = ""


def complaint(status: int, value: object) -> Complaint | None:
    """The refusal that an answer is, or ``None`` for one that is none.

    Args:
        status: HTTP status.
        value: the parsed body; ``None`` where it is no JSON.
    """
    if isinstance(value, list) and len(value) == 1:
        # Gemini's OpenAI-compatible path wraps its error in an array.
        value = value[0]
    hint = _HINTS.get(status, "")
    if isinstance(value, Mapping):
        error = value.get("error")
        if isinstance(error, Mapping):
            kind = next((text for text in map(error.get, ("code", "type", "status")) if isinstance(text, str)), "")
            return Complaint(_line(error.get("message")) or _line(kind) or "an error without a message", kind, hint)
        if isinstance(error, str) and error:
            return Complaint(_line(error), _text(value.get("code")), hint)
        if value.get("object") == "error" or value.get("type") == "error":
            return Complaint(_line(value.get("message")) or "an error without a message", _text(value.get("type")), hint)
    if 200 <= status < 300:
        return None
    if isinstance(value, Mapping):
        said = next(filter(None, (_line(value.get(field)) for field in ("message", "detail", "msg"))), "")
        return Complaint(said, "", hint)
    return Complaint("", "", hint) if status >= 400 else None


def _line(value: object) -> str:
    return beginning(" ".join(value.split()), MOST) if isinstance(value, str) else ""


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
