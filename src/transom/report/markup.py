"""Text to HTML: escaping, and numbers as a reader wants them.

Session text is hostile: it may hold markup, control characters, half characters, or marks that turn the direction of what
follows. All of it passes through ``clean`` and ``escape``. Nothing here knows what a report contains.
"""

from __future__ import annotations

import html
import json
import re

__all__ = ["clean", "code", "counted", "cut", "data_block", "escape", "human_bytes", "human_tokens", "percent", "whole"]

_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")


def clean(text: str) -> str:
    """Make every character visible: controls and direction marks become their names, half characters U+FFFD."""
    return _UNSEEN.sub(_shown, text)


def _shown(match: re.Match[str]) -> str:
    character = match[0]
    number = ord(character)
    if character == "\r":
        return ""
    if 0xD800 <= number <= 0xDFFF:
        return "\ufffd"
    return f"[U+{number:04X}]"


def escape(text: str) -> str:
    """Clean text that may stand in an element or in a quoted attribute."""
    return html.escape(clean(text), quote=True)


def cut(text: str, limit: int) -> str:
    """At most ``limit`` characters, with an ellipsis where some were left out."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def code(text: str) -> str:
    """An inline code element that keeps the direction of its text to itself."""
    return f'<code dir="ltr">{escape(text)}</code>'


def data_block(value: object, name: str) -> str:
    """A JSON data block that no text can close or turn into markup."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return f'<script type="application/json" id="{name}">{text}</script>'


def whole(number: int) -> str:
    """A whole number with thousands set apart."""
    return f"{number:,}"


def human_tokens(number: int) -> str:
    """A token count short enough for an axis: 850, 31.2k, 1.4M."""
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if number >= size:
            return f"{number / size:.1f}".removesuffix(".0") + unit
    return str(number)


def human_bytes(number: int) -> str:
    """A size in decimal units."""
    for size, unit in ((1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "KB")):
        if number >= size:
            return f"{number / size:.1f}".removesuffix(".0") + f" {unit}"
    return f"{number} B"


def percent(share: float) -> str:
    """A share with one decimal place, never rounded up to a hundred."""
    if share < 1 and round(share * 100, 1) >= 100:
        return "99.9 %"
    return f"{share * 100:.1f}".removesuffix(".0") + " %"


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number and its noun."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
