"""Folders made on the way to a name, and folders emptied with all that is in them. By descriptor, links never followed.

Knows open folders only.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass

from .folder import Entry, Folder
from .walk import Spot

__all__ = ["Found", "below", "emptied", "is_above", "make_folders"]

_OPEN = 64
"""Folders that are kept open on the way down: a process may have a thousand, and trees may be deeper."""


def make_folders(spot: Spot, names: Sequence[str]) -> None:
    """Make folders below the one a walk ended in, each in the one before; those that somebody else makes meanwhile are fine."""
    for name in names:
        with contextlib.suppress(FileExistsError):
            spot.folder.make_folder(name)
        inner = spot.folder.enter(name)
        spot.folders.append(inner)
        spot.names.append(name)


def is_above(folder: Spot, other: Spot) -> bool:
    """Whether a folder is one of those that the other spot lies in."""
    assert folder.status is not None
    inside = zip(other.folders, other.names, strict=False)
    return any(os.path.samestat(folder.status, above.status(name)) for above, name in inside)


@dataclass(frozen=True, slots=True)
class Found:
    """One name at some depth.

    Attributes:
        folder: the open folder that holds it; closed when the next one is asked for.
        segments: its path from where the search began.
        entry: what it is, without its status.
    """

    folder: Folder
    segments: tuple[str, ...]
    entry: Entry


class _Descent:
    """Folders entered one in the other, as deep as there are; only the first and the last few are open.

    Args:
        first: where it begins; never closed here.
    """

    def __init__(self, first: Folder) -> None:
        self._folders = [first]
        self._names: list[str] = []
        self._known: dict[int, os.stat_result] = {}

    @property
    def folder(self) -> Folder:
        """The innermost one, open."""
        return self._folders[-1]

    def enter(self, name: str) -> None:
        """Go into a folder of the innermost one."""
        self._folders.append(self.folder.enter(name))
        self._names.append(name)
        oldest = len(self._folders) - 1 - _OPEN
        if oldest > 0 and (descriptor := self._folders[oldest].descriptor) is not None:
            self._known[oldest] = os.fstat(descriptor)
            self._folders[oldest].close()

    def leave(self) -> str:
        """Go back to the folder above; the name of the one that was left.

        Raises:
            OSError: that one stands there no longer.
        """
        inner, name = self._folders.pop(), self._names.pop()
        try:
            at = len(self._folders) - 1
            if (known := self._known.pop(at, None)) is not None:
                self._folders[at] = _the_same(inner.enter(".."), known)
        finally:
            inner.close()
        return name

    def close(self) -> None:
        """Close all that were entered."""
        for folder in self._folders[1:]:
            folder.close()


def _the_same(folder: Folder, known: os.stat_result) -> Folder:
    """A folder that was entered before: what lies above another may have become another's."""
    assert folder.descriptor is not None
    if os.path.samestat(os.fstat(folder.descriptor), known):
        return folder
    folder.close()
    raise OSError(errno.ESTALE, os.strerror(errno.ESTALE), folder.path)


def below(
    folder: Folder, go_on: Callable[[], None], excluded: Container[str] = (), segments: tuple[str, ...] = ()
) -> Iterator[Found]:
    """Everything in a folder at every depth, in order of names, folders before what is in them. What cannot be read is passed.

    Args:
        folder: where to begin.
        go_on: called for every name; what it raises ends the search.
        excluded: names of folders that are given and not looked into.
        segments: what the paths begin with.
    """
    descent = _Descent(folder)
    waiting = [iter(_sorted(folder))]
    try:
        while True:
            entry = next(waiting[-1], None)
            if entry is None:
                waiting.pop()
                if not waiting:
                    return
                segments = segments[:-1]
                descent.leave()
                continue
            go_on()
            yield Found(descent.folder, (*segments, entry.name), entry)
            if not entry.is_folder or entry.name in excluded:
                continue
            try:
                descent.enter(entry.name)
            except OSError:
                continue
            found: list[Entry] = []
            with contextlib.suppress(OSError):
                found = _sorted(descent.folder)
            waiting.append(iter(found))
            segments = (*segments, entry.name)
    finally:
        descent.close()


def _sorted(folder: Folder) -> list[Entry]:
    return sorted(folder.entries(status=False), key=lambda entry: entry.name)


def emptied(folder: Folder, name: str, go_on: Callable[[], None]) -> int:
    """Remove a folder and all that is in it; how many names are gone.

    Raises:
        OSError: somebody moved what is being emptied, among others.
    """
    descent = _Descent(folder)
    gone = 0
    try:
        descent.enter(name)
        waiting = [list(descent.folder.entries(status=False))]
        while waiting:
            if not waiting[-1]:
                waiting.pop()
                left = descent.leave()
                descent.folder.remove_folder(left)
                gone += 1
                continue
            entry = waiting[-1].pop()
            go_on()
            if entry.is_folder:
                descent.enter(entry.name)
                waiting.append(list(descent.folder.entries(status=False)))
            else:
                descent.folder.unlink(entry.name)
                gone += 1
    finally:
        descent.close()
    return gone
