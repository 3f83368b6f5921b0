"""Folders that no search, tree or archive looks into by itself: what tools and package managers make."""

from __future__ import annotations

__all__ = ["BACKUPS", "EXCLUDED", "REMADE", "REPOSITORIES"]

BACKUPS = frozenset({".ai_toolbox_backups"})
"""Folders of backups: nothing is replaced in them."""
REPOSITORIES = frozenset({".git", ".hg", ".svn"}) | BACKUPS
"""Folders of version control and of backups: what files were before."""
_OF_PACKAGES = frozenset({"node_modules", ".venv", "venv", ".tox", ".gradle"})
_OF_CACHES = frozenset({"__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"})
REMADE = _OF_PACKAGES | _OF_CACHES
"""Folders in which nobody works: a command makes them anew."""
_OF_BUILDS = frozenset({"dist", "build", "out", "target", ".next", ".nuxt", "coverage"})
EXCLUDED = REPOSITORIES | REMADE | _OF_BUILDS
"""The names of all of them. They fill a window and say little."""
