"""Text that can be said: what no encoding has, halves of surrogate pairs, as escapes.

They come from names of files that are no UTF-8, from JSON that models send, and from texts that quote either. A byte of a name
that is no text is shown as ``\\xff``, which a path takes again; any other half as ``\\ud800``. Pure; knows no tool.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TypeVar

import msgspec

__all__ = ["said", "sayable", "unsaid"]

_HALF = re.compile("[\ud800-\udfff]")
_BYTE = re.compile(r"\\x([89a-f][0-9a-f])")
Value = TypeVar("Value")


def sayable(text: str) -> str:
    """A text that UTF-8 holds."""
    return text if text.isascii() else _HALF.sub(_escaped, text)


def unsaid(name: str) -> str:
    """The name of a file that ``sayable`` may have made such a name of: bytes for ``\\x80`` to ``\\xff``."""
    return os.fsdecode(os.fsencode(_BYTE.sub(lambda byte: chr(0xDC00 + int(byte[1], 16)), name)))


def said(value: Value) -> Value:
    """A value of JSON with every text in it sayable; the same one where all is."""
    try:
        msgspec.json.encode(value)
    except UnicodeEncodeError:
        made: Value = _said(value)  # type: ignore[assignment]
        return made
    except (TypeError, ValueError, OverflowError, msgspec.MsgspecError, RecursionError):
        # Something else is the matter with it; whoever writes it says so.
        return value
    return value


def _said(value: object) -> object:
    match value:
        case str():
            return sayable(value)
        case Mapping():
            return {sayable(name) if isinstance(name, str) else name: _said(item) for name, item in value.items()}
        case list() | tuple():
            return [_said(item) for item in value]
        case _:
            return value


def _escaped(half: re.Match[str]) -> str:
    code = ord(half[0])
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"
