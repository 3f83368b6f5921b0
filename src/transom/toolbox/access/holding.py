"""A file that one process holds while it lives: nobody else can lock it, and the system lets go of it however the process ends.

Knows no contents.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path

from ..sandbox.ownership import is_ours

__all__ = ["Held"]

_TAKEN = frozenset({errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK, errno.EDEADLK})
"""Somebody else holds it."""

if sys.platform == "win32":  # pragma: no cover - other platforms
    import msvcrt

    def _lock(descriptor: int) -> bool:
        position = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, 1 << 30, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            return error.errno not in _TAKEN
        finally:
            os.lseek(descriptor, position, os.SEEK_SET)
        return True

else:
    import fcntl

    def _lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            return error.errno not in _TAKEN
        return True


_FLAGS = os.O_RDWR | os.O_APPEND | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


class Held:
    """One file, locked.

    Args:
        path: where it is.
        descriptor: it, open and locked.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor
        self.size = os.fstat(descriptor).st_size

    @classmethod
    def create(cls, folder: Path, suffix: str) -> Held:
        """A new file, in a folder that is made if need be."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        while True:
            path = folder / f"{os.getpid()}-{secrets.token_hex(4)}{suffix}"
            descriptor = os.open(path, _FLAGS | os.O_CREAT | os.O_EXCL, 0o600)
            # Somebody who puts things in order may have found it before it was locked, and removed it.
            if _lock(descriptor) and path.exists():
                return cls(path, descriptor)
            os.close(descriptor)

    @classmethod
    def abandoned(cls, folder: Path, suffix: str) -> Iterator[Held]:
        """The files whose owners are gone, each locked by now; only those that nobody else can have written."""
        if folder.is_symlink() or not folder.is_dir():
            return
        for path in sorted(folder.glob(f"*{suffix}")):
            try:
                if not is_ours(path.lstat()):
                    continue
                descriptor = os.open(path, _FLAGS)
            except OSError:
                continue
            if is_ours(os.fstat(descriptor)) and _lock(descriptor) and path.exists():
                yield cls(path, descriptor)
            else:
                os.close(descriptor)

    def fileno(self) -> int:
        """The open file, for a process that is to hold it too."""
        return self._descriptor

    def append(self, data: bytes, *, synced: bool) -> None:
        """Add to it."""
        view = memoryview(data)
        while view:
            view = view[os.write(self._descriptor, view) :]
        self.size += len(data)
        if synced:
            os.fsync(self._descriptor)

    def read(self) -> bytes:
        """All of it."""
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        with open(self._descriptor, "rb", closefd=False) as file:
            return file.read()

    def clear(self) -> None:
        """Empty it."""
        os.ftruncate(self._descriptor, 0)
        self.size = 0

    def close(self, *, remove: bool) -> None:
        """Let go of it."""
        if os.name == "nt":  # pragma: no cover - an open file cannot be removed there
            os.close(self._descriptor)
        if remove:
            with contextlib.suppress(OSError):
                self.path.unlink()
        if os.name != "nt":
            os.close(self._descriptor)
