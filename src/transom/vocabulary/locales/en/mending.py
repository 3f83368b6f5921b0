"""English. See ``vocabulary.mending``."""

from __future__ import annotations

from ...mending import MendingWords

__all__ = ["MENDING"]

MENDING = MendingWords()
