"""Names of files, how they are ordered and shown, and those of folders that no search or tree looks into by itself."""

from __future__ import annotations

import re

from ...access.folder import Entry

__all__ = ["EXCLUDED", "SECONDS", "in_order", "label", "printable"]

SECONDS = 3.0
"""How long folders may take to be read before what there is becomes the answer."""

_OF_REPOSITORIES = (".git", ".hg", ".svn", ".ai_toolbox_backups")
_OF_PACKAGES = ("node_modules", ".venv", "venv", ".tox", ".gradle")
_OF_BUILDS = ("dist", "build", "out", "target", ".next", ".nuxt", "coverage")
_OF_CACHES = ("__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache")
EXCLUDED = frozenset(_OF_REPOSITORIES + _OF_PACKAGES + _OF_BUILDS + _OF_CACHES)
"""What tools and package managers make; it fills a window and says little."""

_UNSHOWABLE = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def printable(name: str) -> str:
    """A name on one line and in valid Unicode: control characters, line separators and bytes that are no UTF-8 as escapes."""
    return _UNSHOWABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", name)


def in_order(entry: Entry) -> tuple[bool, str, str]:
    """What to sort by: folders first, then names without regard to case."""
    return (not entry.is_folder, entry.name.casefold(), entry.name)


def label(entry: Entry) -> str:
    """A name with what it is: a folder ends in ``/``, a link in ``@``."""
    name = printable(entry.name)
    return f"{name}/" if entry.is_folder else f"{name}@" if entry.is_link else name
