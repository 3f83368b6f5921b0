"""How commands speak: tables, lines, exact JSON and raw bytes on stdout, notes and progress on stderr.

Knows streams, no command. On a terminal a table is drawn with rich (which honours ``NO_COLOR``); in a pipe it is plain aligned
lines with a header, one row a line. Rich is imported only when something is drawn. Text from a conversation may hold
control characters: they are shown escaped, never sent to the terminal. ``json_line`` and ``raw`` send what they are given.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

__all__ = ["counted", "json_line", "json_note", "line", "note", "progress", "raw", "table"]

_CONTROLS = (
    {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160))}
    | {9: "\\t", 10: "\\n", 13: "\\r"}
    # Marks that turn the order of what follows, and separators that break a line.
    | {
        code: f"\\u{code:04x}"
        for code in (0x061C, 0x200E, 0x200F, 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
    }
)

READABLE = 24
"""Columns of a terminal that words which wrap are given at least."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number and what it counts, which says ``s`` for more than one unless a plural is given."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def line(text: str) -> None:
    """One line of result."""
    sys.stdout.write(f"{_shown(text)}\n")


def note(text: str) -> None:
    """One line beside the result, on stderr."""
    sys.stderr.write(f"{_shown(text)}\n")


def json_line(value: object) -> None:
    """One JSON document and a newline."""
    # Imported where it is used: the JSON libraries take 20 ms, and help needs none of them.
    from ..jsontext import dumps

    raw(dumps(value) + b"\n")


def json_note(value: object) -> None:
    """One JSON document beside the result, as one line on stderr."""
    from ..jsontext import dumps

    sys.stderr.flush()
    sys.stderr.buffer.write(dumps(value) + b"\n")
    sys.stderr.buffer.flush()


def raw(data: bytes) -> None:
    """Bytes as they are."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    title: str = "",
    right: Sequence[int] = (),
    spare: Sequence[int] = (),
) -> None:
    """A table; in a pipe, and where a terminal is too narrow for it, aligned lines.

    Numbers and addresses are never broken: who copies one gets all of it.

    Args:
        columns: the headings.
        rows: one value a column, shown as ``str`` gives it (``None`` as nothing).
        title: drawn above it on a terminal, left out in a pipe.
        right: indexes of the columns of numbers.
        spare: indexes of the columns that a narrow terminal leaves out, the first to go first.
    """
    cells = [[_shown("" if value is None else str(value)) for value in row] for row in rows]
    kept = list(range(len(columns)))
    if sys.stdout.isatty():
        kept, drawn = _draw(columns, cells, title, right, spare)
        if drawn:
            return
    widths = [max([_width(name), *(_width(row[index]) for row in cells)]) for index, name in enumerate(columns)]
    for row in ([*columns], *cells):
        padded = [_pad(row[index], widths[index], to_right=index in right) for index in kept]
        sys.stdout.write("  ".join(padded).rstrip() + "\n")


@contextmanager
def progress(label: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """A bar on stderr while long work runs, gone when it ends; nothing where stderr is no terminal.

    Yields:
        A function that takes how many steps were done since the last call.
    """
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total)
        yield lambda steps: bar.advance(task, steps)


def _draw(
    columns: Sequence[str], cells: Sequence[Sequence[str]], title: str, right: Sequence[int], spare: Sequence[int]
) -> tuple[list[int], bool]:
    """Draw the table, if the terminal is wide enough.

    Returns:
        The indexes of the columns there is room for, and whether they were drawn.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    least: list[int] = []
    for index, name in enumerate(columns):
        column = [name, *(row[index] for row in cells)]
        word = max((_width(part) for cell in column for part in cell.split()), default=0)
        least.append(max(word, min(max(map(_width, column)), READABLE)))
    kept = list(range(len(columns)))
    for leave_out in (*spare, None):
        # A cell has a blank on either side and another towards the next; the table has one at either end.
        if sum(least[place] + 3 for place in kept) + 1 <= console.width:
            break
        if leave_out is None:
            return kept, False
        kept.remove(leave_out)
    drawn = Table(title=title or None, box=box.SIMPLE_HEAD, title_justify="left")
    for index in kept:
        number = index in right
        drawn.add_column(
            columns[index], justify="right" if number else "left", overflow="fold", no_wrap=number, min_width=least[index]
        )
    for row in cells:
        drawn.add_row(*(Text(row[index]) for index in kept))
    console.print(drawn)
    return kept, True


def _shown(text: str) -> str:
    return text.translate(_CONTROLS)


def _width(text: str) -> int:
    """Columns on a terminal: wide East Asian characters take two, marks that combine with the one before take none."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _pad(text: str, width: int, *, to_right: bool) -> str:
    blanks = " " * (width - _width(text))
    return blanks + text if to_right else text + blanks
