"""Seals whose entries are not there: either somebody removed the entry, or a write was cut short between the two.

Knows where both lie. The seal of a new entry is put in place first, and its bytes wait aside until they are; so a write that
was cut short has left what its seal fits.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....errors import IntegrityError
from ...filenames import decode_names
from ...sealing import opened
from .confined import Confined

__all__ = ["orphans"]

Names = Sequence[str]


def orphans(files: Confined, seals: Names, aside: Names) -> tuple[list[list[str]], list[list[str]]]:
    """Look for them; the lock is held.

    Args:
        files: the store's.
        seals: the names of the folder of seals.
        aside: the names of the folder of contents that wait.

    Returns:
        The names of entries that are gone, and of seals that a write which was cut short has left.
    """
    gone: list[list[str]] = []
    left: list[list[str]] = []
    alone = [found for found, _ in files.walk(seals) if files.status(found[len(seals) :]) is None]
    if not alone:
        return gone, left
    waiting = [data for names, _ in files.walk(aside) if (data := files.read(names)) is not None]
    for found in alone:
        namespace, *names = found[len(seals) :]
        kept = files.read(found)
        if any(_fits(namespace, decode_names(names), data, kept) for data in waiting):
            left.append(found)
        else:
            gone.append([namespace, *names])
    return sorted(gone), left


def _fits(namespace: str, path: str, data: bytes, kept: bytes | None) -> bool:
    try:
        return opened(namespace, path, data, kept).checked
    except IntegrityError:
        return False
