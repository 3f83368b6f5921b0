"""*tail*: what stands at the end of the payload, in its fixed order, and how the answer begins."""

from __future__ import annotations

from dataclasses import replace

from ...messages import Message, Turn
from ..ledger.live import LiveTurn
from ..placement.prefill import is_unanswered
from ..state import CompileState

__all__ = ["tail"]


async def tail(state: CompileState) -> None:
    """Put the additions before what phases and slots said, and count what is really there."""
    ending = state.ending
    state.tail = [*ending.texts, *state.tail]
    if ending.texts:
        state.ending = replace(ending, texts=())
    budget = state.budget
    assert budget is not None
    system, tail_tokens = state.weigh_system(state.session.prompt), state.tail_tokens
    if (system, tail_tokens) != (budget.system, budget.tail):
        state.budget = replace(budget, system=system, tail=tail_tokens)
    begun = bool(state.turns) and is_unanswered(state.turns[-1].turn) and not state.turns[-1].turn.messages[-1].tool_calls
    # Anthropic refuses an answer begun with white space at its end.
    prefill = ending.prefill.rstrip()
    if prefill and not begun:
        message = Message("assistant", prefill)
        turn = Turn((message,), (message,), ((),), (-1,))
        state.begun = LiveTurn(turn, turn, -1, b"", {})
