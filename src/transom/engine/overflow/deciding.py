"""An outcome checked and made a record: what was decided, in terms that every history of the same meaning understands.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ...errors import StrategyError
from ..ledger.edits import TurnEdit, apply_edits
from ..ledger.live import weigh_turn
from ..ledger.records import KEPT_ARCHIVES, Item, TurnFit, WindowRecord
from .fitting import Fit
from .strategy import Outcome, Span

__all__ = ["check_outcome", "closed_record", "decided_record", "failure", "known_record", "leaves_room", "make_record"]

_Shape = tuple[int, tuple[Item, ...], str]

SHRINK_FROM, SHRINK_TO = 500, 0.5
"""What stands for that many tokens (about 2,000 characters) may weigh at most that share of them."""


def known_record(span: Span, known: Sequence[WindowRecord]) -> WindowRecord | None:
    """A record of exactly this span, made by whoever closed it first."""
    place = span.turns[span.cut - 1].place if span.cut else b""
    return next(
        (
            record
            for record in known
            if place
            and record.p_k == place
            and record.staying == _staying(span, span.cut)
            and not record.fitted
            and record.lineage.previous == span.lineage.current
        ),
        None,
    )


def closed_record(span: Span, known: Sequence[WindowRecord], *, worth: int) -> WindowRecord | None:
    """A record that another branch of this history closed this window with, where it makes the room that is needed.

    How deep a closing cuts moves with what is learnt of weights. What a provider has read of the window that it opened need not
    be read anew for that: a message written anew after a closing leaves it as it is.

    Args:
        span: what would be closed.
        known: records of this conversation.
        worth: tokens that it has to save.
    """
    if span.forced:
        return None
    places = {live.place: index + 1 for index, live in enumerate(span.turns[: span.deepest]) if live.place}
    most = min(span.room.trigger, span.total_after(Outcome()) - worth)
    fitting = [
        record
        for record in known
        if record.archive
        and not record.fitted
        and record.lineage.previous == span.lineage.current
        and (cut := places.get(record.p_k, 0))
        and record.staying == _staying(span, cut)
        and _weight_under(record, span, cut) <= most
    ]
    # The one that has come furthest is the one last sent, as far as anybody can tell.
    return max(fitting, key=lambda record: (record.n, record.p_k, record.arrived), default=None)


def decided_record(
    span: Span, known: Sequence[WindowRecord], base: WindowRecord, end: tuple[int, bytes, bytes]
) -> WindowRecord | None:
    """The record of a closing of exactly this history in this window: what was decided is not decided again, nor a model asked.

    Args:
        span: what would be closed.
        known: records of this conversation.
        base: the record in force.
        end: turns settled, the prefix digest there, and the digest over all that has come.
    """
    places = {live.place: index + 1 for index, live in enumerate(span.turns[: span.deepest]) if live.place}
    for record in known:
        if (record.n, record.p_n, record.arrived) != end or record.lineage.previous != span.lineage.current:
            continue
        cut = places.get(record.p_k, 0) if record.archive else 0
        if record.archive:
            fits = cut > 0 and record.staying == _staying(span, cut) and (not span.forced or cut == span.deepest)
        else:
            fits = record.p_k == base.p_k and not span.forced
        if fits and _weight_under(record, span, cut) <= span.room.available:
            return record
    return None


def leaves_room(record: WindowRecord, span: Span) -> bool:
    """Whether this history fits with a record in force; a session that counts otherwise may have made it."""
    cut = next((index + 1 for index, live in enumerate(span.turns) if live.place == record.p_k and record.archive), 0)
    return _weight_under(record, span, cut) <= span.room.available


def _weight_under(record: WindowRecord, span: Span, cut: int) -> int:
    """What the movable history would weigh with a record in force, in tokens."""
    edits = {fit.place: fit.edits for fit in record.fits}
    total = span.total_after(Outcome(cut, record.items if cut else ()))
    for live in span.turns[cut:]:
        if not live.pinned and live.place in edits:
            total += weigh_turn(apply_edits(live.turn, edits[live.place]), span.tokenizer) - live.tokens
    return total


def _staying(span: Span, cut: int) -> tuple[bytes, ...]:
    return tuple(span.turns[index].place for index in range(cut) if index in span.staying)


def failure(name: str, error: Exception) -> str:
    """Why a step failed, in one line."""
    reason = str(error) or ("it took too long" if isinstance(error, TimeoutError) else type(error).__name__)
    return f"{name}: {reason}"


def check_outcome(outcome: Outcome, span: Span) -> None:
    """Refuse an outcome that breaks the strategy contract.

    Raises:
        StrategyError: says which rule.
    """
    _check_shape(outcome)
    if not outcome.changed:
        if outcome.cut < 0:
            raise StrategyError("the outcome's cut is negative")
        return
    if outcome.cut > span.deepest:
        raise StrategyError("the outcome closes over the last turn")
    places = {live.place: index for index, live in enumerate(span.turns[: outcome.cut]) if live.place}
    named = [places.get(item.place) for item in outcome.items if item.kind != "head"]
    if None in named:
        raise StrategyError("the outcome names a turn that is not in its span")
    order = [index for index in named if index is not None]
    if order != sorted(set(order)):
        raise StrategyError("the outcome names a turn twice, or turns out of order")
    lost = [index for index in span.staying if index < outcome.cut and index not in named]
    if lost:
        raise StrategyError("a pinned turn or the newest user message is missing from the outcome")
    before = sum(live.tokens for index, live in enumerate(span.turns[: outcome.cut]) if index not in named)
    after = sum(span.tokenizer.count(item.text) for item in outcome.items if item.kind == "head")
    if outcome.evicted and before >= SHRINK_FROM and after > before * SHRINK_TO:
        raise StrategyError(f"what stands for the span is hardly smaller than the span ({after:,} of {before:,} tokens)")


def _check_shape(outcome: object) -> None:
    """Refuse what is no outcome, and values that could not be stored: the record of a closing outlives its strategy.

    Raises:
        StrategyError: says what is wrong.
    """
    if not isinstance(outcome, Outcome):
        raise StrategyError(f"a strategy gives an Outcome, not {type(outcome).__name__}")
    try:
        msgspec.convert(msgspec.to_builtins((outcome.cut, tuple(outcome.items), outcome.strategy)), _Shape)
    except (msgspec.MsgspecError, TypeError) as error:
        raise StrategyError(f"the outcome cannot be recorded: {error}") from None
    if not all(isinstance(text, str) for text in outcome.texts):
        raise StrategyError("the outcome's texts are not all text")


def make_record(
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
        staying=_staying(span, outcome.cut) if outcome.changed else base.staying,
        items=tuple(_merged(item, fitted) for item in items),
        fits=tuple(TurnFit(live.place, edits) for live in behind if (edits := _edits(live.edits, fitted.get(live.place, ())))),
        archive=archive,
        archives=(*base.archives, archive)[-KEPT_ARCHIVES:] if archive else base.archives,
        lineage=base.lineage.advance(),
        strategy=outcome.strategy or "offload",
        weighed=span.total_after(Outcome()),
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
