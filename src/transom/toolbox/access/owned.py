"""Which paths are this program's own: its store, and what lies beside it under the same name.

Knows texts only.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable

__all__ = ["comparable", "is_own"]


def comparable(path: str) -> str:
    """A path as the most forgiving file system compares it."""
    return unicodedata.normalize("NFC", path).casefold()


def is_own(path: str, own: Iterable[str]) -> bool:
    """Whether a path is one of these files and folders, or belongs to one.

    Args:
        path: a real path.
        own: real paths.
    """
    here = comparable(path)
    # A store of SQLite has files beside it that are called as it is, and more.
    return any(here == mine or here.startswith((mine + os.sep, mine + "-")) for mine in map(comparable, own))
