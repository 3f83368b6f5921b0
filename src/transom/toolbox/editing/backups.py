"""Backups beside files: under which name the next one goes, and which one is restored.

What somebody keeps as ``a.txt.bak`` is theirs. Only the backup that was made last, told by its record and its bytes, makes room
for the next; beside any other the next one gets a number.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Callable, Iterator

from ..access.intents import digest_of
from ..access.place import Place
from ..access.workspace import Workspace
from ..tool import Refused
from .records import kept_by, record

__all__ = ["SUFFIX", "back_up", "backup_of", "without_suffix"]

SUFFIX = ".bak"
_SUFFIXED = re.compile(r"(?P<name>.+)\.bak(?:\.[1-9][0-9]{0,2})?", re.DOTALL)
_MOST = 1_000
"""Names for backups of one file."""


def without_suffix(name: str) -> str | None:
    """What a backup is one of, by its name; ``None``: it is none."""
    found = _SUFFIXED.fullmatch(name)
    return found["name"] if found else None


def back_up(workspace: Workspace, place: Place, data: bytes, go_on: Callable[[], None]) -> Place:
    """Keep a file's bytes beside it.

    Args:
        workspace: where.
        place, data: the file as it is.
        go_on: called for every piece that is copied.

    Returns:
        the backup.

    Raises:
        Refused: ``too_large``: all names are taken; as ``Place.copy_to``.
    """
    mode, ours = stat.S_IMODE(place.stat().st_mode), kept_by(workspace, place)
    for backup in _names(place):
        status = backup.status(follow=False)
        held = None if status is None else _held(backup, status.st_mode)
        if status is None:
            place.copy_to(backup, go_on)
        elif held is None or (held != data and digest_of(held) != ours):
            continue
        elif stat.S_IMODE(status.st_mode) == mode:
            backup.replace(data, expected=held)
        elif digest_of(held) == ours:
            backup.remove()  # who may not read the file may not read its backup either
            place.copy_to(backup, go_on)
        else:
            continue
        record(workspace, place, data, None)
        return backup
    raise Refused("too_large", place.reach.words.editing.too_many_backups.format(path=place.shown, backup=place.name + SUFFIX))


def backup_of(workspace: Workspace, place: Place) -> Place | None:
    """The backup to restore a file from: the one that was made last, else the newest there is."""
    ours, found = kept_by(workspace, place), list[tuple[bool, int, Place]]()
    for backup in _names(place):
        status = backup.status(follow=False)
        if status is None and backup.name != place.name + SUFFIX:
            # The first name may have become free; the others are given out in their order.
            break
        if status is not None and (held := _held(backup, status.st_mode)) is not None:
            found.append((digest_of(held) == ours, status.st_mtime_ns, backup))
    return max(found, key=lambda one: one[:2])[2] if found else None


def _names(place: Place) -> Iterator[Place]:
    yield place.beside(SUFFIX)
    yield from (place.beside(f"{SUFFIX}.{number}") for number in range(1, _MOST))


def _held(backup: Place, mode: int) -> bytes | None:
    """What a backup holds; ``None`` for what can be none."""
    if not stat.S_ISREG(mode):
        return None
    try:
        return backup.read()
    except Refused:
        return None
