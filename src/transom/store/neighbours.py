"""Texts that stand beside one another in an entry: which follow which, and what a search says of those around a match.

Knows places (namespace, path, line), no text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from .backend import Hit
from .ranking import Ranked

__all__ = ["Place", "around", "follows", "hit_of"]

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
