"""``chain``: one strategy after the other until the history is small enough. All steps of one pass close one window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from ....errors import StrategyError
from ..strategy import Outcome, Span, Strategy

__all__ = ["Bounded", "Chain", "chain"]


@runtime_checkable
class Bounded(Protocol):
    """A strategy that can say beforehand how little it could leave."""

    def least_after(self, span: Span) -> int:
        """Tokens that the movable history weighs at least with any outcome of ``apply`` in place."""
        ...


@dataclass(frozen=True, slots=True)
class Chain:
    """Goes on while the history is above the low-water mark.

    Every step works on the original span, so that a later one can use what an earlier one would have cleared. Where no step
    reaches the low-water mark, the first that stays under the trigger wins: a harder step that gains nothing decisive would
    only tell the model less. Where none stays under it, since what must stay is too much, the first that fits and weighs no
    more than a head over the smallest wins, for the same reason: the next closing comes as soon either way. A step that says
    it cannot reach the trigger is tried only when no other does: clearing a span of 20,000 messages took a third of its
    closing, for an outcome that was thrown away.
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
        tried: dict[int, tuple[int, Outcome]] = {}
        hopeless: list[int] = []
        for place, step in enumerate(self.steps):
            if isinstance(step, Bounded) and step.least_after(span) > span.room.trigger:
                hopeless.append(place)
                continue
            outcome = await step.apply(span)
            if not outcome.changed:
                continue
            after = span.total_after(outcome)
            if after <= span.room.low_water:
                return outcome
            tried[place] = after, outcome
        for after, outcome in tried.values():
            if after <= span.room.trigger:
                return outcome
        for place in hopeless:
            outcome = await self.steps[place].apply(span)
            if outcome.changed:
                tried[place] = span.total_after(outcome), outcome
        if not tried:
            return Outcome()
        least = min(after for after, _ in tried.values())
        most = max(least, min(least + span.room.head, span.room.available))
        return next(tried[place][1] for place in sorted(tried) if tried[place][0] <= most)


def chain(*steps: Strategy) -> Chain:
    """Strategies in order of preference, mildest first.

    Raises:
        StrategyError: no step given, or one that is no strategy.
    """
    if not steps:
        raise StrategyError("a chain needs at least one strategy", hint="chain(clear(), digest(), reset())")
    for step in steps:
        if not isinstance(getattr(step, "fingerprint", None), str):
            raise StrategyError(f"{step!r} is no strategy", hint="chain(clear(), digest(), reset())")
    return Chain(steps)
