"""English. See ``vocabulary.placing``."""

from __future__ import annotations

from ...placing import PlacementWords

__all__ = ["PLACING"]

PLACING = PlacementWords(
    contract="Your next answer has to follow these rules:",
    answer="Write the whole answer between <{name}> and </{name}>.",
)
