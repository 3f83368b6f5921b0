"""What users have set in the files of their clients: read, never written. A file that cannot be read counts as empty.

Sources: the clients' own references of their settings files.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

__all__ = ["json_file", "setting", "toml_file", "upward"]

_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')


def json_file(path: Path) -> Mapping[str, object]:
    """A JSON file, with comments and commas at ends as several clients allow them."""
    return json_text(_text(path))


def json_text(text: str) -> Mapping[str, object]:
    """The same of a text."""
    try:
        found = json.loads(_TRAILING.sub(_kept, _COMMENT.sub(_kept, text)) or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def toml_file(path: Path) -> Mapping[str, object]:
    """A TOML file."""
    try:
        return tomllib.loads(_text(path))
    except tomllib.TOMLDecodeError:
        return {}


def setting(found: Mapping[str, object], *keys: str) -> str:
    """A text that lies at these keys; empty where there is none."""
    here: object = found
    for key in keys:
        here = here.get(key) if isinstance(here, Mapping) else None
    return here.strip() if isinstance(here, str) else ""


def upward(directory: Path) -> Iterator[Path]:
    """The folders from here up to the root of the repository, or of the disk."""
    for folder in (directory, *directory.parents):
        yield folder
        if (folder / ".git").exists():
            return


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return ""


def _kept(found: re.Match[str]) -> str:
    return found[1] or ""
