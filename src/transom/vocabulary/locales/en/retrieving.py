"""English. See ``vocabulary.retrieving``."""

from __future__ import annotations

from ...retrieving import RetrievalWords

__all__ = ["RETRIEVING"]

RETRIEVING = RetrievalWords()
