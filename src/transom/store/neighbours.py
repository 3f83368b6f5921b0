"""Texts that stand beside one another in an entry: which follow which, what those around a match are worth, how they are shown.

Knows places, and texts as something to put there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from .backend import Hit
from .scanning import Ranked

__all__ = ["GAP", "Place", "Step", "around", "follows", "grouped", "hit_of", "steps"]

GAP = "…"

Place: TypeAlias = tuple[str, str, int]
"""Namespace, path and line; the line counts from 1 and is 0 for an entry of one text."""


def follows(before: Place, after: Place) -> bool:
    """Whether a text stands right behind another in one entry."""
    return before[:2] == after[:2] and before[2] > 0 and after[2] == before[2] + 1


def hit_of(found: Ranked[Place]) -> Hit:
    """A backend's hit for a text that was found by reading."""
    namespace, path, line = found.key
    beside = {str(at): worth for (_, _, at), worth in found.around.items()}
    meta = ({"line": line} if line else {}) | ({"around": beside} if beside else {})
    return Hit(namespace, path, found.score, found.snippet, meta)


def around(meta: Mapping[str, object]) -> dict[int, float]:
    """From a hit's meta values: what the lines beside it are worth as answers to the same question."""
    found = meta.get("around")
    if not isinstance(found, Mapping):
        return {}
    return {int(line): float(worth) for line, worth in found.items() if isinstance(worth, int | float) and str(line).isdigit()}


@dataclass(frozen=True, slots=True)
class Step:
    """One text to show next: where it stands, and which hit it is, or ``None`` for what stands beside one.

    Attributes:
        uri, line: its place; 0 for an entry of one text.
        hit: the number of the hit, from 0.
    """

    uri: str
    line: int
    hit: int | None


def steps(places: Sequence[tuple[str, int, float, Mapping[str, object]]]) -> list[Step]:
    """What to show after what: the best hit, then hits in their order, and what stands beside them where it is worth as much.

    Args:
        places: address, line, score and meta values of each hit, best first.
    """
    hits: dict[tuple[str, int], int] = {}
    beside: dict[tuple[str, int], float] = {}
    for number, (uri, line, _, meta) in enumerate(places):
        hits.setdefault((uri, line), number)
        for other, worth in around(meta).items():
            beside[uri, other] = max(worth, beside.get((uri, other), 0.0))
    result = [
        (-worth, len(places), line, Step(uri, line, None)) for (uri, line), worth in beside.items() if (uri, line) not in hits
    ]
    # A hit is never shown after one that is worse, whatever their backend thinks of scores.
    least = math.inf
    for (uri, line), number in hits.items():
        least = min(least, places[number][2])
        result.append((-least, number, line, Step(uri, line, number)))
    # The best hit comes first even where what stands beside it is worth more: there may be room for one text only.
    return [step for *_, step in sorted(result, key=lambda item: (item[1] != 0, *item[:3]))]


def grouped(shown: Sequence[tuple[Step, str]]) -> list[tuple[str, str, str]]:
    """What is shown, entry by entry, the best entry first: its address, the numbers of its lines, and the text.

    Of an entry of which several lines are shown each begins with its number, and … stands where some are left out between them.
    """
    entries: dict[str, dict[int, str]] = {}
    for step, text in shown:
        entries.setdefault(step.uri, {})[step.line] = text
    return [(uri, _numbers(sorted(lines)), _page(lines)) for uri, lines in entries.items()]


def _page(lines: Mapping[int, str]) -> str:
    if len(lines) == 1:
        return next(iter(lines.values()))
    written: list[str] = []
    before = 0
    for line in sorted(lines):
        if before and line != before + 1:
            written.append(GAP)
        written.append(f"[{line}] {lines[line]}")
        before = line
    return "\n".join(written)


def _numbers(lines: Sequence[int]) -> str:
    runs: list[list[int]] = []
    for line in lines:
        if runs and line == runs[-1][1] + 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    return ", ".join(f"{first}-{last}" if last > first else f"{first}" for first, last in runs)
