"""Files inside messages: data URLs, media types, and which kind of file a media type is.

Knows media types, no provider.
"""

from __future__ import annotations

__all__ = ["UNKNOWN_MEDIA", "data_url", "is_audio", "is_image", "media_of", "split_data_url"]

UNKNOWN_MEDIA = "application/octet-stream"

_STARTS = (
    ("iVBOR", "image/png"),
    ("/9j/", "image/jpeg"),
    ("R0lG", "image/gif"),
    ("UklG", "image/webp"),
    ("JVBERi", "application/pdf"),
)


def media_of(data: str) -> str:
    """The media type that the first bytes of a file tell, given as base64 text; empty where they tell none."""
    return next((media for start, media in _STARTS if data.startswith(start)), "")


def split_data_url(url: str) -> tuple[str, str] | None:
    """Media type and base64 text of a ``data:`` URL; ``None`` for any other address (RFC 2397)."""
    if not url.startswith("data:"):
        return None
    header, comma, data = url.partition(",")
    if not comma or not header.endswith(";base64"):
        return None
    media = header[len("data:") : -len(";base64")]
    return media or "text/plain", data


def data_url(media_type: str, data: str) -> str:
    """A ``data:`` URL around base64 text."""
    return f"data:{media_type};base64,{data}"


def is_image(media_type: str) -> bool:
    """Whether the media type is a picture."""
    return media_type.startswith("image/")


def is_audio(media_type: str) -> bool:
    """Whether the media type is sound."""
    return media_type.startswith("audio/")
