"""Reported usage: how the count learns from it and which of the two numbers is believed."""

from __future__ import annotations

import pytest

from transom.errors import SettingError
from transom.tokens import Calibration
from transom.tokens.usage import Reported, check_preference, tokens_in_use


@pytest.mark.feature("K5")
def test_the_ratio_of_a_model_is_learned_and_its_error_stated() -> None:
    calibration = Calibration()
    assert (calibration.ratio, calibration.error) == (1.0, None)
    for size in range(1000, 30_000, 1000):
        calibration = calibration.observe(size, round(size * 1.35))
    assert calibration.ratio == pytest.approx(1.35, abs=0.001)
    assert calibration.error == pytest.approx(0, abs=0.001)
    assert calibration.correct(10_000) == pytest.approx(13_500, abs=10)


@pytest.mark.feature("K5")
def test_a_learned_ratio_more_than_halves_the_error_of_a_noisy_model() -> None:
    calibration = Calibration()
    for index in range(20):
        calibration = calibration.observe(10_000 + index, round((10_000 + index) * (1.4 + 0.05 * (-1) ** index)))
    assert calibration.error is not None
    assert calibration.error < 0.05
    uncorrected = sum(abs(estimated - reported) / reported for estimated, reported in calibration.pairs) / len(calibration)
    assert calibration.error < uncorrected / 2


def test_one_odd_report_moves_nothing() -> None:
    calibration = Calibration()
    for _ in range(9):
        calibration = calibration.observe(10_000, 12_000)
    assert calibration.observe(10_000, 900).ratio == calibration.ratio
    assert calibration.observe(10_000, 90_000).ratio == calibration.ratio


def test_a_report_that_cannot_be_right_teaches_nothing() -> None:
    calibration = Calibration().observe(100, 120)
    assert calibration.observe(0, 500) is calibration
    assert calibration.observe(500, 0) is calibration
    assert calibration.observe(500, -1) is calibration
    assert Calibration().observe(1, 10_000).ratio == 8.0
    assert Calibration().observe(10_000, 1).ratio == 0.25


def test_history_is_bounded_and_a_stored_one_gives_the_same_ratio() -> None:
    calibration = Calibration()
    for size in range(1, 200):
        calibration = calibration.observe(size * 100, size * 130)
    assert len(calibration) == 32
    assert Calibration(calibration.pairs) == calibration
    assert Calibration(calibration.pairs).ratio == calibration.ratio


@pytest.mark.feature("K2")
def test_the_preference_says_which_number_counts() -> None:
    report = Reported(reported=12_000, counted=10_000)
    assert tokens_in_use("max", 10_000, report) == 12_000
    assert tokens_in_use("feed-first", 10_000, report) == 12_000
    assert tokens_in_use("tokenizer-first", 10_000, report) == 10_000
    low = Reported(reported=8_000, counted=10_000)
    assert tokens_in_use("max", 10_000, low) == 10_000
    assert tokens_in_use("feed-first", 10_000, low) == 8_000
    assert tokens_in_use("feed-first", 10_000, None) == 10_000


@pytest.mark.feature("K2")
def test_a_report_is_brought_up_to_date_by_what_was_counted_since() -> None:
    report = Reported(reported=12_000, counted=10_000)
    assert report.now(13_000) == 15_000
    assert report.now(5_000) == 6_000
    assert Reported(reported=50, counted=0).now(20) == 70


@pytest.mark.feature("K2")
def test_the_tokenizer_cannot_come_first_where_there_is_none() -> None:
    assert check_preference("tokenizer-first", has_tokenizer=True) == "tokenizer-first"
    assert check_preference("max", has_tokenizer=False) == "max"
    with pytest.raises(SettingError, match="needs a tokenizer"):
        check_preference("tokenizer-first", has_tokenizer=False)
    with pytest.raises(SettingError, match="feed-first"):
        check_preference("minimum", has_tokenizer=True)
