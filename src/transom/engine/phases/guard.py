"""*guard*: how full the window is, said to those who listen once a window, and to the model at the end of its payload."""

from __future__ import annotations

from ..events import WindowWarned
from ..measuring import budget_of, scaled, usage_of
from ..state import CompileState

__all__ = ["guard"]


async def guard(state: CompileState) -> None:
    """Warn, and say what the indicator says, within the room kept free for it."""
    wanted, session = state.settings.guard, state.session
    if wanted is None:
        return
    assert state.budget is not None
    usage = usage_of(state, state.budget)
    warns = usage.share >= wanted.warn
    window = session.live.base.lineage.current
    if warns and not state.managed and session.warned != window:
        session.warned = window
        state.bus.emit(WindowWarned(window, usage.tokens, usage.window))
    words = state.vocabulary.windows
    lines: list[str] = []
    record = session.live.base
    if record.weighed and record.arrived == session.live.history.arrivals[-1]:
        # Of the record and not of what happened: one that another process or run made says the same to the same history.
        before = usage.tokens + scaled(record.weighed - state.movable, state.session.ratio)
        lines.append(words.closing_line(before, usage.tokens))
    if warns and not state.managed:
        lines.append(words.budget_line(usage.tokens, usage.window, full=usage.share >= wanted.compress))
    text = "\n".join(lines)
    if text and wanted.indicator and state.tokenizer.count(text) <= wanted.allowance:
        state.say(text)
    state.indicated = True
    state.budget = budget_of(state)
