"""English. See ``vocabulary.remembering``."""

from __future__ import annotations

from ...remembering import MemoryWords

__all__ = ["REMEMBERING"]

REMEMBERING = MemoryWords()
