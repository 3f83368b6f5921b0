"""What a message costs: every string a model is shown, files at a stated price, and the wrapping around them.

Knows messages and any tokenizer, no provider's wire format. Text is weighed as the model reads it, that is without JSON's
escapes. What nobody outside the provider can count is estimated upwards and the estimate is named here. Ids, addresses and
cache markers are covered by the wrapping: models are not shown them, or a few tokens of them.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import assert_never

from ..jsontext import dumps_text
from ..messages import Attachment, Call, Message, Opaque, RedactedThinking, Result, Text, Thinking, Tool
from ..messages.parts import Part
from .counter import Tokenizer

__all__ = [
    "PER_CALL",
    "PER_MESSAGE",
    "PER_NAME",
    "PER_PART",
    "PER_RESULT",
    "PER_TOOL",
    "REPLY_PRIMING",
    "attachment_tokens",
    "weigh",
    "weigh_batch",
    "weigh_tools",
]

_log = logging.getLogger(__name__)

PER_MESSAGE = 4
"""OpenAI cookbook, "How to count tokens with tiktoken": 3 tokens a message and the role; 4 in the oldest chat models."""
PER_NAME = 1
"""The same page: one token when a message carries a name."""
REPLY_PRIMING = 3
"""The same page: every reply is primed with three tokens, once a request."""
PER_PART = 2
"""Our allowance for what separates the parts of one message after the first."""
PER_CALL = 12
"""Our allowance for the wrapping and the id of a call (a message of its own at OpenAI, tagged text at Anthropic)."""
PER_RESULT = 10
"""Our allowance for the wrapping of a result and the id it repeats."""
PER_TOOL = 20
"""OpenAI cookbook, "counting tokens for function calls": 7 a function, 3 a property, 12 around the list. The schema's own
punctuation, which the cookbook leaves out, is counted as text."""

SEALED_CHARACTERS_PER_TOKEN = 4
"""Encrypted reasoning and signatures: base64 of a text that is itself no longer than three quarters of them."""
DOCUMENT_BYTES_PER_PAGE = 25_000
"""A page of a PDF, when only the size of the file is known. Anthropic's PDF guide: a page is an image and 1,500 to 3,000 tokens
of text."""
DOCUMENT_PAGE_TEXT = 1_500
MEDIA_BYTES_PER_TOKEN = 400
"""Audio and video: Gemini's guide gives 32 tokens for a second of sound (12 KB at speech quality) and 263 for one of film."""

_SEALED_FROM = 256
_SAMPLE = 256
_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_"
_UNSEEN_KEYS = frozenset(("cache_control", "prompt_cache_breakpoint", "id", "call_id", "tool_use_id", "status"))
_MEDIA_KEYS = ("media_type", "mimeType", "mime_type")


def weigh(message: Message, tokenizer: Tokenizer) -> int:
    """Tokens of one message with everything in it. Never 0: a message that says nothing is logged as an error and costs its
    wrapping.
    """
    texts: list[str] = []
    fixed = _gather(message, texts, tokenizer.image_tokens)
    if len(texts) == 1:
        return fixed + tokenizer.count(texts[0])
    return fixed + sum(map(tokenizer.count, texts))


def weigh_batch(messages: Sequence[Message], tokenizer: Tokenizer) -> list[int]:
    """``weigh`` for many messages: one call of the tokenizer for all their texts."""
    texts: list[str] = []
    weights: list[int] = []
    ends: list[int] = []
    image_tokens = tokenizer.image_tokens
    for message in messages:
        weights.append(_gather(message, texts, image_tokens))
        ends.append(len(texts))
    counts = tokenizer.count_batch(texts)
    start = 0
    for index, end in enumerate(ends):
        if end - start == 1:
            weights[index] += counts[start]
        else:
            weights[index] += sum(counts[start:end])
        start = end
    return weights


def weigh_tools(tools: Iterable[Tool], tokenizer: Tokenizer, *, preamble: int = 0) -> int:
    """Tokens of the tool definitions.

    Args:
        tools: the tools as declared.
        tokenizer: what counts.
        preamble: what a provider adds once when there are tools at all (Anthropic's tool guide: 313 to 346 tokens for most
            models). Not counted when there are no tools.
    """
    texts: list[str] = []
    fixed = 0
    for tool in tools:
        fixed += PER_TOOL
        if tool.kind == "native" and tool.origin is not None:
            texts.append(tool.origin.raw.decode("utf-8", "replace"))
            continue
        texts.extend((tool.name, tool.description))
        if tool.parameters is not None:
            texts.append(dumps_text(tool.parameters))
        if tool.extra:
            fixed += _walk(tool.extra, texts, tokenizer.image_tokens)
    return fixed + sum(tokenizer.count_batch(texts)) + (preamble if fixed else 0)


def attachment_tokens(media_type: str, size: int | None, image_tokens: int) -> int:
    """What a file costs, estimated from its type and size.

    Args:
        media_type: its MIME type.
        size: bytes of the file; ``None`` where only an address is known (then one page, or one image, is assumed).
        image_tokens: what the tokenizer takes for an image.

    Returns:
        Tokens: an image a fixed price; text by its length; sound and film by size; anything else by pages.
    """
    kind, _, subtype = media_type.partition("/")
    if kind == "image":
        return image_tokens
    if size is None:
        return image_tokens + DOCUMENT_PAGE_TEXT
    if kind == "text" or subtype in {"json", "xml", "javascript", "x-yaml"}:
        return size // 2 + 1
    if kind in {"audio", "video"}:
        return image_tokens + size // MEDIA_BYTES_PER_TOKEN
    return (size // DOCUMENT_BYTES_PER_PAGE + 1) * (image_tokens + DOCUMENT_PAGE_TEXT)


def _gather(message: Message, texts: list[str], image_tokens: int) -> int:
    """Append every string that counts to ``texts``; return what the rest costs."""
    fixed = PER_MESSAGE
    parts = message.parts
    before = len(texts)
    if len(parts) > 1:
        fixed += PER_PART * (len(parts) - 1)
    for part in parts:
        if type(part) is Text:
            if part.text:
                texts.append(part.text)
            if part.extra:
                fixed += _walk(part.extra, texts, image_tokens)
        else:
            fixed += _gather_part(part, texts, image_tokens)
    if message.name:
        fixed += PER_NAME
        texts.append(message.name)
    if message.extra:
        fixed += _walk(message.extra, texts, image_tokens)
    if len(texts) == before and fixed == PER_MESSAGE:
        _log.error("a message of role %s holds nothing that can be counted; it is weighed as %d tokens", message.role, fixed)
    return fixed


def _gather_part(part: Part, texts: list[str], image_tokens: int) -> int:
    match part:
        case Text():
            texts.append(part.text)
            fixed = 0
        case Call():
            fixed = PER_CALL + _sealed(part.signature)
            texts.extend((part.name, part.arguments))
        case Result():
            fixed = PER_RESULT + PER_PART * max(0, len(part.content) - 1)
            if part.name:
                texts.append(part.name)
            for item in part.content:
                fixed += _gather_part(item, texts, image_tokens)
        case Thinking():
            fixed = _sealed(part.signature)
            texts.append(part.text)
        case RedactedThinking():
            fixed = _sealed(part.data)
        case Attachment():
            size = None if part.data is None else len(part.data) * 3 // 4
            fixed = attachment_tokens(part.media_type, size, image_tokens)
            if part.filename:
                texts.append(part.filename)
        case Opaque():
            return _walk(part.value, texts, image_tokens)
        case _:  # pragma: no cover
            assert_never(part)
    if part.extra:
        fixed += _walk(part.extra, texts, image_tokens)
    return fixed


def _sealed(data: str | None) -> int:
    return len(data) // SEALED_CHARACTERS_PER_TOKEN + 1 if data else 0


def _walk(value: object, texts: list[str], image_tokens: int) -> int:
    """Any JSON value: keys and strings are text, base64 is a file or sealed, numbers and the like cost two tokens each."""
    fixed = 0
    pending = [value]
    found: list[str] = []
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            price = _not_text(item, image_tokens)
            if price:
                fixed += price
            else:
                found.append(item)
        elif isinstance(item, Mapping):
            media_type = next((item[key] for key in _MEDIA_KEYS if isinstance(item.get(key), str)), None)
            for key, inner in item.items():
                if key in _UNSEEN_KEYS:
                    continue
                if key == "data" and isinstance(inner, str) and isinstance(media_type, str):
                    fixed += attachment_tokens(media_type, len(inner) * 3 // 4, image_tokens)
                    continue
                found.append(key)
                pending.append(inner)
        elif isinstance(item, list | tuple):
            pending.extend(item)
        else:
            fixed += 2
    if found:
        texts.append("\n".join(found))
    return fixed


def _not_text(text: str, image_tokens: int) -> int:
    """The price of a string that is a file or sealed; 0 for one that is text."""
    if len(text) < _SEALED_FROM:
        return 0
    if text.startswith("data:"):
        header, comma, data = text.partition(",")
        if comma and header.endswith(";base64"):
            return attachment_tokens(header[5:-7].partition(";")[0], len(data) * 3 // 4, image_tokens)
    sample = text[:_SAMPLE]
    if sample.isascii() and not sample.encode().translate(None, _BASE64):
        return _sealed(text)
    return 0
