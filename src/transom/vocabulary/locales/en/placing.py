"""English. See ``vocabulary.placing``."""

from __future__ import annotations

from ...placing import PlacementWords

__all__ = ["PLACING"]

PLACING = PlacementWords()
