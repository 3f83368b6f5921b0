"""Whether something can be kept: what a removed store takes nobody finds again, and a full one takes nothing.

Knows a path and a store; reads nothing of what lies there.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable
from pathlib import Path

from ...errors import StoreError
from ...store.backend import NO_ROOM
from ...store.store import Store

__all__ = ["Keeping", "try_to_keep"]

_log = logging.getLogger("transom.gateway")

_EVERY = 5.0
"""Seconds for which an attempt to write counts: whoever watches may ask as often as he likes."""
_ROOM = 1 << 20
"""Bytes that a disk must have left: less than one closing of a long conversation may take."""
_TRIED = bytes(16 << 10)
"""What is written as a trial. A few bytes might still find a place in a file that can grow no more."""


class Keeping:
    """The place of an open store.

    Args:
        path: its file or folder, which is there now.
        store: what lies there.
        clock: seconds.
    """

    def __init__(self, path: Path, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self.path = path
        self._store = store
        self._clock = clock
        self._first = _identity(path)
        self._is_told = False
        self._turn = asyncio.Lock()
        self._tried: tuple[float, str, str] | None = None

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

    async def state(self) -> tuple[str, str]:
        """``ok``, ``gone``, ``full`` or ``failed``, and what is wrong, as a sentence. Writes every few seconds at most."""
        if said := self.lost():
            return "gone", said
        async with self._turn:
            if self._tried is None or self._clock() - self._tried[0] >= _EVERY:
                found = await self._try()
                self._tried = (self._clock(), *found)
            return self._tried[1:]

    async def _try(self) -> tuple[str, str]:
        try:
            await try_to_keep(self._store)
        except StoreError as error:
            return "full" if error.message.startswith(NO_ROOM) else "failed", error.message
        room = _room(self.path)
        if room is not None and room < _ROOM:
            return "full", f"{NO_ROOM} more than {room:,} bytes beside {self.path}"
        return "ok", ""


async def try_to_keep(store: Store) -> None:
    """Write something and remove it, so that a place where nothing can be kept shows at once.

    Raises:
        StoreError: nothing can be written there.
    """
    path = f"tried-{os.getpid()}"
    await store.put("windows", _TRIED, path=path, sync=True)
    await store.delete("windows", path)


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _room(path: Path) -> int | None:
    """Bytes that this process may still write on the disk; ``None`` where the file system does not say."""
    if not hasattr(os, "statvfs"):
        return None
    try:
        found = os.statvfs(path)
    except OSError:
        return None
    if not found.f_blocks:
        return None
    return (found.f_bfree if os.geteuid() == 0 else found.f_bavail) * found.f_frsize
