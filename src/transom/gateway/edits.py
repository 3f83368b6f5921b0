"""What is edited for an upstream's sake beside the guard: usage is asked for, and two things are taken out.

Pure: a body in, a body out, the very same object where nothing was to do. Raw bytes are cut; whatever else stands in a body
stays as it was written, and a body that cannot be told apart stays whole. The same body is always edited to the same bytes.

Sources: OpenAI API reference (``stream_options.include_usage``); Anthropic API reference (where ``cache_control`` may stand);
ollama/ollama#14918 and ggml-org/llama.cpp#20623 (a billing line that changes defeats every prefix cache); BerriAI/litellm#39355
(servers that refuse ``ttl``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ..errors import JSONError
from ..jsontext import loads, locate, raw_items

__all__ = ["with_usage", "without_billing", "without_ttl"]

_USAGE = b',"stream_options":{"include_usage":true}}'

_BILLING: Final = "x-anthropic-billing-header:"
_BILLING_BYTES = _BILLING.encode()
_BILLING_LINE = re.compile(rb'"(x-anthropic-billing-header:(?:[^"\\]++|\\(?!n|u000[aA])[^\n])*+(?:\\n|\\u000[aA])?)')
"""The line at the beginning of a JSON string, with the escaped line feed that ends it."""

_BLANK = b" \t\r\n"
_HOLDING = frozenset({"tool_result", "mcp_tool_result", "search_result"})
"""Blocks whose content is blocks again; any other, such as the input of a call, holds what a tool or a person wrote."""

_DEEPEST = 3
"""A result of a tool holds a document, and that its parts: nothing lies deeper."""

_Span = tuple[int, int]


def with_usage(body: bytes) -> bytes:
    """A request for a stream of OpenAI's chat that asks for usage, where it does not say whether it wants any."""
    if b'"stream_options"' in body:
        return body
    bare = body.rstrip()
    return bare[:-1] + _USAGE if bare.endswith(b"}") else body


def without_billing(body: bytes) -> bytes:
    """A request for messages without the billing line with which Claude Code begins its system prompt.

    The line is the first block of ``system``, or the first line where that is text; anywhere else it is no such line.
    """
    if _BILLING_BYTES not in body:
        return body
    try:
        cut = _billing(body)
    except (JSONError, ValueError):
        return body
    return _without(body, [cut] if cut is not None else [])


def without_ttl(body: bytes) -> bytes:
    """A request for messages whose ``cache_control`` say nothing of ``ttl``, wherever the API has such an object."""
    if b'"ttl"' not in body or b'"cache_control"' not in body:
        return body
    try:
        cuts = list(_lifetimes(body))
    except (JSONError, ValueError):
        return body
    return _without(body, cuts)


def _billing(body: bytes) -> _Span | None:
    system = locate(body, "system")
    if system is None:
        return None
    start, end = system
    if body[start] == 0x22:
        line = _BILLING_LINE.match(body, start, end)
        return line.span(1) if line is not None else None
    if body[start] != 0x5B:
        return None
    items = _items(body, system)
    first = next(items, None)
    if first is None or _BILLING_BYTES not in body[slice(*first)]:
        return None
    block = loads(body[slice(*first)])
    text = block.get("text") if isinstance(block, dict) else None
    if not isinstance(text, str) or not text.startswith(_BILLING):
        return None
    second = next(items, None)
    return first[0], second[0] if second is not None else first[1]


def _lifetimes(body: bytes) -> Iterator[_Span]:
    """What to cut, in no order."""
    whole = (0, len(body))
    yield from _lifetime(body, whole)
    for key in ("tools", "system"):
        for block in _items(body, _member(body, whole, key)):
            yield from _lifetime(body, block)
    for message in _items(body, _member(body, whole, "messages")):
        if _speaks_of_ttl(body, message):
            for block in _items(body, _member(body, message, "content")):
                yield from _within(body, block, _DEEPEST)


def _within(body: bytes, block: _Span, left: int) -> Iterator[_Span]:
    """What to cut in a block, and in the blocks it holds."""
    if not left or not _speaks_of_ttl(body, block):
        return
    yield from _lifetime(body, block)
    kind = _text(body, _member(body, block, "type"))
    holder: _Span | None = block if kind in _HOLDING else None
    if kind == "document":
        source = _member(body, block, "source")
        holder = source if source is not None and _text(body, _member(body, source, "type")) == "content" else None
    if holder is not None:
        for inner in _items(body, _member(body, holder, "content")):
            yield from _within(body, inner, left - 1)


def _speaks_of_ttl(body: bytes, within: _Span) -> bool:
    return body.find(b'"ttl"', *within) >= 0 and body.find(b'"cache_control"', *within) >= 0


def _lifetime(body: bytes, holder: _Span) -> Iterator[_Span]:
    """The member ``ttl`` of an object's ``cache_control``, with one comma beside it."""
    control = _member(body, holder, "cache_control") if _speaks_of_ttl(body, holder) else None
    value = _member(body, control, "ttl") if control is not None else None
    if control is None or value is None:
        return
    key = body.rfind(b'"ttl"', control[0], value[0])
    if key < 0 or body[key + 5 : value[0]].strip(_BLANK) != b":":
        return
    before = len(body[control[0] : key].rstrip(_BLANK)) + control[0]
    if body[before - 1] == 0x2C:
        yield before - 1, value[1]
        return
    after = _past(body, value[1], _BLANK)
    yield (key, _past(body, after + 1, _BLANK)) if body[after] == 0x2C else (key, value[1])


def _member(body: bytes, holder: _Span, key: str) -> _Span | None:
    """Where a member of an object stands; ``None`` where there is none, or no object."""
    start = _past(body, holder[0], _BLANK)
    if not body.startswith(b"{", start, holder[1]):
        return None
    found = locate(body[start : holder[1]], key)
    return (start + found[0], start + found[1]) if found is not None else None


def _items(body: bytes, array: _Span | None) -> Iterator[_Span]:
    """Where the elements of an array stand; nothing where it is none."""
    if array is None or body[array[0]] != 0x5B:
        return
    position = array[0] + 1
    for item in raw_items(body[slice(*array)]):
        position = _past(body, position, _BLANK + b",")
        if not body.startswith(item, position):
            raise ValueError("the elements cannot be told apart")
        yield position, position + len(item)
        position += len(item)


def _text(body: bytes, value: _Span | None) -> str:
    found = loads(body[slice(*value)]) if value is not None else None
    return found if isinstance(found, str) else ""


def _past(body: bytes, position: int, skipped: bytes) -> int:
    while position < len(body) and body[position] in skipped:
        position += 1
    return position


def _without(body: bytes, cuts: list[_Span]) -> bytes:
    if not cuts:
        return body
    kept, position = [], 0
    for start, end in sorted(cuts):
        kept.append(body[position:start])
        position = end
    return b"".join((*kept, body[position:]))
