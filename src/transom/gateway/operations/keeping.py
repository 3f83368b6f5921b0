"""Whether the store is still where it was opened: a file that was removed takes what is written, and nobody finds it again.

Knows a path; reads nothing of what lies there.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path

from ...store.store import Store

__all__ = ["Keeping", "try_to_keep"]

_log = logging.getLogger("transom.gateway")


class Keeping:
    """The place of an open store.

    Args:
        path: its file or folder, which is there now.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._first = _identity(path)
        self._is_told = False

    def lost(self) -> str:
        """What became of it, as a sentence; empty while all is well. Costs a look at the folder, some microseconds."""
        now = _identity(self.path)
        if now == self._first:
            self._is_told = False
            return ""
        said = f"the store {self.path} is gone" if now is None else f"the store {self.path} is another file now"
        if not self._is_told:
            self._is_told = True
            _log.warning("%s: nothing can leave a window until it is put back, or the gateway is started anew", said)
        return said


async def try_to_keep(store: Store) -> None:
    """Write something and remove it, so that a place where nothing can be kept shows at once.

    Raises:
        StoreError: nothing can be written there.
    """
    path = f"tried-{os.getpid()}"
    await store.put("windows", b"", path=path)
    await store.delete("windows", path)


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
