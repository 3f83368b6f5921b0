"""Files below one directory, and nothing else.

Knows file descriptors, no entries. Every name is opened relative to the descriptor of its directory and never through a
symbolic link, so that nothing put into the tree meanwhile leads out of it (a check of the path beforehand could be outrun).
Needs the ``*at`` system calls, which Linux, macOS and the BSDs have.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from ....errors import StoreError
from ...backend import NO_ROOM

__all__ = ["Confined", "explain"]

_DIRECTORY = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


class Confined:
    """Operations on names below ``root``. All raise ``OSError`` for the caller to explain.

    Args:
        root: the directory; may itself be reached through a link.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    @contextlib.contextmanager
    def directory(self, names: Sequence[str], *, create: bool = False) -> Iterator[int]:
        """The descriptor of a directory; made on the way (mode 0700, synced) if asked."""
        descriptor = os.open(self.root, _DIRECTORY & ~getattr(os, "O_NOFOLLOW", 0))
        try:
            for name in names:
                try:
                    inner = os.open(name, _DIRECTORY, dir_fd=descriptor)
                except FileNotFoundError:
                    if not create:
                        raise
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(name, 0o700, dir_fd=descriptor)
                        os.fsync(descriptor)
                    inner = os.open(name, _DIRECTORY, dir_fd=descriptor)
                os.close(descriptor)
                descriptor = inner
            yield descriptor
        finally:
            os.close(descriptor)

    def read(self, names: Sequence[str]) -> bytes | None:
        """A file's bytes; ``None`` when it is not there."""
        try:
            with self.directory(names[:-1]) as directory:
                descriptor = os.open(names[-1], _READ, dir_fd=directory)
        except FileNotFoundError:
            return None
        with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor, not a path
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError(errno.ELOOP, "not a regular file", names[-1])
            return file.read()

    def status(self, names: Sequence[str]) -> os.stat_result | None:
        """A file's status; ``None`` when it is not there.

        Raises:
            OSError: with ``ELOOP``, when the name is a link or no regular file.
        """
        try:
            with self.directory(names[:-1]) as directory:
                status = os.stat(names[-1], dir_fd=directory, follow_symlinks=False)
        except FileNotFoundError:
            return None
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.ELOOP, "not a regular file", names[-1])
        return status

    def create(self, names: Sequence[str], data: bytes) -> None:
        """A new file, mode 0600, synced; fails if the name is taken, by a link too."""
        with self.directory(names[:-1], create=True) as directory:
            descriptor = os.open(names[-1], _CREATE, 0o600, dir_fd=directory)
            try:
                view = memoryview(data)
                while view:
                    view = view[os.write(descriptor, view) :]
                os.fsync(descriptor)
            except BaseException:
                # Half a file under that name would pass for a whole one.
                os.unlink(names[-1], dir_fd=directory)
                raise
            finally:
                os.close(descriptor)

    def move(self, source: Sequence[str], target: Sequence[str]) -> None:
        """Put a file in another's place, atomically and synced."""
        self.status(target)
        with self.directory(source[:-1]) as old, self.directory(target[:-1], create=True) as new:
            os.replace(source[-1], target[-1], src_dir_fd=old, dst_dir_fd=new)
            os.fsync(new)

    def touch(self, names: Sequence[str]) -> None:
        """Set a file's times to now."""
        with self.directory(names[:-1]) as directory:
            os.utime(names[-1], dir_fd=directory, follow_symlinks=False)

    def remove(self, names: Sequence[str]) -> bool:
        """Remove a file and the directories left empty; whether there was one."""
        if self.status(names) is None:
            return False
        with self.directory(names[:-1]) as directory:
            os.unlink(names[-1], dir_fd=directory)
            os.fsync(directory)
        for depth in range(len(names) - 1, 1, -1):
            try:
                with self.directory(names[: depth - 1]) as directory:
                    os.rmdir(names[depth - 1], dir_fd=directory)
            except OSError:
                break
        return True

    def walk(self, names: Sequence[str]) -> Iterator[tuple[list[str], os.stat_result]]:
        """Every regular file below a directory, links left out, in no order."""
        try:
            with self.directory(names) as directory:
                found = [(item.name, item.stat(follow_symlinks=False)) for item in os.scandir(directory)]
        except FileNotFoundError:
            return
        for name, status in found:
            below = [*names, name]
            if stat.S_ISDIR(status.st_mode):
                yield from self.walk(below)
            elif stat.S_ISREG(status.st_mode):
                yield below, status


def explain(error: OSError, root: Path) -> StoreError:
    """Say what an error number means for a store and what to do about it."""
    where = f" ({error.filename})" if error.filename is not None else ""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT | errno.EFBIG:
            return StoreError(f"{NO_ROOM} {root}", hint="free some space; nothing stored so far is lost")
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return StoreError(f"{root} is read-only{where}", hint="make the directory writable, or name another store")
        case errno.ELOOP | errno.ENOTDIR | errno.EMLINK:
            return StoreError(f"a link or a foreign file in {root}{where}", hint="remove it: a store follows no links")
        case _:
            return StoreError(
                f"{root} failed: {error.strerror or error}{where}", hint="check the path, its permissions and the disk"
            )
