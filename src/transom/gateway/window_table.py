"""What window a provider's model has where the provider does not tell: a small table of names.

Pure. Only models that have one window wherever they run: a model with open weights has the window that its host loaded it with.
The figure is what a request may bring along, so where a provider keeps a part of the context for the answer alone, it is less
than the length of the context.

Sources: the model pages of OpenAI, Anthropic, Google, xAI, DeepSeek, Mistral and Moonshot; checked against the figures of
``pydantic/genai-prices`` 0.2.3 (November 2026).
"""

from __future__ import annotations

import fnmatch

__all__ = ["CLAUDE", "CLAUDE_LONG", "is_claude", "table_window"]

CLAUDE = 200_000
"""What a Claude model takes without being asked for more."""
CLAUDE_LONG = 1_000_000
"""What it takes with the beta header ``context-1m-…``, or where a client writes ``[1m]`` behind its name."""

_TABLE: tuple[tuple[int, tuple[str, ...]], ...] = (
    # OpenAI. GPT-5 takes 272,000 of its 400,000 as input; the later ones 1,050,000 less 128,000.
    (4_096, ("gpt-3.5-turbo-instruct*",)),
    (16_385, ("gpt-3.5-turbo*",)),
    (32_768, ("gpt-4-32k*",)),
    (128_000, ("gpt-4-turbo*", "gpt-4-1106*", "gpt-4-0125*", "gpt-4-vision*", "gpt-4o*", "chatgpt-4o*", "gpt-4.5*")),
    (1_047_576, ("gpt-4.1*",)),
    (8_192, ("gpt-4", "gpt-4-0613", "gpt-4-0314")),
    (128_000, ("gpt-5-chat*", "gpt-5.?-chat*", "gpt-5.3", "o1-mini*", "o1-preview*")),
    (272_000, ("gpt-5.4-mini*", "gpt-5.4-nano*")),
    (922_000, ("gpt-5.4*", "gpt-5.6*", "gpt-6*")),
    (872_000, ("gpt-5.5*",)),
    (272_000, ("gpt-5", "gpt-5-*", "gpt-5.[123]*")),
    (200_000, ("o1", "o1-*", "o3*", "o4-mini*", "codex-mini*")),
    # Google
    (2_097_152, ("gemini-1.5-pro*",)),
    (8_192, ("gemini-*-tts*",)),
    (131_072, ("gemini-*-live*",)),
    (1_048_576, ("gemini-1.5*", "gemini-2*", "gemini-3*", "gemini-4*")),
    # xAI
    (131_072, ("grok-3*",)),
    (2_000_000, ("grok-4-fast*", "grok-4-1-fast*")),
    (1_000_000, ("grok-4.2*", "grok-4.3*")),
    (500_000, ("grok-4.[567]*",)),
    (256_000, ("grok-4", "grok-4-*", "grok-code*", "grok-build*")),
    # DeepSeek, Mistral, Moonshot: names that only their own servers answer to
    (131_072, ("deepseek-chat", "deepseek-reasoner", "mistral-*-latest", "moonshot-v1-128k")),
    (32_768, ("moonshot-v1-32k",)),
    (8_192, ("moonshot-v1-8k",)),
)
"""By the first pattern that matches."""


def is_claude(model: str) -> bool:
    """Whether a name is that of a Claude model, at whatever provider."""
    return "claude-" in model


def table_window(model: str) -> int | None:
    """The window of a model by its name, in tokens; ``None`` for one that is not in the table.

    Args:
        model: as a request names it; the provider's name before it does not matter (``openai/gpt-4o``).
    """
    if is_claude(model):
        return CLAUDE_LONG if model.endswith("[1m]") else CLAUDE
    name = model.rsplit("/", 1)[-1].lower()
    return next((tokens for tokens, names in _TABLE if any(fnmatch.fnmatchcase(name, pattern) for pattern in names)), None)
