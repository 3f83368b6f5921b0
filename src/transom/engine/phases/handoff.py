"""*handoff*: one word to the model, once a window and for this compile alone, that its window will close soon.

It stands in the tail, is part of no history, and does not count for the question whether the window closes.
"""

from __future__ import annotations

from ..measuring import budget_of, headroom
from ..state import CompileState

__all__ = ["handoff"]


async def handoff(state: CompileState) -> None:
    """Say so where the tokens left have come into the band."""
    wanted, session = state.settings.handoff, state.session
    state.managed = state.runner.manages(state.target.name)
    window = session.live.base.lineage.current
    if wanted is None or state.managed or session.new_context or session.noticed == window or _has_just_closed(state):
        return
    left = headroom(state, budget_of(state))
    if not wanted.reached(left):
        return
    notice = state.vocabulary.windows.handoff_notice(left, wanted.prompt, session.additions.tool)
    state.say(notice)
    if state.movable > budget_of(state).available:
        state.unsay()
        return
    state.noticed = window


def _has_just_closed(state: CompileState) -> bool:
    """The record in force was made of this very history, whoever came first: who closes a window says nothing of the next."""
    live = state.session.live
    return live.base.lineage.previous is not None and live.base.arrived == live.history.arrivals[-1]
