"""Date stamps at known moments, in five locales."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.engine.placement.temporal import LOCALES, Temporal, stamp
from transom.errors import InputError

TOKYO = timezone(timedelta(hours=9))
NEWFOUNDLAND = timezone(-timedelta(hours=3, minutes=30))

AFTERNOON = datetime(2026, 3, 5, 14, 7, 59, tzinfo=UTC)
MIDNIGHT = datetime(2026, 11, 30, 0, 0, tzinfo=TOKYO)
LEAP_DAY = datetime(2024, 2, 29, 23, 59, tzinfo=NEWFOUNDLAND)

STAMPS = {
    ("en", "standard"): (
        "[Time: March 5, 2026, 14:07]",
        "[Time: November 30, 2026, 00:00]",
        "[Time: February 29, 2024, 23:59]",
    ),
    ("en", "prominent"): (
        "TODAY IS Thursday, March 5, 2026, 14:07",
        "TODAY IS Monday, November 30, 2026, 00:00",
        "TODAY IS Thursday, February 29, 2024, 23:59",
    ),
    ("de", "standard"): ("[Zeit: 05.03.2026, 14:07]", "[Zeit: 30.11.2026, 00:00]", "[Zeit: 29.02.2024, 23:59]"),
    ("de", "prominent"): (
        "HEUTE IST Donnerstag, 5. März 2026, 14:07 Uhr",
        "HEUTE IST Montag, 30. November 2026, 00:00 Uhr",
        "HEUTE IST Donnerstag, 29. Februar 2024, 23:59 Uhr",
    ),
    ("es", "standard"): ("[Hora: 05/03/2026, 14:07]", "[Hora: 30/11/2026, 00:00]", "[Hora: 29/02/2024, 23:59]"),
    ("es", "prominent"): (
        "HOY ES jueves, 5 de marzo de 2026, 14:07 h",
        "HOY ES lunes, 30 de noviembre de 2026, 00:00 h",
        "HOY ES jueves, 29 de febrero de 2024, 23:59 h",
    ),
    ("zh_CN", "standard"): ("[时间：2026-03-05 14:07]", "[时间：2026-11-30 00:00]", "[时间：2024-02-29 23:59]"),
    ("zh_CN", "prominent"): (
        "今天是2026年3月5日，星期四，14:07",
        "今天是2026年11月30日，星期一，00:00",
        "今天是2024年2月29日，星期四，23:59",
    ),
    ("zh_TW", "standard"): ("[時間：2026-03-05 14:07]", "[時間：2026-11-30 00:00]", "[時間：2024-02-29 23:59]"),
    ("zh_TW", "prominent"): (
        "今天是2026年3月5日，星期四，14:07",
        "今天是2026年11月30日，星期一，00:00",
        "今天是2024年2月29日，星期四，23:59",
    ),
}


@pytest.mark.feature("L10")
@pytest.mark.parametrize(("locale", "form"), STAMPS)
@pytest.mark.parametrize(("index", "moment"), list(enumerate([AFTERNOON, MIDNIGHT, LEAP_DAY])))
def test_a_moment_is_said_in_its_own_zone(locale: str, form: str, index: int, moment: datetime) -> None:
    temporal = Temporal(form, locale, lambda: moment)  # type: ignore[arg-type]
    assert temporal.text() == STAMPS[locale, form][index]


def test_every_locale_has_a_moment_in_both_forms() -> None:
    assert {locale for locale, _ in STAMPS} == set(LOCALES)
    assert len(STAMPS) == 2 * len(LOCALES)


@pytest.mark.parametrize(
    ("locale", "standard", "prominent"),
    [
        ("en", "[Date: March 5, 2026]", "TODAY IS Thursday, March 5, 2026"),
        ("de", "[Datum: 05.03.2026]", "HEUTE IST Donnerstag, 5. März 2026"),
        ("es", "[Fecha: 05/03/2026]", "HOY ES jueves, 5 de marzo de 2026"),
        ("zh_CN", "[日期：2026-03-05]", "今天是2026年3月5日，星期四"),
        ("zh_TW", "[日期：2026-03-05]", "今天是2026年3月5日，星期四"),
    ],
)
def test_at_the_resolution_of_a_day_the_time_is_left_out(locale: str, standard: str, prominent: str) -> None:
    assert stamp(AFTERNOON, "standard", locale, "day") == standard
    assert stamp(AFTERNOON, "prominent", locale, "day") == prominent


@given(
    st.datetimes(timezones=st.just(UTC)),
    st.sampled_from(LOCALES),
    st.sampled_from(["standard", "prominent"]),
)
def test_a_stamp_changes_with_the_minute_and_no_sooner(moment: datetime, locale: str, form: str) -> None:
    start = moment.replace(year=min(moment.year, 9998), second=0, microsecond=0, day=min(moment.day, 28))
    assert stamp(start + timedelta(seconds=59), form, locale) == stamp(start, form, locale)  # type: ignore[arg-type]
    assert stamp(start + timedelta(minutes=1), form, locale) != stamp(start, form, locale)  # type: ignore[arg-type]


@given(st.dates(max_value=date(9999, 12, 30)), st.sampled_from(LOCALES), st.sampled_from(["standard", "prominent"]))
def test_two_days_never_have_the_same_stamp(day: date, locale: str, form: str) -> None:
    at = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    assert stamp(at, form, locale, "day") != stamp(at + timedelta(days=1), form, locale, "day")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("written", "known"),
    [("de-DE", "de"), ("EN_us", "en"), ("es_MX.UTF-8", "es"), ("zh", "zh_CN"), ("zh-Hans", "zh_CN"), ("zh-Hant-HK", "zh_TW")],
)
def test_other_spellings_of_a_locale_are_understood(written: str, known: str) -> None:
    assert Temporal(locale=written).locale == known


def test_a_clock_that_gives_no_moment_is_refused() -> None:
    with pytest.raises(InputError, match="the clock gave a date"):
        Temporal(clock=AFTERNOON.date).text()  # type: ignore[arg-type]


def test_by_default_the_clock_of_the_machine_is_read() -> None:
    before = datetime.now().astimezone()
    said = Temporal(resolution="day").text()
    after = datetime.now().astimezone()
    assert said in {stamp(before, resolution="day"), stamp(after, resolution="day")}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"form": "loud"}, "no form of a date stamp"),
        ({"locale": "fr"}, "no date stamp in locale 'fr'"),
        ({"resolution": "second"}, "no resolution 'second'"),
        ({"clock": AFTERNOON}, "this is datetime"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Temporal(**wrong)  # type: ignore[arg-type]
