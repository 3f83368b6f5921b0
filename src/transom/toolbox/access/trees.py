"""Folders made on the way to a name, and folders emptied with all that is in them. By descriptor, links never followed.

Knows open folders only.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence

from .folder import Entry, Folder
from .walk import Spot

__all__ = ["below", "emptied", "is_above", "make_folders"]


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


def below(folder: Folder, segments: tuple[str, ...], go_on: Callable[[], None]) -> Iterator[tuple[tuple[str, ...], Entry]]:
    """Everything in a folder at every depth, with its segments, folders before what is in them."""
    for entry in list(folder.entries()):
        go_on()
        inside = (*segments, entry.name)
        yield inside, entry
        if entry.is_folder:
            inner = folder.enter(entry.name)
            try:
                yield from below(inner, inside, go_on)
            finally:
                inner.close()


def emptied(folder: Folder, name: str, go_on: Callable[[], None]) -> int:
    """Remove a folder and all that is in it; how many names are gone."""
    inner = folder.enter(name)
    gone = 0
    try:
        for entry in list(inner.entries()):
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
