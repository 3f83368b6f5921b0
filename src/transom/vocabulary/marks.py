"""What every remark of ours among text that is not ours stands between."""

from __future__ import annotations

__all__ = ["MARK_CLOSE", "MARK_OPEN"]

MARK_OPEN = "[… "
MARK_CLOSE = " …]"
"""The same in all locales, so that a mark is known again whatever it says."""
