"""Repositories in subfolders: their hooks and configuration run programs as those of the top do.

Knows names only. The search is bounded, nearest folders first; what a folder held is asked again when it has changed.
"""

from __future__ import annotations

import os
from collections import deque
from dataclasses import dataclass
from pathlib import Path

__all__ = ["MOST_DEPTH", "MOST_FOLDERS", "MOST_REPOSITORIES", "Nested"]

MOST_DEPTH = 4
"""Folders below a root: its own are the first level."""
MOST_FOLDERS = 2_000
MOST_REPOSITORIES = 32
"""What is guarded in one is remembered before a run, and mounted: more would cost more than the run."""
_CLOSED = frozenset({".git", "node_modules"})


@dataclass(frozen=True, slots=True)
class _Looked:
    """What a folder held.

    Attributes:
        stamp: what tells whether it is as it was.
        repository: git has one there.
        inner: its folders.
    """

    stamp: tuple[int, int]
    repository: bool
    inner: tuple[str, ...]


class Nested:
    """Where repositories are in some folders."""

    def __init__(self) -> None:
        self._known: dict[Path, dict[str, _Looked]] = {}

    def below(self, root: Path) -> list[Path]:
        """Folders that hold a repository, below a root and not itself."""
        known, seen = self._known.get(root, {}), dict[str, _Looked]()
        found: list[Path] = []
        waiting = deque([(str(root), 0)])
        while waiting and len(seen) < MOST_FOLDERS and len(found) < MOST_REPOSITORIES:
            folder, depth = waiting.popleft()
            try:
                looked = seen[folder] = _look(folder, known.get(folder))
            except OSError:
                continue
            if depth and looked.repository:
                found.append(Path(folder))
            if depth < MOST_DEPTH:
                waiting.extend((f"{folder.rstrip('/')}/{name}", depth + 1) for name in looked.inner)
        self._known[root] = seen
        return found


def _look(folder: str, known: _Looked | None) -> _Looked:
    # Of its times this is the one that no program can set back to hide what it made.
    status = os.stat(folder, follow_symlinks=False)  # noqa: PTH116 - thousands of them before each run
    stamp = (status.st_ino, status.st_ctime_ns)
    if known is not None and known.stamp == stamp:
        return known
    with os.scandir(folder) as entries:
        listed = {entry.name: entry.is_dir(follow_symlinks=False) for entry in entries}
    inner = sorted(name for name, is_folder in listed.items() if is_folder and name not in _CLOSED)
    return _Looked(stamp, ".git" in listed, tuple(inner))
