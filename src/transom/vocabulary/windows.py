"""What is said of the window itself: the notice before it closes, the indicator after it did."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["WindowWords"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowWords:
    """What is said of the window itself: the notice before it closes, the indicator after it did."""
