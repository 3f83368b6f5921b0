"""Names of files as they are shown, and those of folders that no search or tree looks into by itself."""

from __future__ import annotations

import re

__all__ = ["EXCLUDED", "printable"]

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
