"""How a moment is said in each locale: names of months and days, and the two forms of a date stamp.

Knows fields of a moment, no clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, time

__all__ = ["DateWords"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DateWords:
    """The words of one locale.

    Templates may use ``{day}`` and ``{month}`` (numbers without a leading zero), ``{dd}`` and ``{mm}`` (two digits), ``{year}``
    (four digits), ``{month_name}``, ``{weekday}`` and ``{clock}``.

    Attributes:
        locale: its name, for example ``en``.
        months: January to December.
        weekdays: Monday to Sunday.
        clock: how a time of day is spelled, from ``{hour}``, ``{hh}`` and ``{minute}`` (two digits).
        standard, prominent: the two forms with the time of day.
        standard_day, prominent_day: the same without it.
    """

    locale: str
    months: tuple[str, ...]
    weekdays: tuple[str, ...]
    clock: str
    standard: str
    standard_day: str
    prominent: str
    prominent_day: str

    def stamp(self, day: date, clock: time | None, *, prominent: bool) -> str:
        """A date stamp; without ``clock`` at the resolution of a day."""
        template = (
            (self.prominent if prominent else self.standard)
            if clock is not None
            else (self.prominent_day if prominent else self.standard_day)
        )
        return template.format(
            day=day.day,
            dd=f"{day.day:02}",
            month=day.month,
            mm=f"{day.month:02}",
            year=f"{day.year:04}",
            month_name=self.months[day.month - 1],
            weekday=self.weekdays[day.weekday()],
            clock=""
            if clock is None
            else self.clock.format(hour=clock.hour, hh=f"{clock.hour:02}", minute=f"{clock.minute:02}"),
        )
