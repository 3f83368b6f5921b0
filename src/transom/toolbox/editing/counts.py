"""How often a session has changed each file, so that it can be told when line numbers it knows may be old."""

from __future__ import annotations

import threading
from collections import OrderedDict

__all__ = ["EditCounts"]

_MOST_FILES = 1_000


class EditCounts:
    """The changes of one session, by file; from any thread. The files changed longest ago are forgotten first."""

    def __init__(self) -> None:
        self._times: OrderedDict[str, int] = OrderedDict()
        self._lock = threading.Lock()

    def changed(self, path: str) -> int:
        """Count a change; how many there have been of this file."""
        with self._lock:
            times = self._times.pop(path, 0) + 1
            self._times[path] = times
            if len(self._times) > _MOST_FILES:
                self._times.popitem(last=False)
            return times
