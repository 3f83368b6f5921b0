"""What frames state, guardrails and announcements."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PlacementWords"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementWords:
    """What frames state, guardrails and announcements."""
