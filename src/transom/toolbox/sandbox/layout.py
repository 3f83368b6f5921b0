"""What a confined program sees of the file system: where it may write, what it may read, what is guarded within.

Knows which parts of a system are there for every program, and no confinement. All paths are resolved: a link is judged by
what it leads to when the run begins.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from .guarded import Guarded, guard
from .hidden import Hidden, hide
from .nested import Nested

__all__ = ["Layout", "System", "lay_out", "search_path", "system"]

_TREES = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "opt", "nix/store", "gnu/store")
_FOLDERS = ("alternatives", "fonts", "python3", "java-17-openjdk", "java-21-openjdk")
_FILES = (
    "ld.so.cache",
    "passwd",
    "group",
    "nsswitch.conf",
    "hosts",
    "host.conf",
    "localtime",
    "timezone",
    "services",
    "gitconfig",
    "os-release",
    "ssl/openssl.cnf",
)
"""Of ``/etc`` only what programs need to start; no account, key or host configuration."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """One run's view.

    Attributes:
        cwd: where it starts; within one of ``writable``.
        writable: below these it may change things.
        readable: beside the system, what it may read and run.
        guarded: what within ``writable`` it may not change.
        hidden: what within all of these it may not see.
    """

    cwd: Path
    writable: tuple[Path, ...]
    readable: tuple[Path, ...]
    guarded: Guarded
    hidden: Hidden = field(default_factory=Hidden)


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """Parts of this machine that every program may read; links stay links.

    Attributes:
        trees: folders, or links to them.
        files: single small files, or links.
    """

    trees: tuple[Path, ...]
    files: tuple[Path, ...]


def system() -> System:
    """What of it is here."""
    trees = [*(Path("/", name) for name in _TREES), *(Path("/etc", name) for name in _FOLDERS)]
    files = [Path("/etc", name) for name in _FILES]
    return System(trees=tuple(path for path in trees if path.is_dir()), files=tuple(path for path in files if path.is_file()))


def search_path(path: str, layout: Layout) -> str:
    """Of ``PATH``, the folders that are shown: a shell stops at the first program it may not run."""
    shown = (*system().trees, *layout.readable, *layout.writable)
    kept = [folder for folder in path.split(os.pathsep) if folder and _within(Path(folder), shown)]
    return os.pathsep.join(kept) or "/usr/bin:/bin"


def _within(folder: Path, shown: Iterable[Path]) -> bool:
    real = folder.resolve()
    return any(real.is_relative_to(top) for top in shown)


def lay_out(
    cwd: Path,
    roots: Iterable[Path],
    readable: Iterable[Path],
    home: Path | None = None,
    absent: Collection[Path] = (),
    store: Path | None = None,
    hidden: Iterable[Path] = (),
    nested: Nested | None = None,
) -> Layout:
    """Resolve a view.

    Args:
        cwd: where to start; one that is not within a root becomes the first root.
        roots: where the program may write.
        readable: what else it may read.
        home: the user's own folder, whose start-up files are guarded if it lies in a root.
        absent: folders that are there for other runs only.
        store, hidden: see ``Sandbox``.
        nested: finds repositories in subfolders.

    Raises:
        OSError: a root does not exist.
        SandboxError: a root lies in what is to be hidden.
    """
    writable = tuple(dict.fromkeys(root.resolve(strict=True) for root in roots))
    here = cwd.resolve()
    if writable and not any(here.is_relative_to(root) for root in writable):
        here = writable[0]
    seen = tuple(dict.fromkeys(path.resolve() for path in readable if path.exists()))
    out_of_sight = hide(store, hidden, writable, seen)
    guarded = guard(writable, home, absent, nested)
    return Layout(cwd=here, writable=writable, readable=seen, guarded=guarded, hidden=out_of_sight)
