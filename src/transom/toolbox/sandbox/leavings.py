"""What a run would leave behind if this process were killed in the middle of it, written down before the run begins.

One small file a run, named by this process. The next process finds the files of those that are no more and clears up after
them: empty folders in the roots, and folders for temporary files. A note is not believed: what it names must be the very folder
that was made, where such folders are made, and nothing that holds somebody's file is touched.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from .ownership import is_ours

__all__ = ["PRIVATE", "Leavings"]

PRIVATE = "transom-run-"
"""Begins the name of a run's folder for temporary files; such a folder is removed with all that is in it."""
_BETWEEN = b"\0"


@dataclass(frozen=True, slots=True)
class _Made:
    """A folder that was made: where, and which one."""

    device: int
    number: int
    path: Path

    @classmethod
    def of(cls, path: Path) -> _Made | None:
        try:
            status = path.lstat()
        except OSError:
            return None
        return cls(status.st_dev, status.st_ino, path) if stat.S_ISDIR(status.st_mode) else None

    def written(self) -> bytes:
        return b"%d:%d:%s" % (self.device, self.number, os.fsencode(self.path))

    @classmethod
    def read(cls, text: bytes) -> _Made | None:
        device, _, rest = text.partition(b":")
        number, _, path = rest.partition(b":")
        if not (device.isdigit() and number.isdigit() and path.startswith(b"/")):
            return None
        return cls(int(device), int(number), Path(os.fsdecode(path)))


class Leavings:
    """Notes of runs under way.

    Args:
        folder: where they lie; made when first needed. Without one nothing is noted.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    @contextmanager
    def noted(self, paths: Sequence[Path]) -> Iterator[None]:
        """Keep a note of folders for as long as a run lasts."""
        if self._folder is None or not paths:
            yield
            return
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        number, name = tempfile.mkstemp(prefix=f"{os.getpid()}-", dir=self._folder)
        try:
            with os.fdopen(number, "wb") as file:
                file.write(_BETWEEN.join(made.written() for made in map(_Made.of, paths) if made is not None))
            yield
        finally:
            Path(name).unlink(missing_ok=True)

    def tidy(self, roots: Iterable[Path]) -> list[Path]:
        """Clear up after processes that are no more.

        Args:
            roots: where that may be done. What lies elsewhere waits for somebody who works there.

        Returns:
            What was removed.
        """
        folder = self._folder
        if folder is None or folder.is_symlink() or not folder.is_dir():
            return []
        removed: list[Path] = []
        tops = [root.resolve() for root in roots]
        for note in sorted(folder.glob("*-*")):
            owner = note.name.partition("-")[0]
            if not owner.isdigit() or not is_ours(note.lstat()) or _alive(int(owner)):
                continue
            waiting = False
            for text in note.read_bytes().split(_BETWEEN):
                made = _Made.read(text)
                if made is None or _Made.of(made.path) != made:
                    continue
                if _is_private(made.path):
                    shutil.rmtree(made.path, ignore_errors=True)
                elif _lies_in(made.path, tops):
                    with suppress(OSError):
                        made.path.rmdir()
                else:
                    waiting = True
                    continue
                if not made.path.exists():
                    removed.append(made.path)
            if not waiting:
                note.unlink(missing_ok=True)
        return removed


def _is_private(path: Path) -> bool:
    return path.name.startswith(PRIVATE) and path.parent == Path(tempfile.gettempdir())


def _lies_in(path: Path, roots: Sequence[Path]) -> bool:
    """Below a root, with no link on the way."""
    return path.parent.resolve() == path.parent and any(path.is_relative_to(root) and path != root for root in roots)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True
