"""In which order entries are recalled: mostly by how new they are, partly by how often they were wanted.

Pure. The weights are those of the memory tools this replaces: 0.7 × recency, which falls to 1/e in a day, and 0.3 × frequency,
f / (f + 5) for f uses.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable
from typing import Protocol, TypeVar

__all__ = ["DAY", "Rankable", "frequency", "rank", "recency", "score"]

R = TypeVar("R", bound="Rankable")

DAY = 86_400.0
"""Seconds."""

_RECENCY, _FREQUENCY = 0.7, 0.3
_HALF = 5


class Rankable(Protocol):
    """What has an order: an entry, or its heading."""

    @property
    def id(self) -> str:
        """Its id."""
        ...

    @property
    def created(self) -> float:
        """Unix time in seconds."""
        ...

    @property
    def uses(self) -> int:
        """How often it was wanted."""
        ...


def recency(age: float) -> float:
    """1 for what was just written (or, by another machine's clock, later), 1/e after a day, towards 0. ``age`` in seconds."""
    return math.exp(-max(0.0, age) / DAY)


def frequency(uses: int) -> float:
    """0 for what was never recalled, 0.5 after five times, towards 1."""
    return uses / (uses + _HALF)


def score(entry: Rankable, now: float) -> float:
    """How much an entry matters at a moment: 0 to 1."""
    return _RECENCY * recency(now - entry.created) + _FREQUENCY * frequency(entry.uses)


def rank(entries: Iterable[R], now: float, limit: int | None = None) -> list[R]:
    """What matters most first, ``limit`` of them at most; of equals the newer one, then by id."""

    def order(entry: R) -> tuple[float, float, str]:
        return -score(entry, now), -entry.created, entry.id

    return sorted(entries, key=order) if limit is None else heapq.nsmallest(limit, entries, key=order)
