"""English. See ``vocabulary.dates``."""

from __future__ import annotations

from ...dates import DateWords

__all__ = ["DATES"]

DATES = DateWords(
    locale="en",
    months=(
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ),
    weekdays=("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    clock="{hh}:{minute}",
    standard="[Time: {month_name} {day}, {year}, {clock}]",
    standard_day="[Date: {month_name} {day}, {year}]",
    prominent="TODAY IS {weekday}, {month_name} {day}, {year}, {clock}",
    prominent_day="TODAY IS {weekday}, {month_name} {day}, {year}",
)
