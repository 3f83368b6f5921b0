"""What the tools for text say beside the text itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["ShapingWords"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ShapingWords:
    """What the tools for text say.

    Attributes:
        found, found_some, none: above what was extracted (``{count}``, ``{shown}``, ``{kind}``).
        demoted: a pattern was searched for as literal text (``{why}``).
        partial: the time was up before the end (``{seconds}``).
        statistics: a text in numbers (``{characters}``, ``{words}``, ``{lines}``, ``{sentences}``, ``{paragraphs}``,
            ``{bytes}``).

    Refusals:

    Attributes:
        needs: an operation or kind needs an argument (``{what}``, ``{argument}``).
        too_long: a result of more than ``{limit}`` characters.
        nothing_to_show: neither rows nor csv, or no column.
        bad_csv: text that is no CSV (``{why}``).
        bad_row: a row that is neither list nor object (``{number}``).
        too_wide: more columns than a table takes (``{limit}``).
        engine_failed: the search broke.
    """

    found: str
    found_some: str
    none: str
    demoted: str
    partial: str
    statistics: str
    needs: str
    too_long: str
    nothing_to_show: str
    bad_csv: str
    bad_row: str
    too_wide: str
    engine_failed: str

    def heading(self, kind: str, count: int, shown: int) -> str:
        """What stands above what was extracted."""
        if not count:
            return self.none.format(kind=kind)
        template = self.found if shown == count else self.found_some
        return template.format(kind=kind, count=count, shown=shown)

    def in_numbers(self, numbers: Mapping[str, int]) -> str:
        """A text in numbers."""
        return self.statistics.format_map(numbers)
