"""A window closed with a model's help: which turns fold, what the summary may weigh, and the head that comes of it.

What ``summarize`` and ``anchored`` have in common; they differ in what becomes of the earlier summary.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Sequence

from ....errors import StrategyError
from ....store.uri import SCHEME, format_uri, mentions
from ....tokens.weigh import PER_MESSAGE
from ....vocabulary.summarizing import Framed
from ...ledger.records import Item
from ..strategy import Outcome, Span
from .calling import Summarizer, ask, held_tokens
from .settings import SummarySettings
from .transcript import Spoken, spoken_messages
from .writing import Writer, Written

__all__ = ["close_with_model", "depth", "model_window", "with_known_addresses", "write_in_time"]

LEAST_HEAD = 160
"""Tokens of a summary that a small window grants beyond its head budget, as long as the history stays under the trigger."""

SMALLEST = 60
"""Tokens below which a summary is not worth a request."""

MOST_OF_SPAN = 0.4
"""Share of what it replaces that a summary may be asked to weigh."""

LEAST_GAIN = 0.12
"""Share of the room that a closing must promise to save before a model is asked. The runner drops one that saves less than a
tenth, and would have the model asked again at the next compile."""

_ADDRESS = re.compile(rf"{SCHEME}[A-Za-z0-9._~%/-]*[A-Za-z0-9_~%/-]")


def depth(span: Span, settings: SummarySettings) -> int:
    """Where the window closes: where the budget proposes, or deeper if the caller chose so.

    Never less deep: a summary that makes too little room would have cost a request, and a harder step would win all the same.
    """
    if span.forced:
        return span.deepest
    chosen = 0
    if settings.keep_turns is not None:
        chosen = len(span.turns) - settings.keep_turns
    elif settings.split is not None:
        may_leave = [index for index, live in enumerate(span.turns) if index not in span.staying and not live.head]
        count = math.ceil(len(may_leave) * settings.split)
        chosen = may_leave[count - 1] + 1 if count else 0
    return span.legal(chosen) if chosen > span.cut else span.cut


def model_window(model: Summarizer, settings: SummarySettings, otherwise: int) -> int:
    """Tokens the model can hold: the smaller of what it says and what the caller says, or else ``otherwise``."""
    said = [window for window in (held_tokens(model), settings.window) if window is not None]
    return min(said) if said else otherwise


async def write_in_time(writer: Writer, spoken: Sequence[Spoken], earlier: str) -> Written:
    """The summary, within the time that the settings allow.

    Raises:
        StrategyError: the model failed, or gave no answer in time.
    """
    timeout = writer.settings.timeout
    try:
        async with asyncio.timeout(timeout) as running:
            return await writer.write(spoken, earlier)
    except TimeoutError:
        if timeout is None or not running.expired():
            raise
        raise StrategyError(f"the model gave no answer within {timeout:g} seconds") from None


async def close_with_model(span: Span, model: Summarizer, settings: SummarySettings, *, name: str, document: bool) -> Outcome:
    """Have the model write what stands for the span.

    Args:
        span: what to close.
        model, settings: who is asked, and how.
        name: of the strategy.
        document: the summary before is a document to be brought up to date with what leaves now.

    Raises:
        StrategyError: the model failed or took too long, or what it wrote cannot stand for the span.
    """
    cut = 0 if span.model_free else depth(span, settings)
    leaving = span.leaving(cut)
    if not leaving:
        return Outcome()
    before = [live.turn.messages[0].text for live in span.turns[:cut] if live.head]
    framed = span.vocabulary.summarizing.read_frame(before[0]) if before else None
    archives = _archives(span, cut, framed)

    def head_of(body: str) -> Item:
        lineage = span.lineage
        words = span.vocabulary.summarizing
        text = words.frame(body, messages=len(leaving), window=lineage.current, previous=lineage.previous, archives=archives)
        return Item("head", text=text)

    limit = _limit(span, cut, settings, span.tokenizer.count(head_of("").text) + PER_MESSAGE)
    if limit < SMALLEST:
        return Outcome()
    # The newest message of the user stays, but what is done for it leaves: without it no summary can say what that was for.
    wanted = spoken_messages(
        (live.source, not live.head and (index not in span.staying or (live.request and not live.pinned)))
        for index, live in enumerate(span.turns[:cut])
    )
    earlier = "\n\n".join([framed.body if framed is not None else before[0], *before[1:]]) if before else ""
    writer = Writer(
        lambda messages: ask(model, messages),
        settings,
        span.vocabulary,
        span.tokenizer,
        model_window(model, settings, span.window),
        limit,
        document,
    )
    written = await write_in_time(writer, list(wanted), earlier)
    known = "\n".join((written.shown, *before, *(uri for _, uri in archives)))
    head = head_of(with_known_addresses(written.text, known, span.vocabulary.summarizing.unknown_address))
    outcome = Outcome(cut, (head, *span.kept(cut)), span.messages(cut), leaving, _cited(head.text, written), name)
    _check_worth(span, outcome)
    return outcome


def with_known_addresses(text: str, known: str, otherwise: str) -> str:
    """The text with ``otherwise`` in place of every address that ``known`` does not mention: a model may make one up."""
    real = {format_uri(*address) for address in mentions(known)}

    def checked(match: re.Match[str]) -> str:
        return match.group() if {format_uri(*address) for address in mentions(match.group())} & real else otherwise

    return _ADDRESS.sub(checked, text)


def _archives(span: Span, cut: int, framed: Framed | None) -> list[tuple[str, str]]:
    """The archives a head names, newest first: this span's, then those that the head before it named, or the record knows."""
    here = (span.lineage.current, span.archive_uri(cut))
    if framed is not None:
        return [here, *framed.archives]
    if not span.earlier_archives:
        return [here]
    newest = int(span.lineage.current.removeprefix("w")) - 1
    earlier = list(reversed(span.earlier_archives))
    return [here, *((f"w{newest - place}", uri) for place, uri in enumerate(earlier) if newest - place > 0)]


def _limit(span: Span, cut: int, settings: SummarySettings, frame: int) -> int:
    """Tokens the summary may be asked to have; 0 where no summary would help."""
    replaced = sum(live.tokens for index, live in enumerate(span.turns[:cut]) if index not in span.staying)
    without = span.total_after(Outcome(cut, tuple(span.kept(cut))))
    # A window that was asked for has no mark to reach: what fits is enough.
    spare = (span.room.available if span.forced else span.room.trigger) - without - frame
    asked = max(span.room.head - frame, min(LEAST_HEAD, spare))
    limit = min(settings.max_tokens, asked, int(replaced * MOST_OF_SPAN) - frame)
    now = span.total_after(Outcome())
    urgent = span.forced or now > span.room.available
    if not urgent and now - without - frame - max(limit, 0) < span.room.available * LEAST_GAIN:
        return 0
    return limit


def _cited(head: str, written: Written) -> tuple[str, ...]:
    uris = dict.fromkeys(format_uri(*address) for address in mentions(head))
    return tuple(written.texts[uri] for uri in uris if uri in written.texts)


def _check_worth(span: Span, outcome: Outcome) -> None:
    """Refuse a summary because of which nothing would fit, or next to nothing be saved.

    Raises:
        StrategyError: says what it weighs.
    """
    now, after = span.total_after(Outcome()), span.total_after(outcome)
    without = span.total_after(Outcome(outcome.cut, outcome.items[1:]))
    if after > span.room.available >= without:
        raise StrategyError(
            f"the summary does not fit: {after - without:,} tokens where {span.room.available - without:,} are left"
        )
    if not span.forced and now <= span.room.available and now - after < span.room.available * 0.1:
        raise StrategyError(f"the summary saves too little: {after - without:,} tokens in place of {now - without:,}")
