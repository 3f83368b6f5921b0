"""A strategy whose head a model writes: what ``summarize`` and ``anchored`` have in common.

Knows what a closing with a model is; which of the two ways is taken is a flag.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ....errors import StrategyError
from ..strategy import Outcome, Span
from .calling import Summarizer, model_name
from .closing import close_with_model
from .settings import TIMEOUT, SummarySettings, summary_settings

__all__ = ["ByModel", "by_model"]


@dataclass(frozen=True, slots=True)
class ByModel:
    """Replaces the span by what a model writes.

    Attributes:
        name: what reports call it.
        rules: raised when a change of the rules changes what is asked or taken: records of other rules are then left alone.
        model: who writes.
        settings: how.
        document: one document is carried from window to window, instead of a summary of each.
    """

    name: str
    rules: int
    model: Summarizer
    settings: SummarySettings
    document: bool

    @property
    def fingerprint(self) -> str:
        """Name, rules, model and everything of the settings that shapes what is written."""
        return f"{self.name}{self.rules}({model_name(self.model)},{self.settings.shaping})"

    @property
    def patience(self) -> float | None:
        """Seconds that it limits itself to."""
        return self.settings.timeout

    @property
    def names_no_address(self) -> bool:
        """Its head can do without the address of what left: it says that the application keeps it."""
        return True

    async def apply(self, span: Span) -> Outcome:
        """Ask the model. Turns that stay follow what it wrote verbatim.

        Raises:
            StrategyError: the model failed, took too long, or gave no summary.
        """
        return await close_with_model(span, self.model, self.settings, name=self.name, document=self.document)


def by_model(
    name: str,
    model: Summarizer,
    *,
    rules: int = 1,
    document: bool = False,
    instructions: str = "",
    guidelines: Iterable[str] = (),
    split: float | None = None,
    keep_turns: int | None = None,
    max_tokens: int | None = None,
    window: int | None = None,
    timeout: float | None = TIMEOUT,
) -> ByModel:
    """A strategy by its name, a model, and what a caller wrote.

    Raises:
        StrategyError: a value that makes no sense.
    """
    if not callable(model):
        raise StrategyError(f"a model is a callable on messages, not {type(model).__name__}", hint=f"{name}(model=ask)")
    settings = summary_settings(
        instructions=instructions,
        guidelines=guidelines,
        split=split,
        keep_turns=keep_turns,
        max_tokens=max_tokens,
        window=window,
        timeout=timeout,
    )
    return ByModel(name, rules, model, settings, document)
