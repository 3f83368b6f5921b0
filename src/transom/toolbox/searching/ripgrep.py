"""ripgrep: where it is, and how it is asked: without a configuration file, and so that no pattern can be an option."""

from __future__ import annotations

import os
import shutil
import sysconfig
from collections.abc import Mapping
from pathlib import Path

from .dialect import for_ripgrep
from .query import Query

__all__ = ["LINE_BYTES", "arguments", "program"]

LINE_BYTES = 2_000
"""Bytes of a line that a search process writes; of a longer one it says only where it is."""


def program(environment: Mapping[str, str]) -> Path | None:
    """ripgrep of this installation, or the one in ``PATH``; ``None`` where there is none."""
    own = Path(sysconfig.get_path("scripts")) / ("rg.exe" if os.name == "nt" else "rg")
    if own.is_file() and os.access(own, os.X_OK):
        return own
    found = shutil.which("rg", path=environment.get("PATH", os.defpath))
    # A relative entry of PATH would be looked up in the folder that is searched.
    return Path(found) if found is not None and Path(found).is_absolute() else None


def arguments(rg: Path, query: Query, file: str | None) -> list[str] | None:
    """How ripgrep is asked; ``None`` when it cannot search for the pattern.

    Args:
        rg: the program.
        query: what for.
        file: the one file to search, in the folder it runs in; all below that folder without.
    """
    pattern = query.pattern if query.literal else for_ripgrep(query.pattern)
    if pattern is None or "\n" in pattern or "\0" in pattern:
        return None
    asked = [
        str(rg), "--no-config", "--no-ignore", "--hidden", "--no-follow", "--text", "--crlf", "--no-mmap", "--color=never",
        "--no-heading", "--with-filename", "--null", "--line-number", "--column", "--stats", "--sort=path",
        f"--max-columns={LINE_BYTES}", f"--max-count={query.per_file + 1}", f"--max-depth={query.depth}",
        f"--max-filesize={query.file_bytes}",
    ]  # fmt: skip
    asked += ["--fixed-strings"] if query.literal else []
    asked += ["--ignore-case" if query.ignore_case else "--case-sensitive"]
    asked += [f"--glob={glob}" for glob in query.globs.given]
    asked += [f"--glob=!{name}/" for name in sorted(query.excluded)]
    return [*asked, "-e", pattern, "--", "." if file is None else f"./{file}"]
