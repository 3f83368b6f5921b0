"""Reported usage: when it counts, and when it corrects."""

from __future__ import annotations

from typing import Literal

import pytest

from transom import Context, Message
from transom.errors import SettingError


def _talk(context: Context, turns: range) -> None:
    for number in turns:
        context.append(Message("user", f"Question {number}. " + "word " * 120), Message("assistant", "answer " * 120))


@pytest.mark.feature("K2")
async def test_a_report_above_our_count_closes_the_window_at_once_and_corrects_from_then_on() -> None:
    context = Context(window=16_000, tokenizer="chars4")
    _talk(context, range(10))
    before = await context.compile("openai")
    assert before.meta.window_id == "w1"
    context.report_usage(before.meta.tokens_after * 4)
    context.append(Message("user", "next"))
    after = await context.compile("openai")
    assert after.meta.window_id == "w2"
    assert after.meta.tokens_after + after.meta.reserve <= 16_000
    context.append(Message("assistant", "fine"), Message("user", "again"))
    assert (await context.compile("openai")).meta.window_id == "w2"


@pytest.mark.feature("K2")
@pytest.mark.feature("K5")
@pytest.mark.parametrize(("preference", "closes"), [("max", "w2"), ("feed-first", "w1"), ("tokenizer-first", "w2")])
async def test_a_report_below_our_count_delays_a_closing_only_where_reports_come_first(
    preference: Literal["max", "feed-first", "tokenizer-first"], closes: str
) -> None:
    context = Context(window=6_000, tokenizer="chars4", usage_preference=preference)
    _talk(context, range(9))
    first = await context.compile("openai")
    assert first.meta.window_id == "w1"
    context.report_usage(first.meta.tokens_after // 2)
    _talk(context, range(9, 11))
    assert (await context.compile("openai")).meta.window_id == closes
    assert context.calibration.ratio == pytest.approx(0.5, abs=0.01)
    assert context.calibration.error == pytest.approx(0.0, abs=0.01)


@pytest.mark.feature("K2")
def test_our_count_cannot_come_first_without_a_tokenizer() -> None:
    with pytest.raises(SettingError, match="needs a tokenizer"):
        Context(window=8_000, usage_preference="tokenizer-first")


@pytest.mark.feature("K5")
async def test_a_new_session_begins_with_what_another_learned_of_the_model() -> None:
    first = Context(window=32_000, usage_preference="feed-first")
    _talk(first, range(10))
    counted = (await first.compile("openai")).meta.tokens_after
    first.report_usage(counted * 3 // 4)
    second = Context(window=32_000, usage_preference="feed-first")
    second.calibrate(first.calibration)
    _talk(second, range(10))
    assert (await second.compile("openai")).meta.tokens_after == pytest.approx(counted * 3 / 4, rel=0.01)


@pytest.mark.feature("K5")
async def test_what_is_learned_later_changes_no_weight_before_the_next_window() -> None:
    context = Context(window=8_000, usage_preference="feed-first")
    _talk(context, range(3))
    before = await context.compile("openai")
    other = Context(window=8_000)
    _talk(other, range(3))
    other.report_usage((await other.compile("openai")).meta.tokens_after * 2)
    context.calibrate(other.calibration)
    again = await context.compile("openai")
    assert again.json() == before.json()
    assert again.meta.tokens_after == before.meta.tokens_after
    _talk(context, range(3, 40))
    closed = await context.compile("openai")
    assert closed.meta.window_id == "w2"
    uncorrected = Context(window=8_000)
    uncorrected.load(closed.body)
    assert closed.meta.tokens_after == pytest.approx((await uncorrected.compile("openai")).meta.tokens_after * 2, rel=0.02)
