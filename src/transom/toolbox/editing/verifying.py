"""Whether a line is the one that was meant: a file may have changed since its lines were counted.

Lines are compared one by one, white space around them left out. Text that stands lower within the range that was asked for
confirms it; text that stands a little higher or lower than the range moves the whole edit; text that stands nowhere near, or at
several places that say different things, stops it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from .document import Document
from .refusal import EditRefused
from .replacing import found

__all__ = ["REACH", "Anchor", "Stand", "anchored", "block_lines", "contains", "drift", "standing"]


REACH = 3
"""How many lines a text may have moved, up or down."""


def block_lines(text: str) -> list[str]:
    """A block of lines as it is compared: one newline at its end is no line, blanks around a line do not count."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    return [line.strip() for line in lines]


class Stand(NamedTuple):
    """Where a text that verifies a range stands.

    Attributes:
        step: by how many lines the range moved; 0: not at all, negative: it stands higher.
        line: the first line of the text.
    """

    step: int
    line: int


def drift(document: Document, first: int, last: int, block: str) -> Stand:
    """By how many lines a range moved from where it was thought to be.

    Args:
        document: the file.
        first, last: the range.
        block: one or more lines that it should begin with, or hold; all must match.

    Raises:
        EditRefused: ``drift``: it is not in the range, nor within ``REACH`` lines of its begin; ``ambiguous``: it is, twice at
            the same distance, or in the range and outside.
    """
    wanted = block_lines(block)
    if _stands(document, first, wanted):
        return Stand(0, first)
    bottom = min(last, document.lines.count) - len(wanted) + 1
    inside = next((line for line in range(first + 1, bottom + 1) if _stands(document, line, wanted)), None)
    near = [step for step in range(-REACH, REACH + 1) if not first <= first + step <= bottom]
    steps = [step for step in sorted(near, key=abs) if _stands(document, first + step, wanted)]
    if inside is not None:
        if steps:
            raise EditRefused("ambiguous", "inside_and_outside", line=first, inside=inside, outside=first + steps[0])
        return Stand(0, inside)
    if not steps:
        raise EditRefused("drift", "drifted", line=first, reach=REACH)
    if -steps[0] in steps[1:]:
        distance = abs(steps[0])
        raise EditRefused("ambiguous", "two_places", line=first, above=first - distance, below=first + distance)
    return Stand(steps[0], first + steps[0])


def _stands(document: Document, first: int, wanted: list[str]) -> bool:
    lines = document.lines
    if first < 1 or first + len(wanted) - 1 > lines.count:
        return False
    return all(_comparable(lines.content(first + at)) == line for at, line in enumerate(wanted))


def standing(document: Document, wanted: list[str]) -> Iterator[int]:
    """The lines where a block begins, anywhere in the file; of many places the first few."""
    places = 0
    for match in found(document.lines, wanted[0].encode(errors="surrogateescape")) if wanted[0] else ():
        number = document.lines.at(match.start)
        if _stands(document, number, wanted):
            yield number
            places += 1
        if places > REACH:
            return


def _comparable(line: bytes) -> str:
    """A line as text, exactly: bytes that are no UTF-8 stay apart from every character."""
    return line.decode(errors="surrogateescape").strip()


def contains(document: Document, number: int, text: bytes) -> bool:
    """Whether a line holds a text."""
    lines = document.lines
    return 1 <= number <= lines.count and text in lines.content(number)


@dataclass(frozen=True, slots=True)
class Anchor:
    """The first place of a text: its lines, and how many lines it begins on in all."""

    first: int
    last: int
    places: int


def anchored(document: Document, text: bytes) -> Anchor | None:
    """Where a text stands first; it may reach over several lines. ``None``: nowhere."""
    lines = document.lines
    matches = list(found(lines, text))
    if not matches:
        return None
    starts = {lines.at(match.start) for match in matches}
    return Anchor(lines.at(matches[0].start), lines.at(matches[0].end - 1), len(starts))
