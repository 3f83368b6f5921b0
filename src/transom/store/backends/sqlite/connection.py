"""Opening the file, and saying in words what SQLite says in codes.

Knows SQLite's settings and result codes; no tables. The file is made readable by its owner only; SQLite gives its side files
the same mode.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from pathlib import Path

from ....errors import IntegrityError, NotFoundError, StoreError
from ...backend import NO_ROOM
from . import schema

__all__ = ["CHECKPOINT_PAGES", "connect_reader", "connect_writer", "is_busy", "sweep", "translate"]

# 16 MB of log before it is copied into the file: every copy costs two syncs, which the default of 4 MB pays every 800 puts.
CHECKPOINT_PAGES = 4000
_LOG_LIMIT = 64 * 1024 * 1024
_PAUSE = 0.005


def connect_writer(path: Path, *, busy_timeout: float, create: bool) -> sqlite3.Connection:
    """The one connection that writes.

    Args:
        path: the file.
        busy_timeout: seconds to wait for another process.
        create: make the file (and its directory) when it is not there.

    Raises:
        NotFoundError: there is no such file and ``create`` is off.
        StoreError: whatever else went wrong.
    """
    _require_file(path, create=create)
    deadline = time.monotonic() + busy_timeout
    while True:
        try:
            return _open_writer(path, busy_timeout)
        except sqlite3.Error as error:
            # SQLite does not wait itself while another process turns the log on, as all do that open a new file.
            if not is_busy(error) or time.monotonic() >= deadline:
                raise translate(error, path) from error
        time.sleep(_PAUSE)


def _open_writer(path: Path, busy_timeout: float) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=busy_timeout, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL").fetchone()
        connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
        connection.execute(f"PRAGMA journal_size_limit = {_LOG_LIMIT}")
        connection.execute("PRAGMA secure_delete = OFF")
        connection.execute("PRAGMA cache_size = -16000")
        schema.prepare(connection, path)
        connection.execute("PRAGMA busy_timeout = 0")
    except BaseException:
        connection.close()
        raise
    return connection


def connect_reader(path: Path, *, busy_timeout: float) -> sqlite3.Connection:
    """A connection that cannot write. Works on a read-only file system when the log is empty.

    Raises:
        StoreError: what went wrong.
    """
    _require_file(path, create=False)
    uri = path.absolute().as_uri()
    try:
        return _open_reader(f"{uri}?mode=ro", path, busy_timeout)
    except sqlite3.OperationalError as error:
        log = path.with_name(path.name + "-wal")
        if log.exists() and log.stat().st_size:
            raise translate(error, path) from error
    try:
        # Without write access to the directory SQLite cannot make the shared-memory file that its log needs.
        return _open_reader(f"{uri}?mode=ro&immutable=1", path, busy_timeout)
    except sqlite3.Error as error:
        raise translate(error, path) from error


def _open_reader(uri: str, path: Path, busy_timeout: float) -> sqlite3.Connection:
    connection = sqlite3.connect(uri, uri=True, timeout=busy_timeout, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA cache_size = -4000")
        schema.check(connection, path)
    except sqlite3.OperationalError:
        connection.close()
        raise
    except sqlite3.Error as error:
        connection.close()
        raise translate(error, path) from error
    except BaseException:
        connection.close()
        raise
    return connection


def sweep(path: Path) -> None:
    """Remove the empty side files that connections which only read leave behind, if nobody else has the file open."""
    try:
        if path.with_name(path.name + "-wal").stat().st_size:
            return
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=0, isolation_level=None)
    except (OSError, sqlite3.Error):
        return
    # SQLite removes them with the last connection that could have written.
    with contextlib.closing(connection), contextlib.suppress(sqlite3.Error):
        connection.execute("SELECT 1 FROM sqlite_master").fetchone()


def _require_file(path: Path, *, create: bool) -> None:
    try:
        if path.is_dir():
            raise StoreError(f"{path} is a directory", hint="name a file, or end the path in / for a store of plain files")
        if path.is_file():
            return
        if path.exists():
            raise StoreError(f"{path} is no regular file", hint="name a store file, or a new file to make one")
        if not create:
            raise NotFoundError(f"there is no store at {path}", hint="check the path; a store is made by what writes to it")
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise StoreError(f"{path} cannot be opened: {error.strerror}", hint="check the path and its permissions") from error


def is_busy(error: BaseException) -> bool:
    """Whether another process has the lock: as SQLite says it, or as it was translated."""
    found = error if isinstance(error, sqlite3.Error) else error.__cause__
    return isinstance(found, sqlite3.Error) and getattr(found, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY


def translate(error: sqlite3.Error, path: Path) -> StoreError:
    """Say what a result code means and what to do about it. Codes: https://sqlite.org/rescode.html."""
    name = getattr(error, "sqlite_errorname", None) or ""
    text = str(error)
    match name.split("_")[1] if name.startswith("SQLITE_") else "":
        case "BUSY" | "LOCKED":
            return StoreError(
                f"{path} is locked by another process", hint="let it finish or end it, then try again; nothing was written"
            )
        case "READONLY":
            return StoreError(f"{path} is read-only", hint="make the file and its directory writable, or name another store")
        case "FULL":
            return StoreError(f"{NO_ROOM} {path}", hint="free some space; nothing stored so far is lost")
        case "IOERR":
            return StoreError(
                f"the disk failed on {path} ({name})",
                hint="check free space, quotas and the disk; nothing stored so far is lost",
            )
        case "CORRUPT":
            return IntegrityError(
                f"{path} is damaged ({text})",
                hint="keep it, restore a copy, or save what is readable with `sqlite3 FILE .recover`",
            )
        case "NOTADB":
            return StoreError(f"{path} is not a store", hint="name a store file, or a new file to make one")
        case "CANTOPEN" | "PERM" | "AUTH":
            return StoreError(f"{path} cannot be opened", hint="check the path and its permissions")
        case "TOOBIG":
            return StoreError("an entry larger than SQLite holds (1 GB)", hint="split it, or use a store of plain files")
        case _:
            return StoreError(f"{path}: {text}", hint=f"SQLite reported {name or type(error).__name__}")
