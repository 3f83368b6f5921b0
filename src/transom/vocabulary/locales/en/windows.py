"""English. See ``vocabulary.windows``."""

from __future__ import annotations

from ...windows import WindowWords

__all__ = ["WINDOWS"]

WINDOWS = WindowWords()
