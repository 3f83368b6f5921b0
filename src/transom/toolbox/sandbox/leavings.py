"""What a run would leave behind if this process were killed in the middle of it, written down before the run begins.

One small file a run, named by this process. The next process finds the files of those that are no more and clears up after
them: empty folders, and folders for temporary files. Nothing that holds somebody's file is touched.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["PRIVATE", "Leavings"]

PRIVATE = "transom-run-"
"""Begins the name of a run's folder for temporary files; such a folder is removed with all that is in it."""
_BETWEEN = b"\0"


class Leavings:
    """Notes of runs under way.

    Args:
        folder: where they lie; made when first needed. Without one nothing is noted.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    @contextmanager
    def noted(self, paths: Sequence[Path]) -> Iterator[None]:
        """Keep a note of paths for as long as a run lasts."""
        if self._folder is None or not paths:
            yield
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        number, name = tempfile.mkstemp(prefix=f"{os.getpid()}-", dir=self._folder)
        try:
            with os.fdopen(number, "wb") as file:
                file.write(_BETWEEN.join(map(os.fsencode, paths)))
            yield
        finally:
            Path(name).unlink(missing_ok=True)

    def tidy(self) -> list[Path]:
        """Clear up after processes that are no more.

        Returns:
            What was removed.
        """
        removed: list[Path] = []
        for note in sorted(self._folder.glob("*-*")) if self._folder is not None and self._folder.is_dir() else ():
            owner = note.name.partition("-")[0]
            if not owner.isdigit() or _alive(int(owner)):
                continue
            for text in note.read_bytes().split(_BETWEEN):
                removed += _removed(Path(os.fsdecode(text)))
            note.unlink(missing_ok=True)
        return removed


def _removed(path: Path) -> list[Path]:
    if path.name.startswith(PRIVATE):
        if path.is_symlink() or not path.is_dir():
            return []
        shutil.rmtree(path, ignore_errors=True)
        return [path]
    with suppress(OSError):
        path.rmdir()
        return [path]
    return []


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
