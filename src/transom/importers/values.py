"""Values as JavaScript programs leave them: moments in milliseconds, numbers that may be none, text that may be anything."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from datetime import UTC, datetime

from ..errors import JSONError, URIError
from ..jsontext import dumps_text, loads
from ..store.blobs import encode_text
from ..store.uri import check_path

__all__ = ["day", "digest", "moment", "name_of", "number", "object_of", "text_of", "texts"]

_SECONDS_END = 1e11
"""Numbers from here on are milliseconds: as seconds they would lie after the year 5000."""


def number(value: object) -> float | None:
    """A finite number, or ``None``."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None


def moment(value: object) -> float | None:
    """A moment as unix time in seconds, from milliseconds or seconds; ``None`` where it is none."""
    found = number(value)
    if found is None or found <= 0:
        return None
    return found / 1000 if found >= _SECONDS_END else found


def day(time: float) -> str:
    """A unix time as the day it falls on, in UTC."""
    try:
        return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d")
    except (ValueError, OverflowError, OSError):
        return "a day that no calendar has"


def text_of(value: object) -> str:
    """A text as it is, nothing as an empty one, anything else as JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    try:
        return dumps_text(value)
    except JSONError:
        return str(value)


def texts(value: object) -> tuple[str, ...]:
    """The texts in a list; a text by itself counts as a list of one."""
    if isinstance(value, str):
        return (value,)
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list | tuple) else ()


def object_of(text: str | bytes) -> Mapping[str, object] | None:
    """The JSON object that a text is, or ``None``."""
    try:
        value = loads(text)
    except JSONError:
        return None
    return value if isinstance(value, Mapping) else None


def digest(text: str, length: int = 16) -> str:
    """The beginning of a text's SHA-256, in hexadecimal."""
    return hashlib.sha256(encode_text(text)).hexdigest()[:length]


def name_of(name: str, otherwise: str) -> str:
    """The name itself where it can be one segment of a path, else ``otherwise`` with a digest of it."""
    try:
        if name and "/" not in check_path(name):
            return name
    except URIError:
        pass
    return f"{otherwise}{digest(name)}"
