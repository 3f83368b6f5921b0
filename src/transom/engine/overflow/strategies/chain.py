"""``chain``: one strategy after the other until the history is small enough. All steps of one pass close one window."""

from __future__ import annotations

from dataclasses import dataclass

from ....errors import StrategyError
from ..strategy import Outcome, Span, Strategy

__all__ = ["Chain", "chain"]


@dataclass(frozen=True, slots=True)
class Chain:
    """Goes on while the history is above the low-water mark.

    Every step works on the original span, so that a later one can use what an earlier one would have cleared. Where no step
    reaches the low-water mark, the first that stays under the trigger wins: a harder step that gains nothing decisive would
    only tell the model less.
    """

    steps: tuple[Strategy, ...]

    @property
    def name(self) -> str:
        """The steps' names in order."""
        return " → ".join(step.name for step in self.steps)

    @property
    def fingerprint(self) -> str:
        """The steps' fingerprints in order."""
        return "chain(" + ",".join(step.fingerprint for step in self.steps) + ")"

    async def apply(self, span: Span) -> Outcome:
        """Try the steps in order."""
        tried: list[tuple[int, Outcome]] = []
        for step in self.steps:
            outcome = await step.apply(span)
            if not outcome.changed:
                continue
            after = span.total_after(outcome)
            if after <= span.room.low_water:
                return outcome
            tried.append((after, outcome))
        for after, outcome in tried:
            if after <= span.room.trigger:
                return outcome
        return min(tried, key=lambda attempt: attempt[0])[1] if tried else Outcome()


def chain(*steps: Strategy) -> Chain:
    """Strategies in order of preference, mildest first.

    Raises:
        StrategyError: no step given.
    """
    if not steps:
        raise StrategyError("a chain needs at least one strategy", hint="chain(clear(), digest(), reset())")
    return Chain(steps)
