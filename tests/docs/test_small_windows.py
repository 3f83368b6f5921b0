"""The table of small windows is what the engine reckons and the guard does."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.unit.gateway.test_guard import asked, guard

from transom.engine.overflow.budget import Budget, reserve_for
from transom.gateway.exchange import Exchange

ROOT = Path(__file__).resolve().parents[2]
ROWS = [
    [int(cell.replace(",", "")) for cell in row]
    for row in re.findall(
        r"^\| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|$",
        (ROOT / "docs" / "how-to" / "serve.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
]


async def sent(window: int, *words: int) -> Exchange:
    """What becomes of messages of so many words, the user's and the model's by turns."""
    guarded, _, _ = guard(window)
    messages = [{"role": ("user", "assistant")[at % 2], "content": "word " * count} for at, count in enumerate(words)]
    exchange = asked("/v1/chat/completions", {"model": "m", "messages": messages})
    await guarded.before(exchange)
    return exchange


async def weighing(window: int, tokens: int, *before: int) -> Exchange:
    """The same, the last message as long as it can be for all of them to weigh no more than that."""
    low, high = 1, tokens
    while low < high:
        middle = (low + high + 1) // 2
        found = await sent(window, *before, middle)
        low, high = (middle, high) if (found.tokens_before or 0) <= tokens else (low, middle - 1)
    return await sent(window, *before, low)


def test_there_is_a_row_for_each_usual_size() -> None:
    assert [row[0] >> 10 for row in ROWS] == [2, 4, 8, 16, 32, 128]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row[0]))
def test_the_figures_are_those_of_the_engine(row: list[int]) -> None:
    window, answer, closes, shrinks, largest = row
    budget = Budget(window, reserve_for(window, None, counted=False), 0, 0, 0, 0)
    assert [budget.reserve, budget.trigger, budget.low_water, budget.available] == [answer, closes, shrinks, largest]


@pytest.mark.parametrize("row", ROWS[:4], ids=lambda row: str(row[0]))
async def test_a_message_of_the_largest_size_passes_whole_and_a_longer_one_is_cut(row: list[int]) -> None:
    window, *_, largest = row
    longest = await weighing(window, largest)
    assert not longest.edited
    assert longest.tokens_before == pytest.approx(largest, abs=2)
    words = len(json.loads(longest.body)["messages"][0]["content"].split())
    longer = await sent(window, words + 2)
    assert longer.strategy == "offload"
    assert len(json.loads(longer.sent)["messages"][0]["content"]) < 5 * words


async def test_a_window_closes_above_its_figure_and_shrinks_to_the_other() -> None:
    window, _, closes, shrinks, _ = ROWS[2]
    turns = [600] * 6
    below = await weighing(window, closes, *turns)
    assert not below.edited
    assert below.tokens_before == pytest.approx(closes, abs=2)
    above = await weighing(window, closes + 10, *turns)
    assert above.decisions[-1].action == "closed"
    assert above.tokens_after is not None
    assert above.tokens_after <= shrinks
