"""The laws of a compile, checked on its state: pinned turns survive, pairs are whole, the prefix stands still.

Knows state, reports only.
"""

from __future__ import annotations

from collections.abc import Iterator

from .payload import common_prefix, compared_sequence
from .state import CompileState

__all__ = ["broken_invariants"]


def broken_invariants(state: CompileState) -> Iterator[tuple[str, str]]:
    """Name and detail of every law that does not hold."""
    yield from _pinned(state)
    yield from _pairs(state)
    yield from _prefix(state)


def _pinned(state: CompileState) -> Iterator[tuple[str, str]]:
    shown = {id(live.source) for live in state.turns}
    for number, turn in enumerate(state.session.live.history.turns):
        if turn.pinned and id(turn) not in shown:
            yield "pinned_survival", f"pinned turn {number} is not in the window"
    if state.messages is not None:
        rendered = {id(message) for message in state.messages}
        for live in state.turns:
            if live.pinned and any(id(message) not in rendered for message in live.turn.linked):
                yield "pinned_survival", f"a function in a slot changed or dropped pinned turn {live.index}"


def _pairs(state: CompileState) -> Iterator[tuple[str, str]]:
    waiting: list[str] = []
    for index, message in enumerate(state.flatten()):
        if message.role == "assistant":
            waiting.extend(call.id for call in message.tool_calls)
        for result in message.results:
            if result.call_id in waiting:
                waiting.remove(result.call_id)
            else:
                yield "pair_integrity", f"message {index} answers call {result.call_id or 'without id'}, which is not open"
    for call_id in waiting:
        yield "pair_integrity", f"call {call_id or 'without id'} has no result"


def _prefix(state: CompileState) -> Iterator[tuple[str, str]]:
    previous = state.session.compared.get(state.target.name)
    if previous is None or state.closed or state.frame is None:
        return
    if previous.given != (state.session.head.tools, state.session.system):
        # Other tools, or another system prompt: the caller asked for another prefix.
        return
    now = compared_sequence(state.frame, state.elements, state.volatile, state.kept_of_first, state.closing_bytes)
    held = common_prefix(previous.pieces, now.pieces)
    if held < previous.stable:
        yield "prefix_identity", f"the first {previous.stable} bytes were to stand still, {held} did"
