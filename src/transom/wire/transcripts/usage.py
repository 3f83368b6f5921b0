"""What a provider reported for a call, in each provider's spelling. Knows no file format.

``Usage.input_tokens`` is everything read, cached or not: Anthropic reports the cached part beside the rest, the others
inside it.
"""

from __future__ import annotations

from .shape import count, mapping
from .transcript import Usage

__all__ = ["anthropic_usage", "chat_usage", "gemini_usage", "split_usage"]


def anthropic_usage(reported: object) -> Usage | None:
    """``usage`` of the Messages API."""
    fields = mapping(reported)
    return split_usage(
        fresh=count(fields.get("input_tokens")),
        written=count(fields.get("cache_creation_input_tokens")),
        cached=count(fields.get("cache_read_input_tokens")),
        output=count(fields.get("output_tokens")),
    )


def chat_usage(reported: object) -> Usage | None:
    """``usage`` of Chat Completions (``prompt_tokens``) or of Responses (``input_tokens``)."""
    fields = mapping(reported)
    read = count(fields.get("prompt_tokens")) or count(fields.get("input_tokens"))
    wrote = count(fields.get("completion_tokens")) or count(fields.get("output_tokens"))
    details = mapping(fields.get("prompt_tokens_details")) or mapping(fields.get("input_tokens_details"))
    cached = count(details.get("cached_tokens")) or count(fields.get("cached_input_tokens"))
    return Usage(read, cached, wrote) if read or wrote else None


def gemini_usage(reported: object) -> Usage | None:
    """``usageMetadata`` of generateContent, in either spelling of its keys."""
    fields = mapping(reported)

    def tokens(camel: str, snake: str) -> int:
        return count(fields.get(camel)) or count(fields.get(snake))

    read = tokens("promptTokenCount", "prompt_token_count")
    wrote = tokens("candidatesTokenCount", "candidates_token_count") + tokens("thoughtsTokenCount", "thoughts_token_count")
    cached = tokens("cachedContentTokenCount", "cached_content_token_count")
    return Usage(read, cached, wrote) if read or wrote else None


def split_usage(*, fresh: int, written: int, cached: int, output: int) -> Usage | None:
    """A report that gives the parts of the input: read afresh, written to the cache, served from it. ``None`` for all zeros."""
    read = fresh + written + cached
    return Usage(read, cached, output) if read or output else None
