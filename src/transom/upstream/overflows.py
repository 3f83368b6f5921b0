"""Which refusals say that a request is too long for the model, and with what numbers.

Pure. The one table of the wordings; each row names whose it is. What is counted in bytes is no overflow of a window, nor is
what would pass at another time: a limit on requests or on tokens a minute.

Sources: API references and error pages of OpenAI, Anthropic, Gemini, Mistral, xAI and Moonshot; ``llama.cpp``
``tools/server/server-context.cpp``; Ollama ``server/prompt.go`` and ``routes.go``; vLLM ``entrypoints/openai`` and
``renderers/params.py``; SGLang ``managers/tokenizer_manager.py``; text-generation-inference ``router/src/validation.rs``; for
the others what users of them reported in public issues, and what clients test for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..tokens.bounds import MOST_TOKENS, is_window

__all__ = ["Overflow", "overflow"]

_READ = 4_000
"""Characters of a message that are looked at: servers that repeat what they were sent do so at the end."""

_OTHERS = frozenset({401, 402, 403, 404, 405, 408, 429, 529})
"""Statuses that say what is wrong by themselves."""

_SYMBOLS = frozenset({
    "context_length_exceeded",  # OpenAI, Groq, DeepSeek
    "exceed_context_size_error",  # llama.cpp
    "model_max_prompt_tokens_exceeded",  # GitHub Copilot
    "ContextWindowExceededError",  # LiteLLM
})  # fmt: skip

_RATES = re.compile(
    r"rate[ _-]?limit|too many requests|tokens per (?:second|minute|hour|day)|\bTP[MD]\b|quota|throttl|please wait",
    re.IGNORECASE,
)

_FIRST = 200
"""Characters of a message in which its wording begins: after what proxies put before it, their own errors' names and codes."""

_QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "«": "»"}
_MEMBER = re.compile(r"""["'](?:message|error)\\*["']\s*:\s*\\*$""")
"""What stands before the words of a server that a proxy quotes: they are an error's own."""

_N, _P, _W = r"(?P<said>\d[\d,]*)", r"(?P<part>\d[\d,]*)", r"(?P<window>\d[\d,]*)"
"""Tokens of an input that is too much alone, of one that may be so only with its answer, and of what fits."""


def _wordings(*forms: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(form, re.IGNORECASE | re.DOTALL) for form in forms)


_WORDINGS = _wordings(
    # vLLM, newest first
    rf"passed {_P} input tokens.{{0,200}}?context length is only {_W}",
    rf"maximum context length is {_W} tokens.{{0,80}}?prompt contains (?:at least )?{_P} input tokens",
    rf"maximum context length is {_W} tokens(?: and|\. However,) your request has {_P} input tokens",
    rf"prompt \(length {_N}\) is longer than the maximum model length of {_W}",
    r"max_tokens must be at least 1, got -\d",
    # OpenAI Chat, and who copies it: vLLM before 0.9, DeepSeek, OpenRouter ("This endpoint's …")
    # text-generation-webui ("over N")
    rf"maximum context length is {_W} tokens.{{0,40}}?messages resulted in (?:over )?{_N} tokens",
    rf"maximum context length is {_W} tokens.{{0,60}}?\({_P} of text input(?:, (?P<tools>\d[\d,]*) of tool input)?",
    rf"maximum context length is {_W} tokens.{{0,60}}?\({_P} in (?:the messages|your prompt|the prompt)",
    rf"maximum context length is {_W} tokens.{{0,40}}?requested (?:about )?{_N} tokens",
    rf"maximum context length is {_W}",
    # Azure
    rf"input tokens exceed the configured limit of {_W} tokens.{{0,40}}?messages resulted in {_N} tokens",
    # OpenAI Responses
    r"exceeds the context window of this model",
    # Anthropic: the input alone; then input and max_tokens together, which older models refuse
    rf"prompt is too long: {_N} tokens > {_W}",
    # Fireworks
    rf"prompt is too long: {_N}, model maximum context length: {_W}",
    r"prompt is too long",
    rf"exceed context limit: {_P} \+ \d[\d,]* > {_W}",
    # Gemini; Vertex
    rf"input token count \(?{_N}\)? exceeds the maximum number of tokens allowed \(?{_W}",
    r"input token count.{0,30}? exceeds the maximum number of tokens",
    rf"input token count is {_N} but.{{0,30}}? supports up to {_W}",
    # llama.cpp; without numbers before the autumn of 2025, and when an answer fills the rest (LM Studio passes that on)
    rf"request \({_N} tokens\) exceeds the available context size \({_W}",
    r"exceeds the available context size",
    r"context size has been exceeded",
    # what others made of llama.cpp: ik_llama.cpp, llama-box; llama-cpp-python; servers for MLX
    r"input prompt is too big compared to KV size",
    rf"requested tokens \({_P}\) exceed context window of {_W}",
    r"prompt exceeds maximum context length",
    rf"total prompt tokens \({_N}\) exceeds safe limit \({_W}",
    # LM Studio
    rf"keep the first {_N} tokens when context.{{0,120}}?context length of only {_W}",
    r"trying to keep the first \d+ tokens when context",
    rf"tokens to keep from the initial prompt is greater than the context length \(n_keep: {_N}\s*>= n_ctx: {_W}",
    r"tokens to keep from the initial prompt is greater than the context length",
    rf"cannot truncate prompt with n_keep \({_N}\)\s*>= n_ctx \({_W}",
    # Ollama
    r"prompt is longer than the context length",
    r"input length exceeds (?:the |maximum )?context length",
    # SGLang
    rf"input \({_N} tokens\) is longer than the model's context length \({_W}",
    rf"maximum context length of {_W} tokens.{{0,60}}?{_P} tokens from the input",
    rf"input length \({_N} tokens\) exceeds the maximum allowed length \({_W}",
    # text-generation-inference
    rf"`inputs` tokens \+ `max_new_tokens` must be <= {_W}\. Given: {_P}",
    rf"`inputs` must have less than {_W} tokens\. Given: {_N}",
    # TensorRT-LLM
    rf"prompt length \({_N}(?:\.0)?\), query length \(\d+(?:\.0)?\) should not exceed max_num_tokens \({_W}",
    rf"prompt length \({_N}\) exceeds maximum sequence length \({_W}",
    # Mistral
    rf"prompt contains {_N} tokens.{{0,60}}?too large for model with {_W} maximum context length",
    rf"too large for model with {_W} maximum context length",
    # xAI
    rf"maximum prompt length is {_W} but the request contains {_N}",
    # GitHub Copilot
    rf"prompt token count of {_N} exceeds the limit of {_W}",
    # Moonshot (Kimi)
    rf"exceeded model token limit: {_W} \(requested: {_N}",
    r"exceeded model token limit",
    # Cohere, SambaNova and Cerebras: what is counted may hold the answer
    rf"too many tokens: size limit exceeded by \d+ tokens\..{{0,60}}?limit for this model is {_W}",
    r"too many tokens: size limit exceeded by \d",
    rf"too many tokens: total number of tokens.{{0,40}}? cannot exceed {_W} - received \d",
    rf"maximum context length of \S{{1,100}} is {_W}\. However, answering your request will take \d",
    rf"reduce the length of the messages or completion\. Current length is \d+ while limit is {_W}",
    # TabbyAPI
    rf"request length {_P} \+ \d+ is greater than max_seq_len {_W}",
    # DeepInfra
    rf"requested input length {_N} exceeds maximum input length {_W}",
    # DashScope (Qwen)
    rf"range of input length should be \[1, ?{_W}\]",
    # Zhipu (z.ai), code 1261
    r"prompt exceeds max length",
    # Groq
    r"reduce the length of the messages or completion",
    # MiniMax
    r"context window exceeds limit",
    # Bedrock
    r"input is too long for requested model",
    r"number of input tokens exceeds maximum length",
    # LiteLLM, before the words of whom it asked
    r"ContextWindowExceededError",
)
"""Looked for in this order: of one server's, those with numbers first."""


@dataclass(frozen=True, slots=True)
class Overflow:
    """A request was too long for the model.

    Attributes:
        said: tokens of the input, as the server counted them; ``None`` where it does not say.
        window: tokens that it takes; ``None`` where it does not say.
        certain: the server said so. Not so for a bare status that some servers mean it with.
    """

    said: int | None = None
    window: int | None = None
    certain: bool = True


def overflow(status: int, value: object) -> Overflow | None:
    """What a refusal says of the window; ``None`` for one that is about something else.

    Args:
        status: HTTP status; 200 for an error in the middle of a stream.
        value: the parsed body or event; text where it is no JSON.
    """
    if status in _OTHERS:
        return None
    for error in _errors(status, value):
        symbols = {symbol for name in ("code", "type", "status") if isinstance(symbol := error.get(name), str)}
        texts = list(_texts(error))
        if any(map(_RATES.search, (*symbols, *texts))):
            return None
        found = next(filter(None, map(_worded, texts)), None)
        if found is None and symbols & _SYMBOLS:
            found = Overflow()
        if found is not None:
            # llama.cpp gives its numbers as fields too.
            window = error.get("n_ctx")
            return Overflow(_count(error.get("n_prompt_tokens")) or found.said, window if is_window(window) else found.window)
    return None


def _errors(status: int, value: object) -> Iterator[Mapping[str, object]]:
    """The error objects of an answer, wherever its server puts them."""
    if isinstance(value, list):
        # Gemini's OpenAI-compatible path wraps its error in an array.
        value = value[0] if len(value) == 1 else None
    if isinstance(value, str):
        yield {"message": value}
    if not isinstance(value, Mapping):
        return
    response, choices = value.get("response"), value.get("choices")
    holders = [value, response, *(choices if isinstance(choices, list) else ())]
    for holder in holders:
        error = holder.get("error") if isinstance(holder, Mapping) else None
        if isinstance(error, Mapping):
            yield error
        elif isinstance(error, str):
            yield {"message": error, "code": value.get("code")}
    if status >= 400 or value.get("type") == "error" or value.get("object") == "error":
        yield value


def _texts(error: Mapping[str, object]) -> Iterator[str]:
    metadata = error.get("metadata")
    # OpenRouter puts the words of whom it asked there.
    raw = metadata.get("raw") if isinstance(metadata, Mapping) else None
    for text in (error.get("message"), raw, error.get("detail"), error.get("msg")):
        if isinstance(text, str):
            yield text[:_READ]


def _worded(text: str) -> Overflow | None:
    for form in _WORDINGS:
        match = next((match for match in form.finditer(text) if _is_own(text, match.start())), None)
        if match is not None:
            return _read(match.groupdict())
    return None


def _is_own(text: str, start: int) -> bool:
    """Whether what stands there is the error's own word: servers quote what they were sent, whatever it talks of."""
    if start > _FIRST:
        return False
    opened: int | None = None
    for at, mark in enumerate(text[:start]):
        if opened is None:
            if mark in _QUOTES and not text[max(0, at - 1) : at].isalnum():
                opened = at
        elif mark == _QUOTES[text[opened]] and not text[at + 1 : at + 2].isalnum():
            opened = None
    return opened is None or _MEMBER.search(text, 0, opened) is not None


def _read(groups: Mapping[str, str | None]) -> Overflow:
    alone, part, window = (_number(groups.get(name)) for name in ("said", "part", "window"))
    if groups.get("window") is not None and (not is_window(window) or (alone or window) < window):
        # Whatever it counts, it is no window; but too long it was.
        return Overflow()
    said = alone if alone is not None else part
    return Overflow(None if said is None else said + (_number(groups.get("tools")) or 0), window)


def _number(digits: str | None) -> int | None:
    return _count(int(digits.replace(",", "")[:12])) if digits else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= MOST_TOKENS else None
