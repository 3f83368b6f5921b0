"""What an upstream counted, in each provider's spelling, as it comes in over a stream.

Pure. The figures stay those of the provider. Sources: OpenAI API reference (``usage`` of chat completions and responses),
Anthropic "Prompt caching" (``input_tokens`` leaves out what the cache gave and took), Gemini API ``UsageMetadata``, Ollama
``docs/api.md``; llama.cpp ``timings``, DeepSeek ``prompt_cache_hit_tokens``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...jsontext import EMPTY
from ...messages.construction import quick_init
from ...tokens.bounds import MOST_TOKENS

__all__ = ["Usage", "chat_usage", "gemini_usage", "messages_usage", "ollama_usage", "responses_usage"]


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one request. ``None`` where the provider gave no figure.

    Attributes:
        input_tokens: read, by the provider's own field of that meaning; Anthropic's leaves the cached ones out.
        output_tokens: written, reasoning included.
        cached_tokens: of those read, taken from a cache.
        written_tokens: of those read, written to a cache.
        prompt_tokens: all that was read, cached or not: what the request weighed.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    written_tokens: int | None = None
    prompt_tokens: int | None = None


_NONE = (None, None, None, None)


def _count(value: object) -> int | None:
    return min(value, MOST_TOKENS) if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _fields(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else EMPTY


def _first(fields: Mapping[str, object], *names: str) -> int | None:
    return next((count for name in names if (count := _count(fields.get(name))) is not None), None)


def _known(usage: Usage) -> Usage | None:
    figures = (usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.written_tokens)
    return None if figures == _NONE else usage


def _all_read(read: int | None, cached: int | None, written: int | None = None) -> int | None:
    """What was read in all: where a cache gave or took more than is said to be read, that leaves it out, as Anthropic does."""
    given, taken = cached or 0, written or 0
    return read if read is None or read >= max(given, taken) else read + given + taken


def chat_usage(value: Mapping[str, object]) -> Usage | None:
    """``usage`` of a chat completion or chunk, or what stands in for it: Groq's ``x_groq``, llama.cpp's ``timings``."""
    reported = _fields(value.get("usage")) or _fields(_fields(value.get("x_groq")).get("usage"))
    timings = _fields(value.get("timings"))
    reused, fresh = _count(timings.get("cache_n")), _count(timings.get("prompt_n"))
    if not reported:
        if fresh is None:
            return None
        read = fresh + (reused or 0)
        return Usage(
            input_tokens=read, output_tokens=_count(timings.get("predicted_n")), cached_tokens=reused, prompt_tokens=read
        )
    details = _fields(reported.get("prompt_tokens_details"))
    cached = _first(details, "cached_tokens")
    if cached is None:
        cached = _first(reported, "cached_tokens", "prompt_cache_hit_tokens", "cache_read_input_tokens")
    if cached is None:
        cached = reused
    written = _first(details, "cache_write_tokens", "cache_creation_tokens")
    if written is None:
        written = _count(reported.get("cache_creation_input_tokens"))
    read_ = _count(reported.get("prompt_tokens"))
    return _known(
        Usage(
            input_tokens=read_,
            output_tokens=_count(reported.get("completion_tokens")),
            cached_tokens=cached,
            written_tokens=written,
            prompt_tokens=_all_read(read_, cached, written),
        )
    )


def responses_usage(value: object) -> Usage | None:
    """``usage`` of a response."""
    reported = _fields(value)
    details = _fields(reported.get("input_tokens_details"))
    read = _count(reported.get("input_tokens"))
    cached, written = _count(details.get("cached_tokens")), _count(details.get("cache_write_tokens"))
    return _known(
        Usage(
            input_tokens=read,
            output_tokens=_count(reported.get("output_tokens")),
            cached_tokens=cached,
            written_tokens=written,
            prompt_tokens=_all_read(read, cached, written),
        )
    )


def messages_usage(value: object, before: Usage | None = None) -> Usage | None:
    """``usage`` of a message, on top of what its beginning told.

    Args:
        value: of ``message_start``, of ``message_delta`` (cumulative; most servers repeat only the output there), or of a
            whole message.
        before: what was known. A zero does not undo a figure: compatible servers fill what they do not count with zeros.
    """
    reported = _fields(value)
    if not reported:
        return before
    had = before or Usage()

    def latest(name: str, known: int | None) -> int | None:
        count = _count(reported.get(name))
        return known if count is None or (count == 0 and known) else count

    read = latest("input_tokens", had.input_tokens)
    cached = latest("cache_read_input_tokens", had.cached_tokens)
    written = latest("cache_creation_input_tokens", had.written_tokens)
    return _known(
        Usage(
            input_tokens=read,
            output_tokens=latest("output_tokens", had.output_tokens),
            cached_tokens=cached,
            written_tokens=written,
            prompt_tokens=None if read is None else read + (cached or 0) + (written or 0),
        )
    )


def gemini_usage(value: object) -> Usage | None:
    """``usageMetadata``. What the model thought is part of what it wrote."""
    reported = _fields(value)
    read = _count(reported.get("promptTokenCount"))
    cached = _count(reported.get("cachedContentTokenCount"))
    answer, thought = _count(reported.get("candidatesTokenCount")), _count(reported.get("thoughtsTokenCount"))
    return _known(
        Usage(
            input_tokens=read,
            output_tokens=None if answer is None and thought is None else (answer or 0) + (thought or 0),
            cached_tokens=cached,
            prompt_tokens=_all_read(read, cached),
        )
    )


def ollama_usage(value: Mapping[str, object]) -> Usage | None:
    """The counts of the line that says ``done``."""
    read = _count(value.get("prompt_eval_count"))
    return _known(Usage(input_tokens=read, output_tokens=_count(value.get("eval_count")), prompt_tokens=read))
