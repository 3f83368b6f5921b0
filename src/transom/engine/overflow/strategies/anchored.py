"""``anchored``: a model keeps one document up to date; at each closing it is given that and what leaves now.

The strategy only; what the model is asked and which answers are taken stands in ``overflow/summarizing``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ....errors import StrategyError
from ..strategy import Outcome, Span
from ..summarizing import TIMEOUT, Summarizer, SummarySettings, close_with_model, model_name, summary_settings

__all__ = ["Anchored", "anchored"]

RULES = 1
"""Raised when a change of the rules changes what is asked or taken: records of other rules are then left alone."""


@dataclass(frozen=True, slots=True)
class Anchored:
    """Replaces the span by a document that is carried from window to window.

    Attributes:
        model: who writes it.
        settings: how.
    """

    model: Summarizer
    settings: SummarySettings

    @property
    def name(self) -> str:
        """``anchored``."""
        return "anchored"

    @property
    def fingerprint(self) -> str:
        """Name, rules, model and everything of the settings that shapes a summary."""
        return f"anchored{RULES}({model_name(self.model)},{self.settings.shaping})"

    @property
    def patience(self) -> float | None:
        """Seconds that it limits itself to."""
        return self.settings.timeout

    @property
    def names_no_address(self) -> bool:
        """Its head can do without the address of what left: it says that the application keeps it."""
        return True

    async def apply(self, span: Span) -> Outcome:
        """Ask the model. Turns that stay follow the summary verbatim.

        Raises:
            StrategyError: the model failed, took too long, or gave no summary.
        """
        return await close_with_model(span, self.model, self.settings, name=self.name, document=True)


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
) -> Anchored:
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
    if not callable(model):
        raise StrategyError(f"a model is a callable on messages, not {type(model).__name__}", hint="anchored(model=ask)")
    settings = summary_settings(
        instructions=instructions,
        guidelines=guidelines,
        split=split,
        keep_turns=keep_turns,
        max_tokens=max_tokens,
        window=window,
        timeout=timeout,
    )
    return Anchored(model, settings)
