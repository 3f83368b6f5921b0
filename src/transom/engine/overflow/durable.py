"""Compaction for callers who keep their own history: what would fold, and the history with it folded.

The same spans, strategies and archives as in a ``Context``, without one: nothing is recorded, and the list that comes back is
the caller's to keep. What folds is stored before anything is handed back; without a store it is handed back itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from ...errors import InputError, StoreError
from ...messages import Message, leading_system
from ...messages.checking import check_messages
from ...safety.masking import beginning
from ...store.blobs import blob_uri, blob_write
from ...store.store import Store
from ...tokens.counter import Tokenizer
from ...tokens.named import tokenizer_named
from ...tokens.weigh import weigh
from ...vocabulary import ENGLISH, Vocabulary
from ..ledger.edits import apply_edits
from ..ledger.live import head_turn
from .archive import archive_writes
from .budget import Budget, reserve_for
from .deciding import check_outcome, failure
from .layout import Layout, lay_out
from .spanning import closing_span, movable_tokens
from .strategies.summarize import summarize
from .strategy import Outcome, Span, Strategy
from .summarizing import (
    Summarizer,
    Writer,
    ask,
    model_window,
    spoken_messages,
    summary_settings,
    with_known_addresses,
    write_in_time,
)

__all__ = [
    "CompactionPlan",
    "CompactionResult",
    "CompactionSettings",
    "compact_history",
    "plan_compaction",
    "summarize_history",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionSettings:
    """When and how deep a history is folded.

    Attributes:
        window: tokens the history and an answer must fit into.
        trigger: share of the available room above which anything folds at all.
        low_water: share of the trigger that folding aims at.
        reserve: tokens kept free for the answer; by default a tenth of the window, at least 1,024.
        fixed: tokens that come on top of the messages: tools, a system prompt kept elsewhere.
        tokenizer: a name, or anything that counts.
        vocabulary: every string a model reads.
        forced: fold everything that may fold, however much room there is.
    """

    window: int
    trigger: float = 0.7
    low_water: float = 0.5
    reserve: int | None = None
    fixed: int = 0
    tokenizer: str | Tokenizer = "heuristic"
    vocabulary: Vocabulary = field(default=ENGLISH, repr=False)
    forced: bool = False


@dataclass(frozen=True, slots=True)
class CompactionPlan:
    """What a compaction would do.

    Attributes:
        folds: indices of the messages that would leave.
        stays: indices of those that stay as they are, the system prompt included.
        tokens: what the history weighs now.
        tokens_after: what it would weigh at most, with a head as heavy as heads may be.
        settings: what it was planned by.
    """

    folds: tuple[int, ...]
    stays: tuple[int, ...]
    tokens: int
    tokens_after: int
    settings: CompactionSettings
    _layout: Layout = field(repr=False, compare=False)
    _span: Span = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class CompactionResult:
    """A compacted history.

    Attributes:
        messages: the history to go on with; the very list that was handed in where nothing changed.
        changed: whether anything folded.
        summary: the text that stands for what folded; empty where nothing changed.
        archive: address of what folded in the store that was given; empty without one.
        folded: the messages that left, as they came.
        failure: why nothing changed although something should have, or which steps of a chain failed.
    """

    messages: list[Message]
    changed: bool = False
    summary: str = ""
    archive: str = ""
    folded: tuple[Message, ...] = ()
    failure: str = ""
    _read: tuple[Message, ...] = field(default=(), repr=False)
    _instead: tuple[Message, ...] = field(default=(), repr=False)

    def apply_to(self, messages: list[Message]) -> list[Message]:
        """The compaction carried over to the history as it is now.

        Args:
            messages: what the history became while the model was at work.

        Returns:
            A new list in which the beginning that was compacted is replaced and everything behind it stands; the very list
            handed in where its beginning is another by now, or nothing was compacted.
        """
        count = len(self._read)
        if not self.changed or not count or tuple(messages[:count]) != self._read:
            return messages
        return [*self._instead, *messages[count:]]


def plan_compaction(
    messages: Sequence[Message],
    *,
    window: int,
    trigger: float = 0.7,
    low_water: float = 0.5,
    reserve: int | None = None,
    fixed: int = 0,
    tokenizer: str | Tokenizer = "heuristic",
    vocabulary: Vocabulary = ENGLISH,
    forced: bool = False,
) -> CompactionPlan | None:
    """What of a history would fold; asks no model and changes nothing.

    The system prompt, pinned turns, the last turn and the newest message the user wrote stay; calls and their results stay or
    fold together.

    Args:
        messages: the whole history, system prompt included.
        window, trigger, low_water, reserve, fixed, tokenizer, vocabulary, forced: see ``CompactionSettings``.

    Returns:
        The plan, or ``None`` where the history is below the trigger or nothing may leave.

    Raises:
        InputError: settings that make no sense.
        WindowError: system prompt, pinned turns and reserve alone exceed the window.
    """
    check_messages("plan_compaction", messages)
    settings = CompactionSettings(
        window=window,
        trigger=trigger,
        low_water=low_water,
        reserve=reserve,
        fixed=fixed,
        tokenizer=tokenizer,
        vocabulary=vocabulary,
        forced=forced,
    )
    return _planned(messages, settings)


async def compact_history(
    messages: list[Message],
    plan: CompactionPlan | CompactionSettings | None,
    *,
    model: Summarizer | Strategy,
    store: Store | None = None,
) -> CompactionResult:
    """Fold what the plan says.

    Args:
        messages: the history the plan was made of, or one that only grew since.
        plan: from ``plan_compaction``, or settings to make one by; ``None`` changes nothing.
        model: who writes the summary, or a strategy (``summarize(ask, guidelines=[…])``, ``chain(…, reset())``).
        store: where what folds is stored before this returns. Without one the head names no address, and the messages are in
            ``folded`` for the caller to keep.

    Returns:
        The outcome. Where the model fails and no other step steps in, ``messages`` is the list handed in and ``failure`` says
        why.

    Raises:
        StoreError: what would fold cannot be stored. Nothing changed.
        InputError: the history does not begin with what the plan was made of, or a strategy other than ``summarize`` and
            ``anchored`` is given no store for the addresses it writes.
    """
    check_messages("compact_history", messages)
    if isinstance(plan, CompactionSettings):
        plan = _planned(messages, plan)
    if plan is None:
        return CompactionResult(messages)
    layout = plan._layout
    if tuple(messages[: len(layout.messages)]) != layout.messages:
        raise InputError("the plan was made of another history", hint="plan again, or use result.apply_to for what came since")
    strategy = _strategy(model, store)
    span = plan._span if store is not None else replace(plan._span, archive_uri=lambda _: "")
    outcome, why = await _applied(strategy, span)
    if not outcome.changed:
        return CompactionResult(messages, failure=why)
    return await _landed(messages, plan, outcome, store, why)


async def summarize_history(
    messages: Sequence[Message],
    *,
    model: Summarizer,
    instructions: str = "",
    guidelines: Iterable[str] = (),
    max_tokens: int | None = None,
    window: int | None = None,
    tokenizer: str | Tokenizer = "heuristic",
    vocabulary: Vocabulary = ENGLISH,
) -> str:
    """A summary of a history, and nothing else done.

    Args:
        messages: what to summarize; the system prompt is left out, an earlier summary of ours at the beginning carried on.
        model, instructions, guidelines, max_tokens: see ``summarize``. Time is limited with ``asyncio.timeout``.
        window: tokens the model can hold; by default what its ``window`` says, else all goes into one request.
        tokenizer, vocabulary: weights and words.

    Returns:
        What the model wrote, checked; empty where there is nothing to summarize.

    Raises:
        StrategyError: the model failed, or what it gave is no summary.
    """
    check_messages("summarize_history", messages)
    settings = summary_settings(
        instructions=instructions, guidelines=guidelines, max_tokens=max_tokens, window=window, timeout=None
    )
    counter = _counter(tokenizer)
    turns, _ = lay_out(messages[leading_system(messages) :], counter, vocabulary)
    heads = [live.source.messages[0].text for live in turns if live.head]
    spoken = list(spoken_messages((live.source, not live.head) for live in turns))
    if not spoken:
        return ""
    framed = vocabulary.summarizing.read_frame(heads[0]) if heads else None
    enough = 2 * sum(live.tokens for live in turns) + 8 * settings.max_tokens + 8_000
    writer = Writer(
        lambda asked: ask(model, asked),
        settings,
        vocabulary,
        counter,
        model_window(model, settings, enough),
        settings.max_tokens,
    )
    written = await write_in_time(writer, spoken, framed.body if framed is not None else "".join(heads))
    return with_known_addresses(written.text, written.shown, vocabulary.summarizing.unknown_address)


def _planned(messages: Sequence[Message], settings: CompactionSettings) -> CompactionPlan | None:
    if not 0 < settings.trigger <= 1 or not 0 < settings.low_water < 1 or settings.window < 1:
        raise InputError("trigger must lie in (0, 1], low_water in (0, 1), and the window must hold something")
    counter = _counter(settings.tokenizer)
    leading = leading_system(messages)
    turns, base = lay_out(messages[leading:], counter, settings.vocabulary)
    system = sum(weigh(message, counter) for message in messages[:leading])
    pinned = sum(live.tokens for live in turns if live.pinned)
    budget = Budget(
        window=settings.window,
        reserve=reserve_for(settings.window, None, counted=False) if settings.reserve is None else settings.reserve,
        system=system,
        tools=settings.fixed,
        tail=0,
        pinned=pinned,
        trigger_ratio=settings.trigger,
        low_ratio=settings.low_water,
    )
    budget.require_room()
    movable = movable_tokens(turns)
    if not turns or (movable <= budget.trigger and not settings.forced):
        return None
    span = closing_span(turns, budget, base, counter, settings.vocabulary, forced=settings.forced)
    cut = span.deepest if settings.forced else span.cut
    layout = Layout(tuple(messages), leading, turns)
    if not span.leaving(cut):
        return None
    kept = span.kept(cut)
    stays = layout.staying(cut, (item.place for item in kept))
    boundary = layout.boundary(cut)
    folds = tuple(index for index in range(leading, boundary) if index not in stays)
    if not folds:
        # What would leave is none of the caller's messages: repair put it there.
        return None
    after = system + pinned + min(movable, budget.head + span.total_after(Outcome(cut, tuple(kept))))
    folding = frozenset(folds)
    planned = replace(span, cut=cut, archive_uri=layout.address)
    staying = tuple(index for index in range(len(messages)) if index not in folding)
    return CompactionPlan(folds, staying, system + pinned + movable, after, settings, layout, planned)


def _counter(tokenizer: str | Tokenizer) -> Tokenizer:
    return tokenizer_named(tokenizer) if isinstance(tokenizer, str) else tokenizer


def _strategy(model: Summarizer | Strategy, store: Store | None) -> Strategy:
    if not hasattr(model, "apply"):
        return summarize(model)
    strategy = cast(Strategy, model)
    if store is None and not getattr(strategy, "names_no_address", False):
        raise InputError(f"{strategy.name} names the address of what folds", hint="give compact_history a store")
    return strategy


async def _applied(strategy: Strategy, span: Span) -> tuple[Outcome, str]:
    """What the strategy decided, and what failed on the way."""
    try:
        outcome = await strategy.apply(span)
        check_outcome(outcome, span)
    except (StoreError, asyncio.CancelledError):
        raise
    except Exception as error:  # noqa: BLE001
        # A strategy may be anybody's code and may call a model: whatever it raises, the history stays as it is.
        return Outcome(), beginning(failure(strategy.name, error))
    return outcome, "; ".join(map(beginning, outcome.failures))


async def _landed(
    messages: list[Message], plan: CompactionPlan, outcome: Outcome, store: Store | None, why: str
) -> CompactionResult:
    layout, settings, cut = plan._layout, plan.settings, outcome.cut
    boundary = layout.boundary(cut)
    edits = {item.place: item.edits for item in outcome.items if item.kind != "head"}
    stays = layout.staying(cut, edits)
    folded = tuple(layout.messages[index] for index in range(layout.leading, boundary) if index not in stays)
    shown: list[Message] = []
    for index in range(layout.leading, boundary):
        if index in stays:
            live = stays[index]
            turn = apply_edits(live.source, edits.get(live.place, ()))
            shown.append(turn.messages[live.source.sources.index(index - layout.leading)])
    read = layout.messages[:boundary]
    if not folded and tuple(shown) == read[layout.leading :]:
        # It closed over nothing of the caller's, but over what repair put there.
        return CompactionResult(messages, failure=why)
    heads = [message for item in outcome.items if item.kind == "head" for message in head_turn(item.text).messages]
    archive = ""
    if store is None:
        # What an excerpt named by its address is in the messages that are handed back.
        elsewhere = settings.vocabulary.summarizing.unknown_address
        for text in outcome.texts:
            heads = [Message("user", head.text.replace(blob_uri(text), elsewhere)) for head in heads]
    else:
        span = layout.archived(cut)
        first_is_head = bool(layout.turns) and layout.turns[0].head
        writes = archive_writes(span, frozenset({0}) if first_is_head else frozenset())
        await store.commit([*(blob_write(text) for text in outcome.texts), *writes])
        archive = f"context://archive/{writes[-1].path}"
    instead = (*layout.messages[: layout.leading], *heads, *shown)
    return CompactionResult(
        [*instead, *messages[boundary:]],
        changed=True,
        summary="\n\n".join(message.text for message in heads),
        archive=archive,
        folded=folded,
        failure=why,
        _read=read,
        _instead=instead,
    )
