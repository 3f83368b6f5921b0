"""``chain``: one strategy after the other until the history is small enough. All steps of one pass close one window."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from ....errors import StoreError, StrategyError
from ..deciding import check_outcome, failure
from ..strategy import Managing, Outcome, Span, Strategy

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

    Every step works on the original span, so that a later one can use what an earlier one would have cleared. A step that folds
    wins over a harder one that reaches the mark where it leaves no more than a head besides, and at least half of the room from
    the mark to the trigger: both leave the same turns, and the harder one would only tell the model less of the rest. Where no
    step reaches the low-water mark, the first that stays under the trigger wins, for the same reason. Where none stays under
    it, since what must stay is too much, the first that fits and weighs no more than a head over the smallest wins: the next
    closing comes as soon either way. Where none fits, texts that stay are shortened whichever wins, and what fits counts for
    nothing. A step that says it cannot reach the trigger is tried only when no other does: clearing a
    span of 20,000 messages took a third of its closing, for an outcome that was thrown away.
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

    @property
    def model_free(self) -> bool:
        """It leaves steps alone that need a model, where that is asked."""
        return True

    @property
    def patience(self) -> float | None:
        """Seconds that its steps limit themselves to, together; ``None`` where one of them may wait for ever."""
        limits: list[float | None] = [getattr(step, "patience", 0.0) for step in self.steps]
        return None if None in limits else sum(limit for limit in limits if limit is not None)

    async def apply(self, span: Span) -> Outcome:
        """Try the steps in order. One that fails is passed over, and the outcome says why."""
        tried: dict[int, tuple[int, Outcome]] = {}
        hopeless: list[int] = []
        failures: list[str] = []
        steps = [step for step in self.steps if not span.model_free or getattr(step, "model_free", False)]
        for place, step in enumerate(steps):
            if isinstance(step, Bounded) and step.least_after(span) > span.room.trigger:
                hopeless.append(place)
                continue
            outcome = await _tried(step, span, failures)
            if outcome.waiting and span.total_after(Outcome()) <= span.room.available:
                return outcome
            if not _useful(outcome, span):
                continue
            after = span.total_after(outcome)
            tried[place] = after, outcome
            if after <= span.room.low_water:
                folded = {at: found for at, found in tried.items() if found[1].evicted or at == place}
                most = min(after + span.room.head, (span.room.low_water + span.room.trigger) // 2)
                return replace(_first(folded, max(after, most)), failures=tuple(failures))
        for after, outcome in tried.values():
            if after <= span.room.trigger:
                return replace(outcome, failures=tuple(failures))
        for place in hopeless:
            outcome = await _tried(steps[place], span, failures)
            if _useful(outcome, span):
                tried[place] = span.total_after(outcome), outcome
        if not tried:
            return Outcome(failures=tuple(failures))
        least = min(after for after, _ in tried.values())
        fits = least <= span.room.available
        most = max(least, min(least + span.room.head, span.room.available)) if fits else least + span.room.head
        return replace(_first(tried, most), failures=tuple(failures))


def _first(tried: Mapping[int, tuple[int, Outcome]], most: int) -> Outcome:
    """What the mildest step gave that leaves at most so many tokens."""
    return next(tried[place][1] for place in sorted(tried) if tried[place][0] <= most)


async def _tried(step: Strategy, span: Span, failures: list[str]) -> Outcome:
    try:
        outcome = await step.apply(span)
        check_outcome(outcome, span)
    except (StoreError, asyncio.CancelledError):
        raise
    except Exception as error:  # noqa: BLE001
        # A step may be anybody's code and may call a model: whatever it raises, the next step has its turn.
        failures.append(failure(step.name, error))
        return Outcome()
    failures.extend(outcome.failures)
    return outcome


def _useful(outcome: Outcome, span: Span) -> bool:
    """Whether an outcome counts: where a new window is asked for, something has to leave."""
    return outcome.changed and (bool(outcome.evicted) or not span.forced)


def chain(*steps: Strategy) -> Chain:
    """Strategies in order of preference, mildest first.

    Raises:
        StrategyError: no step given, one that is no strategy, or one that leaves windows to a provider: that one goes around.
    """
    if not steps:
        raise StrategyError("a chain needs at least one strategy", hint="chain(clear(), digest(), reset())")
    for step in steps:
        if not isinstance(getattr(step, "fingerprint", None), str):
            raise StrategyError(f"{step!r} is no strategy", hint="chain(clear(), digest(), reset())")
        if isinstance(step, Managing):
            raise StrategyError(f"{step.name} is no step of a chain", hint="server(fallback=chain(…))")
    return Chain(steps)
