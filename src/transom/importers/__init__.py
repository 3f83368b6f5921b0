"""Migration: memory that earlier systems left, brought into a store."""

from .importing import import_memory
from .report import Report, Taken

__all__ = ["Report", "Taken", "import_memory"]
