"""Spanish. See ``vocabulary.dates``."""

from __future__ import annotations

from ...dates import DateWords

__all__ = ["DATES"]

DATES = DateWords(
    locale="es",
    months=(
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ),
    weekdays=("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"),
    clock="{hh}:{minute}",
    standard="[Hora: {dd}/{mm}/{year}, {clock}]",
    standard_day="[Fecha: {dd}/{mm}/{year}]",
    prominent="HOY ES {weekday}, {day} de {month_name} de {year}, {clock} h",
    prominent_day="HOY ES {weekday}, {day} de {month_name} de {year}",
)
