"""What lay at guarded places before a run, and how it is put back.

Knows no confinement. The program has ended by then. A folder on the way to a place that is not the folder it was is put back
before anything below it is touched: it may be a link by now that leads anywhere.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Memory"]

_LARGEST = 1 << 20
_MOST_KEPT = 500
_MOST = 5_000
_REFUSED = ".refused"


@dataclass(frozen=True, slots=True)
class _Kept:
    """One name as it was.

    Attributes:
        kind: file, folder or link (``stat.S_IFMT``).
        mode: permission bits; none of a link.
        content: a file's bytes, or where a link leads.
        stamp: of a file whose bytes are not kept, what tells whether it is the same: it can be missed, not put back.
    """

    kind: int
    mode: int = 0
    content: bytes | str = b""
    stamp: tuple[int, ...] = ()


class Memory:
    """What was at some places.

    Args:
        places: which; real paths but for the last name.
        roots: the folders that the program may write to.
    """

    def __init__(self, places: Iterable[Path], roots: Iterable[Path]) -> None:
        self._places = frozenset(places)
        self._roots = tuple(roots)
        self._kept: dict[Path, _Kept] = {}
        self._kept = dict(self._look(_MOST, _MOST_KEPT))

    def put_back(self) -> tuple[list[Path], list[Path]]:
        """Undo what was changed since; what had been written there is kept beside it, with ``.refused`` at its end.

        Returns:
            the places that had been changed, and those of them that are not as they were even now.
        """
        changed = self._changed()
        for path in changed:
            with suppress(OSError):
                self._restore(path)
        return changed, self._changed() if changed else []

    def _changed(self) -> list[Path]:
        now = dict(self._look(2 * _MOST, 0))
        holding = {parent for path, kept in self._kept.items() if kept.kind != stat.S_IFDIR for parent in path.parents}
        changed = []
        for path in {*now, *self._kept}:
            was, found = self._kept.get(path), now.get(path)
            # A new folder means nothing by itself: what is new in it is looked at. Neither does an empty one that is gone: it
            # may have been there for another run only.
            new = was is None and found is not None and found.kind == stat.S_IFDIR and path not in self._places
            gone = found is None and was is not None and was.kind == stat.S_IFDIR and path not in holding
            if was != found and not new and not gone:
                changed.append(path)
        return sorted(changed)

    def _restore(self, path: Path) -> None:
        """Parents come first, so that the way here is what it was."""
        if any(not _is_folder(parent) for parent in self._above(path)):
            return
        was = self._kept.get(path)
        if os.path.lexists(path) and not (was is not None and was.kind == stat.S_IFDIR and _is_folder(path)):
            if was is None and _is_folder(path):
                with suppress(OSError):
                    path.rmdir()
                    return
            path.rename(_free(path))
        if was is not None:
            _write(path, was)

    def _above(self, path: Path) -> list[Path]:
        """The folders between the outermost root and a place, from the top."""
        root = min((root for root in self._roots if path.is_relative_to(root)), key=lambda root: len(root.parts), default=None)
        if root is None:
            return []
        return [parent for parent in reversed(path.parents) if parent != root and parent.is_relative_to(root)]

    def _look(self, left: int, to_keep: int) -> Iterator[tuple[Path, _Kept]]:
        above: dict[Path, bool] = {}
        for place in sorted(self._places):
            reached = True
            for parent in self._above(place):
                if parent not in above:
                    kept = _kept(parent, keep=False)
                    above[parent] = kept is not None and kept.kind == stat.S_IFDIR
                    if kept is not None and parent not in self._places:
                        yield parent, kept
                if not above[parent]:
                    reached = False
                    break
            waiting = [place] if reached else []
            while waiting and left:
                path = waiting.pop()
                left, to_keep = left - 1, to_keep - 1
                known = self._kept.get(path)
                kept = _kept(path, keep=to_keep >= 0 or (known is not None and not known.stamp))
                if kept is None or (path.name.endswith(_REFUSED) and kept.kind != stat.S_IFDIR):
                    continue
                if kept.kind == stat.S_IFDIR:
                    with suppress(OSError):
                        waiting += sorted(path.iterdir())
                yield path, kept


def _is_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError:
        return False


def _kept(path: Path, *, keep: bool) -> _Kept | None:
    try:
        status = path.lstat()
        kind, mode = stat.S_IFMT(status.st_mode), stat.S_IMODE(status.st_mode)
        if kind == stat.S_IFLNK:
            return _Kept(kind, content=str(path.readlink()))
        if kind == stat.S_IFREG and keep and status.st_size <= _LARGEST:
            return _Kept(kind, mode, path.read_bytes())
    except OSError:
        return None
    if kind == stat.S_IFDIR:
        return _Kept(kind, mode)
    return _Kept(kind, mode, stamp=(status.st_ino, status.st_size, status.st_mtime_ns))


def _free(path: Path) -> Path:
    number, free = 1, path.with_name(path.name + _REFUSED)
    while os.path.lexists(free):
        number += 1
        free = path.with_name(f"{path.name}.{number}{_REFUSED}")
    return free


def _write(path: Path, kept: _Kept) -> None:
    if kept.stamp:
        return
    if kept.kind == stat.S_IFLNK:
        path.symlink_to(str(kept.content))
        return
    if kept.kind == stat.S_IFDIR:
        path.mkdir(exist_ok=True)
    else:
        assert isinstance(kept.content, bytes)
        with path.open("xb") as file:
            file.write(kept.content)
    path.chmod(kept.mode)
