"""A Markdown table of rows: columns as wide as what they hold, as a reader of the plain text sees it."""

from __future__ import annotations

import contextlib
import csv
import io
import unicodedata
from collections.abc import Mapping, Sequence

from ....errors import JSONError
from ....jsontext import dumps_text, loads
from ....vocabulary.shaping import ShapingWords
from ...tool import Refused
from .operations import Alignment

__all__ = ["Alignment", "markdown_table", "rows_of_csv"]

MOST_COLUMNS = 100
_WIDEST = 60
"""Columns are filled up to this width; what is wider stands out instead of making every line as long."""
_DELIMITERS = ",;\t|"


def rows_of_csv(text: str, words: ShapingWords) -> list[list[str]]:
    """The rows of a CSV text; what parts its cells is read off its first line.

    Raises:
        Refused: it is no CSV.
    """
    first = text.lstrip("\ufeff").partition("\n")[0]
    delimiter = max(_DELIMITERS, key=lambda char: (first.count(char), -_DELIMITERS.index(char)))
    try:
        rows = list(csv.reader(io.StringIO(text.lstrip("\ufeff"), newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise Refused("invalid_input", words.bad_csv.format(why=error)) from None
    return [row for row in rows if row]


def markdown_table(
    rows: Sequence[object], headers: Sequence[str], alignment: Sequence[Alignment], words: ShapingWords
) -> tuple[str, int]:
    """The table, and how many columns it has.

    Args:
        rows: lists of cells, or objects by column.
        headers: the columns; of objects, which and in which order. Without them the first list is the head.
        alignment: one a column; those that are left out stand left, columns of numbers right.
        words: what refusals say.

    Raises:
        Refused: no columns, too many, or a row that is neither list nor object.
    """
    rows = [_read(row) for row in rows]
    named = any(isinstance(row, Mapping) for row in rows)
    names = list(headers) or list(dict.fromkeys(str(key) for row in rows if isinstance(row, Mapping) for key in row))
    body: list[list[object]] = []
    for number, row in enumerate(rows, 1):
        if isinstance(row, Mapping):
            by_name = {str(key): value for key, value in row.items()}
            body.append([by_name.get(name, "") for name in names])
        elif isinstance(row, list | tuple):
            body.append(list(row))
        else:
            raise Refused("invalid_input", words.bad_row.format(number=number))
    if not names and not named and body:
        names = [_text(cell) for cell in body.pop(0)]
    columns = max([len(names), *map(len, body)], default=0)
    if not columns:
        raise Refused("invalid_input", words.nothing_to_show)
    if columns > MOST_COLUMNS:
        raise Refused("out_of_range", words.too_wide.format(limit=MOST_COLUMNS))
    head = [_cell(name) for name in [*names, *[""] * (columns - len(names))]]
    table = [[_cell(cell) for cell in [*row, *[""] * (columns - len(row))]] for row in body]
    aligned = [
        alignment[column] if column < len(alignment) else _usual([row[column] for row in body if column < len(row)])
        for column in range(columns)
    ]
    return _drawn(head, table, aligned), columns


def _read(row: object) -> object:
    """A row that was written as JSON, as targets do whose schemas know no lists of anything; any other as it is."""
    if isinstance(row, str) and row[:1] in {"[", "{"}:
        with contextlib.suppress(JSONError):
            return loads(row)
    return row


def _drawn(head: Sequence[str], table: Sequence[Sequence[str]], aligned: Sequence[Alignment]) -> str:
    widths = [max(3, *(min(_width(row[column]), _WIDEST) for row in (head, *table))) for column in range(len(head))]
    rules = {"left": "-{}-", "center": ":{}:", "right": "-{}:"}
    rule = [rules[side].format("-" * (wide - 2)) for side, wide in zip(aligned, widths, strict=True)]
    lines = [_line(head, widths, aligned), f"| {' | '.join(rule)} |", *(_line(row, widths, aligned) for row in table)]
    return "\n".join(lines)


def _line(cells: Sequence[str], widths: Sequence[int], aligned: Sequence[Alignment]) -> str:
    filled = [_filled(cell, wide, side) for cell, wide, side in zip(cells, widths, aligned, strict=True)]
    return f"| {' | '.join(filled)} |"


def _filled(cell: str, wide: int, side: Alignment) -> str:
    blank = max(0, wide - _width(cell))
    match side:
        case "left":
            return cell + " " * blank
        case "right":
            return " " * blank + cell
        case "center":
            return " " * (blank // 2) + cell + " " * (blank - blank // 2)


def _usual(cells: Sequence[object]) -> Alignment:
    """Right for numbers, as long as there is nothing else."""
    filled = [cell for cell in cells if cell not in ("", None)]
    return "right" if filled and all(_is_number(cell) for cell in filled) else "left"


def _is_number(cell: object) -> bool:
    if isinstance(cell, bool):
        return False
    if isinstance(cell, int | float):
        return True
    try:
        float(str(cell).replace(",", "").rstrip("%"))
    except ValueError:
        return False
    return str(cell).strip()[:1] in "+-.0123456789"


def _text(cell: object) -> str:
    """A cell as text: texts as they are, everything else as JSON has it; nothing for null."""
    return cell if isinstance(cell, str) else "" if cell is None else dumps_text(cell)


def _cell(cell: object) -> str:
    """A cell as Markdown takes it: on one line, and no end of the cell in it."""
    lines = _text(cell).strip().replace("\r\n", "\n").replace("\r", "\n").replace("|", "\\|")
    return "<br>".join(line.strip() for line in lines.split("\n"))


def _width(text: str) -> int:
    """Columns that a text takes where letters have one width."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)
