"""*adapt*: the conversation in the target's own bytes.

Elements of a turn are rendered once and kept with it. The tail is placed here too, since only the target knows the form of
the message it joins.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...messages import Message, Turn, group_turns, leading_system
from ...messages.history import OPENING
from ...wire.format import Element
from ..ledger.live import LiveTurn
from ..placement.tail import place_tail
from ..state import CompileState

__all__ = ["adapt"]


async def adapt(state: CompileState) -> None:
    """Render head, conversation and tail."""
    if state.slots.taken("before-adapt"):
        state.messages = state.transformed(await state.slots.fold("before-adapt", state.flatten()), "before-adapt")
    system: Sequence[Message] = state.session.system
    if state.messages is None:
        settled = [element for live in state.settled for element in _rendered(state, live)]
        volatile = [element for live in state.unsettled for element in _rendered(state, live)]
        prefill = _prefill(state)
    else:
        count = leading_system(state.messages)
        system, rest = state.messages[:count], state.messages[count:]
        turns = [rest[turn.start : turn.stop] for turn in group_turns(rest)]
        settled = [element for turn in turns for element in _render(state, turn)]
        volatile, prefill = [], 0
    state.frame, first = state.target.render_head(state.session.head, system, state.settings.options, state.report)
    if not first and not settled and not volatile:
        volatile = [state.target.user_element(OPENING)]
    stable, moving, kept = place_tail([*first, *settled], volatile, prefill, "\n\n".join(state.tail), state.target)
    state.elements, state.volatile, state.kept_of_first = stable, moving, kept


def _prefill(state: CompileState) -> int:
    """How many elements at the end are an assistant turn without calls, which the model is to continue."""
    if not state.unsettled or any(message.role != "assistant" for message in state.unsettled[-1].turn.messages):
        return 0
    return len(_rendered(state, state.unsettled[-1]))


def _rendered(state: CompileState, live: LiveTurn) -> tuple[Element, ...]:
    key = state.target.name
    known = live.rendered.get(key)
    if known is None:
        known = live.rendered[key] = _render(state, _for_target(state, live.turn))
    return known


def _for_target(state: CompileState, turn: Turn) -> tuple[Message, ...]:
    """A target's own messages as they came, as far as its rules on ids allow; others with ids present and unique."""
    if turn.linked is turn.messages:
        return turn.messages
    rule = state.target.ids
    own = all(message.origin is not None and message.origin.format == state.target.name for message in turn.messages)
    if own and (
        rule == "free" or (rule == "present" and all(call.id for message in turn.messages for call in message.tool_calls))
    ):
        return turn.messages
    return turn.linked


def _render(state: CompileState, messages: Sequence[Message]) -> tuple[Element, ...]:
    return state.target.render_turn(messages, state.settings.options, state.report)
