"""The guard's thresholds, its indicator, and how full a window is in the middle of a tool loop."""

from __future__ import annotations

import json
import re

import pytest
from tests.unit.engine.sessions import (
    HEAD,
    Scripted,
    context_of,
    dialogue,
    driven,
    model_calls,
    round_of,
    texts,
    tool_loop,
    words,
)

from transom import Context, Handoff, Message, chain, clear, digest, guard, reset
from transom.engine.events import CompileDone, WindowWarned
from transom.engine.ledger.records import Item
from transom.engine.overflow.strategy import Outcome, Span
from transom.errors import InputError

LINE = re.compile(r"\[ctx ~([\d.k]+)/([\d.k]+) = (\d+)%(: older messages are about to be set aside)?\]")
CLOSED = re.compile(r"\[ctx older messages were set aside: ~([\d.k]+) before, ~([\d.k]+) after, ~([\d.k]+) saved\]")
TARGETS = ("openai", "openai-responses", "anthropic", "gemini")
WINDOW = 20_000


def share(payload: object) -> float:
    meta = payload.meta  # type: ignore[attr-defined]
    return float(meta.tokens_after / meta.window)


@pytest.mark.feature("O17")
@pytest.mark.parametrize("target", TARGETS)
async def test_it_warns_from_three_quarters_on_and_closes_at_nine_tenths(target: str) -> None:
    context = context_of(window=WINDOW, overflow=reset(), guard=guard())
    warned: list[WindowWarned] = []
    context.on("window_warned", warned.append)
    payloads = await driven(context, tool_loop(200), target)
    closed = [payload for payload in payloads if payload.meta.closed]
    assert len(closed) > 1
    for payload in closed:
        assert payload.meta.closing is not None
        assert 0.90 * WINDOW - 64 < payload.meta.closing.before < 0.92 * WINDOW
        assert payload.meta.closing.after == pytest.approx(payload.meta.tokens_after, abs=80)
        assert payload.meta.closing.saved == payload.meta.closing.before - payload.meta.closing.after
    for payload in payloads:
        line = LINE.search(texts(payload))
        assert (line is not None) == (share(payload) - payload.meta.parts["tail"] / WINDOW >= 0.75), share(payload)
        assert (CLOSED.search(texts(payload)) is not None) == bool(payload.meta.closed)
        assert payload.meta.tokens_after + payload.meta.reserve <= WINDOW
    assert [event.window_id for event in warned] == [f"w{n}" for n in range(1, len(warned) + 1)]
    assert all(event.tokens >= 0.75 * event.window and event.window == WINDOW for event in warned)
    assert len(warned) in (len(closed), len(closed) + 1)


@pytest.mark.feature("O17")
async def test_the_last_ten_messages_stay_verbatim() -> None:
    for overflow in (reset(), digest(), chain(clear(keep_recent=0), digest(), reset())):
        context = context_of(window=WINDOW, overflow=overflow, guard=guard())
        closings = 0
        for fresh in model_calls(tool_loop(150)):
            context.append(*fresh)
            payload = await context.compile("openai")
            if payload.meta.closed:
                closings += 1
                body = texts(payload)
                assert all(json.dumps(message.text)[1:-1] in body for message in context.messages[-10:])
        assert closings > 1


@pytest.mark.feature("O17")
async def test_what_is_kept_gives_way_where_nothing_would_fit_otherwise() -> None:
    context = context_of(window=6_000, overflow=reset(), guard=guard(), prune=False)
    for payload in await driven(context, tool_loop(20, 900)):
        assert payload.meta.tokens_after + payload.meta.reserve <= 6_000


@pytest.mark.feature("O17")
@pytest.mark.feature("O18")
async def test_a_strategy_of_ones_own_is_bound_by_what_is_kept_too() -> None:
    def everything(span: Span) -> Outcome:
        cut = span.deepest
        assert len(span.messages(len(span.turns))) - len(span.messages(cut)) >= 10
        items = (Item("head", text="SUMMARY"), *span.kept(cut))
        return Outcome(cut, items, span.messages(cut), span.leaving(cut), (), "scripted")

    strategy = Scripted(everything)
    context = context_of(window=WINDOW, overflow=strategy, guard=guard())
    payloads = await driven(context, tool_loop(150))
    assert strategy.applied > 1
    assert {payload.meta.closed for payload in payloads} == {"", "scripted"}


@pytest.mark.feature("O17")
async def test_without_its_indicator_the_model_is_told_nothing_and_the_figures_are_there() -> None:
    context = context_of(window=WINDOW, overflow=reset(), guard=guard(indicator=False))
    warned: list[WindowWarned] = []
    context.on(WindowWarned, warned.append)
    payloads = await driven(context, tool_loop(100))
    assert warned
    assert not any("[ctx " in texts(payload) for payload in payloads)
    assert any(payload.meta.closing for payload in payloads)


@pytest.mark.feature("O17")
async def test_a_window_that_may_not_close_says_so_in_other_words() -> None:
    context = context_of(window=WINDOW, overflow=reset(), guard=guard(compress=0.8))
    context.use("before-overflow", lambda state: False)
    lines = [LINE.search(texts(payload)) for payload in await driven(context, tool_loop(70))]
    percents = [int(line[3]) for line in lines if line is not None]
    assert percents == sorted(percents)
    assert percents[0] == 75
    for line in lines:
        if line is not None:
            assert (line[4] is not None) == (int(line[3]) >= 80)
            assert line[2] == "20k"


@pytest.mark.feature("O17")
async def test_where_the_fixed_parts_come_near_the_mark_half_of_the_rest_is_used() -> None:
    context = context_of(window=8_000, overflow=reset(), guard=guard(warn=0.3, compress=0.5, keep_last=0))
    context.system(words(4_000))
    payloads = await driven(context, tool_loop(40))
    closed = sum(1 for payload in payloads if payload.meta.closed)
    assert 0 < closed < len(payloads) / 3


@pytest.mark.feature("O17")
async def test_the_guard_and_the_handoff_speak_together() -> None:
    context = context_of(window=WINDOW, overflow=reset(), guard=guard(), handoff=Handoff(1_000))
    told = [payload for payload in await driven(context, tool_loop(90)) if payload.meta.handoff]
    assert told
    for payload in told:
        assert "[Context notice]" in texts(payload)
        assert LINE.search(texts(payload))
        assert payload.meta.tokens_after + payload.meta.reserve <= WINDOW


@pytest.mark.feature("O17")
@pytest.mark.parametrize(
    "wrong", [{"warn": 0}, {"warn": 0.95}, {"compress": 1.1}, {"warn": 0.8, "compress": 0.7}, {"keep_last": -1}]
)
def test_thresholds_that_make_no_sense_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError, match="a guard that"):
        guard(**wrong)  # type: ignore[arg-type]


@pytest.mark.feature("O17")
def test_a_guard_is_made_by_guard() -> None:
    with pytest.raises(InputError, match="guard is no Guard but a bool"):
        Context(window=8_000, guard=True)  # type: ignore[arg-type]


@pytest.mark.feature("K7")
@pytest.mark.parametrize("target", TARGETS)
async def test_usage_counts_what_was_appended_since_as_the_next_payload_will(target: str) -> None:
    context = context_of(window=60_000)
    context.head = HEAD
    context.system("You are careful.")
    assert context.usage.window == 60_000
    for fresh in ([Message("user", "Do the work.")], *(round_of(n, 700) for n in range(12)), dialogue(3)):
        context.append(*fresh)
        before = context.usage
        payload = await context.compile(target)
        assert before.tokens == pytest.approx(payload.meta.tokens_after, abs=2)
        assert context.usage.tokens == pytest.approx(payload.meta.tokens_after, abs=2)
        assert context.usage.share == context.usage.tokens / 60_000


@pytest.mark.feature("K7")
async def test_usage_counts_a_large_result_as_it_will_be_shown_and_changes_nothing() -> None:
    context = context_of(window=60_000)
    context.append(Message("user", "Do the work."), *round_of(1, 20_000))
    fresh = context.usage
    done: list[CompileDone] = []
    context.on(CompileDone, done.append)
    assert context.usage == fresh
    assert fresh.tokens < 8_000, "a result of 80 KB is shortened when it is first shown"
    assert (await context.compile("openai")).meta.tokens_after == pytest.approx(fresh.tokens, abs=2)
    assert len(done) == 1


@pytest.mark.feature("K7")
@pytest.mark.feature("O12")
async def test_inside_a_tool_loop_the_last_report_and_what_came_since_decide() -> None:
    """The provider counts half as much again as we do; it reports once, and the loop goes on with results alone."""
    context = context_of(window=WINDOW, overflow=reset(), guard=guard(), handoff=Handoff(1_500))
    warned: list[WindowWarned] = []
    context.on(WindowWarned, warned.append)
    context.append(*tool_loop(30))
    first = await context.compile("openai")
    reported = first.meta.tokens_after * 3 // 2
    context.report_usage(reported)
    assert context.usage.tokens == reported
    seen: list[str] = []
    for number in range(40, 80):
        before = context.usage.tokens
        context.append(*round_of(number))
        delta = context.usage.tokens - before
        assert 240 < delta < 260, "what was appended since the report counts as we count it"
        due = context.usage.tokens > 0.9 * WINDOW - 64
        payload = await context.compile("openai")
        assert bool(payload.meta.closed) == due
        if payload.meta.handoff:
            seen.append("handoff")
        if payload.meta.closed:
            seen.append("closed")
            break
    assert seen == ["handoff", "closed"]
    assert [event.window_id for event in warned] == ["w1"]
    assert warned[0].tokens > 0.75 * WINDOW


@pytest.mark.feature("K7")
async def test_usage_before_anything_and_after_another_conversation() -> None:
    context = context_of(window=8_000)
    assert context.usage.tokens == 0
    context.append(*tool_loop(5))
    await context.compile("openai")
    context.load([Message("user", "Short.")])
    assert context.usage.tokens < 20
