"""How full the window is: the budget of one compile, and the tokens in use, reported usage brought up to date included.

Knows the compile's state and changes nothing of it but what was weighed once and is kept. Phases and ``Context.usage`` ask the
same functions, so that what a caller is told is what decides.
"""

from __future__ import annotations

from ..tokens.usage import tokens_in_use
from ..tokens.weigh import PER_MESSAGE, weigh, weigh_tools
from .overflow.budget import Budget, Usage, reserve_for
from .state import CompileState, FixedWeight

__all__ = ["budget_of", "headroom", "input_trigger", "scaled", "take_stock", "unseen_tokens", "usage_of", "weights"]


def budget_of(state: CompileState) -> Budget:
    """What this compile has to fit into."""
    settings, guard = state.settings, state.settings.guard
    fixed = _fixed(state)
    allowance = guard.allowance if guard is not None and not state.indicated else 0
    said = sum(map(state.tokenizer.count, state.notices)) + allowance
    if said and not state.ending.texts and len(state.tail) == len(state.notices):
        # The message that they need for themselves.
        said += PER_MESSAGE
    tail = state.tail_tokens + allowance + (PER_MESSAGE if allowance and not state.ending.texts and not state.tail else 0)
    return Budget(
        window=settings.window,
        reserve=_reserve(state),
        system=fixed.system_tokens + state.allowance,
        tools=fixed.tools_tokens,
        tail=tail,
        pinned=state.pinned,
        ratio=state.session.ratio,
        trigger_ratio=settings.trigger,
        low_ratio=settings.low_water,
        notices=said,
        closes_at=None if guard is None else int(settings.window * guard.compress),
        keep_messages=0 if guard is None else guard.keep_last,
    )


def input_trigger(state: CompileState) -> int:
    """Tokens of the whole input at which the window closes, whatever stands in it: the same for every request with one head."""
    settings, guard = state.settings, state.settings.guard
    if guard is not None:
        return int(settings.window * guard.compress)
    fixed = _fixed(state)
    standing = fixed.system_tokens + fixed.tools_tokens
    return standing + int(max(0, settings.window - _reserve(state) - standing) * settings.trigger)


def unseen_tokens(state: CompileState, budget: Budget) -> int:
    """Tokens that the provider's last report, brought up to date, has beyond our count; in weighed tokens."""
    counted = _counted(state, budget)
    return int((tokens_in_use(state.settings.usage, counted, state.session.usage) - counted) / budget.ratio)


def headroom(state: CompileState, budget: Budget) -> int:
    """Tokens until the window closes, as the provider counts them; 0 or less where it is about to."""
    return int((budget.trigger - state.movable - unseen_tokens(state, budget)) * budget.ratio)


def usage_of(state: CompileState, budget: Budget) -> Usage:
    """Tokens in use, as the provider counts them; what is said of the window itself is not among them."""
    return Usage(tokens_in_use(state.settings.usage, _counted(state, budget), state.session.usage), state.settings.window)


def take_stock(state: CompileState) -> Usage:
    """``usage_of`` between compiles, of a state that no phase has seen: what came since the last one counts in the form it
    would be shown in. Changes nothing.
    """
    live, additions = state.session.live, state.session.additions
    taken = next((turn.index + 1 for turn in reversed(live.turns) if turn.index >= 0), 0)
    fresh = [*live.history.turns[taken:], *live.history.tail()[0]]
    added = sum(sum(state.former(turn, ())[1].values()) for turn in fresh)
    frozen = additions.frozen if additions.frozen is not None else additions.fresh
    state.allowance = state.weigh_system(frozen.messages)
    state.ending = additions.ending(takes_system=state.target.takes_late_system)
    budget = budget_of(state)
    counted = scaled(_weighed(state, budget) + added, budget.ratio)
    return Usage(tokens_in_use(state.settings.usage, counted, state.session.usage), state.settings.window)


def weights(state: CompileState, budget: Budget) -> tuple[int, int]:
    """What the conversation weighs as it came and as it goes on, everything else of the payload included, in tokens."""
    around = budget.system + budget.tools + budget.tail
    came = state.session.live.raw_tokens + state.pending_tokens + around
    return scaled(came, budget.ratio), scaled(budget.fixed + budget.tail + state.movable, budget.ratio)


def scaled(tokens: int, ratio: float) -> int:
    """Weighed tokens as the provider counts them."""
    return tokens if ratio == 1.0 else -int(-tokens * ratio // 1)


def _counted(state: CompileState, budget: Budget) -> int:
    return scaled(_weighed(state, budget), budget.ratio)


def _weighed(state: CompileState, budget: Budget) -> int:
    return budget.fixed + budget.tail - budget.notices + state.movable


def _reserve(state: CompileState) -> int:
    # OpenAI counts the requested output into the window.
    return reserve_for(state.settings.window, state.session.head.max_output_tokens, counted=state.target.name == "openai")


def _fixed(state: CompileState) -> FixedWeight:
    session, tokenizer = state.session, state.tokenizer
    known = session.fixed
    sent = state.spelled.tools
    if known is None or known.system is not session.system or known.tools is not sent:
        system = sum(weigh(message, tokenizer) for message in session.system)
        tools = weigh_tools(sent, tokenizer) if sent else 0
        known = session.fixed = FixedWeight(session.system, sent, system, tools)
    return known
