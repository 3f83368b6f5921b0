"""*overflow*: the runner reads the budget and closes the window if it must, if the caller asks, or if work on it has ended."""

from __future__ import annotations

import logging

from ...errors import StoreError, WindowError
from ..events import CompressEnded, CompressStarted, JobDropped, NewContextDropped
from ..ledger.records import record_folder
from ..measuring import budget_of, unseen_tokens, usage_of
from ..overflow.budget import Budget
from ..overflow.guard import ClosingFigures
from ..recognising import known_records, store_own_archives
from ..state import CompileState

__all__ = ["overflow"]

log = logging.getLogger(__name__)

MOST_CLOSINGS = 4
"""A closing that reuses another's decision may leave more to do; each further one closes over more, so this is a safety net."""


async def overflow(state: CompileState) -> None:
    """Close the window where the history is above the trigger, or where a new window was asked for.

    Raises:
        WindowError: system, tools, pinned turns and reserve alone exceed the window, or leave too little for the turns that
            have to stay in their shortest form.
        StoreError: what would leave cannot be stored, and nothing fits without leaving.
    """
    budget = state.budget = budget_of(state)
    budget.require_room()
    if state.session.new_context:
        state.session.new_context = False
        await _renew(state)
    vetoed = await _close_due(state)
    for name, reason in state.runner.jobs.dropped:
        state.bus.emit(JobDropped(name, reason))
    state.runner.jobs.dropped.clear()
    if not vetoed:
        _correct(state)
        _require_fit(state, state.budget)


async def _close_due(state: CompileState) -> bool:
    """Close the window as long as it has to be; whether that was vetoed."""
    runner, is_looked_up = state.runner, False
    for _ in range(MOST_CLOSINGS):
        budget = state.budget
        assert budget is not None
        due = runner.wants_to_close(state.movable, budget, unseen_tokens(state, budget), managed=state.managed)
        if not due and (state.managed or not runner.has_ended_work):
            return False
        if not await _allowed(state):
            return True
        if due and not is_looked_up:
            is_looked_up = True
            if await _follow_others(state):
                continue
        if not await _close(state, due=due):
            return False
    return False


async def _follow_others(state: CompileState) -> bool:
    """Put in force what another session closed this very history with meanwhile; whether there was anything.

    It is looked for where a window has to close: closed by two from the same place, the history would stand in two forms, and
    whoever reads the store next could go on in one only.

    Raises:
        StoreError: this history's own spans cannot be stored; it is looked up anew then.
    """
    live = state.session.live
    if not live.history.turns:
        return False
    try:
        records = await known_records(state)
    except StoreError as error:
        # What has to leave cannot be stored either: the closing says so.
        log.warning("what other sessions closed is not known, since the store could not be read: %s", error)
        return False
    live.records.extend(record for record in records if record not in live.records)
    last = next(reversed(live.applicable()), None)
    if last is None or last.arrived == live.history.arrivals[-1]:
        # What was decided at this very place is taken over by the closing itself, and told as one.
        return False
    if not live.settle(state.former):
        return False
    try:
        await store_own_archives(state)
    except StoreError:
        live.reopen()
        state.session.looked_up = False
        raise
    state.unsettled, _ = live.unsettled(state.former)
    state.session.move_prefix()
    state.unsay()
    state.budget = budget_of(state)
    return True


async def _renew(state: CompileState) -> None:
    """Open the new window that was asked for, or say why there is none."""
    if state.managed:
        reason = "the provider keeps the window of this target"
    elif not await _allowed(state):
        reason = "a function in the slot before-overflow vetoed it"
    elif not await _close(state, forced=True):
        reason = state.runner.failure or "there is nothing to set aside"
    else:
        return
    window = state.session.live.base.lineage.current
    log.warning("the new window that was asked for was not opened: %s", reason)
    state.failure = f"new_context: {reason}"
    state.bus.emit(NewContextDropped(window, reason))


def _correct(state: CompileState) -> None:
    """Take over the correction of weights before the next closing, where there is room by it alone."""
    assert state.budget is not None
    if state.movable <= state.budget.available or state.learned_ratio >= state.session.ratio:
        return
    state.session.ratio = state.learned_ratio
    state.budget = budget_of(state)


def _require_fit(state: CompileState, budget: Budget) -> None:
    """Refuse what would exceed the window although nothing more can leave: a provider would refuse it less clearly."""
    movable = state.movable
    if movable > budget.available:
        raise WindowError(
            f"the window of {budget.window:,} tokens leaves {budget.available:,} to the conversation: its last turn and the "
            f"newest user message weigh {movable:,} with every long text set aside (system {budget.system:,}, tools "
            f"{budget.tools:,}, pinned turns {budget.pinned:,}, tail {budget.tail:,}, reserve {budget.reserve:,})",
            hint="use a larger window, shorten the system prompt, offer fewer tools or pin less",
        )


async def _allowed(state: CompileState) -> bool:
    """A function in the slot ``before-overflow`` may veto by returning ``False``."""
    return False not in await state.slots.run("before-overflow", state)


async def _close(state: CompileState, *, forced: bool = False, due: bool = True) -> bool:
    live, runner, session = state.session.live, state.runner, state.session
    assert state.budget is not None
    before, used = live.base.lineage.current, usage_of(state, state.budget).tokens
    # What the window is to fit is weighed as it will be once this one has closed: with the correction taken over then.
    counted, session.ratio = session.ratio, state.learned_ratio
    budget = budget_of(state)
    tokens = state.movable
    state.bus.emit(CompressStarted(before, tokens, budget.trigger))
    history = live.history
    folder = record_folder(history.prefix, runner.fingerprint, state.settings.window)
    end = (len(history.turns), history.prefix[-1], history.arrivals[-1])
    closing = None
    try:
        closing = await runner.close(state.turns, budget, live.base, end, folder, live.records, forced=forced, due=due)
    finally:
        if closing is None:
            session.ratio = counted
    state.failure = "; ".join(filter(None, (state.failure, runner.failure)))
    state.waiting = runner.waiting
    if closing is None:
        state.bus.emit(CompressEnded(before, "", tokens, runner.failure, runner.waiting))
        return False
    live.apply(closing.record, state.former)
    # For every target, and should this compile fail after all: nothing of what was sent before has to stand still.
    session.move_prefix()
    state.unsettled, _ = live.unsettled(state.former)
    state.closed = closing.record.strategy
    if closing.archive and closing.archive != closing.record.archive:
        state.own_archive = closing.archive
    state.report_moved(closing.moved)
    # What was said of the old window is no longer true.
    state.unsay()
    state.budget = budget_of(state)
    first = state.closing.before if state.closing is not None else used
    state.closing = ClosingFigures(first, usage_of(state, state.budget).tokens)
    state.bus.emit(CompressEnded(live.base.lineage.current, closing.record.strategy, state.movable, state.runner.failure))
    await state.slots.run("after-overflow", state)
    return True
