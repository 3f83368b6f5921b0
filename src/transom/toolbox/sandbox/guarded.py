"""Files that make other programs run something, and so may not be changed by a confined one, although they lie in its folder.

Hooks and configuration of git, start-up files of shells, settings of agents and editors: a program that may write them breaks
out the next time its user opens the folder. Those that are missing count as well. A confinement that can mount them read-only
does; what it cannot is remembered before the run and put back after it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["BLOCKED", "Guarded", "Memory", "guard"]

BLOCKED = (
    ".git/hooks", ".git/config", ".envrc", ".mcp.json", ".claude", ".codex", ".cursor", ".gemini", ".opencode", ".vscode",
    ".idea", ".windsurf", ".continue", ".aider.conf.yml",
)  # fmt: skip
"""Relative to a root."""
AT_HOME = (
    ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin",
    ".zlogout", ".gitconfig", ".ssh", ".config", ".local/bin", ".lmstudio", ".pam_environment", ".xprofile", ".xsessionrc",
)  # fmt: skip
"""Relative to the user's own folder, where that lies in a root."""
WATCHED = (".git/commondir", "HEAD", "opencode.json", "transom.toml")
"""Their names cannot be taken by an empty folder meanwhile: programs outside would stumble over it. ``HEAD``: a folder that has
one can pass for a bare repository, whose configuration git would obey."""
_LARGEST = 1 << 20
_MOST = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarded:
    """What is guarded in the roots of one run.

    Attributes:
        fixed: exists, and is to be read-only.
        missing: does not exist, and is to stay so.
        parents: folders on the way to these; they may be written to but not renamed, or another could take their place.
        watched: what only a look afterwards can guard.
    """

    fixed: tuple[Path, ...] = ()
    missing: tuple[Path, ...] = ()
    parents: tuple[Path, ...] = ()
    watched: tuple[Path, ...] = ()

    @property
    def everything(self) -> tuple[Path, ...]:
        """All places, for a confinement that can mount nothing."""
        return (*self.fixed, *self.missing, *self.watched)


def guard(roots: Iterable[Path], home: Path | None = None, absent: Collection[Path] = ()) -> Guarded:
    """Look at what is there now.

    Args:
        roots: where a program may write.
        home: the user's own folder.
        absent: folders that are there for other runs only, and count as missing.
    """
    roots = tuple(roots)
    places = [(root, name) for root in roots for name in BLOCKED]
    if home is not None and any(home.is_relative_to(root) for root in roots):
        places += [(home, name) for name in AT_HOME]
    fixed: dict[Path, None] = {}
    missing: dict[Path, None] = {}
    parents: dict[Path, None] = {}
    for root, name in places:
        place = root
        for part in Path(name).parts:
            if place != root:
                parents[place] = None
            place /= part
            if place.is_symlink():
                # Its target is kept as it is; that the link itself may be replaced is seen afterwards.
                target = place.resolve()
                if target.exists() and any(target.is_relative_to(other) and target != other for other in roots):
                    fixed[target] = None
                break
            if place in absent or not place.exists():
                missing[place] = None
                break
            if not place.is_dir():
                fixed[place] = None
                break
        else:
            fixed[place] = None
    links = [root / name for root, name in places if (root / name).is_symlink()]
    return Guarded(
        fixed=tuple(fixed), missing=tuple(missing), parents=tuple(parents),
        watched=(*links, *(root / name for root in roots for name in WATCHED)),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Kept:
    """One file as it was: its bytes and mode, or where a link leads."""

    content: bytes | None
    mode: int
    link: str | None = None


@dataclass(slots=True)
class Memory:
    """What lay at guarded places before a run.

    Attributes:
        places: which places.
        kept: every file at or below them, at most 500 of at most 1 MB each.
    """

    places: tuple[Path, ...]
    kept: dict[Path, _Kept] = field(default_factory=dict)

    @classmethod
    def of(cls, places: tuple[Path, ...]) -> Memory:
        """Look at them."""
        return cls(places, dict(_look(places)))

    def put_back(self) -> list[Path]:
        """Undo what was changed since; what had been written there is kept beside it, with ``.refused`` at its end.

        Returns:
            The places that had been changed.
        """
        now = dict(_look(self.places))
        changed = [path for path in {*now, *self.kept} if now.get(path) != self.kept.get(path)]
        for path in sorted(changed):
            with suppress(OSError):
                if path in now:
                    path.rename(_free(path))
                if path in self.kept:
                    _write(path, self.kept[path])
        return sorted(changed)


def _look(places: Iterable[Path]) -> Iterator[tuple[Path, _Kept]]:
    left = _MOST
    waiting = list(places)
    while waiting and left:
        path = waiting.pop()
        try:
            status = path.lstat()
            if stat.S_ISDIR(status.st_mode):
                waiting += sorted(path.iterdir())
                continue
            left -= 1
            if stat.S_ISLNK(status.st_mode):
                yield path, _Kept(None, 0, str(path.readlink()))
            elif stat.S_ISREG(status.st_mode) and status.st_size <= _LARGEST and not path.name.endswith(".refused"):
                yield path, _Kept(path.read_bytes(), stat.S_IMODE(status.st_mode))
        except OSError:
            continue


def _free(path: Path) -> Path:
    number, free = 1, path.with_name(path.name + ".refused")
    while os.path.lexists(free):
        number += 1
        free = path.with_name(f"{path.name}.{number}.refused")
    return free


def _write(path: Path, kept: _Kept) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if kept.link is not None:
        path.symlink_to(kept.link)
        return
    path.write_bytes(kept.content or b"")
    path.chmod(kept.mode)
