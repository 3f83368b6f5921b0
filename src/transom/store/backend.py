"""What a storage backend must do, and what it may do besides.

Knows bytes, namespaces and paths; no messages, no engine. A backend moves bytes and nothing else. Everything beyond the four
methods of ``StorageBackend`` is an optional capability, found by asking (``isinstance(backend, Batch)``) before use.
Namespaces and paths arrive validated by the ``Store`` and are validated once more by every backend.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

from ..jsontext import EMPTY

__all__ = [
    "NO_ROOM",
    "AccessIndex",
    "Append",
    "Batch",
    "Check",
    "Close",
    "Hit",
    "Namespaces",
    "PhysicalPath",
    "PutIfAbsent",
    "ReadAll",
    "Recover",
    "Search",
    "Snapshot",
    "Stat",
    "StorageBackend",
    "StoredEntry",
    "Write",
]


NO_ROOM = "no room left to write"
"""How the message of a ``StoreError`` begins where the disk is full, or a quota used up."""


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """What one path holds.

    Attributes:
        data: the exact bytes written.
        meta: small JSON values kept beside them.
        checked: the backend made sure that both are what was written. Makes no difference to whether two are equal.
    """

    data: bytes
    meta: Mapping[str, object] = EMPTY
    checked: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Stat:
    """What is known of an entry without reading it: size in bytes, unix times in seconds, accesses counted by the store."""

    path: str
    size: int
    created: float
    accessed: float
    uses: int = 0


@dataclass(frozen=True, slots=True)
class Write:
    """One write of a batch.

    Attributes:
        namespace, path, data, meta: where and what.
        text: what full-text search sees of it; ``None`` leaves it unindexed. Several texts are found one by one, and a hit's
            ``meta["line"]`` counts them from 1.
        if_absent: leave an existing entry as it is.
    """

    namespace: str
    path: str
    data: bytes
    meta: Mapping[str, object] = EMPTY
    text: str | tuple[str, ...] | None = None
    if_absent: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """One search result: where it stands, how well it matches (higher is better) and the matching text."""

    namespace: str
    path: str
    score: float
    snippet: str
    meta: Mapping[str, object] = field(default_factory=dict)


@runtime_checkable
class StorageBackend(Protocol):
    """The four methods every backend has."""

    async def read(self, namespace: str, path: str) -> StoredEntry | None:
        """The entry, or ``None`` when there is none.

        Raises:
            IntegrityError: it is not what was written, if the backend can tell.
        """
        ...

    async def write(
        self,
        namespace: str,
        path: str,
        data: bytes,
        meta: Mapping[str, object] = EMPTY,
        *,
        text: str | tuple[str, ...] | None = None,
    ) -> None:
        """Store or replace an entry. Durable when it returns."""
        ...

    async def delete(self, namespace: str, path: str) -> bool:
        """Remove an entry; whether there was one."""
        ...

    async def list(self, namespace: str, prefix: str = "") -> Sequence[str]:
        """All paths of a namespace that start with ``prefix``, sorted by code point, nested ones included."""
        ...


@runtime_checkable
class ReadAll(Protocol):
    """Reads a namespace in one go."""

    async def read_all(self, namespace: str, prefix: str = "") -> Mapping[str, StoredEntry]:
        """All entries in key order."""
        ...


@runtime_checkable
class Append(Protocol):
    """Appends without rewriting."""

    async def append(
        self, namespace: str, path: str, data: bytes, meta: Mapping[str, object] = EMPTY, *, text: str | None = None
    ) -> None:
        """Add bytes at the end of an entry, creating it if needed; ``meta`` replaces what stood there, ``text`` is added."""
        ...


@runtime_checkable
class Search(Protocol):
    """Full text over everything stored with ``text``."""

    async def search(self, query: str, *, namespaces: Sequence[str] = (), limit: int = 20) -> Sequence[Hit]:
        """Best matches first. Pending index work is flushed before."""
        ...


@runtime_checkable
class PutIfAbsent(Protocol):
    """Decides races between processes."""

    async def put_if_absent(
        self,
        namespace: str,
        path: str,
        data: bytes,
        meta: Mapping[str, object] = EMPTY,
        *,
        text: str | tuple[str, ...] | None = None,
    ) -> StoredEntry | None:
        """Store unless something is there; the entry that was there first, or ``None`` when this call stored it."""
        ...


@runtime_checkable
class Batch(Protocol):
    """All or nothing."""

    async def batch(self, writes: Iterable[Write]) -> Sequence[bool]:
        """Apply all writes or none; synced to disk when it returns. For each write whether it stored something."""
        ...


@runtime_checkable
class PhysicalPath(Protocol):
    """Entries that are files a user can open."""

    def physical_path(self, namespace: str, path: str) -> Path | None:
        """The file that holds the entry."""
        ...


@runtime_checkable
class Snapshot(Protocol):
    """Copies itself consistently while in use."""

    async def snapshot(self, target: Path) -> None:
        """Write a copy that a fresh backend can open."""
        ...


@runtime_checkable
class AccessIndex(Protocol):
    """Knows sizes and ages without reading, and remembers what was used."""

    async def stats(self, namespace: str, prefix: str = "") -> Sequence[Stat]:
        """What is known of every entry, in key order."""
        ...

    async def touch(self, uses: Mapping[tuple[str, str], tuple[float, int]]) -> None:
        """Record for each (namespace, path) the time of its last use and how many uses to add. Unknown entries are skipped."""
        ...


@runtime_checkable
class Namespaces(Protocol):
    """Knows what it holds without being told where to look."""

    async def namespaces(self) -> Sequence[str]:
        """The namespaces that hold something, those of every scope, sorted by code point."""
        ...


@runtime_checkable
class Recover(Protocol):
    """Puts things right after a crash, and brings the index up to date."""

    async def recover(self) -> Mapping[str, int]:
        """Finish or undo what a killed process left half done; what was done, by kind."""
        ...


@runtime_checkable
class Check(Protocol):
    """Knows whether its own files are in order: an entry that its index has lost is not there to be looked at."""

    async def check(self) -> str:
        """``ok``, or what is wrong."""
        ...


@runtime_checkable
class Close(Protocol):
    """Holds files, threads or connections."""

    async def close(self) -> None:
        """Give them back. Everything written is safe before and after; a closed backend opens itself again when used."""
        ...
