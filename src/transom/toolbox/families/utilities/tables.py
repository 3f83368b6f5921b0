"""Tables as CSV and as JSON: nothing is lost and nothing is guessed.

Knows texts and values, no files. Cells stay text (``007`` is no number), the columns of JSON are the union over all rows, and
what a format cannot show is counted, so that the tool can say it. CSV as RFC 4180 has it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ....jsontext import dumps_text

__all__ = ["NotATable", "NotCSV", "Table", "from_csv", "to_csv"]


class NotATable(Exception):
    """JSON that is no table: ``item`` is its number from 1, 0 for the whole; ``value`` is what is there."""

    def __init__(self, item: int, value: object) -> None:
        super().__init__(item)
        self.item, self.value = item, value


class NotCSV(Exception):
    """Text that is no CSV: the line, and why."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line, self.reason = line, reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table that was converted.

    Attributes:
        columns: their names, each one once.
        rows: how many there are.
        text: it as CSV; empty where it was read from there.
        records: it as objects; empty where it is CSV.
        nested: cells that hold lists or objects.
        renamed: columns that had no name or that of another.
        short: rows with fewer cells than columns.
        long: rows with more.
        further: the columns that those went to.
    """

    columns: Sequence[str]
    rows: int
    text: str = ""
    records: Sequence[Mapping[str, str]] = ()
    nested: int = 0
    renamed: Sequence[str] = ()
    short: int = 0
    long: int = 0
    further: Sequence[str] = ()


def to_csv(value: object, *, delimiter: str = ",") -> Table:
    """JSON as CSV.

    Args:
        value: a list of objects, or a single object for one row.
        delimiter: between cells.

    Raises:
        NotATable: it is something else.
    """
    items = [value] if isinstance(value, dict) else value
    if not isinstance(items, list):
        raise NotATable(0, value)
    columns: dict[str, None] = {}
    for number, item in enumerate(items, 1):
        if not isinstance(item, dict):
            raise NotATable(number, item)
        columns.update(dict.fromkeys(item))
    nested = sum(isinstance(cell, dict | list) for item in items for cell in item.values())
    lines = io.StringIO(newline="")
    writer = csv.writer(lines, delimiter=delimiter, lineterminator="\r\n")
    if columns:
        writer.writerow(columns)
        writer.writerows([[_cell(item.get(column)) for column in columns] for item in items])
    return Table(columns=tuple(columns), rows=len(items), text=lines.getvalue(), nested=nested)


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case str():
            return value
        case _:
            return dumps_text(value)


def from_csv(text: str, *, delimiter: str = ",") -> Table:
    """CSV as objects, all values text.

    A row with fewer cells than the header has empty ones; further cells go to columns of their own. A column without a name is
    called by its number, a second one of a name gets a number behind it.

    Args:
        text: without a byte order mark.
        delimiter: between cells.

    Raises:
        NotCSV: an open quote, text behind a closing one, or a cell of more than 131,072 characters.
    """
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        found = [row for row in reader if row]
    except csv.Error as error:
        raise NotCSV(reader.line_num, str(error)) from None
    if not found:
        return Table(columns=(), rows=0)
    header, *rows = found
    widest = max(map(len, found))
    columns, renamed = _named([*header, *[""] * (widest - len(header))])
    records = [dict(zip(columns, [*row, *[""] * (len(header) - len(row))], strict=False)) for row in rows]
    return Table(
        columns=columns,
        rows=len(rows),
        records=records,
        renamed=[name for name in renamed if name not in columns[len(header) :]],
        short=sum(len(row) < len(header) for row in rows),
        long=sum(len(row) > len(header) for row in rows),
        further=columns[len(header) :],
    )


def _named(header: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names of columns, each one once, and those that are not what the header says."""
    taken = set(header)
    names: list[str] = []
    renamed: list[str] = []
    for place, given in enumerate(header, 1):
        name = given or f"column_{place}"
        if not given or given in names:
            stem, number = name, 2
            while name in taken or name in names:
                name, number = f"{stem}_{number}", number + 1
            renamed.append(name)
        names.append(name)
    return names, renamed
