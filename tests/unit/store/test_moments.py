"""Days and months in words."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.store.moments import heading, moments, relative, says_when

pytestmark = pytest.mark.feature("S14")

NINTH = date(2023, 5, 9)


@pytest.mark.parametrize(
    "text",
    [
        "on 9 May 2023",
        "May 9th, 2023",
        "the 9th of May, 2023",
        "1:56 pm on 9 May, 2023",
        "2023-05-09T10:11:12Z",
        "am 9. Mai 2023",
        "9.5.2023",
        "el 9 de mayo de 2023",
        "2023年5月9日",
    ],
)
def test_a_day_is_read_as_people_and_programs_write_it(text: str) -> None:
    found = moments(text)
    assert [(span.year, span.month, span.day) for span in found] == [(2023, 5, 9)]
    assert heading(text) == NINTH


@pytest.mark.parametrize(
    ("text", "day", "inside"),
    [
        ("in May", NINTH, True),
        ("in May", date(2023, 6, 9), False),
        ("during May 2022", NINTH, False),
        ("in 2023", NINTH, True),
        ("in September", date(2021, 9, 1), True),
    ],
)
def test_a_month_or_a_year_holds_its_days(text: str, day: date, inside: bool) -> None:
    (span,) = moments(text)
    assert span.holds(day) is inside


@pytest.mark.parametrize("text", ["may I march there?", "mark it, Jan", "version 3.14", "port 5433", "chapter 12", ""])
def test_words_that_only_look_like_months_are_none(text: str) -> None:
    assert moments(text) == []


def test_a_day_without_its_year_is_no_heading_nor_one_deep_in_a_long_line() -> None:
    assert heading("We met on May 9 and talked.") is None
    assert heading(f"{'words ' * 40}on May 9, 2023") is None
    assert heading("Ben\nHello\n2023-05-09T08:00:00Z") == NINTH
    assert heading("99.99.2023, 2023-99-99, 31 February 2023") is None


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("what did she say yesterday?", date(2023, 5, 8), NINTH),
        ("today", NINTH, NINTH),
        ("last week", date(2023, 4, 25), NINTH),
        ("two weeks ago", date(2023, 4, 22), date(2023, 4, 28)),
    ],
)
def test_times_without_a_date_are_seen_from_the_newest_day(text: str, first: date, last: date) -> None:
    assert says_when(text)
    assert relative(text, [date(2023, 1, 1), NINTH]) == (first, last)
    assert relative(text, []) is None
    assert relative("the port", [NINTH]) is None


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    for span in moments(text):
        assert span.month is None or 1 <= span.month <= 12
        assert span.day is None or 1 <= span.day <= 31
    heading(text)


@given(st.dates(date(1901, 1, 1), date(2099, 12, 31)))
def test_any_day_is_found_in_what_a_program_writes(day: date) -> None:
    assert heading(f"{day.isoformat()} 08:00") == day
    assert heading(f"[Session of {day.day} {day:%B} {day.year}]") == day
