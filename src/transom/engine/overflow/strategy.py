"""What an overflow strategy is: one function on a span.

Knows live turns and records. The runner holds budget, breaker, archive and lineage once; a strategy only says what stands in
place of the span. Anything of ``Strategy``'s shape can be one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from ...messages import Message
from ...tokens.counter import Tokenizer
from ...vocabulary import Vocabulary
from ...wire.format import Head
from ..ledger.edits import apply_edits
from ..ledger.live import LiveTurn, head_turn, weigh_turn
from ..ledger.records import Item, Lineage
from .jobs import Jobs

__all__ = ["Item", "Managing", "Outcome", "Room", "Span", "Strategy", "cut_at_link"]


@dataclass(frozen=True, slots=True)
class Room:
    """What a closing has to reach, in tokens of movable history (pinned turns are not counted).

    Attributes:
        low_water: what it aims at.
        trigger: what it must stay under for the window not to close again at once.
        available: what fits at all.
        head: what a head may weigh.
    """

    low_water: int
    trigger: int
    available: int
    head: int


@dataclass(frozen=True, slots=True)
class Span:
    """What a closing works on.

    Attributes:
        turns: every turn in the window, the newest included.
        cut: ``turns[:cut]`` is the closing span proposed by the budget.
        deepest: the largest cut allowed: the last turn stays.
        staying: indices of turns that stay verbatim wherever the cut lies: pinned ones and the newest the user wrote.
        lineage: of the window being closed.
        previous_head: text of the head that stands in the span, if any.
        archive_uri: address of ``turns[:cut]`` once archived, for any cut.
        earlier_archives: archives of the windows closed last, oldest first.
        room: what to reach.
        forced: the caller asked for a new window: everything folds that may, however much room there is.
        model_free: models failed too often in this session: only steps that need none are tried.
        window: the whole window, in tokens.
        covered: how many items stand for what earlier closings covered; no cut lies within them.
        jobs: work of this session that goes on between compiles.
        tokenizer: what the budget is counted with.
        vocabulary: every string a model reads.
    """

    turns: Sequence[LiveTurn]
    cut: int
    deepest: int
    staying: frozenset[int]
    lineage: Lineage
    previous_head: str | None
    archive_uri: Callable[[int], str]
    earlier_archives: Sequence[str]
    room: Room
    tokenizer: Tokenizer
    vocabulary: Vocabulary
    forced: bool = False
    model_free: bool = False
    window: int = 0
    covered: int = 0
    jobs: Jobs = field(default_factory=Jobs, repr=False, compare=False)

    def legal(self, cut: int) -> int:
        """The nearest place to ``cut`` at which a window may close; 0 where there is none."""
        return cut_at_link(self.turns, max(0, min(cut, self.deepest)), self.covered, self.deepest)

    def messages(self, cut: int) -> tuple[Message, ...]:
        """The original messages of ``turns[:cut]``, heads included."""
        return tuple(message for turn in self.turns[:cut] for message in turn.source.messages)

    def leaving(self, cut: int) -> tuple[Message, ...]:
        """The messages of ``turns[:cut]`` that do not stay verbatim; heads are none of them."""
        return tuple(
            message
            for index, turn in enumerate(self.turns[:cut])
            if index not in self.staying and not turn.head
            for message in turn.source.messages
        )

    def kept(self, cut: int) -> list[Item]:
        """Items for the turns of ``turns[:cut]`` that stay, in order."""
        return [_kept(self.turns[index]) for index in range(cut) if index in self.staying]

    def total_after(self, outcome: Outcome) -> int:
        """What the movable history would weigh with an outcome in place, in tokens."""
        by_place = {turn.place: turn for turn in self.turns[: outcome.cut] if turn.place}
        total = sum(turn.tokens for turn in self.turns[outcome.cut :] if not turn.pinned)
        for item in outcome.items:
            if item.kind == "head":
                total += weigh_turn(head_turn(item.text), self.tokenizer)
            elif not by_place[item.place].pinned:
                live = by_place[item.place]
                beside = live.sticky.tokens if live.sticky is not None else 0
                edited = weigh_turn(apply_edits(live.turn, item.edits), self.tokenizer) + beside if item.edits else 0
                total += edited or live.tokens
        return total


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a strategy decided.

    Attributes:
        cut: it closed over ``turns[:cut]``; 0 when it changed nothing.
        items: what stands in place of them.
        span: the messages its result stands for; archive and citation use it.
        evicted: those of them that left the window.
        texts: texts whose ``context://vfs/`` addresses the items cite; stored before the result lands.
        strategy: name of the step that produced it.
        failures: why steps before it failed, one line each. An outcome that changes nothing may have some too.
        waiting: nothing is decided yet (a model is still at work elsewhere): leave the history as it is if it fits.
    """

    cut: int = 0
    items: tuple[Item, ...] = ()
    span: tuple[Message, ...] = ()
    evicted: tuple[Message, ...] = ()
    texts: tuple[str, ...] = ()
    strategy: str = ""
    failures: tuple[str, ...] = ()
    waiting: bool = False

    @property
    def changed(self) -> bool:
        """Whether anything would leave or be shortened."""
        return self.cut > 0


def cut_at_link(turns: Sequence[LiveTurn], cut: int, covered: int, deepest: int) -> int:
    """Move a cut to a place that every history of the same meaning has, and beyond what is covered already.

    Back where it can be, forward where a closing that lies within the covered part would otherwise decide it anew; 0 where
    there is no such place.
    """
    if cut == 0:
        return 0
    places: list[int] = [*range(cut, covered, -1), *range(max(cut, covered) + 1, deepest + 1)]
    for place in places:
        if turns[place - 1].place and (place == 1 or turns[place - 1].place != turns[place - 2].place):
            return place
    return 0


def _kept(live: LiveTurn) -> Item:
    return Item("edit", place=live.place, edits=live.edits) if live.edits else Item("keep", place=live.place)


class Strategy(Protocol):
    """One way to make room.

    One that needs no model may say so by an attribute ``model_free`` that is true: it is tried even after a model failed three
    times in a row. Others are then left alone. One that limits its own time says so by ``patience``, in seconds, ``None`` for
    no limit: the runner's own limit then comes on top.
    """

    @property
    def name(self) -> str:
        """What reports call it."""
        ...

    @property
    def fingerprint(self) -> str:
        """Everything of its configuration that shapes what it produces. Records are shared between equal ones only."""
        ...

    async def apply(self, span: Span) -> Outcome:
        """Decide what stands in place of the span. Changes nothing by itself."""
        ...


@runtime_checkable
class Managing(Protocol):
    """A strategy that leaves the windows of some targets to their provider. Here such a window closes only where the history
    does not fit at all.
    """

    def manages(self, target: str) -> bool:
        """Whether the provider keeps the window of this target in order."""
        ...

    def request_fields(self, head: Head, trigger: int) -> tuple[dict[str, object], tuple[str, ...]]:
        """Top-level fields that a request needs for that, and names of betas; the same for every request with one head.

        Args:
            head: of the request.
            trigger: tokens of the whole input at which the provider is to make room.
        """
        ...
