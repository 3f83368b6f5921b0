"""The runner: reads the budget, applies the strategy, archives the span, and only then lets the result land.

Knows the store and the strategies' protocol, no single strategy. It owns breaker and lineage. A veto, a failure or an open
breaker leaves the history as it was. Nothing lands before everything it cites is stored and synced.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from ...errors import StoreError, StrategyError
from ...safety.masking import beginning
from ...store.backend import Write
from ...store.blobs import blob_uri, blob_write
from ...store.store import Store
from ...tokens.counter import Tokenizer
from ...vocabulary import Vocabulary
from ...wire.format import Head
from ..ledger.live import LiveTurn, Moved
from ..ledger.records import WindowRecord, decode_record, encode_record, record_path
from .accounting import closed_turns, head_places, moved_by, shortened_texts
from .archive import archive_writes, head_notes
from .breaker import Breaker
from .budget import Budget
from .deciding import check_outcome, closed_record, decided_record, failure, known_record, leaves_room, make_record
from .fitting import Fit, fit_turns
from .heap import RELEASE_FROM, release_freed
from .jobs import Job, Jobs
from .patience import ended
from .spanning import closing_span, movable_tokens, source_messages
from .strategies.reset import Reset
from .strategy import Managing, Outcome, Span, Strategy

__all__ = ["Closing", "Runner"]

log = logging.getLogger(__name__)

MIN_GAIN = 0.10
"""A closing that saves less than this share of the room is not worth a new prefix, as long as everything still fits."""


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
        breaker: opens after three failures; then only steps that need no model are tried.
        timeout: seconds a strategy may take beyond those that it limits itself to; ``None`` waits for ever.
        jobs: work of this session that goes on between compiles.
        failure: why the last closing fell short, empty when it did not.
        struck: a step failed in the last closing, and another took its place.
        waiting: name of the strategy that has not decided yet, where the last closing waits for it.
    """

    store: Store
    strategy: Strategy
    tokenizer: Tokenizer
    vocabulary: Vocabulary
    fingerprint: str
    breaker: Breaker = field(default_factory=Breaker)
    timeout: float | None = 120.0
    jobs: Jobs = field(default_factory=Jobs)
    failure: str = ""
    struck: bool = False
    waiting: str = ""
    _managing: Managing | None = field(init=False)

    def __post_init__(self) -> None:
        # To look whether an object keeps a protocol costs more than all else that is asked of a strategy with nothing to do.
        self._managing = self.strategy if isinstance(self.strategy, Managing) else None

    def wants_to_close(self, movable: int, budget: Budget, unseen: int = 0, *, managed: bool = False) -> bool:
        """Whether the movable history is above the trigger.

        Args:
            movable: tokens in the window that may leave it.
            budget: the room for them.
            unseen: tokens by which a usage report corrects the count until the next closing takes the correction over.
            managed: the provider makes room by itself: the window closes only where the history does not fit at all.
        """
        return movable > budget.available or (not managed and movable + unseen > budget.trigger)

    @property
    def has_ended_work(self) -> bool:
        """Whether work that went on between compiles has ended, and so may land."""
        return bool(self.jobs.ended())

    def manages(self, target: str) -> bool:
        """Whether the strategy leaves the window of this target to the provider."""
        return self._managing is not None and self._managing.manages(target)

    def request_fields(self, head: Head, trigger: int) -> tuple[dict[str, object], tuple[str, ...]]:
        """What a request says to a provider that makes room by itself, and the betas it needs."""
        return self._managing.request_fields(head, trigger) if self._managing is not None else ({}, ())

    async def close(
        self,
        turns: Sequence[LiveTurn],
        budget: Budget,
        base: WindowRecord,
        end: tuple[int, bytes, bytes],
        folder: str,
        known: Sequence[WindowRecord],
        *,
        forced: bool = False,
        due: bool = True,
    ) -> Closing | None:
        """Close the window.

        Args:
            turns: everything in the window, unsettled turns at the end included.
            budget: what to reach.
            base: the record in force (an empty one in a session's first window).
            end: turns settled, the prefix digest there, and the digest over all that has come.
            folder: where records of this conversation lie.
            known: records of this conversation already read.
            forced: a new window is asked for: everything folds that may, however much room there is.
            due: the history is above the trigger; where it is not, only work that has ended meanwhile may land.

        Returns:
            What landed, or ``None`` when nothing could or should be done.

        Raises:
            StoreError: what would leave cannot be stored, and the history does not fit without leaving.
        """
        self.failure, self.struck, self.waiting = "", False, ""
        span = self._span(turns, budget, base, forced=forced)
        movable = movable_tokens(turns)
        must = movable > budget.available
        if must and not forced:
            for job in self.jobs.under_way():
                if job.base.heads(span.turns, span.lineage, span.archive_uri):
                    await job.wait()
        ready = None if forced else self._ready(span, due=due)
        if self.struck:
            span = self._span(turns, budget, base, forced=forced)
        if ready is None and not due and not forced:
            return None
        decided = None
        if ready is None:
            worth = 0 if must else int(budget.available * MIN_GAIN)
            decided = decided_record(span, known, base, end) or closed_record(span, known, worth=worth)
        record = decided or (None if must or forced or ready is not None else known_record(span, known))
        outcome, fits = Outcome(), list[Fit]()
        if record is None:
            outcome = ready[1] if ready is not None else await self._apply(span)
            if outcome.waiting and not must:
                self.waiting = outcome.strategy or self.strategy.name
                return None
            if span.total_after(outcome) > budget.available:
                harder = await _deeper(self._span(turns, budget, base, forced=forced, wide=True), outcome)
                if not self._serves(span, outcome, harder, budget, base, end):
                    outcome = harder
            fits = self._fits(span, outcome, budget)
            gained = movable - span.total_after(outcome)
            worthwhile = must or forced or gained >= budget.available * MIN_GAIN
            if not fits and not (outcome.changed and worthwhile):
                self._spend(ready, "it would have saved next to nothing")
                return None
            record = make_record(span, outcome, fits, base, end)
        elif decided is None and movable - span.total_after(Outcome(span.cut, record.items)) < budget.available * MIN_GAIN:
            # Not worth it for this history yet; whoever made the record had no room left.
            return None
        closing = await self._land(span, record, outcome, folder, end, must=must)
        if closing is not None:
            self._spend(ready)
            if sum(moved.bytes for moved in closing.moved) >= RELEASE_FROM:
                release_freed()
        return closing

    def _span(self, turns: Sequence[LiveTurn], budget: Budget, base: WindowRecord, *, forced: bool, wide: bool = False) -> Span:
        return closing_span(
            turns,
            budget,
            base,
            self.tokenizer,
            self.vocabulary,
            forced=forced,
            model_free=self.breaker.open,
            wide=wide,
            jobs=self.jobs,
        )

    def _ready(self, span: Span, *, due: bool) -> tuple[Job, Outcome] | None:
        """What work that has ended decided, where it still holds and makes room enough by itself.

        Where it does not make enough, the strategy is asked, which may have further steps.
        """
        for job in self.jobs.ended():
            if not job.base.heads(span.turns, span.lineage, span.archive_uri):
                self.jobs.drop(job.owner, "what it worked on is no longer the head of the history")
                continue
            try:
                outcome = _result(job, span)
            except Exception as error:  # noqa: BLE001
                # Whatever the work raised: it may be anybody's code.
                self.jobs.take(job)
                self._strike([failure(job.name, error)])
                continue
            if outcome.changed and span.total_after(outcome) <= span.room.trigger:
                if outcome.failures:
                    self._strike(outcome.failures)
                return job, outcome
            if not due:
                self.jobs.drop(job.owner, "it made no room, and none is needed any more")
        return None

    def _spend(self, ready: tuple[Job, Outcome] | None, reason: str = "") -> None:
        if ready is not None and reason:
            self.jobs.drop(ready[0].owner, reason)
        elif ready is not None:
            self.jobs.take(ready[0])

    async def _apply(self, span: Span) -> Outcome:
        if span.deepest == 0:
            return Outcome()
        idle = span.model_free and not getattr(self.strategy, "model_free", False)
        strategy: Strategy = Reset() if idle else self.strategy
        try:
            async with asyncio.timeout(self._time_for(strategy)):
                outcome = await _decided(strategy, span)
            check_outcome(outcome, span)
        except (StoreError, asyncio.CancelledError):
            raise
        except Exception as error:  # noqa: BLE001
            # A strategy may be anybody's code and may call a model: whatever it raises, the last step has its turn.
            self._strike([failure(strategy.name, error)])
            return await Reset().apply(span)
        if outcome.failures:
            self._strike(outcome.failures)
            if not outcome.changed and not outcome.waiting:
                return await Reset().apply(span)
        if span.forced and not outcome.evicted:
            # Who asks for a new window is not served by an old one with less in it.
            return await Reset().apply(span)
        return outcome

    def _time_for(self, strategy: Strategy) -> float | None:
        """Seconds a strategy may take: ours, and those that it limits itself to."""
        patience: float | None = getattr(strategy, "patience", 0.0)
        return None if self.timeout is None or patience is None else self.timeout + patience

    def _strike(self, failures: Sequence[str]) -> None:
        if not self.struck:
            self.breaker.fail()
        self.struck = True
        # What a strategy or a server says may hold what it was given.
        self.failure = "; ".join(filter(None, (self.failure, *map(beginning, failures))))
        log.warning("overflow strategy failed: %s", self.failure)

    def _serves(
        self, span: Span, outcome: Outcome, harder: Outcome, budget: Budget, base: WindowRecord, end: tuple[int, bytes, bytes]
    ) -> bool:
        """Whether a mild outcome does as well as a harder one: texts that stay have to be shortened with either, and can be."""
        least = span.total_after(harder)
        if least <= budget.available or span.total_after(outcome) > least + span.room.head:
            return False
        return leaves_room(make_record(span, outcome, self._fits(span, outcome, budget), base, end), span)

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

    async def _land(
        self, span: Span, record: WindowRecord, outcome: Outcome, folder: str, end: tuple[int, bytes, bytes], *, must: bool
    ) -> Closing | None:
        cut = closed_turns(span, record)
        closed = source_messages(span.turns[:cut]) if record.archive else []
        archived = archive_writes(closed, head_places(span.turns[:cut])) if closed else []
        shortened = shortened_texts(span, record)
        texts = dict.fromkeys([*outcome.texts, *(text for _, text, _ in shortened)])
        record = replace(record, cites=tuple(map(blob_uri, texts)))
        path = record_path(folder, record)
        writes = [*archived, *(blob_write(text) for text in texts), *head_notes(record, path, self.fingerprint)]
        try:
            stored = await self.store.commit([*writes, Write("windows", path, encode_record(record), if_absent=True)])
            record, reused = (record, False) if stored[-1] else await self._agreed(span, record, path, end)
        except StoreError as error:
            # No fault of the strategy's: its breaker is left alone.
            self.failure = beginning(str(error))
            if must:
                raise
            log.warning("nothing left the window, since it could not be stored: %s", self.failure)
            return None
        if not self.struck and not self.breaker.open:
            self.breaker.succeed()
        own = f"context://archive/{archived[-1].path}" if archived else ""
        size = len(archived[-1].data) if archived else 0
        return Closing(record, tuple(moved_by(span, record, cut, shortened, own, size)), own, reused)

    async def _agreed(
        self, span: Span, record: WindowRecord, path: str, end: tuple[int, bytes, bytes]
    ) -> tuple[WindowRecord, bool]:
        """What holds where a record of this closing is there already, and whether that was another's decision."""
        entries = await self.store.read_all("windows", path)
        if path not in entries:
            return record, True
        # Those made of another window are none of this closing: their turns are not all here.
        made = [
            known
            for known in map(decode_record, (entries[name].data for name in sorted(entries)))
            if (known.p_k, known.fitted, known.staying, known.lineage.previous)
            == (record.p_k, record.fitted, record.staying, span.lineage.current)
            and (not known.fitted or known.arrived == record.arrived)
        ]
        known = next((known for known in made if leaves_room(known, span)), None)
        if known is None and (not made or leaves_room(record, span)):
            # A session that counts otherwise may have made one that is too large for this one.
            await self._file_beside(record, path)
            return record, False
        known = known or made[0]
        if (known.n, known.p_n, known.arrived) == end:
            return known, True
        # Made in another branch, whose end this history does not have: others must find it by the end of this one too.
        here = replace(known, n=end[0], p_n=end[1], arrived=end[2])
        await self._file_beside(here, path)
        return here, True

    async def _file_beside(self, record: WindowRecord, path: str) -> None:
        data = encode_record(record)
        beside = f"{path}-{hashlib.sha256(data).hexdigest()[:16]}"
        notes = head_notes(record, beside, self.fingerprint)
        await self.store.commit([*notes, Write("windows", beside, data, if_absent=True)])


def _result(job: Job, span: Span) -> Outcome:
    """What a job decided, checked.

    Raises:
        StrategyError: it breaks the contract of a strategy.
        Exception: whatever the work raised.
    """
    if job.error is not None:
        raise job.error
    if not isinstance(job.result, Outcome):
        raise StrategyError(f"a strategy gives an Outcome, not {type(job.result).__name__}")
    check_outcome(job.result, span)
    return job.result


async def _decided(strategy: Strategy, span: Span) -> Outcome:
    """What a strategy decides, though it may not let itself be cancelled.

    Raises:
        StrategyError: it ended itself with what would end the compile.
        BaseException: whatever it raised, an exit included.
    """
    outcome, error = await ended(strategy.apply(span))
    if isinstance(error, asyncio.CancelledError | GeneratorExit):
        raise StrategyError(f"it ended with {type(error).__name__}") from error
    if error is not None:
        raise error
    return cast(Outcome, outcome)


async def _deeper(span: Span, outcome: Outcome) -> Outcome:
    """``reset`` in place of an outcome that does not fit, where it leaves less: what can leave is not offloaded."""
    last = await Reset().apply(span)
    return last if last.changed and span.total_after(last) < span.total_after(outcome) else outcome
