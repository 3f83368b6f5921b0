"""English. See ``vocabulary.summarizing``."""

from __future__ import annotations

from ...summarizing import SummaryWords

__all__ = ["SUMMARIZING"]

SUMMARIZING = SummaryWords()
