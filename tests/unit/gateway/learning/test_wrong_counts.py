"""Counts that are wrong for a while, or that no request can weigh: what was learnt of them heals, or is never learnt."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.unit.gateway.learning.test_answers import Parts, talk, weighed

from transom import Context
from transom.errors import InputError
from transom.gateway.calibrations import Calibrations
from transom.gateway.exchange import Reported
from transom.gateway.streams import reader


@pytest.mark.parametrize("wrong", [2, 6, 40], ids=["two answers", "six answers", "more than are remembered"])
@pytest.mark.parametrize("restarted", [False, True], ids=["in one process", "after a restart"])
async def test_a_ratio_learnt_of_wrong_counts_heals_by_true_ones(wrong: int, restarted: bool) -> None:
    parts = Parts(16_000)
    for _ in range(wrong):
        exchange = await parts.asked(talk(4))
        await parts.answered(exchange, weighed(exchange) * 3)
    if restarted:
        parts = Parts(16_000, parts.store)
    actions = []
    for turns in range(20, 26):
        exchange = await parts.asked(talk(turns, "b")[:-2])
        actions.append([decision.action for decision in exchange.decisions])
        await parts.answered(exchange, weighed(exchange))
        assert exchange.decisions[-1].action != "noticed", actions
    assert sum("closed" in each for each in actions) <= 1, actions
    other = talk(24, "c")
    other[1]["content"] = "Once more. " + other[1]["content"]
    fresh = await parts.asked(other)
    assert [decision.action for decision in fresh.decisions] == ["passed"]
    assert fresh.tokens_after == pytest.approx(weighed(fresh), rel=0.1)
    assert (await Calibrations(parts.store).of(parts.upstream, "m")).ratio == pytest.approx(1.0, rel=0.1)
    await parts.windows.aclose()


async def test_a_silent_cut_is_seen_whatever_was_learnt_before() -> None:
    parts = Parts(64_000)
    for turns in range(10, 14):
        exchange = await parts.asked(talk(turns))
        await parts.answered(exchange, int(weighed(exchange) * 1.4))
    exchange = await parts.asked(talk(60))
    await parts.answered(exchange, 6_000)
    assert exchange.decisions[-1].action == "noticed"
    assert (await Calibrations(parts.store).of(parts.upstream, "m")).ratio == pytest.approx(1.4, rel=0.1)
    await parts.windows.aclose()


@pytest.mark.parametrize("counts", [10**400, 10**18, -5, 3.5, float("nan"), "12", None, True, [7]])
async def test_a_count_that_nothing_weighs_teaches_nothing_and_leaves_the_guard_on(counts: Any) -> None:
    parts = Parts(16_000)
    for turns in range(4, 8):
        exchange = await parts.asked(talk(turns))
        read = reader("openai", "application/json", lambda: 0.0, status=200)
        choice = {"index": 0, "message": {"role": "assistant", "content": "Yes."}, "finish_reason": "stop"}
        usage = {"prompt_tokens": counts, "completion_tokens": counts, "total_tokens": counts}
        read.feed(json.dumps({"choices": [choice], "usage": usage}).encode())
        read.close()
        if read.usage is not None:
            exchange.reported = Reported(
                input_tokens=read.usage.prompt_tokens or 0, output_tokens=read.usage.output_tokens or 0
            )
        await parts.guard.after(exchange)
        ignored = [decision.action for decision in exchange.decisions] == ["passed", "ignored"]
        assert ignored == (isinstance(counts, int) and counts > 10**12)
    assert len(await Calibrations(parts.store).of(parts.upstream, "m")) == 0
    exchange = await parts.asked(talk(60))
    assert exchange.decisions[0].action == "closed"
    await parts.windows.aclose()


async def test_a_context_refuses_a_usage_that_nothing_weighs() -> None:
    context = Context(window=16_000)
    context.load({"model": "m", "messages": talk(2)}, "openai")
    await context.compile("openai")
    with pytest.raises(InputError, match="more than"):
        context.report_usage(10**400)
    assert context.usage.tokens < 2_000


@pytest.mark.parametrize("setting", [1, 512, 10**30])
async def test_a_window_that_can_be_none_leaves_the_guard_on_and_an_error_may_name_the_true_one(setting: int) -> None:
    parts = Parts(setting)
    exchange = await parts.asked(talk(60))
    assert [decision.action for decision in exchange.decisions] == ["observed"]
    assert await parts.guard.overflowed(exchange, 20_000, 8_192)
    assert exchange.decisions[-1].action == "retried"
    assert exchange.window == 8_192
    assert (await parts.asked(talk(60))).decisions[0].action == "applied"
    await parts.windows.aclose()
