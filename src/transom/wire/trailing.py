"""Text added at the end of a user entry whose words stand in ``content``, as both OpenAI formats spell it.

Knows JSON and elements; no provider.
"""

from __future__ import annotations

from ..errors import JSONError
from ..jsontext import dumps, loads, locate
from .format import Element

__all__ = ["append_to_content"]


def append_to_content(last: Element, text: str, block_type: str) -> tuple[Element, int] | None:
    """Add text in the form the entry has: a string stays a string, an array gets one more block.

    Args:
        last: the entry.
        text: what to add.
        block_type: the provider's name for a block of text.

    Returns:
        The entry, and how many of its bytes stand before the first new one; ``None`` for what is no user entry.
    """
    raw = last.open + b",".join(last.blocks) + last.close
    try:
        value = loads(raw)
        found = locate(raw, "content")
    except JSONError:
        return None
    if not isinstance(value, dict) or value.get("role") != "user" or found is None:
        return None
    content = value.get("content")
    end = found[1] - 1
    if isinstance(content, str):
        added = dumps("\n\n" + text if content else text)[1:-1]
    elif isinstance(content, list):
        added = (b"," if content else b"") + dumps({"type": block_type, "text": text})
    else:
        return None
    return Element(b"", (raw[:end] + added + raw[end:],)), end
