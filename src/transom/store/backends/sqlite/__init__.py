"""The default backend: one SQLite file, write-ahead logged, with a full-text index."""

from .backend import SQLiteBackend

__all__ = ["SQLiteBackend"]
