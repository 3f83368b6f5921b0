"""The runner: reads the budget, applies the strategy, archives the span, and only then lets the result land.

Knows the store and the strategies' protocol, no single strategy. It owns breaker and lineage. A veto, a failure or an open
breaker leaves the history as it was. Nothing lands before everything it cites is stored and synced.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field

from ...errors import StoreError, StrategyError
from ...messages import Message, meaning_digest
from ...store.backend import Write
from ...store.blobs import blob_uri, blob_write
from ...store.store import Store
from ...tokens.counter import Tokenizer
from ...vocabulary import Vocabulary
from ..ledger.edits import TurnEdit, original_texts
from ..ledger.live import PREVIEW, LiveTurn, Moved, head_turn
from ..ledger.records import KEPT_ARCHIVES, Item, TurnFit, WindowRecord, decode_record, encode_record, head_path, record_path
from .archive import archive_path, archive_writes
from .breaker import Breaker
from .budget import Budget
from .fitting import Fit, fit_turns
from .heap import RELEASE_FROM, release_freed
from .strategies.reset import Reset
from .strategy import Outcome, Room, Span, Strategy

__all__ = ["Closing", "Runner"]

log = logging.getLogger(__name__)

MIN_GAIN = 0.10
"""A closing that saves less than this share of the room is not worth a new prefix, as long as everything still fits."""

SHRINK_FROM, SHRINK_TO = 500, 0.5
"""What stands for that many tokens (about 2,000 characters) may weigh at most that share of them."""


@dataclass(frozen=True, slots=True)
class Closing:
    """A closing that landed.

    Attributes:
        record: what was decided, by this process or by the one that came first.
        moved: what it moved.
        archive: where this history's own span is stored; it differs from the record's where the bytes do.
        reused: the decision was another's.
    """

    record: WindowRecord
    moved: tuple[Moved, ...]
    archive: str
    reused: bool = False


@dataclass(slots=True)
class Runner:
    """Closes windows.

    Attributes:
        store: where spans go.
        strategy: what stands in their place.
        tokenizer, vocabulary: shared with the compile.
        fingerprint: of everything that shapes a head.
        breaker: opens after three failures; then only ``reset`` is tried.
        timeout: seconds a strategy may take; ``None`` waits for ever.
        failure: why the last closing fell short, empty when it did not.
        struck: the strategy failed in the last closing, and ``reset`` took its place.
    """

    store: Store
    strategy: Strategy
    tokenizer: Tokenizer
    vocabulary: Vocabulary
    fingerprint: str
    breaker: Breaker = field(default_factory=Breaker)
    timeout: float | None = 120.0
    failure: str = ""
    struck: bool = False

    def wants_to_close(self, turns: Sequence[LiveTurn], budget: Budget, unseen: int = 0) -> bool:
        """Whether the movable history is above the trigger.

        Args:
            turns, budget: what is in the window, and the room for it.
            unseen: tokens by which a usage report corrects the count until the next closing takes the correction over.
        """
        movable = _movable(turns)
        return movable + unseen > budget.trigger or movable > budget.available

    async def close(
        self,
        turns: Sequence[LiveTurn],
        budget: Budget,
        base: WindowRecord,
        end: tuple[int, bytes, bytes],
        folder: str,
        known: Sequence[WindowRecord],
    ) -> Closing | None:
        """Close the window.

        Args:
            turns: everything in the window, unsettled turns at the end included.
            budget: what to reach.
            base: the record in force (an empty one in a session's first window).
            end: turns settled, the prefix digest there, and the digest over all that has come.
            folder: where records of this conversation lie.
            known: records of this conversation already read.

        Returns:
            What landed, or ``None`` when nothing could or should be done.

        Raises:
            StoreError: what would leave cannot be stored, and the history does not fit without leaving.
        """
        self.failure, self.struck = "", False
        span = self._span(turns, budget, base)
        movable = _movable(turns)
        must = movable > budget.available
        record = None if must else _known(span, known)
        outcome, fits = Outcome(), list[Fit]()
        if record is None:
            outcome = await self._apply(span)
            if span.total_after(outcome) > budget.available:
                outcome = await _deeper(span, outcome)
            fits = self._fits(span, outcome, budget)
            gained = movable - span.total_after(outcome)
            if not fits and (not outcome.changed or (not must and gained < budget.available * MIN_GAIN)):
                return None
            record = _record(span, outcome, fits, base, end)
        closing = await self._land(span, record, outcome, folder, must=must)
        if closing is not None and sum(moved.bytes for moved in closing.moved) >= RELEASE_FROM:
            release_freed()
        return closing

    def _span(self, turns: Sequence[LiveTurn], budget: Budget, base: WindowRecord) -> Span:
        room = Room(budget.low_water, budget.trigger, budget.available, budget.head)
        newest = max((index for index, live in enumerate(turns) if live.request), default=-1)
        staying = frozenset(index for index, live in enumerate(turns) if live.pinned or index == newest)
        settled = sum(1 for live in turns if live.index >= 0 or live.head)
        covered, last = len(base.items), min(len(turns) - 1, settled)
        deepest = _at_link(turns, last, covered, last)
        cut = _at_link(turns, _cut(turns, deepest, staying, room), covered, deepest)
        return Span(
            turns=turns,
            cut=cut,
            deepest=deepest,
            staying=staying,
            lineage=base.lineage,
            previous_head=next((live.turn.messages[0].text for live in turns if live.head), None),
            archive_uri=lambda at: f"context://archive/{archive_path(_sources(turns[:at]))}",
            earlier_archives=base.archives,
            room=room,
            tokenizer=self.tokenizer,
            vocabulary=self.vocabulary,
        )

    async def _apply(self, span: Span) -> Outcome:
        if span.deepest == 0:
            return Outcome()
        strategy: Strategy = Reset() if self.breaker.open else self.strategy
        try:
            outcome = await asyncio.wait_for(strategy.apply(span), self.timeout)
            _check(outcome, span)
        except (StoreError, asyncio.CancelledError):
            raise
        except Exception as error:  # noqa: BLE001
            # A strategy may be anybody's code and may call a model: whatever it raises, the chain falls to its last step.
            self.breaker.fail()
            self.struck = True
            self.failure = f"{strategy.name}: {error}"
            log.warning("overflow strategy %s failed: %s", strategy.name, error)
            return await Reset().apply(span)
        return outcome

    def _fits(self, span: Span, outcome: Outcome, budget: Budget) -> list[Fit]:
        """What must be offloaded of the turns that stay, should the outcome not be enough."""
        over = span.total_after(outcome) - budget.available
        if over <= 0:
            return []
        stay = [
            index for index, live in enumerate(span.turns) if not live.head and (index >= outcome.cut or index in span.staying)
        ]
        found = fit_turns([span.turns[index] for index in stay], over, self.tokenizer, self.vocabulary)
        return [Fit(stay[fit.turn], fit.edits) for fit in found]

    async def _land(self, span: Span, record: WindowRecord, outcome: Outcome, folder: str, *, must: bool) -> Closing | None:
        cut = _cut_of(span, record)
        closed = _sources(span.turns[:cut]) if record.archive else []
        archived = archive_writes(closed, _heads(span.turns[:cut])) if closed else []
        shortened = _shortened(span, record)
        texts = dict.fromkeys([*outcome.texts, *(text for _, text, _ in shortened)])
        path = record_path(folder, record)
        writes = [*archived, *(blob_write(text) for text in texts), *self._head_notes(record, path)]
        try:
            stored = await self.store.commit([*writes, Write("windows", path, encode_record(record), if_absent=True)])
        except StoreError as error:
            # No fault of the strategy's: its breaker is left alone.
            self.failure = str(error)
            if must:
                raise
            log.warning("nothing left the window, since it could not be stored: %s", error)
            return None
        reused = not stored[-1]
        if reused and (entry := await self.store.read("windows", path)) is not None:
            record = decode_record(entry.data)
        if not self.struck and not self.breaker.open:
            self.breaker.succeed()
        own = f"context://archive/{archived[-1].path}" if archived else ""
        size = len(archived[-1].data) if archived else 0
        return Closing(record, tuple(_moved(span, record, cut, shortened, own, size)), own, reused)

    def _head_notes(self, record: WindowRecord, path: str) -> list[Write]:
        window = int(path.split("/")[1])
        meanings = [meaning_digest(head_turn(item.text).messages[0]) for item in record.items if item.kind == "head"]
        return [
            Write("windows", head_path(meaning, self.fingerprint, window), path.encode(), if_absent=True)
            for meaning in meanings
            if meaning is not None
        ]


async def _deeper(span: Span, outcome: Outcome) -> Outcome:
    """``reset`` in place of an outcome that does not fit, where it leaves less: what can leave is not offloaded."""
    last = await Reset().apply(span)
    return last if last.changed and span.total_after(last) < span.total_after(outcome) else outcome


def _movable(turns: Sequence[LiveTurn]) -> int:
    return sum(live.tokens for live in turns if not live.pinned)


def _sources(turns: Sequence[LiveTurn]) -> list[Message]:
    return [message for live in turns for message in live.source.messages]


def _heads(turns: Sequence[LiveTurn]) -> frozenset[int]:
    """Which of the turns' messages are heads of ours."""
    flags = [live.head for live in turns for _ in live.source.messages]
    return frozenset(index for index, head in enumerate(flags) if head)


def _cut(turns: Sequence[LiveTurn], deepest: int, staying: frozenset[int], room: Room) -> int:
    """The smallest cut that leaves history at the low-water mark, head and staying turns counted."""
    total = _movable(turns) + room.head
    for index in range(deepest):
        if total <= room.low_water:
            return index
        if index not in staying:
            total -= turns[index].tokens
    return deepest


def _at_link(turns: Sequence[LiveTurn], cut: int, covered: int, deepest: int) -> int:
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


def _known(span: Span, known: Sequence[WindowRecord]) -> WindowRecord | None:
    """A record of exactly this span, made by whoever closed it first."""
    place = span.turns[span.cut - 1].place if span.cut else b""
    return next(
        (
            record
            for record in known
            if place and record.p_k == place and not record.fitted and record.lineage.previous == span.lineage.current
        ),
        None,
    )


def _check(outcome: Outcome, span: Span) -> None:
    """Refuse an outcome that breaks the strategy contract.

    Raises:
        StrategyError: says which rule.
    """
    if not outcome.changed:
        return
    if outcome.cut > span.deepest:
        raise StrategyError("the outcome closes over the last turn")
    places = {live.place: index for index, live in enumerate(span.turns[: outcome.cut]) if live.place}
    named = [places.get(item.place) for item in outcome.items if item.kind != "head"]
    if None in named:
        raise StrategyError("the outcome names a turn that is not in its span")
    lost = [index for index in span.staying if index < outcome.cut and index not in named]
    if lost:
        raise StrategyError("a pinned turn or the newest user message is missing from the outcome")
    before = sum(live.tokens for index, live in enumerate(span.turns[: outcome.cut]) if index not in named)
    after = sum(span.tokenizer.count(item.text) for item in outcome.items if item.kind == "head")
    if outcome.evicted and before >= SHRINK_FROM and after > before * SHRINK_TO:
        raise StrategyError(f"what stands for the span is hardly smaller than the span ({after:,} of {before:,} tokens)")


def _record(
    span: Span, outcome: Outcome, fits: Sequence[Fit], base: WindowRecord, end: tuple[int, bytes, bytes]
) -> WindowRecord:
    """The decision as a record. Where nothing could leave, the record in force goes on with more texts offloaded."""
    fitted = {span.turns[fit.turn].place: fit.edits for fit in fits}
    if outcome.changed:
        last = span.turns[outcome.cut - 1]
        k, p_k, items = last.index + 1, last.place, outcome.items
        archive = span.archive_uri(outcome.cut)
    else:
        k, p_k, items, archive = base.k, base.p_k, base.items, ""
    named = {item.place for item in items if item.kind != "head"}
    behind = [live for live in span.turns[outcome.cut :] if live.place not in named and not live.head]
    return WindowRecord(
        k=k,
        n=end[0],
        p_k=p_k,
        p_n=end[1],
        arrived=end[2],
        fitted=bool(fits) or any(live.edits for live in behind),
        items=tuple(_merged(item, fitted) for item in items),
        fits=tuple(TurnFit(live.place, edits) for live in behind if (edits := _edits(live.edits, fitted.get(live.place, ())))),
        archive=archive,
        archives=(*base.archives, archive)[-KEPT_ARCHIVES:] if archive else base.archives,
        lineage=base.lineage.advance(),
        strategy=outcome.strategy or "offload",
    )


def _merged(item: Item, fitted: dict[bytes, tuple[TurnEdit, ...]]) -> Item:
    edits = fitted.get(item.place)
    if not edits or item.kind == "head":
        return item
    return Item("edit", place=item.place, edits=_edits(item.edits, edits))


def _edits(before: tuple[TurnEdit, ...], now: tuple[TurnEdit, ...]) -> tuple[TurnEdit, ...]:
    """Later edits take the place of earlier ones of the same part."""
    replaced = {(edit.message, edit.part) for edit in now}
    return (*(edit for edit in before if (edit.message, edit.part) not in replaced), *now) if now else before


def _cut_of(span: Span, record: WindowRecord) -> int:
    return next((index + 1 for index, live in enumerate(span.turns) if live.place == record.p_k and record.archive), 0)


def _shortened(span: Span, record: WindowRecord) -> list[tuple[str, str, str]]:
    """Texts that the record shows shortened and that were whole before: (kind, text, label)."""
    found: list[tuple[str, str, str]] = []
    by_place = {live.place: live for live in span.turns if live.place}
    changes = [("clear", item.place, item.edits) for item in record.items] + [
        ("offload", fit.place, fit.edits) for fit in record.fits
    ]
    for kind, place, edits in changes:
        live = by_place.get(place)
        if live is not None:
            for edit in edits:
                if edit not in live.edits and edit.part >= 0:
                    found.extend((kind, text, label) for text, label in original_texts(live.source, edit) if text)
    return found


def _moved(
    span: Span, record: WindowRecord, cut: int, shortened: Sequence[tuple[str, str, str]], archive: str, size: int
) -> list[Moved]:
    moved = [
        Moved(kind, blob_uri(text), len(text.encode(errors="surrogatepass")), label=label, preview=text[:PREVIEW])
        for kind, text, label in shortened
    ]
    named = {item.place for item in record.items if item.kind != "head"}
    # An earlier head is ours: it says nothing about what left.
    gone = [live for live in span.turns[:cut] if live.place not in named and not live.head]
    messages = sum(len(live.source.messages) for live in gone)
    if archive and messages:
        first = next((message.text for live in gone for message in live.source.messages if message.text), "")
        moved.append(Moved("evict", archive, size, messages, f"window {span.lineage.current}", first[:PREVIEW]))
    return moved
