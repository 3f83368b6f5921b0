"""A backend in memory, for tests and for sessions that nobody wants to keep.

Knows dictionaries. Everything is gone when the process ends. Safe to use from several event loops and threads.
"""

from __future__ import annotations

import builtins
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...jsontext import EMPTY, dumps, loads
from ..backend import Hit, Stat, StoredEntry, Write
from ..fulltext import texts_of
from ..neighbours import follows, hit_of
from ..scanning import read_through
from ..uri import check_backend_namespace, check_path, check_prefix

__all__ = ["MemoryBackend"]


@dataclass(slots=True)
class _Item:
    data: bytes
    meta: bytes
    texts: tuple[str, ...]
    many: bool
    created: float
    accessed: float
    uses: int = 0

    def entry(self, key: tuple[str, str]) -> StoredEntry:
        meta = loads(self.meta) if self.meta else EMPTY
        # What is called after its digest is looked at by the store.
        return StoredEntry(self.data, meta if isinstance(meta, Mapping) else EMPTY, not key[0].startswith("vfs"))


class MemoryBackend:
    """Everything in one dictionary. Has every capability but ``physical_path`` and ``snapshot``.

    Args:
        clock: unix time in seconds.
    """

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._items: dict[tuple[str, str], _Item] = {}
        self._lock = threading.RLock()

    async def read(self, namespace: str, path: str) -> StoredEntry | None:
        """See ``StorageBackend``."""
        with self._lock:
            item = self._items.get(key := _key(namespace, path))
            return item.entry(key) if item else None

    async def write(
        self,
        namespace: str,
        path: str,
        data: bytes,
        meta: Mapping[str, object] = EMPTY,
        *,
        text: str | tuple[str, ...] | None = None,
    ) -> None:
        """See ``StorageBackend``."""
        await self.batch([Write(namespace, path, data, meta, text)])

    async def delete(self, namespace: str, path: str) -> bool:
        """See ``StorageBackend``."""
        with self._lock:
            return self._items.pop(_key(namespace, path), None) is not None

    async def list(self, namespace: str, prefix: str = "") -> Sequence[str]:
        """See ``StorageBackend``."""
        return [path for path, _ in self._matching(namespace, prefix)]

    async def namespaces(self) -> Sequence[str]:
        """See ``Namespaces``."""
        with self._lock:
            return sorted({namespace for namespace, _ in self._items})

    async def read_all(self, namespace: str, prefix: str = "") -> Mapping[str, StoredEntry]:
        """See ``ReadAll``."""
        return {path: item.entry((namespace, path)) for path, item in self._matching(namespace, prefix)}

    async def append(
        self, namespace: str, path: str, data: bytes, meta: Mapping[str, object] = EMPTY, *, text: str | None = None
    ) -> None:
        """See ``Append``."""
        with self._lock:
            key = _key(namespace, path)
            old = self._items.get(key)
            new = self._item(Write(namespace, path, (old.data if old else b"") + data, meta))
            new.texts = (old.texts if old else ()) + texts_of(text)
            new.many = len(new.texts) > 1
            self._items[key] = new

    async def put_if_absent(
        self,
        namespace: str,
        path: str,
        data: bytes,
        meta: Mapping[str, object] = EMPTY,
        *,
        text: str | tuple[str, ...] | None = None,
    ) -> StoredEntry | None:
        """See ``PutIfAbsent``."""
        with self._lock:
            old = self._items.get(key := _key(namespace, path))
            if old is None:
                await self.batch([Write(namespace, path, data, meta, text)])
            return old.entry(key) if old else None

    async def batch(self, writes: Iterable[Write]) -> Sequence[bool]:
        """See ``Batch``."""
        pending = [(_key(write.namespace, write.path), write, self._item(write)) for write in writes]
        stored = []
        with self._lock:
            for key, write, item in pending:
                fresh = not (write.if_absent and key in self._items)
                stored.append(fresh)
                if fresh:
                    self._items[key] = item
                else:
                    self._items[key].accessed = item.accessed
        return stored

    async def search(self, query: str, *, namespaces: Sequence[str] = (), limit: int = 20) -> Sequence[Hit]:
        """See ``Search``. Reads everything."""
        with self._lock:
            documents = [
                ((namespace, path, line if item.many else 0), text)
                for (namespace, path), item in self._items.items()
                if not namespaces or namespace in namespaces
                for line, text in enumerate(item.texts, 1)
            ]
        return [hit_of(found) for found in read_through(documents, query, limit, follows=follows)]

    async def stats(self, namespace: str, prefix: str = "") -> Sequence[Stat]:
        """See ``AccessIndex``."""
        return [
            Stat(path, len(item.data), item.created, item.accessed, item.uses)
            for path, item in self._matching(namespace, prefix)
        ]

    async def touch(self, uses: Mapping[tuple[str, str], tuple[float, int]]) -> None:
        """See ``AccessIndex``."""
        with self._lock:
            for key, (when, count) in uses.items():
                item = self._items.get(key)
                if item is not None:
                    item.accessed = max(item.accessed, when)
                    item.uses += count

    def _item(self, write: Write) -> _Item:
        now = self._clock()
        meta = dumps(write.meta) if write.meta else b""
        return _Item(bytes(write.data), meta, texts_of(write.text), isinstance(write.text, tuple), now, now)

    def _matching(self, namespace: str, prefix: str) -> builtins.list[tuple[str, _Item]]:
        check_backend_namespace(namespace)
        check_prefix(prefix)
        with self._lock:
            return sorted(
                ((path, item) for (where, path), item in self._items.items() if where == namespace and path.startswith(prefix)),
                key=lambda pair: pair[0],
            )


def _key(namespace: str, path: str) -> tuple[str, str]:
    return check_backend_namespace(namespace), check_path(path)
