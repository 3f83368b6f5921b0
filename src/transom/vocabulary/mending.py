"""What repair, pruning leftovers and prefills put into a conversation: openings, stand-ins, notes."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["MendingWords"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MendingWords:
    """What repair, pruning leftovers and prefills put into a conversation: openings, stand-ins, notes."""
