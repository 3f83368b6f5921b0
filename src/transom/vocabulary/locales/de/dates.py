"""German. See ``vocabulary.dates``."""

from __future__ import annotations

from ...dates import DateWords

__all__ = ["DATES"]

DATES = DateWords(
    locale="de",
    months=(
        "Januar",
        "Februar",
        "März",
        "April",
        "Mai",
        "Juni",
        "Juli",
        "August",
        "September",
        "Oktober",
        "November",
        "Dezember",
    ),
    weekdays=("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"),
    clock="{hh}:{minute}",
    standard="[Zeit: {dd}.{mm}.{year}, {clock}]",
    standard_day="[Datum: {dd}.{mm}.{year}]",
    prominent="HEUTE IST {weekday}, {day}. {month_name} {year}, {clock} Uhr",
    prominent_day="HEUTE IST {weekday}, {day}. {month_name} {year}",
)
