"""Plain files that a person can read, in one directory."""

from .backend import FilesystemBackend

__all__ = ["FilesystemBackend"]
