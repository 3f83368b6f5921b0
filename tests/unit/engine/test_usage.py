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
