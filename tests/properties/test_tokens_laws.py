"""Laws of counting that hold for any text and any message."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transom.messages import Call, Message, Result, Text, Thinking
from transom.messages.parts import Part
from transom.tokens import Calibration, Chars, Heuristic, Weights, bpe, weigh, weigh_batch

HEURISTIC = Heuristic()
any_text = (
    st.text(st.characters(), max_size=200) | st.text("aA0 .\n世界é", max_size=400) | st.text("ab\ud800\udc00", max_size=20)
)


@given(any_text, any_text)
def test_a_text_cut_in_two_costs_about_what_it_costs_whole(left: str, right: str) -> None:
    whole = HEURISTIC.count(left + right)
    assert whole <= HEURISTIC.count(left) + HEURISTIC.count(right) + 10
    assert whole >= max(HEURISTIC.count(left), 0)


@given(any_text)
def test_only_the_empty_text_costs_nothing(text: str) -> None:
    for tokenizer in (HEURISTIC, Chars(), bpe("o200k")):
        assert (tokenizer.count(text) == 0) == (text == "")


@given(st.lists(any_text, max_size=5))
def test_a_batch_counts_like_single_calls(texts: list[str]) -> None:
    for tokenizer in (HEURISTIC, Chars(), bpe("cl100k")):
        assert tokenizer.count_batch(texts) == [tokenizer.count(text) for text in texts]


@settings(max_examples=20)
@given(st.text("aB1 .é世", min_size=1, max_size=50), st.integers(1, 3000))
def test_a_long_text_is_counted_piece_by_piece_with_the_same_result_each_time(seed: str, times: int) -> None:
    text = seed * times
    assert HEURISTIC.count(text) == HEURISTIC.count(text)
    assert HEURISTIC.count(text) <= HEURISTIC.count(text + "x")
    assert HEURISTIC.count(text) <= HEURISTIC.count(seed) * times + 10 * times


parts: st.SearchStrategy[Part] = st.one_of(
    st.builds(Text, any_text),
    st.builds(Thinking, any_text, st.none() | any_text),
    st.builds(Call, st.text("abc", min_size=1), any_text),
    st.builds(lambda text: Result((Text(text),)), any_text),
)


def _message(body: list[Part]) -> Message:
    return Message("user", body)


messages = st.lists(parts, max_size=4).map(_message)


@pytest.mark.feature("K4")
@given(st.lists(messages, max_size=6))
def test_a_cached_count_is_the_count(history: list[Message]) -> None:
    for tokenizer in (HEURISTIC, Chars()):
        weights = Weights(limit=4)
        expected = [weigh(message, tokenizer) for message in history]
        assert weigh_batch(history, tokenizer) == expected
        assert weights.weigh_all(history, tokenizer) == expected
        assert [weights.weigh(message, tokenizer) for message in history] == expected


@given(messages, parts)
def test_a_message_with_one_more_part_never_weighs_less(message: Message, part: Part) -> None:
    longer = Message("user", [*message.parts, part])
    for tokenizer in (HEURISTIC, Chars()):
        assert weigh(longer, tokenizer) >= weigh(message, tokenizer)


@given(st.lists(st.tuples(st.integers(1, 10**6), st.integers(1, 10**6)), min_size=1, max_size=50))
def test_a_calibration_stays_within_what_was_reported(pairs: list[tuple[int, int]]) -> None:
    calibration = Calibration()
    for estimated, reported in pairs:
        calibration = calibration.observe(estimated, reported)
    ratios = [min(8.0, max(0.25, reported / estimated)) for estimated, reported in pairs[-32:]]
    assert min(ratios) <= calibration.ratio <= max(ratios)
    assert calibration.correct(0) == 0
    assert calibration.correct(1000) >= 1000 * calibration.ratio - 1e-6
