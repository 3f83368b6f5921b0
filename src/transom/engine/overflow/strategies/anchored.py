"""``anchored``: a model keeps one document up to date; at each closing it is given that and what leaves now.

The strategy only; what the model is asked and which answers are taken stands in ``overflow/summarizing``.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..summarizing import TIMEOUT, ByModel, Summarizer, by_model

__all__ = ["anchored"]


def anchored(
    model: Summarizer,
    *,
    instructions: str = "",
    guidelines: Iterable[str] = (),
    split: float | None = None,
    keep_turns: int | None = None,
    max_tokens: int | None = None,
    window: int | None = None,
    timeout: float | None = TIMEOUT,
) -> ByModel:
    """One document, written by a model and merged with what leaves at each closing.

    Args:
        model: any callable on messages, synchronous or not, that gives the text of the answer.
        instructions: what to pay attention to in these conversations; goes before the rules of the prompt.
        guidelines: further rules, numbered in the prompt.
        split: share of the turns that may leave which is folded (0.9: the older 90 %). The budget may ask for more, never for
            less; without it, it decides alone.
        keep_turns: fold all but that many turns at the end instead. A turn is a request, or an assistant's run with its
            results.
        max_tokens: upper bound of the summary, in tokens; 1,024 by default, and never more than the room for heads.
        window: tokens the model can hold, question and answer together. By default what its ``window`` says, else the window
            of the session. A longer span is summarized in parts.
        timeout: seconds all requests of one closing may take together; ``None`` waits for ever.


    Raises:
        StrategyError: a value that makes no sense.
    """
    return by_model(
        "anchored",
        model,
        document=True,
        instructions=instructions,
        guidelines=guidelines,
        split=split,
        keep_turns=keep_turns,
        max_tokens=max_tokens,
        window=window,
        timeout=timeout,
    )
