"""Whether a conversation may go on as it came: nothing has left its window, nothing has to, and nothing is added to it.

Knows the compile's state and its first phase. What it costs is the weighing of what is new; nothing is rendered.
"""

from __future__ import annotations

from dataclasses import dataclass

from .measuring import budget_of, scaled, unseen_tokens, weights
from .phases.start import start
from .state import CompileState

__all__ = ["Standing", "standing"]


@dataclass(frozen=True, slots=True)
class Standing:
    """What a conversation weighs that goes on as it came.

    Attributes:
        window: tokens that it has to fit into.
        tokens_before, tokens_after: what it weighs, as it came and as it goes on.
        trigger: from how many on its window closes.
    """

    window: int
    tokens_before: int
    tokens_after: int
    trigger: int


async def standing(state: CompileState) -> Standing | None:
    """What the conversation weighs, where a compile would leave it alone; ``None`` where it might not.

    Args:
        state: a compile that no phase has seen.
    """
    session = state.session
    if session.new_context or not _is_plain(state):
        return None
    await start(state)
    live, added = session.live, session.additions
    if live.base.lineage.current != live.base.lineage.first or live.sticky or state.moved or state.repairs or state.failure:
        return None
    if state.ending.texts or state.ending.notices or state.ending.prefill or added.newly_frozen or added.frozen is not None:
        return None
    budget = budget_of(state)
    if budget.available <= 0 or state.runner.has_ended_work:
        return None
    if state.runner.wants_to_close(state.movable, budget, unseen_tokens(state, budget)):
        return None
    session.managed = False
    return Standing(state.settings.window, *weights(state, budget), scaled(budget.fixed + budget.trigger, budget.ratio))


def _is_plain(state: CompileState) -> bool:
    settings = state.settings
    shaping = (settings.handoff, settings.guard, settings.recall, settings.tool_schemas)
    return state.slots.is_free and all(each is None for each in shaping) and not state.runner.manages(state.target.name)
