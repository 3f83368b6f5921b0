"""A caller's own history laid out for a strategy: its turns, what an earlier compaction left at its beginning, what a cut means
for the messages as they came.

Pure. A valid history is what strategies see; what is kept or folded are the caller's own messages, whatever repair made of
them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ...messages import History, Message, Turn, is_user_request
from ...tokens.counter import Tokenizer
from ...vocabulary import Vocabulary
from ..ledger.live import LiveTurn, weigh_turn
from ..ledger.records import Item, Lineage, WindowRecord
from ..ledger.window import EMPTY_RECORD
from .archive import archive_path

__all__ = ["Layout", "lay_out"]

_WINDOW = re.compile(r"\bw\d+\b")
_FIELD = re.compile(r"\\\{\w+\\\}")


@dataclass(frozen=True, slots=True)
class Layout:
    """A history laid out for a strategy.

    Attributes:
        messages: as they came.
        leading: how many of them are the system prompt.
        turns: the rest, in turns; the sources of each count from the first behind the system prompt.
    """

    messages: tuple[Message, ...]
    leading: int
    turns: Sequence[LiveTurn]

    def boundary(self, cut: int) -> int:
        """The index behind the last message of ``turns[:cut]``."""
        return 1 + self.leading + max((place for live in self.turns[:cut] for place in live.source.sources), default=-1)

    def staying(self, cut: int, named: Iterable[bytes]) -> dict[int, LiveTurn]:
        """Messages before the boundary that stay, each with its turn: of turns kept, and of turns behind the cut."""
        kept = set(named)
        return {
            self.leading + place: live
            for index, live in enumerate(self.turns)
            if index >= cut or (live.place and live.place in kept)
            for place in live.source.sources
            if place >= 0
        }

    def address(self, cut: int) -> str:
        """Where an archive of the span lies."""
        return f"context://archive/{archive_path(self.archived(cut))}"

    def archived(self, cut: int) -> list[Message]:
        """Everything up to the boundary but the system prompt: what an archive of the span holds."""
        return list(self.messages[self.leading : self.boundary(cut)])


def lay_out(messages: Sequence[Message], counter: Tokenizer, vocabulary: Vocabulary) -> tuple[list[LiveTurn], WindowRecord]:
    """The conversation in turns as an engine's window holds them, and what an earlier compaction left at its beginning."""
    history = History(vocabulary.mending)
    history.extend(messages)
    tail, _ = history.tail()
    places = [*history.prefix[1:], *history.chain(tail)]
    turns: list[LiveTurn] = []
    base = EMPTY_RECORD
    for index, (turn, place) in enumerate(zip([*history.turns, *tail], places, strict=True)):
        head = not index and _is_head(turn, vocabulary)
        if head:
            base = _left_by(turn.messages[0].text, vocabulary)
        settled = index if index < len(history.turns) else -1
        weights = {"head" if head else "user": weigh_turn(turn, counter)}
        turns.append(LiveTurn(turn, turn, -1 if head else settled, b"" if head else place, weights, head=head))
    return turns, base


def _is_head(turn: Turn, vocabulary: Vocabulary) -> bool:
    """Whether a turn is what an earlier compaction left: a summary, a digest or a notice."""
    message = turn.messages[0]
    if len(turn.messages) != 1 or not is_user_request(message) or message.pinned:
        return False
    text = message.text
    if text.startswith(vocabulary.digesting.mark) or vocabulary.summarizing.read_frame(text) is not None:
        return True
    return re.fullmatch(_FIELD.sub(".+", re.escape(vocabulary.reset)), text) is not None


def _left_by(head: str, vocabulary: Vocabulary) -> WindowRecord:
    """What a head tells of the windows before: enough to count on from them."""
    framed = vocabulary.summarizing.read_frame(head)
    found = _WINDOW.search(head.partition("\n")[0])
    window = int((framed.window if framed is not None else found.group() if found else "w1").removeprefix("w"))
    archives = tuple(uri for _, uri in reversed(framed.archives)) if framed is not None else ()
    lineage = Lineage("w1", f"w{window + 1}", f"w{window}")
    return replace(EMPTY_RECORD, items=(Item("head", text=head),), archives=archives, lineage=lineage)
