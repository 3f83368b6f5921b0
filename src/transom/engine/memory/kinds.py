"""The kinds that memory sorts by, and its bounds: what those need who describe its verbs without using them.

Knows nothing else, so that a list of tools is made without loading what remembers.
"""

from __future__ import annotations

from typing import Literal, get_args

__all__ = ["ENTRY_TYPES", "MOST", "Action", "EntryType", "Scope", "Where"]

EntryType = Literal["decision", "pattern", "configuration", "file_change", "error", "summary"]
"""What an entry is about."""

ENTRY_TYPES: tuple[EntryType, ...] = get_args(EntryType)

Scope = Literal["global", "project", "session"]
"""Who recalls an entry: everybody, one project, or one session for a day."""

Where = Literal["project", "global", "all"]
"""Whose sessions: the project's own, falling back to those of no project where it has none; those of no project; both."""

Action = Literal["list", "search", "get", "register", "rename", "update", "remove"]
"""What is done to the registry of projects."""

MOST = 50
"""Records of each family that one call gives at most."""
