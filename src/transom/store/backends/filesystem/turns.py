"""Who of this process is next: those who want the lock of one store get it in the order in which they came.

Knows threads, no files. The lock between processes is polled, so that luck would decide among many; within a process only one
at a time polls it, and to wait for one's own kind says nothing about other processes.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections import deque
from collections.abc import Iterator

__all__ = ["Turn", "turn_of"]


class Turn:
    """The queue before one lock.

    Attributes:
        is_locked: whoever had the turn last waited for another process in vain.
        vain: how often that happened.
    """

    def __init__(self) -> None:
        self.is_locked = False
        self.vain = 0
        self._guard = threading.Lock()
        self._is_taken = False
        self._waiting: deque[threading.Event] = deque()

    @contextlib.contextmanager
    def taken(self, patience: float) -> Iterator[bool]:
        """Wait, and have the turn to oneself.

        Args:
            patience: seconds to wait for those who came before.

        Returns:
            Whether it came.
        """
        came = self._take(patience)
        try:
            yield came
        finally:
            if came:
                self._pass_on()

    def _take(self, patience: float) -> bool:
        mine = threading.Event()
        with self._guard:
            if not self._is_taken:
                self._is_taken = True
                return True
            self._waiting.append(mine)
        if mine.wait(patience):
            return True
        with self._guard:
            if mine.is_set():
                # It came while we gave up.
                return True
            self._waiting.remove(mine)
        return False

    def _pass_on(self) -> None:
        with self._guard:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._is_taken = False


def turn_of(process: int, device: int, file: int) -> Turn:
    """The one queue before a lock file, whoever opens it: several backends of a process may have one folder.

    One that is forgotten and made anew costs only the order: the file's own lock is what excludes.

    Args:
        process: its number. What another thread held when a process was forked would never be given back in the child.
        device, file: the numbers of the lock file.
    """
    _made(process, device, file)
    # Of two threads that make one at once each is given its own, but only the first is kept.
    return _made(process, device, file)


@functools.lru_cache(maxsize=256)
def _made(process: int, device: int, file: int) -> Turn:  # noqa: ARG001 - what it is kept by
    return Turn()
