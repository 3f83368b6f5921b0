"""The SQLite backend: what the contract asks for, put to the writer thread and to a pool of reading connections.

Knows threads and connections; the SQL lies in ``tables`` and ``search``. Opens itself with the first call, again after
``close``, and again in a child after a fork (a connection must not cross one). No event loop is held on to.
"""

from __future__ import annotations

import asyncio
import builtins
import contextlib
import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from ....errors import StoreError
from ....jsontext import EMPTY
from ...backend import Hit, Stat, StoredEntry, Write
from ...sealing import opened
from ...uri import check_backend_namespace, check_path, check_prefix
from . import search as fulltext
from . import tables
from .connection import connect_reader, connect_writer, sweep, translate
from .writer import Writer

__all__ = ["SQLiteBackend"]

T = TypeVar("T")
_READERS = 4
_INLINE = 64 * 1024
_YIELD = 0.002
_LARGE = 4 * 1024 * 1024
_FLUSH_BYTES = 8 * 1024 * 1024
_IDLE_FLUSH_BYTES = 512 * 1024


class _Connections:
    """What one process holds open."""

    def __init__(self, path: Path, *, busy_timeout: float, create: bool) -> None:
        self.process = os.getpid()
        self.path = path
        self.writer = Writer(path, busy_timeout=busy_timeout, create=create, idle=_index_a_little)
        self.executor = ThreadPoolExecutor(_READERS, thread_name_prefix="store reader")
        self.idle: list[sqlite3.Connection] = []
        self.lock = threading.Lock()
        self.closed = False

    def close(self) -> None:
        if self.process != os.getpid():
            # Closing a connection that was inherited over a fork would drop the locks of the parent.
            return
        self.executor.shutdown(wait=True)
        with self.lock:
            idle, self.idle, self.closed = self.idle, [], True
        for connection in idle:
            connection.close()
        # Last: only a connection that may write copies the log into the file and removes it.
        self.writer.close()
        sweep(self.path)


class SQLiteBackend:
    """One file holds everything.

    Args:
        path: the file; made, with its directory, by the first write.
        busy_timeout: seconds to wait for another process that writes.
        create: ``False`` refuses to make a file that is not there.
        clock: unix time in seconds.

    Every method raises ``StoreError`` with the way out when the file is read-only, locked, damaged or no store, or out of room.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        busy_timeout: float = 10.0,
        create: bool = True,
        clock: Callable[[], float] = time.time,
    ) -> None:
        if str(path) == ":memory:":
            raise StoreError("SQLite in memory is not a store", hint="use MemoryBackend()")
        self.path = Path(path)
        self._busy_timeout = busy_timeout
        self._create = create
        self._clock = clock
        self._lock = threading.Lock()
        self._open: _Connections | None = None
        self._yielded = 0.0
        self._inherited: list[_Connections] = []

    async def read(self, namespace: str, path: str) -> StoredEntry | None:
        """See ``StorageBackend``. Small entries are read in the caller's thread: that is 10 µs, a hop is 80."""
        address = check_backend_namespace(namespace), check_path(path)

        def look(connection: sqlite3.Connection) -> tuple[bytes | None, bytes | None] | None:
            row: tuple[bytes | None, bytes | None] | None = connection.execute(
                f"""SELECT CASE WHEN size <= {_INLINE} THEN data END, CAST(meta AS BLOB) FROM entries
                    WHERE namespace = ? AND path = ?""",  # noqa: S608
                address,
            ).fetchone()
            return row

        found = self._reading(look)
        if found is None:
            return None
        data, meta = found
        if data is not None and (entry := opened(*address, data, meta)).checked:
            return entry
        return await self._read(lambda connection: _entry(connection, *address))

    async def write(
        self,
        namespace: str,
        path: str,
        data: bytes,
        meta: Mapping[str, object] = EMPTY,
        *,
        text: str | tuple[str, ...] | None = None,
    ) -> None:
        """See ``StorageBackend``. Survives the end of the process; ``batch`` survives that of the machine."""
        write = _checked(Write(namespace, path, data, meta, text))
        now = self._clock()
        await self._write_soon(lambda connection: tables.put(connection, write, now), len(data))

    async def delete(self, namespace: str, path: str) -> bool:
        """See ``StorageBackend``."""
        address = check_backend_namespace(namespace), check_path(path)
        return await self._write_soon(lambda connection: tables.delete(connection, *address))

    async def list(self, namespace: str, prefix: str = "") -> Sequence[str]:
        """See ``StorageBackend``."""
        where, values = _range(namespace, prefix)
        rows = await self._select(f"SELECT path FROM entries WHERE {where} ORDER BY path", values)  # noqa: S608 - no value in it
        return [str(row[0]) for row in rows]

    async def namespaces(self) -> Sequence[str]:
        """See ``Namespaces``. From one name to the next in the index: entries are many, names are few."""
        rows = await self._select(
            """WITH RECURSIVE names (name) AS (
                SELECT min(namespace) FROM entries UNION ALL
                SELECT (SELECT min(namespace) FROM entries WHERE namespace > name) FROM names WHERE name IS NOT NULL)
            SELECT name FROM names WHERE name IS NOT NULL""",
            (),
        )
        return [str(row[0]) for row in rows]

    async def read_all(self, namespace: str, prefix: str = "") -> Mapping[str, StoredEntry]:
        """See ``ReadAll``."""
        where, values = _range(namespace, prefix)
        statement = f"SELECT path, data, CAST(meta AS BLOB) FROM entries WHERE {where} ORDER BY path"  # noqa: S608

        def read(connection: sqlite3.Connection) -> dict[str, StoredEntry]:
            rows = connection.execute(statement, values).fetchall()
            return {path: tables.entry_of(connection, namespace, path, data, meta) for path, data, meta in rows}

        return await self._read(read)

    async def append(
        self, namespace: str, path: str, data: bytes, meta: Mapping[str, object] = EMPTY, *, text: str | None = None
    ) -> None:
        """See ``Append``."""
        write = _checked(Write(namespace, path, data, meta, text))
        now = self._clock()
        await self._write_soon(lambda connection: tables.append(connection, write, now), len(data))

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
        write = _checked(Write(namespace, path, data, meta, text, if_absent=True))
        now = self._clock()

        def put(connection: sqlite3.Connection) -> StoredEntry | None:
            if tables.put(connection, write, now):
                return None
            return _entry(connection, namespace, path)

        return await self._write_soon(put, len(data))

    async def batch(self, writes: Iterable[Write]) -> Sequence[bool]:
        """See ``Batch``."""
        checked = [_checked(write) for write in writes]
        if not checked:
            return []
        now = self._clock()
        large = sum(len(write.data) for write in checked) >= _LARGE
        return await self._write(
            lambda connection: [tables.put(connection, write, now) for write in checked], sync=True, large=large
        )

    async def search(self, query: str, *, namespaces: Sequence[str] = (), limit: int = 20) -> Sequence[Hit]:
        """See ``Search``. On a store that cannot be written, what was not indexed yet is not found."""
        for namespace in namespaces:
            check_backend_namespace(namespace)
        try:
            await self.flush()
        except StoreError:
            if os.access(self.path, os.W_OK) and os.access(self.path.parent, os.W_OK):
                raise
        return await self._read(lambda connection: fulltext.search(connection, query, tuple(namespaces), limit))

    async def flush(self) -> int:
        """Index everything that waits; how many documents."""
        done = 0
        while self._reading(tables.waiting):
            done += await self._write(lambda connection: tables.flush(connection, _FLUSH_BYTES))
        return done

    async def stats(self, namespace: str, prefix: str = "") -> Sequence[Stat]:
        """See ``AccessIndex``."""
        where, values = _range(namespace, prefix)
        rows = await self._select(
            f"""SELECT path, size, created, coalesce(uses.accessed, created), coalesce(uses.uses, 0)
                FROM entries LEFT JOIN uses ON uses.entry = entries.id WHERE {where} ORDER BY path""",  # noqa: S608
            values,
        )
        return [Stat(*row) for row in rows]  # type: ignore[arg-type]

    async def touch(self, uses: Mapping[tuple[str, str], tuple[float, int]]) -> None:
        """See ``AccessIndex``."""
        rows = [(*address, when, count) for address, (when, count) in uses.items()]
        await self._write(lambda connection: tables.touch(connection, rows))

    async def recover(self) -> Mapping[str, int]:
        """See ``Recover``. SQLite rolls its log forward by itself; what is left is the index."""
        await self._write(lambda _: None)
        return {"indexed": await self.flush()}

    async def snapshot(self, target: Path) -> None:
        """See ``Snapshot``.

        Raises:
            StoreError: the target exists, or cannot be written.
        """

        def copy(connection: sqlite3.Connection) -> None:
            if target.exists():
                raise StoreError(f"{target} exists", hint="name a new file")
            try:
                with contextlib.closing(sqlite3.connect(target)) as other:
                    connection.backup(other)
            except sqlite3.Error as error:
                raise translate(error, target) from error

        await self._read(copy)

    async def check(self) -> str:
        """SQLite's own account of the entries and their index: ``ok``, or what is wrong with them."""
        rows = await self._select("PRAGMA integrity_check(entries)", ())
        return "; ".join(str(row[0]) for row in rows)

    async def close(self) -> None:
        """See ``Close``."""
        with self._lock:
            opened, self._open = self._open, None
        if opened is not None and opened.process == os.getpid():
            await asyncio.get_running_loop().run_in_executor(None, opened.close)

    def _connections(self) -> _Connections:
        opened = self._open
        if opened is not None and opened.process == os.getpid():
            return opened
        with self._lock:
            if self._open is not None and self._open.process != os.getpid():
                self._inherited.append(self._open)
                self._open = None
            if self._open is None:
                self._open = _Connections(self.path, busy_timeout=self._busy_timeout, create=self._create)
                weakref.finalize(self, self._open.close)
            return self._open

    async def _write(self, run: Callable[[sqlite3.Connection], T], *, sync: bool = False, large: bool = False) -> T:
        return await asyncio.wrap_future(self._connections().writer.submit(run, sync=sync, large=large))

    async def _write_soon(self, run: Callable[[sqlite3.Connection], T], size: int = 0) -> T:
        if size <= _INLINE:
            if (now := time.monotonic()) - self._yielded > _YIELD:
                # A caller that stores thousands of entries in a row must not keep the loop to itself.
                self._yielded = now
                await asyncio.sleep(0)
            if (done := self._connections().writer.attempt(run)) is not None:
                return done[0]
        return await self._write(run)

    async def _read(self, run: Callable[[sqlite3.Connection], T]) -> T:
        return await asyncio.wrap_future(self._connections().executor.submit(self._reading, run))

    def _reading(self, run: Callable[[sqlite3.Connection], T]) -> T:
        opened = self._connections()
        with opened.lock:
            connection = opened.idle.pop() if opened.idle else None
        if connection is None:
            connection = self._reader()
        try:
            return run(connection)
        except sqlite3.Error as error:
            raise translate(error, self.path) from error
        finally:
            with opened.lock:
                if not opened.closed:
                    opened.idle.append(connection)
            if opened.closed:
                connection.close()

    def _reader(self) -> sqlite3.Connection:
        try:
            return connect_reader(self.path, busy_timeout=self._busy_timeout)
        except StoreError:
            if not self._create:
                raise
            # Not there yet, or another process is just making it: make sure that it is made, then look again.
            connect_writer(self.path, busy_timeout=self._busy_timeout, create=True).close()
            return connect_reader(self.path, busy_timeout=self._busy_timeout)

    async def _select(self, statement: str, values: tuple[object, ...]) -> builtins.list[tuple[object, ...]]:
        return await self._read(lambda connection: connection.execute(statement, values).fetchall())


def _index_a_little(connection: sqlite3.Connection) -> bool:
    """Idle work: some of the queue, little enough that a write which comes meanwhile hardly waits."""
    connection.execute("BEGIN IMMEDIATE")
    done = tables.flush(connection, _IDLE_FLUSH_BYTES)
    connection.execute("COMMIT")
    return done > 0


def _entry(connection: sqlite3.Connection, namespace: str, path: str) -> StoredEntry | None:
    row = connection.execute(
        "SELECT data, CAST(meta AS BLOB) FROM entries WHERE namespace = ? AND path = ?", (namespace, path)
    ).fetchone()
    return tables.entry_of(connection, namespace, path, *row) if row else None


def _checked(write: Write) -> Write:
    check_backend_namespace(write.namespace)
    check_path(write.path)
    return write


def _range(namespace: str, prefix: str) -> tuple[str, tuple[object, ...]]:
    """The rows of a listing as a range of the index."""
    check_backend_namespace(namespace)
    check_prefix(prefix)
    if not prefix:
        return "namespace = ?", (namespace,)
    stem = prefix.rstrip("\U0010ffff")
    if not stem:
        return "namespace = ? AND path >= ?", (namespace, prefix)
    last = ord(stem[-1]) + 1
    end = stem[:-1] + chr(0xE000 if 0xD800 <= last <= 0xDFFF else last)
    return "namespace = ? AND path >= ? AND path < ?", (namespace, prefix, end)
