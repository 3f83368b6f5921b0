"""What no confined program may see, although it lies in a folder that it is shown: the store, and what is kept beside it.

A store holds what other sessions remember, and a program that could write it would say what the next session believes. What
begins with its name belongs to it: the log and index of SQLite, journals, notes of runs.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ...errors import SandboxError

__all__ = ["Hidden", "hide"]

_FOLDERS = ("-intents", "-sandbox")
_JOURNAL, _LOG = "-journal", "-wal"
_LOGGED = b"\2\2"
"""In the header of a file of SQLite: changes are kept in a log first."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """What is hidden in one run; all of it exists.

    Attributes:
        folders, files: real paths.
    """

    folders: tuple[Path, ...] = ()
    files: tuple[Path, ...] = ()

    @property
    def all(self) -> tuple[Path, ...]:
        """Both."""
        return (*self.folders, *self.files)


def hide(store: Path | None, others: Iterable[Path], writable: Iterable[Path], readable: Iterable[Path]) -> Hidden:
    """Find what to hide, and make what a program could make in its place.

    Args:
        store: what tools remember.
        others: other files of ours. What is called as these are with ``-`` and more belongs to them.
        writable, readable: what the program is shown; real paths.

    Raises:
        SandboxError: a folder that is shown lies in one that would have to be hidden, or what would have to be is not there.
    """
    writable = tuple(writable)
    shown = (*writable, *readable)
    found: dict[Path, None] = {}
    for given in (*(() if store is None else (store,)), *others):
        path = given.resolve()
        if any(top.is_relative_to(path) for top in writable):
            raise SandboxError(
                f"programs may not work in {path}, which holds what tools remember",
                hint="move the store out of the folder, or work in another one",
            )
        if not any(path.is_relative_to(top) for top in shown):
            continue
        if any(path.is_relative_to(top) for top in writable):
            _must_be_there(path)
            if given == store:
                _occupy(path)
        with suppress(OSError):
            found |= dict.fromkeys(
                beside
                for beside in sorted(path.parent.iterdir())
                if beside.name == path.name or beside.name.startswith(f"{path.name}-")
            )
    real = [path for path in found if not path.is_symlink()]
    return Hidden(
        folders=tuple(path for path in real if path.is_dir()), files=tuple(path for path in real if not path.is_dir())
    )


def _must_be_there(path: Path) -> None:
    if not path.exists() and os.access(next(parent for parent in path.parents if parent.exists()), os.W_OK):
        raise SandboxError(f"{path} is not there, and a program could make it", hint="move the store out of the folder")


def _occupy(store: Path) -> None:
    """Take the names beside a store that something is read from. Empty logs and journals say nothing to SQLite; they stay."""
    for suffix in _FOLDERS:
        with suppress(OSError):
            store.with_name(store.name + suffix).mkdir(mode=0o700)
    if not store.is_file():
        return
    with suppress(OSError), store.open("rb") as file:
        head = file.read(20)
        for suffix in (_JOURNAL, _LOG) if not head or head[18:] == _LOGGED else (_JOURNAL,):
            with suppress(FileExistsError):
                os.close(os.open(store.with_name(store.name + suffix), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
