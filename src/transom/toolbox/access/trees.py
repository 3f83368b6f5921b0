"""Folders made on the way to a name, and folders emptied with all that is in them. By descriptor, links never followed.

Knows open folders only.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass

from .folder import Entry, Folder
from .walk import Spot

__all__ = ["Found", "below", "emptied", "is_above", "make_folders"]


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
    for entry in sorted(folder.entries(status=False), key=lambda entry: entry.name):
        go_on()
        inside = (*segments, entry.name)
        yield Found(folder, inside, entry)
        if not entry.is_folder or entry.name in excluded:
            continue
        try:
            inner = folder.enter(entry.name)
        except OSError:
            continue
        try:
            with contextlib.suppress(OSError):
                yield from below(inner, go_on, excluded, inside)
        finally:
            inner.close()


def emptied(folder: Folder, name: str, go_on: Callable[[], None]) -> int:
    """Remove a folder and all that is in it; how many names are gone."""
    inner = folder.enter(name)
    gone = 0
    try:
        for entry in list(inner.entries(status=False)):
            go_on()
            if entry.is_folder:
                gone += emptied(inner, entry.name, go_on)
            else:
                inner.unlink(entry.name)
                gone += 1
    finally:
        inner.close()
    folder.remove_folder(name)
    return gone + 1
