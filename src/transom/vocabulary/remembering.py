"""Memory as a model reads it: the block of facts, what changed, entries, dossiers."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["MemoryWords"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryWords:
    """Memory as a model reads it: the block of facts, what changed, entries, dossiers."""
