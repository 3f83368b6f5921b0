"""What memory tells those who listen. Pure data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["ChangeKind", "Family", "MemoryChanged", "MemoryExpired"]

ChangeKind = Literal["added", "changed", "renamed", "deleted", "expired"]
"""What became of something remembered."""

Family = Literal["facts", "context"]
"""The two kinds of records: facts by key, entries by id."""


@dataclass(frozen=True, slots=True)
class MemoryChanged:
    """Something remembered was written or taken away on purpose.

    Attributes:
        key: the fact's key (the new one where it was renamed), or the entry's id.
        kind: what became of it.
        old, new: the text before and after; ``None`` where there is none.
        family: ``facts`` or ``context``.
    """

    key: str
    kind: ChangeKind
    old: str | None
    new: str | None
    family: Family = "facts"


@dataclass(frozen=True, slots=True)
class MemoryExpired:
    """Something remembered reached the end of its time and was removed: its key or id, its last text, its family."""

    key: str
    old: str
    family: Family = "facts"
