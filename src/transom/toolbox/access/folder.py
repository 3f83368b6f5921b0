"""One folder that is open: the system calls on names in it, and none on names below those.

Knows no roots. With a descriptor every call is relative to it and follows no link, so nothing that is put into the tree
meanwhile can lead elsewhere. Platforms whose calls take no descriptors (Windows) get the same calls on joined paths: checks
there can be outrun, and ``DESCRIPTORS`` says so.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["DESCRIPTORS", "Entry", "Folder"]

DESCRIPTORS = {os.open, os.stat, os.readlink, os.mkdir, os.unlink, os.rmdir, os.rename}.issubset(os.supports_dir_fd)
"""Whether names are resolved relative to descriptors here."""

_CLOSED = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOINHERIT", 0) | getattr(os, "O_BINARY", 0)
_PLAIN = getattr(os, "O_NOFOLLOW", 0) | _CLOSED
# O_PATH needs no right to list a folder, only the right to pass through it.
_PASS = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | _PLAIN
_LIST = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _PLAIN
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | _PLAIN
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _PLAIN


@dataclass(frozen=True, slots=True)
class Entry:
    """One name in a folder.

    Attributes:
        name: as the file system has it.
        status: of the name itself, a link not followed; ``None`` where it was not asked for, vanished or may not be asked.
        kind: ``S_IFDIR``, ``S_IFREG``, ``S_IFLNK`` …; 0 where that is not known.
    """

    name: str
    status: os.stat_result | None
    kind: int

    @property
    def is_folder(self) -> bool:
        """A folder, not a link to one."""
        return self.kind == stat.S_IFDIR

    @property
    def is_file(self) -> bool:
        """A regular file, not a link to one."""
        return self.kind == stat.S_IFREG

    @property
    def is_link(self) -> bool:
        """A symbolic link, whatever it leads to."""
        return self.kind == stat.S_IFLNK


class Folder:
    """An open folder. All calls raise ``OSError``.

    Args:
        path: where it is; used for calls only where there are no descriptors.
        descriptor: it, open; closed by ``close``.
    """

    __slots__ = ("descriptor", "path")

    def __init__(self, path: str, descriptor: int | None) -> None:
        self.path = path
        self.descriptor = descriptor

    @classmethod
    def at(cls, path: str) -> Folder:
        """Open a folder by a path that is trusted."""
        if DESCRIPTORS:
            return cls(path, os.open(path, _PASS))
        if not stat.S_ISDIR(os.stat(path).st_mode):  # noqa: PTH116 - the same call as above, with a text
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
        return cls(path, None)

    def close(self) -> None:
        """Close it; any number of times."""
        if self.descriptor is not None:
            descriptor, self.descriptor = self.descriptor, None
            os.close(descriptor)

    def _name(self, name: str) -> str:
        if DESCRIPTORS:
            if self.descriptor is None:
                raise OSError(errno.EBADF, os.strerror(errno.EBADF), self.path)
            return name
        return os.path.join(self.path, name)  # noqa: PTH118 - names as the system has them

    def status(self, name: str) -> os.stat_result:
        """Of a name, a link not followed."""
        return os.stat(self._name(name), dir_fd=self.descriptor, follow_symlinks=False)

    def target(self, name: str) -> str:
        """What a link says."""
        return os.readlink(self._name(name), dir_fd=self.descriptor)

    def enter(self, name: str) -> Folder:
        """A folder in this one; a link is none."""
        below = os.path.join(self.path, name)  # noqa: PTH118
        if DESCRIPTORS:
            return Folder(below, os.open(self._name(name), _PASS, dir_fd=self.descriptor))
        status = self.status(name)
        # A junction says that it is a folder, and leads anywhere.
        if not stat.S_ISDIR(status.st_mode) or bool(getattr(status, "st_reparse_tag", 0)):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), below)
        return Folder(below, None)

    def open(self, name: str) -> int:
        """A regular file's descriptor for reading. Whatever else stands there is never waited for.

        Raises:
            OSError: ``EISDIR`` for a folder, ``ENXIO`` for a FIFO, device or socket.
        """
        # Opening a device can do things (rewind a tape), so its kind is asked first, and again of what was opened.
        _must_be_file(self.status(name), name)
        descriptor = os.open(self._name(name), _READ, dir_fd=self.descriptor)
        try:
            _must_be_file(os.fstat(descriptor), name)
        except OSError:
            os.close(descriptor)
            raise
        return descriptor

    def create(self, name: str, mode: int = 0o666) -> int:
        """A new file's descriptor for writing; the name must be free."""
        return os.open(self._name(name), _CREATE, mode, dir_fd=self.descriptor)

    def make_folder(self, name: str) -> None:
        """A new folder."""
        os.mkdir(self._name(name), 0o777, dir_fd=self.descriptor)

    def unlink(self, name: str) -> None:
        """Remove a file or a link."""
        os.unlink(self._name(name), dir_fd=self.descriptor)

    def remove_folder(self, name: str) -> None:
        """Remove a folder that is empty."""
        os.rmdir(self._name(name), dir_fd=self.descriptor)

    def replace(self, name: str, other: Folder, new: str) -> None:
        """Put a name in the place of another, which is lost."""
        os.replace(self._name(name), other._name(new), src_dir_fd=self.descriptor, dst_dir_fd=other.descriptor)

    def entries(self, *, status: bool = True) -> Iterator[Entry]:
        """What is in it, in no order.

        Args:
            status: with the status of each, which takes a system call each.
        """
        made = _entry if status else _named
        if self.descriptor is None:
            with os.scandir(self.path) as found:
                yield from map(made, found)
            return
        descriptor = os.open(".", _LIST, dir_fd=self.descriptor)
        try:
            with os.scandir(descriptor) as found:
                yield from map(made, found)
        finally:
            os.close(descriptor)

    def sync(self) -> None:
        """Have its names on disk, where the system can do that."""
        if self.descriptor is None:
            return
        with contextlib.suppress(OSError):
            descriptor = os.open(".", _LIST, dir_fd=self.descriptor)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def _must_be_file(status: os.stat_result, name: str) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
    if stat.S_ISLNK(status.st_mode):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.ENXIO, os.strerror(errno.ENXIO), name)


def _named(found: os.DirEntry[str]) -> Entry:
    try:
        if found.is_symlink():
            return Entry(found.name, None, stat.S_IFLNK)
        if found.is_dir(follow_symlinks=False):
            return Entry(found.name, None, stat.S_IFDIR)
        return Entry(found.name, None, stat.S_IFREG if found.is_file(follow_symlinks=False) else 0)
    except OSError:
        return Entry(found.name, None, 0)


def _entry(found: os.DirEntry[str]) -> Entry:
    try:
        status = found.stat(follow_symlinks=False)
    except OSError:
        return Entry(found.name, None, 0)
    return Entry(found.name, status, stat.S_IFMT(status.st_mode))
