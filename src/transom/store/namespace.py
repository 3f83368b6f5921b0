"""One namespace of a store, for code that works in one only.

Knows the store's verbs; adds none.
"""

from __future__ import annotations

import builtins
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Protocol

from ..jsontext import EMPTY
from .backend import StoredEntry
from .search import SearchHit

__all__ = ["Namespace"]


class _Store(Protocol):
    """The verbs that a namespace passes on."""

    def uri(self, namespace: str, path: str) -> str: ...

    async def read(self, namespace: str, path: str) -> StoredEntry | None: ...

    async def put(
        self,
        namespace: str,
        data: bytes | str,
        *,
        path: str | None = None,
        meta: Mapping[str, object] = EMPTY,
        text: str | None = None,
    ) -> str: ...

    async def append(self, namespace: str, path: str, data: bytes | str, meta: Mapping[str, object] = EMPTY) -> str: ...

    async def put_if_absent(
        self, namespace: str, path: str, data: bytes | str, meta: Mapping[str, object] = EMPTY
    ) -> StoredEntry | None: ...

    async def delete(self, namespace: str, path: str) -> bool: ...

    async def list(self, namespace: str, prefix: str = "") -> builtins.list[str]: ...

    def entries(self, namespace: str, prefix: str = "") -> AsyncIterator[tuple[str, StoredEntry]]: ...

    async def search(self, query: str, namespaces: Sequence[str] = (), limit: int = 20) -> builtins.list[SearchHit]: ...


class Namespace:
    """The store's verbs with the namespace filled in."""

    def __init__(self, store: _Store, name: str) -> None:
        self._store = store
        self.name = name

    def uri(self, path: str) -> str:
        """The address of an entry, whether there is one or not."""
        return self._store.uri(self.name, path)

    async def read(self, path: str) -> StoredEntry | None:
        """The entry, or ``None``."""
        return await self._store.read(self.name, path)

    async def put(
        self, data: bytes | str, *, path: str | None = None, meta: Mapping[str, object] = EMPTY, text: str | None = None
    ) -> str:
        """Store or replace an entry; its address."""
        return await self._store.put(self.name, data, path=path, meta=meta, text=text)

    async def append(self, path: str, data: bytes | str, meta: Mapping[str, object] = EMPTY) -> str:
        """Add at the end of an entry; its address."""
        return await self._store.append(self.name, path, data, meta)

    async def put_if_absent(self, path: str, data: bytes | str, meta: Mapping[str, object] = EMPTY) -> StoredEntry | None:
        """What was there first, or ``None`` when this call stored it."""
        return await self._store.put_if_absent(self.name, path, data, meta)

    async def delete(self, path: str) -> bool:
        """Remove an entry; whether there was one."""
        return await self._store.delete(self.name, path)

    async def list(self, prefix: str = "") -> builtins.list[str]:
        """Paths, sorted by code point."""
        return await self._store.list(self.name, prefix)

    def entries(self, prefix: str = "") -> AsyncIterator[tuple[str, StoredEntry]]:
        """Entries in key order."""
        return self._store.entries(self.name, prefix)

    async def search(self, query: str, limit: int = 20) -> builtins.list[SearchHit]:
        """Best matches first."""
        return await self._store.search(query, (self.name,), limit)
