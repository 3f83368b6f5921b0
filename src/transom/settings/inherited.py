"""The environment this process was started with, for those who start others. What of it they hand on is theirs to choose."""

from __future__ import annotations

import os
from collections.abc import Mapping

__all__ = ["inherited_environment"]


def inherited_environment() -> Mapping[str, str]:
    """A copy of it, as it is now."""
    return dict(os.environ)
