"""Taking turns at files: what reads a file, works out its new bytes and writes them is done by one thread at a time.

Knows names, no files. Within this process; between processes a file is compared and replaced in one go (``exclusion``).
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator

__all__ = ["Turns"]

_GLANCE = 0.05
"""Seconds between two looks at whether the caller still waits."""


class _Lock:
    __slots__ = ("lock", "users")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.users = 0


class Turns:
    """Locks by name, each kept as long as somebody wants it."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._locks: dict[str, _Lock] = {}

    @contextlib.contextmanager
    def at(self, names: Iterable[str], go_on: Callable[[], None]) -> Iterator[None]:
        """Have names for oneself while the ``with`` statement runs.

        Args:
            names: which, in any order: those who want several get them in one order, so that nobody waits for ever.
            go_on: called while waiting; what it raises ends it.
        """
        with contextlib.ExitStack() as stack:
            for name in sorted(set(names)):
                stack.enter_context(self._one(name, go_on))
            yield

    @contextlib.contextmanager
    def _one(self, name: str, go_on: Callable[[], None]) -> Iterator[None]:
        with self._guard:
            held = self._locks.setdefault(name, _Lock())
            held.users += 1
        try:
            while not held.lock.acquire(timeout=_GLANCE):
                go_on()
            try:
                yield
            finally:
                held.lock.release()
        finally:
            with self._guard:
                held.users -= 1
                if not held.users:
                    del self._locks[name]
