"""Where guarded names lead: links, the file that stands for a repository's folder, and what its configuration names.

Whoever may write there writes what the guarded name means. Looked at is the top of a root only; nothing is changed.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from ...safety.paths import BELOW_NAMES, NAMED_NAMES, PERSONAL_NAMES, PROJECT_NAMES

__all__ = ["git_folders", "led_to", "named_by_git"]

_LARGEST = 1 << 16
_GITDIR = "gitdir:"
_NAMED = re.compile(r"^\s*(hookspath|path)\s*=\s*\"?([^\"#;\n]+)", re.IGNORECASE | re.MULTILINE)
_LINKS = (*PROJECT_NAMES, *PERSONAL_NAMES, *NAMED_NAMES, *BELOW_NAMES, ".git", ".hg", ".jj", ".svn", ".bzr")


def _text(path: Path) -> str:
    """A small file's text; empty for whatever else stands there."""
    try:
        status = path.stat()
        return path.read_text("utf-8", "replace") if stat.S_ISREG(status.st_mode) and status.st_size <= _LARGEST else ""
    except OSError:
        return ""


def git_folders(root: Path) -> Iterator[Path]:
    """Folders that git takes for this root's repository, other than a plain ``.git``."""
    entry = root / ".git"
    folder = entry
    if entry.is_symlink():
        folder = entry.resolve()
        yield folder
    if (text := _text(folder)).startswith(_GITDIR):
        folder = (folder.parent / text.removeprefix(_GITDIR).strip()).resolve()
        yield folder
    if shared := _text(folder / "commondir").strip():
        yield (folder / shared).resolve()


def named_by_git(root: Path) -> Iterator[Path]:
    """What the repository's configuration names: another folder for hooks, and more configuration."""
    for folder in (root / ".git", *git_folders(root)):
        for key, value in _NAMED.findall(_text(folder / "config")):
            yield Path(os.path.normpath((root if key.lower() == "hookspath" else folder) / value.strip()))


def led_to(roots: Iterable[Path]) -> list[Path]:
    """Places that guarded names of these roots lead to, with all links resolved.

    Args:
        roots: real paths.
    """
    roots = tuple(roots)
    found: dict[Path, None] = {}
    for root in roots:
        for name in _LINKS:
            if os.path.islink(f"{root}/{name}"):  # noqa: PTH114 - a fifth of the time, and every write asks
                found[(root / name).resolve()] = None
        for path in (*git_folders(root), *named_by_git(root)):
            found[path.resolve()] = None
    # A root itself, or what holds one, cannot be guarded: nothing would be left to work in.
    return [path for path in found if not any(root.is_relative_to(path) for root in roots)]
