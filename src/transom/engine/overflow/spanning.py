"""Which turns a closing works on: how deep it must cut, and what stays wherever it cuts.

Pure. A cut lies at a turn that every history of the same meaning has, never behind the last turn and never within what an
earlier closing covers already.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...messages import Message
from ...tokens.counter import Tokenizer
from ...vocabulary import Vocabulary
from ..ledger.live import LiveTurn
from ..ledger.records import WindowRecord
from .archive import archive_path
from .budget import Budget
from .jobs import Jobs
from .strategy import Room, Span, cut_at_link

__all__ = ["closing_span", "movable_tokens", "source_messages"]


def closing_span(
    turns: Sequence[LiveTurn],
    budget: Budget,
    base: WindowRecord,
    tokenizer: Tokenizer,
    vocabulary: Vocabulary,
    *,
    forced: bool = False,
    model_free: bool = False,
    wide: bool = False,
    jobs: Jobs | None = None,
) -> Span:
    """What a strategy is asked to make room in.

    Args:
        turns: everything in the window, unsettled turns at the end included.
        budget: what to reach.
        base: the record in force.
        tokenizer, vocabulary, forced, model_free: handed on to the strategy.
        wide: the newest messages that the budget wants left alone need not be.
        jobs: work of this session that goes on between compiles.
    """
    low_water, trigger = (0, 0) if forced else (budget.low_water, budget.trigger)
    room = Room(low_water, trigger, budget.available, budget.head)
    newest = max((index for index, live in enumerate(turns) if live.request), default=-1)
    staying = frozenset(index for index, live in enumerate(turns) if live.pinned or index == newest)
    settled = sum(1 for live in turns if live.index >= 0 or live.head)
    covered, last = len(base.items), min(len(turns) - 1, settled)
    deepest = cut_at_link(turns, last, covered, last)
    if budget.keep_messages and not forced and not wide:
        deepest = _sparing(turns, deepest, covered, staying, budget)
    cut = cut_at_link(turns, _cut(turns, deepest, staying, room), covered, deepest)
    return Span(
        turns=turns,
        cut=cut,
        deepest=deepest,
        staying=staying,
        lineage=base.lineage,
        previous_head=next((live.turn.messages[0].text for live in turns if live.head), None),
        archive_uri=lambda at: f"context://archive/{archive_path(source_messages(turns[:at]))}",
        earlier_archives=base.archives,
        room=room,
        tokenizer=tokenizer,
        vocabulary=vocabulary,
        forced=forced,
        model_free=model_free,
        window=budget.window,
        covered=covered,
        jobs=jobs if jobs is not None else Jobs(),
    )


def movable_tokens(turns: Sequence[LiveTurn]) -> int:
    """What strategies may move, in tokens: everything but pinned turns."""
    return sum([live.tokens for live in turns if not live.pinned])


def source_messages(turns: Sequence[LiveTurn]) -> list[Message]:
    """The messages of some turns as they came."""
    return [message for live in turns for message in live.source.messages]


def _sparing(turns: Sequence[LiveTurn], deepest: int, covered: int, staying: frozenset[int], budget: Budget) -> int:
    """The deepest cut that leaves the newest messages alone; the one given where nothing would fit otherwise."""
    first, left = len(turns), budget.keep_messages
    while first > 0 and left > 0:
        first -= 1
        left -= len(turns[first].source.messages)
    bound = cut_at_link(turns, first, covered, first) if first < deepest else deepest
    if movable_tokens(turns) <= budget.available:
        return bound
    stay = [live for index, live in enumerate(turns) if index >= bound or index in staying]
    return bound if bound and movable_tokens(stay) + budget.head <= budget.available else deepest


def _cut(turns: Sequence[LiveTurn], deepest: int, staying: frozenset[int], room: Room) -> int:
    """The smallest cut that leaves history at the low-water mark, head and staying turns counted."""
    total = movable_tokens(turns) + room.head
    for index in range(deepest):
        if total <= room.low_water:
            return index
        if index not in staying:
            total -= turns[index].tokens
    return deepest
