"""The folder or file that is imported from: read only, never left, nothing absurd read.

Knows files, none of their formats. A link is followed only to what lies inside the folder; what is no plain file is not opened
at all, for a pipe would wait for ever.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from ..errors import InputError

__all__ = ["MAX_TEXT", "Refused", "Source"]

MAX_TEXT = 64 * 1024 * 1024
"""Bytes of a file that is taken whole. What is larger is no text that any window ever held."""


class Refused(InputError):
    """A file that is not read, and why."""


class Source:
    """What an import reads.

    Args:
        path: a folder, or one file; the user named it, so it may be a link itself.

    Attributes:
        root: the folder; of one file the folder that it lies in.
        only: the name of that file; empty for a folder.
        refused: folders of the source that could not be looked into, with the reason.

    Raises:
        InputError: there is no such file or folder.
    """

    def __init__(self, path: Path) -> None:
        try:
            real = path.resolve(strict=True)
        except OSError as error:
            raise InputError(f"{path}: {error.strerror or error}", hint="check the path") from None
        if real.is_dir():
            self.root, self.only = real, ""
        else:
            self.root, self.only = real.parent, real.name
        self.refused: dict[str, str] = {}

    def names(self, folder: str = "") -> list[str]:
        """The names in a folder of the source, sorted; nothing where there is none, or it may not be looked into."""
        if self.only:
            return [] if folder else [self.only]
        try:
            return sorted(entry.name for entry in self._inside(folder).iterdir())
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            self.refused[folder] = error.strerror or str(error)
        except Refused as error:
            self.refused[folder] = error.message
        return []

    def walk(self, folder: str) -> Iterator[str]:
        """The files below a folder, as paths in the source; hidden ones and linked folders are left out."""
        for name in self.names(folder):
            path = f"{folder}/{name}" if folder else name
            if name.startswith("."):
                continue
            if self.is_folder(path):
                yield from self.walk(path)
            elif not (self.root / path).is_dir():
                yield path

    def is_folder(self, path: str) -> bool:
        """Whether this is a folder of the source, and no link."""
        try:
            return stat.S_ISDIR((self.root / path).lstat().st_mode)
        except OSError:
            return False

    def has(self, path: str) -> bool:
        """Whether there is something under this path that is no folder, readable or not."""
        folder, _, name = path.rpartition("/")
        return name in self.names(folder) and not (self.root / path).is_dir()

    def open(self, path: str) -> BinaryIO:
        """A file of the source, for reading.

        Raises:
            Refused: a link out of the source, no plain file, or one that may not be read.
        """
        try:
            real = self._inside(path)
            if not stat.S_ISREG(real.lstat().st_mode):
                raise Refused("it is no plain file")
            return real.open("rb")
        except OSError as error:
            raise Refused(error.strerror or str(error)) from None

    def read(self, path: str, limit: int = MAX_TEXT) -> bytes:
        """The bytes of a file.

        Raises:
            Refused: as ``open``; or it is larger than ``limit``.
        """
        with self.open(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size > limit:
                raise Refused(f"{size:,} bytes are more than the {limit:,} that are read of such a file")
            try:
                data = file.read(limit + 1)
            except OSError as error:
                raise Refused(error.strerror or str(error)) from None
        if len(data) > limit:
            raise Refused(f"it grows beyond the {limit:,} bytes that are read of such a file")
        return data

    def modified(self, path: str) -> float:
        """When a file was last written, unix time in seconds; 0 where that cannot be said."""
        try:
            return self._inside(path).stat().st_mtime
        except (OSError, Refused):
            return 0.0

    def _inside(self, path: str) -> Path:
        if ".." in PurePosixPath(path).parts:
            raise Refused("a path that leads upward")
        real = Path(os.path.realpath(self.root / path))
        if real != self.root and self.root not in real.parents:
            raise Refused("a link that leads out of what is imported")
        return real
