"""*overflow*: the runner reads the budget and closes the window if it must."""

from __future__ import annotations

from dataclasses import replace

from ...errors import WindowError
from ...tokens.usage import tokens_in_use
from ...tokens.weigh import weigh, weigh_tools
from ..events import CompressEnded, CompressStarted
from ..ledger.records import record_folder
from ..overflow.budget import Budget, reserve_for
from ..placement.prefill import degraded_prefill
from ..state import CompileState, FixedWeight

__all__ = ["overflow"]

MOST_CLOSINGS = 4
"""A closing that reuses another's decision may leave more to do; each further one closes over more, so this is a safety net."""


async def overflow(state: CompileState) -> None:
    """Close the window where the history is above the trigger.

    Raises:
        WindowError: system, tools, pinned turns and reserve alone exceed the window, or leave too little for the turns that
            have to stay in their shortest form.
        StoreError: what would leave cannot be stored, and nothing fits without leaving.
    """
    state.budget = _budget(state)
    state.budget.require_room()
    for _ in range(MOST_CLOSINGS):
        if not state.runner.wants_to_close(state.turns, state.budget, _unseen(state, state.budget)):
            return
        if not await _allowed(state):
            return
        if not await _close(state):
            break
        state.budget = _budget(state)
    _require_fit(state, state.budget)


def _require_fit(state: CompileState, budget: Budget) -> None:
    """Refuse what would exceed the window although nothing more can leave: a provider would refuse it less clearly."""
    movable = sum(live.tokens for live in state.turns if not live.pinned)
    if movable > budget.available:
        raise WindowError(
            f"the window of {budget.window:,} tokens leaves {budget.available:,} to the conversation: its last turn and the "
            f"newest user message weigh {movable:,} with every long text set aside (system {budget.system:,}, tools "
            f"{budget.tools:,}, pinned turns {budget.pinned:,}, tail {budget.tail:,}, reserve {budget.reserve:,})",
            hint="use a larger window, shorten the system prompt, offer fewer tools or pin less",
        )


def _unseen(state: CompileState, budget: Budget) -> int:
    """Tokens that the provider's last report, brought up to date, has beyond our count; in weighed tokens."""
    counted = budget.fixed + budget.tail + sum(live.tokens for live in state.turns if not live.pinned)
    scaled = int(counted * budget.ratio)
    return int((tokens_in_use(state.settings.usage, scaled, state.session.usage) - scaled) / budget.ratio)


def _fixed(state: CompileState) -> FixedWeight:
    session, tokenizer = state.session, state.tokenizer
    known = session.fixed
    if known is None or known.system is not session.system or known.tools is not session.head.tools:
        system = sum(weigh(message, tokenizer) for message in session.system)
        tools = weigh_tools(session.head.tools, tokenizer) if session.head.tools else 0
        known = session.fixed = FixedWeight(session.system, session.head.tools, system, tools)
    return known


def _budget(state: CompileState) -> Budget:
    settings = state.settings
    fixed = _fixed(state)
    counted = state.target.name == "openai"
    tail = sum(state.tokenizer.count(text) for text in state.tail) + (8 if state.tail else 0) + _note_tokens(state)
    return Budget(
        window=settings.window,
        reserve=reserve_for(settings.window, state.session.head.max_output_tokens, counted=counted),
        system=fixed.system_tokens,
        tools=fixed.tools_tokens,
        tail=tail,
        pinned=sum(live.tokens for live in state.turns if live.pinned),
        ratio=state.session.ratio,
        trigger_ratio=settings.trigger,
        low_ratio=settings.low_water,
    )


def _note_tokens(state: CompileState) -> int:
    """What a note adds that stands in for a prefill, beside the words it quotes."""
    words = state.vocabulary.mending
    if not state.unsettled or degraded_prefill(state.unsettled[-1].turn, state.target, state.session.head, words) is None:
        return 0
    return state.tokenizer.count(words.prefill) + 8


async def _allowed(state: CompileState) -> bool:
    """A function in the slot ``before-overflow`` may veto by returning ``False``."""
    return False not in await state.slots.run("before-overflow", state)


async def _close(state: CompileState) -> bool:
    live, budget = state.session.live, state.budget
    assert budget is not None
    before = live.base.lineage.current
    tokens = sum(turn.tokens for turn in state.turns if not turn.pinned)
    state.bus.emit(CompressStarted(before, tokens, budget.trigger))
    history = live.history
    folder = record_folder(history.prefix, state.runner.fingerprint, state.settings.window)
    end = (len(history.turns), history.prefix[-1], history.arrivals[-1])
    closing = await state.runner.close(state.turns, budget, live.base, end, folder, live.records)
    state.failure = state.runner.failure or state.failure
    if closing is None:
        state.bus.emit(CompressEnded(before, "", tokens, state.runner.failure))
        return False
    live.apply(closing.record, state.former)
    # For every target, and should this compile fail after all: nothing of what was sent before has to stand still.
    session = state.session
    session.compared = {name: replace(sent, stable=0) for name, sent in session.compared.items()}
    state.settled = live.turns
    state.unsettled, _ = live.unsettled(state.former)
    state.session.ratio = state.learned_ratio
    state.closed = closing.record.strategy
    if closing.archive and closing.archive != closing.record.archive:
        state.own_archive = closing.archive
    state.report_moved(closing.moved)
    after = sum(turn.tokens for turn in state.turns if not turn.pinned)
    state.bus.emit(CompressEnded(live.base.lineage.current, closing.record.strategy, after, state.runner.failure))
    await state.slots.run("after-overflow", state)
    return True
