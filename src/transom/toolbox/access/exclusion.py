"""One process at a time: between comparing a file and letting new bytes take its place, no other of ours does the same in that
folder.

Knows open folders. Advisory, so it binds programs that ask for it, as every server of ours does; it waits a little and then
goes on: a process that was stopped in the middle must not stop the others.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator

from .folder import Folder

__all__ = ["alone_in"]

_PATIENCE = 2.0
"""Seconds to wait; what it guards takes about a millisecond."""
_GLANCE = 0.002

if sys.platform == "win32":  # pragma: no cover - other platforms

    def _lock(descriptor: int) -> bool:
        return descriptor >= 0

else:
    import fcntl

    def _lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            # No locks on this file system: comparing is all there is.
            return True
        return True


@contextlib.contextmanager
def alone_in(folder: Folder) -> Iterator[None]:
    """Have a folder's files for oneself while the ``with`` statement runs."""
    descriptor = _opened(folder)
    if descriptor is None:
        yield
        return
    try:
        end = time.monotonic() + _PATIENCE
        while not _lock(descriptor) and time.monotonic() < end:
            time.sleep(_GLANCE)
        yield
    finally:
        os.close(descriptor)


def _opened(folder: Folder) -> int | None:
    """The folder opened anew: a lock belongs to one opening, and threads of ours wait for each other as well."""
    if folder.descriptor is None:
        return None
    try:
        return os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder.descriptor)
    except OSError:
        return None
