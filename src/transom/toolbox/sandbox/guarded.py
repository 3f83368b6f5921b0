"""Files that make other programs run something, and so may not be changed by a confined one, although they lie in its folder.

Hooks and configuration of git, start-up files of shells, settings of agents and editors: a program that may write them breaks
out the next time its user opens the folder. Those that are missing count as well, and so does what they lead to. The names are
those that file tools do not write (``safety.paths``), but for the inside of repositories, where git has to work. A confinement
that can mount them read-only does; what it cannot is remembered before the run and put back after it (``remembered``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ...safety.paths import BELOW_NAMES, NAMED_NAMES, PERSONAL_NAMES, PROJECT_NAMES
from .leading import git_folders, named_by_git
from .nested import Nested

__all__ = ["AT_HOME", "BLOCKED", "WATCHED", "Guarded", "guard"]

_OF_GIT = ("hooks", "config")
_WATCHED_OF_GIT = ("commondir", "config.worktree")
BLOCKED = (*(f".git/{name}" for name in _OF_GIT), *PROJECT_NAMES)
"""Relative to a root."""
AT_HOME = (*PERSONAL_NAMES, ".config", ".local/bin")
"""Relative to the user's own folder, where that lies in a root."""
WATCHED = (
    *(f".git/{name}" for name in _WATCHED_OF_GIT), ".hg/hgrc", ".jj/repo/config.toml", "HEAD", *NAMED_NAMES, *PERSONAL_NAMES,
    *(f"{above}/{name}" for above, names in BELOW_NAMES.items() for name in names),
)  # fmt: skip
"""Their names cannot be taken by an empty folder meanwhile: programs outside would stumble over it; or they count in a home
only. ``HEAD``: a folder that has one can pass for a bare repository, whose configuration git would obey."""


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


def guard(
    roots: Iterable[Path], home: Path | None = None, absent: Collection[Path] = (), nested: Nested | None = None
) -> Guarded:
    """Look at what is there now.

    Args:
        roots: where a program may write; real paths.
        home: the user's own folder.
        absent: folders that are there for other runs only, and count as missing.
        nested: finds repositories in subfolders; without it they are looked for anew.
    """
    nested = nested or Nested()
    look = _Look(tuple(roots), absent)
    for root in look.roots:
        for name in BLOCKED:
            look.at(root, Path(name).parts)
        look.led_to(root)
        for below in nested.below(root):
            look.repository(below)
        look.watched.update(dict.fromkeys(root / name for name in WATCHED))
    if home is not None and look.root_of(home):
        for name in AT_HOME:
            look.at(home, Path(name).parts)
    return Guarded(
        fixed=tuple(look.fixed), missing=tuple(look.missing), parents=tuple(look.parents), watched=tuple(look.watched)
    )


@dataclass(slots=True)
class _Look:
    roots: tuple[Path, ...]
    absent: Collection[Path]
    fixed: dict[Path, None] = field(default_factory=dict)
    missing: dict[Path, None] = field(default_factory=dict)
    parents: dict[Path, None] = field(default_factory=dict)
    watched: dict[Path, None] = field(default_factory=dict)

    def root_of(self, path: Path) -> Path | None:
        """The innermost root that a path lies in, or is."""
        return max((root for root in self.roots if path.is_relative_to(root)), key=lambda root: len(root.parts), default=None)

    def inside(self, path: Path) -> None:
        """A place by its path, if it lies in a root at all; elsewhere nothing can be written anyway."""
        root = self.root_of(path)
        if root is not None and path != root:
            self.at(root, path.relative_to(root).parts)

    def led_to(self, top: Path) -> None:
        """Where git finds the repository of a folder, beside its plain ``.git``."""
        for folder in git_folders(top):
            for name in _OF_GIT:
                self.inside(folder / name)
            self.watched.update(dict.fromkeys(folder / name for name in _WATCHED_OF_GIT if self.root_of(folder)))
        for path in named_by_git(top):
            self.inside(path)

    def repository(self, top: Path) -> None:
        """A repository in a subfolder. The folders on the way to it are not mounted: files could not be renamed from one into
        another any more. That one took its place is seen afterwards.
        """
        git = top / ".git"
        if git.is_dir() and not git.is_symlink():
            for name in _OF_GIT:
                self.at(top, (".git", name))
            self.watched.update(dict.fromkeys(git / name for name in (*_OF_GIT, *_WATCHED_OF_GIT)))
        else:
            self.watched[git] = None
        self.led_to(top)

    def at(self, top: Path, parts: tuple[str, ...], links: int = 8) -> None:
        """A place by its names below a folder that is there."""
        place = top
        for number, part in enumerate(parts):
            if place != top:
                self.parents[place] = None
            place /= part
            if place.is_symlink():
                # What it leads to is guarded; that the link itself may be replaced is seen afterwards.
                self.watched[place] = None
                target = place.resolve()
                root = self.root_of(target)
                if links and root is not None and target != root:
                    self.at(root, (*target.relative_to(root).parts, *parts[number + 1 :]), links - 1)
                return
            if place in self.absent or not place.exists():
                self.missing[place] = None
                return
            if not place.is_dir():
                break
        self.fixed[place] = None
