"""The store: namespaces, addresses and scopes over a backend that moves bytes.

Knows the backend's contract and which capabilities it may lack; no backend by name. A ``Store`` is bound to one scope (one
user of the backend): what it writes gets addresses without the scope in them, and nothing it can say reaches another scope.
Reads are counted in memory and handed to the backend's access index on ``close`` and before eviction, so that reading never
writes.

What a missing capability means: without ``batch`` a commit writes in the order given, which is to be content before what cites
it; without ``search`` everything is read; without ``put_if_absent`` races between processes are not decided, which is a
``CapabilityError``.
"""

from __future__ import annotations

import builtins
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from ..errors import CapabilityError, InputError, IntegrityError, NotFoundError, StoreError, TransomError, URIError
from ..jsontext import EMPTY
from . import uri as addresses
from .archive import archive_texts, expand, references
from .backend import (
    AccessIndex,
    Append,
    Batch,
    Close,
    Namespaces,
    PhysicalPath,
    PutIfAbsent,
    ReadAll,
    Recover,
    Search,
    Stat,
    StorageBackend,
    StoredEntry,
    Write,
)
from .blobs import blob_digest, check_digest, encode_text, is_digest
from .eviction import CleanupReport, Policy, clean_up
from .namespace import Namespace
from .packing import is_packed, unpack
from .search import TEXTUAL, SearchHit, make_hit, scan, texts_in
from .verify import GCReport, VerifyReport, collect, verify

__all__ = ["Store"]

T = TypeVar("T")
_USES_KEPT = 8192

_log = logging.getLogger(__name__)


class Store:
    """What the rest of the library calls storage.

    Args:
        backend: where the bytes lie.
        scope: one user of the store; empty for a local user.
        clock: unix time in seconds.

    Every method raises ``StoreError`` when the backend fails, and ``URIError`` for an invalid namespace, path or address.
    """

    def __init__(self, backend: StorageBackend, *, scope: str = "", clock: Callable[[], float] = time.time) -> None:
        if isinstance(backend, str | Path):
            raise InputError("a store takes a backend, not a path", hint=f"write Store(SQLiteBackend({str(backend)!r}))")
        self._backend = backend
        self._scope = scope
        self._clock = clock
        # Asked once: a structural isinstance costs 15 µs on Python 3.11.
        self._batch = backend if isinstance(backend, Batch) else None
        self._if_absent = backend if isinstance(backend, PutIfAbsent) else None
        self._names = {name: addresses.backend_namespace(scope, name) for name in addresses.NAMESPACES}
        self._uses: dict[tuple[str, str], tuple[float, int]] = {}
        self._policies: dict[str, Policy] = {}

    @property
    def backend(self) -> StorageBackend:
        """Where the bytes lie."""
        return self._backend

    @property
    def scope(self) -> str:
        """Whose part of the backend this is."""
        return self._scope

    def scoped(self, scope: str) -> Store:
        """Another user's part of the same backend."""
        return Store(self._backend, scope=scope, clock=self._clock)

    async def scopes(self) -> builtins.list[str]:
        """Whose parts of the backend hold something, the local user's (empty) among them; a user's own part does not tell.

        Raises:
            CapabilityError: this is a user's part, or the backend does not know.
        """
        if self._scope:
            raise CapabilityError("a scope does not see the others", hint="open the store without a scope")
        if not isinstance(self._backend, Namespaces):
            raise CapabilityError("this backend does not list what it holds", hint="give the scope's name")
        return sorted({addresses.scope_of_backend_namespace(name) for name in await self._ask(self._backend.namespaces())})

    def uri(self, namespace: str, path: str) -> str:
        """The address of an entry, whether there is one or not."""
        return addresses.format_uri(namespace, path)

    def namespace(self, name: str) -> Namespace:
        """One namespace by itself."""
        return Namespace(self, addresses.check_namespace(name))

    # ── writing ────────────────────────────────────────────────────────────────────────────────────────────────────────

    async def commit(self, writes: Sequence[Write]) -> list[bool]:
        """Store all or nothing, on disk when it returns: only then may an address be shown.

        Writes to ``vfs`` leave what is there; their path must be the digest of their bytes. Archives are indexed line by line;
        one that is there and damaged is replaced.

        Returns:
            For each write, in order, whether it stored something.

        Raises:
            IntegrityError: a path in ``vfs`` is not the digest of the data, or other bytes are stored under it.
        """
        if not writes:
            return []
        prepared = [self._prepare(write) for write in writes]
        if self._batch is not None:
            stored = list(await self._ask(self._batch.batch(prepared)))
        else:
            stored = [await self._write_one(write) for write in prepared]
        for write, fresh in zip(writes, stored, strict=True):
            if fresh or write.namespace not in {"vfs", "archive"}:
                continue
            try:
                await self.peek(write.namespace, write.path)
            except IntegrityError as error:
                if write.namespace == "vfs":
                    raise
                # It is called after its span, so this is what was there; once it is cited nobody writes it again.
                _log.warning("%s; it is written anew", error.message)
                await self.put("archive", write.data, path=write.path, meta=write.meta, sync=True)
        return stored

    async def put(
        self,
        namespace: str,
        data: bytes | str,
        *,
        path: str | None = None,
        meta: Mapping[str, object] = EMPTY,
        text: str | tuple[str, ...] | None = None,
        index: bool = True,
        sync: bool = False,
    ) -> str:
        """Store or replace one entry.

        Args:
            namespace: one of the known ones.
            data: bytes, or text (stored as UTF-8, found by search as it stands).
            path: where; without it the digest of the data.
            meta: small JSON values to keep beside it.
            text: what search sees instead.
            index: ``False`` keeps a text out of search.
            sync: the disk has it when this returns (a crash of the machine loses nothing), not only the operating system.

        Returns:
            Its address.
        """
        raw = encode_text(data) if isinstance(data, str) else bytes(data)
        seen = data if text is None and isinstance(data, str) else text
        where = path if path is not None else blob_digest(raw)
        write = self._prepare(Write(namespace, where, raw, meta, seen if index else None), hashed=path is None)
        if sync and self._batch is not None:
            stored = (await self._ask(self._batch.batch([write])))[0]
        else:
            stored = await self._write_one(write)
        if not stored:
            entry = await self._ask(self._backend.read(write.namespace, where))
            if entry is not None and entry.data != raw:
                raise IntegrityError(
                    f"other bytes are stored under {self.uri(namespace, where)}", hint="run `transom store verify`"
                )
        return self.uri(namespace, where)

    async def append(
        self, namespace: str, path: str, data: bytes | str, meta: Mapping[str, object] = EMPTY, *, text: str | None = None
    ) -> str:
        """Add at the end of an entry, making it if needed; its address. Text is found by search."""
        if namespace == "vfs":
            raise URIError("nothing is appended in vfs", hint="what is stored there is addressed by its content")
        raw = encode_text(data) if isinstance(data, str) else bytes(data)
        seen = data if text is None and isinstance(data, str) else text
        name = self._name(namespace, path)
        if isinstance(self._backend, Append):
            await self._ask(self._backend.append(name, path, raw, meta, text=seen))
        else:
            old = await self._ask(self._backend.read(name, path))
            whole = (old.data if old else b"") + raw
            await self._ask(self._backend.write(name, path, whole, meta, text=_decoded(whole) if seen is not None else None))
        return self.uri(namespace, path)

    async def put_if_absent(
        self,
        namespace: str,
        path: str,
        data: bytes | str,
        meta: Mapping[str, object] = EMPTY,
        *,
        text: str | tuple[str, ...] | None = None,
    ) -> StoredEntry | None:
        """Store unless something is there: what was there first, or ``None`` when this call stored it.

        Raises:
            CapabilityError: the backend cannot decide races between processes.
        """
        if self._if_absent is None:
            raise CapabilityError(
                f"{type(self._backend).__name__} has no put_if_absent",
                hint="use a backend that decides races between processes",
            )
        raw = encode_text(data) if isinstance(data, str) else bytes(data)
        write = self._prepare(Write(namespace, path, raw, meta, text))
        return await self._ask(self._if_absent.put_if_absent(write.namespace, path, raw, meta, text=write.text))

    async def delete(self, namespace: str, path: str) -> bool:
        """Remove an entry, cited or not; whether there was one."""
        name = self._name(namespace, path)
        self._uses.pop((name, path), None)
        return await self._ask(self._backend.delete(name, path))

    # ── reading ────────────────────────────────────────────────────────────────────────────────────────────────────────

    async def read(self, namespace: str, path: str) -> StoredEntry | None:
        """The entry, or ``None``.

        Raises:
            IntegrityError: what is stored there is not what was written.
        """
        entry = await self.peek(namespace, path)
        if entry is not None:
            await self._used(self._names[namespace], path)
        return entry

    async def peek(self, namespace: str, path: str) -> StoredEntry | None:
        """As ``read``, and counts as no use of the entry."""
        entry = await self._ask(self._backend.read(self._name(namespace, path), path))
        if entry is not None and namespace == "vfs" and not entry.checked:
            check_digest(path, entry.data)
        return entry

    async def get(self, uri: str) -> bytes:
        """The exact bytes under an address.

        Raises:
            NotFoundError: nothing is stored there.
            IntegrityError: what is stored there is not what was written.
        """
        namespace, path = addresses.parse_uri(uri)
        entry = await self.read(namespace, path)
        if entry is None:
            raise NotFoundError(
                f"nothing is stored under {uri}",
                hint="asking again will not help: check the address for typing errors, or search for words of the text",
            )
        return entry.data

    async def expand(self, uri: str) -> bytes:
        """An archive with every text it refers to put back in its place, a packed entry unpacked; anything else as ``get``.

        Raises:
            IntegrityError: it, or a text that it refers to, is damaged.
        """
        data = await self.get(uri)
        namespace = addresses.parse_uri(uri).namespace
        if namespace == "sessions" and is_packed(data):
            return unpack(data)
        if namespace != "archive":
            return data
        blobs = {reference: await self.get(reference) for reference in references(data)}
        return expand(data, blobs.__getitem__)

    async def exists(self, uri: str) -> bool:
        """Whether something is stored under an address. Reads no content."""
        namespace, path = addresses.parse_uri(uri)
        return path in await self._ask(self._backend.list(self._name(namespace, path), path))

    def physical_path(self, uri: str) -> Path | None:
        """The file that holds what an address names, for a user to open; ``None`` where the backend keeps no plain files."""
        namespace, path = addresses.parse_uri(uri)
        if not isinstance(self._backend, PhysicalPath):
            return None
        return self._backend.physical_path(self._name(namespace, path), path)

    async def list(self, namespace: str, prefix: str = "") -> builtins.list[str]:
        """The paths of a namespace that start with ``prefix``, sorted by code point."""
        addresses.check_namespace(namespace)
        return list(await self._ask(self._backend.list(self._names[namespace], addresses.check_prefix(prefix))))

    async def read_all(self, namespace: str, prefix: str = "") -> dict[str, StoredEntry]:
        """The entries of a namespace in key order. Counts as no use of them."""
        addresses.check_namespace(namespace)
        addresses.check_prefix(prefix)
        if isinstance(self._backend, ReadAll):
            return dict(await self._ask(self._backend.read_all(self._names[namespace], prefix)))
        return {path: entry async for path, entry in self.entries(namespace, prefix)}

    async def entries(self, namespace: str, prefix: str = "") -> AsyncIterator[tuple[str, StoredEntry]]:
        """The entries of a namespace in key order, one in memory at a time. Counts as no use of them."""
        for path in await self.list(namespace, prefix):
            entry = await self.peek(namespace, path)
            if entry is not None:
                yield path, entry

    async def stats(self, namespace: str, prefix: str = "") -> builtins.list[Stat]:
        """Size, age and use of every entry, in key order; without an access index by reading, and without times."""
        addresses.check_namespace(namespace)
        addresses.check_prefix(prefix)
        if isinstance(self._backend, AccessIndex):
            return list(await self._ask(self._backend.stats(self._names[namespace], prefix)))
        return [Stat(path, len(entry.data), 0.0, 0.0) async for path, entry in self.entries(namespace, prefix)]

    async def search(self, query: str, namespaces: Sequence[str] = (), limit: int = 20) -> builtins.list[SearchHit]:
        """The best matches for a question in any words, best first.

        Args:
            query: words (any of them, the rarest count most), "phrases in quotes", identifiers, paths, numbers.
            namespaces: where to look; everywhere by default.
            limit: how many at most.

        Raises:
            InputError: a question that is no text.
        """
        if not isinstance(query, str):
            raise InputError(f"a search for {query!r}", hint="give words as one text")
        for namespace in namespaces:
            addresses.check_namespace(namespace)
        if limit < 1 or not query.strip():
            return []
        names = {self._names[name]: name for name in namespaces or addresses.NAMESPACES}
        if isinstance(self._backend, Search):
            hits = await self._ask(self._backend.search(query, namespaces=tuple(names), limit=limit))
            return [
                make_hit(names[hit.namespace], hit.path, hit.score, hit.snippet, hit.meta)
                for hit in hits
                if hit.namespace in names
            ]
        everything = [(name, *item) for name in namespaces or TEXTUAL for item in await self._whole(name)]
        return scan(everything, query, limit)

    async def _whole(self, namespace: str) -> builtins.list[tuple[str, StoredEntry]]:
        """The entries that are not damaged: search finds what can be shown, and ``verify`` names the others."""
        found = []
        for path in await self.list(namespace):
            with contextlib.suppress(IntegrityError):
                if (entry := await self.peek(namespace, path)) is not None:
                    found.append((path, entry))
        return found

    # ── upkeep ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    def eviction(
        self, namespace: str, *, max_age: float | None = None, max_count: int | None = None, max_bytes: int | None = None
    ) -> None:
        """Say what ``cleanup`` may remove from a namespace; without any bound, nothing.

        Args:
            namespace: one of the known ones.
            max_age: seconds since the last use.
            max_count: entries, the least recently used go first.
            max_bytes: bytes of content, likewise.
        """
        self._policies[addresses.check_namespace(namespace)] = Policy(max_age, max_count, max_bytes)

    async def cleanup(self, *, force: bool = False) -> CleanupReport:
        """Apply the eviction policies, now. What something stored cites stays unless ``force``.

        Raises:
            CapabilityError: a policy is set and the backend keeps no access index.
        """
        await self.flush_uses()
        return await clean_up(self, self._policies, now=self._clock(), force=force)

    async def reconcile(self) -> dict[str, int]:
        """After a restart: let the backend finish or undo what a killed process left, and index what waits; what was done."""
        await self.flush_uses()
        return dict(await self._ask(self._backend.recover())) if isinstance(self._backend, Recover) else {}

    async def verify(self) -> VerifyReport:
        """Check that every address ever cited resolves and that every entry is what was written. Reads everything."""
        return await verify(self)

    async def gc(self, *, dry_run: bool = False, min_age: float = 3600.0) -> GCReport:
        """Remove blobs that nothing stored cites and that are older than ``min_age`` seconds."""
        return await collect(self, now=self._clock(), dry_run=dry_run, min_age=min_age)

    async def export(self, target: Store) -> int:
        """Copy everything of this scope into another store (of plain files, say); how many entries.

        Raises:
            IntegrityError: some are damaged; all others have been copied.
        """
        count = 0
        damaged: builtins.list[str] = []
        for namespace in addresses.NAMESPACES:
            for path in await self.list(namespace):
                try:
                    entry = await self.peek(namespace, path)
                except IntegrityError:
                    damaged.append(self.uri(namespace, path))
                    continue
                if entry is None:
                    continue
                texts = texts_in(namespace, entry.data)
                seen = texts if namespace == "archive" else texts[0] if texts and namespace in TEXTUAL else None
                await target.put(namespace, entry.data, path=path, meta=entry.meta, text=seen)
                count += 1
        if damaged:
            raise IntegrityError(
                f"{count} entries were copied; damaged, and left out: {', '.join(damaged)}",
                hint="restore those from a copy of the store",
            )
        return count

    async def flush_uses(self) -> None:
        """Hand the counted reads to the backend's access index."""
        uses, self._uses = self._uses, {}
        if uses and isinstance(self._backend, AccessIndex):
            await self._ask(self._backend.touch(uses))

    async def close(self) -> None:
        """Give back files and threads. Everything is safe without it, save the count of reads."""
        # A store that cannot be written can still be read: that its reads are not counted is no reason to fail.
        with contextlib.suppress(StoreError):
            await self.flush_uses()
        if isinstance(self._backend, Close):
            await self._ask(self._backend.close())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    def _name(self, namespace: str, path: str) -> str:
        addresses.check_namespace(namespace)
        addresses.check_path(path)
        return self._names[namespace]

    def _prepare(self, write: Write, *, hashed: bool = False) -> Write:
        name = self._name(write.namespace, write.path)
        if write.namespace == "vfs":
            if not is_digest(write.path):
                raise URIError(f"{write.path!r} is no address in vfs", hint="what is stored there is called after its SHA-256")
            if not hashed:
                check_digest(write.path, write.data)
            return Write(name, write.path, write.data, write.meta, write.text, if_absent=True)
        text = archive_texts(write.data) if write.namespace == "archive" and write.text is None else write.text
        return Write(name, write.path, write.data, write.meta, text, write.if_absent)

    async def _write_one(self, write: Write) -> bool:
        backend = self._backend
        if not write.if_absent:
            await self._ask(backend.write(write.namespace, write.path, write.data, write.meta, text=write.text))
            return True
        if self._if_absent is not None:
            call = self._if_absent.put_if_absent(write.namespace, write.path, write.data, write.meta, text=write.text)
            return await self._ask(call) is None
        if await self._ask(backend.read(write.namespace, write.path)) is not None:
            return False
        await self._ask(backend.write(write.namespace, write.path, write.data, write.meta, text=write.text))
        return True

    async def _ask(self, call: Awaitable[T]) -> T:
        """Whatever a backend raises, callers see one kind of error."""
        try:
            return await call
        except TransomError:
            raise
        except Exception as error:
            name = type(self._backend).__name__
            raise StoreError(f"{name} failed: {error}", hint="see the error it came from; nothing was cited") from error

    async def _used(self, name: str, path: str) -> None:
        key = (name, path)
        self._uses[key] = (self._clock(), self._uses.get(key, (0.0, 0))[1] + 1)
        if len(self._uses) > _USES_KEPT:
            with contextlib.suppress(StoreError):
                await self.flush_uses()


def _decoded(data: bytes) -> str | None:
    texts = texts_in("notes", data)
    return texts[0] if texts else None
