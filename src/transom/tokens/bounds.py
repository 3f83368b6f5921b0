"""Between what numbers a number of tokens can be believed: of a window, and of anything that is counted."""

from __future__ import annotations

from typing import TypeGuard

__all__ = ["LARGEST_WINDOW", "MOST_TOKENS", "SMALLEST_WINDOW", "is_window"]

SMALLEST_WINDOW, LARGEST_WINDOW = 1_024, 100_000_000
"""Tokens between which a window is one. No model takes a hundredth of the largest; more is a slip. In less than the smallest
nobody talks with a model."""
MOST_TOKENS = 10**12
"""Nothing weighs as much. JSON knows larger numbers than can be reckoned with."""


def is_window(value: object) -> TypeGuard[int]:
    """Whether a value from outside can be the window of a model that somebody talks with, in tokens."""
    return isinstance(value, int) and not isinstance(value, bool) and SMALLEST_WINDOW <= value <= LARGEST_WINDOW
