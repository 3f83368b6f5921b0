"""Answers that only their provider understands stay with the call before them."""

from __future__ import annotations

import pytest

from transom.messages import History, group_turns
from transom.wire.openai_responses import OpenAIResponses

ITEMS = [
    {"role": "user", "content": "Click twice."},
    {"type": "computer_call", "call_id": "a", "id": "c1", "action": {"type": "click"}},
    {"type": "computer_call_output", "call_id": "a", "output": {"type": "computer_screenshot", "image_url": "x"}},
    {"type": "computer_call", "call_id": "b", "id": "c2", "action": {"type": "click"}},
    {"type": "computer_call_output", "call_id": "b", "output": {"type": "computer_screenshot", "image_url": "y"}},
    {"role": "user", "content": "Thank you."},
]


@pytest.mark.feature("M2")
def test_a_hosted_call_and_its_output_are_one_turn() -> None:
    messages = OpenAIResponses().parse({"model": "m", "input": ITEMS}).messages
    assert [list(turn) for turn in group_turns(messages)] == [[0], [1, 2], [3, 4], [5]]


@pytest.mark.feature("M2")
def test_a_valid_history_keeps_hosted_pairs_together_without_repair() -> None:
    history = History()
    history.extend(OpenAIResponses().parse({"model": "m", "input": ITEMS}).messages)
    assert [len(turn.messages) for turn in history.turns] == [1, 2, 2, 1]
    assert history.repairs == []
