"""A session's history and the part of it that is in the window.

Knows turns, weights and records; asks nobody. New turns are taken in once; what a closing decided is applied to this
history's own turns. Forms (pruning) come from outside, as a function, since what a shortened text looks like is no business
of the ledger.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from ...messages import History, Message, Repair, Turn
from ...messages.digest import ROOT
from ...vocabulary import ENGLISH
from ...vocabulary.mending import MendingWords
from .edits import TurnEdit
from .live import LiveTurn, Moved, Sticky, head_turn
from .records import Lineage, WindowRecord
from .sums import Sums

__all__ = ["EMPTY_RECORD", "Former", "LiveWindow", "form_again"]

EMPTY_RECORD = WindowRecord(0, 0, ROOT, ROOT, ROOT, False, (), (), (), "", (), Lineage(), "")
"""What is in force before any window closed."""

Former = Callable[[Turn, tuple[TurnEdit, ...]], tuple[Turn, Mapping[str, int], tuple[Moved, ...]]]
"""Gives a turn the form it has in the window: (turn, tokens by who wrote it, what was moved out of it)."""


class LiveWindow:
    """History and window of one session.

    Args:
        words: what stand-ins say where the history is not valid.

    Attributes:
        history: every message so far, valid, in turns.
        base: the record in force.
        turns: what stands for the closed span, then every settled turn behind it.
        records: all records known of this conversation.
        raw_tokens: what the settled history weighs as it came.
        parted, adopted: the caller wrote a head of ours back: it was parted from the message it was merged into; it is known.
        sticky: texts that stand beside turns, by the prefix digest at their end.
        changes: how often turns in the window became others, other than by new ones at the end.
    """

    def __init__(self, words: MendingWords = ENGLISH.mending) -> None:
        self.history = History(words)
        self.base = EMPTY_RECORD
        self.turns: list[LiveTurn] = []
        self.records: list[WindowRecord] = []
        self.raw_tokens = 0
        self.parted = self.adopted = False
        self.sticky: dict[bytes, Sticky] = {}
        self.changes = 0
        self._sums, self._summed = Sums(), 0
        self._taken = 0
        self._weighed = 0
        self._mapped = 0
        self._places: dict[bytes, int] = {}
        self._fits: dict[bytes, tuple[TurnEdit, ...]] = {}

    @property
    def root(self) -> bytes:
        """The prefix digest after the first turn: what all histories of this conversation share."""
        return self.history.prefix[min(1, len(self.history.prefix) - 1)]

    @property
    def places(self) -> dict[bytes, int]:
        """Prefix digests of the history, each with the number of turns before it."""
        prefix = self.history.prefix
        for index in range(self._mapped, len(prefix)):
            self._places.setdefault(prefix[index], index)
        self._mapped = len(prefix)
        return self._places

    @property
    def sums(self) -> Sums:
        """What the turns in the window come to; only new ones are added up."""
        if self._summed != self.changes:
            self._sums, self._summed = Sums(), self.changes
        if self._sums.count < len(self.turns):
            self._sums.add(self.turns[self._sums.count :])
        return self._sums

    def stick(self, turn: LiveTurn, sticky: Sticky) -> None:
        """Put text beside a turn, settled or not, and keep it there."""
        self.sticky[turn.place] = sticky
        turn.stick(sticky)
        self.changes += 1

    def form_again(self, former: Former, uris: Collection[str]) -> None:
        """Give the turns from which something was moved to these addresses their form anew."""
        self.changes += 1
        form_again(self.turns, former, uris)

    def weigh_new(self, weigh: Callable[[Turn], int]) -> None:
        """Add up what the settled history weighs as it came; only new turns are weighed."""
        for turn in self.history.turns[self._weighed :]:
            self.raw_tokens += weigh(turn)
        self._weighed = len(self.history.turns)

    def adopt_head(self, record: WindowRecord) -> None:
        """The caller wrote a head of ours back as its first message: go on in the window it opened."""
        self.base = replace(EMPTY_RECORD, archives=record.archives, lineage=record.lineage, strategy=record.strategy)
        self.adopted = True
        if self.turns:
            self.turns[0].own()

    def reopen(self) -> None:
        """Forget all records: the whole history is in the window again."""
        self.base, self.records, self.turns = EMPTY_RECORD, [], []
        self.changes += 1
        self._taken, self._fits = 0, {}

    def part_first(self) -> None:
        """Part a head of ours from the message it was merged into, before anything is taken in."""
        self.history.part_first()
        self.parted = True
        self._weighed += 1 if self._weighed else 0
        self._mapped, self._places = 0, {}

    def applicable(self) -> list[WindowRecord]:
        """The records whose whole history this history extends, oldest first: ``p(k)``, ``p(n)`` and all that had come.

        Of two that one and the same history closed with, the later one was sent last.
        """
        places = self.places
        arrivals = {digest: count for count, digest in reversed(list(enumerate(self.history.arrivals)))}
        known = [
            record for record in self.records if record.p_n in places and record.p_k in places and record.arrived in arrivals
        ]
        return sorted(known, key=lambda record: (places[record.p_k], arrivals[record.arrived], record.lineage.number))

    def settle(self, former: Former) -> bool:
        """Apply the last record that fits this history, if it is not in force already. Whether anything changed."""
        record = next(reversed(self.applicable()), None)
        if record is None or (record.p_k == self.base.p_k and record.arrived == self.base.arrived):
            return False
        self.apply(record, former)
        return True

    def apply(self, record: WindowRecord, former: Former) -> None:
        """Put a record in force."""
        if record not in self.records:
            self.records.append(record)
        live = {turn.place: turn for turn in self.turns if turn.place}
        places = self.places
        shown: list[LiveTurn] = []
        for item in record.items:
            if item.kind == "head":
                turn = head_turn(item.text)
                _, weights, _ = former(turn, ())
                shown.append(LiveTurn(turn, turn, -1, b"", {"head": sum(weights.values())}, head=True))
            else:
                shown.append(self._form(places[item.place] - 1, item.edits, former, live.get(item.place)))
        self.base = record
        self._fits = {fit.place: fit.edits for fit in record.fits}
        self._taken = places[record.p_k]
        self.turns = shown
        self.changes += 1
        self.take_in(former, live)

    def take_in(self, former: Former, live: dict[bytes, LiveTurn] | None = None) -> list[LiveTurn]:
        """Give every settled turn that is not in the window yet its form. Returns the new ones."""
        history = self.history
        new: list[LiveTurn] = []
        for index in range(self._taken, len(history.turns)):
            place = history.prefix[index + 1]
            known = live.get(place) if live else None
            new.append(self._form(index, self._fits.get(place, ()), former, known))
        self._taken = len(history.turns)
        self.turns.extend(new)
        return new

    def _form(self, index: int, edits: tuple[TurnEdit, ...], former: Former, known: LiveTurn | None) -> LiveTurn:
        source = self.history.turns[index]
        if known is not None and known.edits == edits and known.index == index and not known.head:
            return known
        turn, weights, moved = former(source, edits)
        place = self.history.prefix[index + 1]
        return LiveTurn(turn, source, index, place, weights, edits=edits, moved=moved, sticky=self.sticky.get(place))

    def unsettled(self, former: Former) -> tuple[list[LiveTurn], Sequence[Repair]]:
        """The turns at the end that may still change, as they stand now."""
        turns, repairs = self.history.tail()
        live: list[LiveTurn] = []
        for turn, place in zip(turns, self.history.chain(turns), strict=True):
            edits = self._fits.get(place, ())
            formed, weights, moved = former(turn, edits)
            beside = self.sticky.get(place)
            live.append(LiveTurn(formed, turn, -1, place, weights, edits=edits, moved=moved, sticky=beside))
        return live, repairs

    def extend(self, messages: Iterable[Message]) -> None:
        """Add messages at the end."""
        self.history.extend(messages)


def form_again(turns: list[LiveTurn], former: Former, uris: Collection[str]) -> None:
    """Exchange the turns from which something was moved to these addresses for such as the former now makes of them."""
    for index, live in enumerate(turns):
        if any(moved.uri in uris for moved in live.moved):
            turn, weights, moved = former(live.source, live.edits)
            turns[index] = LiveTurn(
                turn, live.source, live.index, live.place, weights, edits=live.edits, moved=moved, sticky=live.sticky
            )
