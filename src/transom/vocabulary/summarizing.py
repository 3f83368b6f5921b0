"""What a summarizing model is asked, and what frames its answer in the window."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SummaryWords"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryWords:
    """What a summarizing model is asked, and what frames its answer in the window."""
