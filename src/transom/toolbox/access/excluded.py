"""Folders that no search, tree or archive looks into by itself: what tools and package managers make."""

from __future__ import annotations

__all__ = ["EXCLUDED"]

_OF_REPOSITORIES = (".git", ".hg", ".svn", ".ai_toolbox_backups")
_OF_PACKAGES = ("node_modules", ".venv", "venv", ".tox", ".gradle")
_OF_BUILDS = ("dist", "build", "out", "target", ".next", ".nuxt", "coverage")
_OF_CACHES = ("__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache")
EXCLUDED = frozenset(_OF_REPOSITORIES + _OF_PACKAGES + _OF_BUILDS + _OF_CACHES)
"""Their names. They fill a window and say little."""
