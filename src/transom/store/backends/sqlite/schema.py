"""What the file looks like, and how an older one is brought up to date.

Knows SQL, no Python types of the store. ``MIGRATIONS[n]`` turns version *n* into *n + 1*; version 0 is an empty file. A file
made by a newer release is refused rather than guessed at.

The full-text table is contentless: it holds postings only. Its row number is the entry's times ``DOCS`` plus the number of the
text within the entry; the text is the entry itself (``texts`` is 1: by far the most) or lies in ``docs`` (``texts`` is 2), as a
byte range of the entry or, where the two differ, in full. ``queue`` names the rows that are not indexed yet; it is written in
the transaction of the entry, so that a killed process loses no index work. The column ``scope`` holds one word for the user
whose text it is (none for the local user), so that a question in a store of many users reads no more than its own rows. A put
thus touches four pages of 4 KB; with a table row and an index entry for every text it was seven, and a third slower.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

from ....errors import StoreError

__all__ = ["APPLICATION_ID", "DOCS", "MIGRATIONS", "VERSION", "check", "is_sealed", "prepare"]

DOCS = 1 << 20
"""Texts an entry may have."""

APPLICATION_ID = 0x54524E53
"""``TRNS``: written into the file's header, so that another program's database is never taken for a store."""

_VERSION_1 = (
    """CREATE TABLE entries (
        id INTEGER PRIMARY KEY, namespace TEXT NOT NULL, path TEXT NOT NULL, created REAL NOT NULL,
        size INTEGER NOT NULL, texts INTEGER NOT NULL, meta TEXT, data BLOB NOT NULL)""",
    "CREATE UNIQUE INDEX entries_address ON entries (namespace, path)",
    "CREATE TABLE uses (entry INTEGER PRIMARY KEY, accessed REAL NOT NULL, uses INTEGER NOT NULL)",
    """CREATE TABLE docs (
        id INTEGER PRIMARY KEY, line INTEGER NOT NULL, start INTEGER NOT NULL, size INTEGER NOT NULL, text TEXT)""",
    "CREATE TABLE queue (doc INTEGER PRIMARY KEY)",
    """CREATE VIRTUAL TABLE words USING fts5 (text, dense, scope, content='', tokenize="unicode61 remove_diacritics 2")""",
    "INSERT INTO words (words, rank) VALUES ('rank', 'bm25(1.0, 1.0, 0.0)')",
    # A larger buffer in memory before a segment is written: measured 1.6 times the indexing rate of the default 1 MB.
    "INSERT INTO words (words, rank) VALUES ('hashsize', 16000000)",
    # Segments of a size are merged by eights, not fours: a tenth less work to index, and searches have time to spare.
    "INSERT INTO words (words, rank) VALUES ('automerge', 8)",
    # There from the start where no earlier release wrote an entry: one without a seal has lost it. Holds nothing.
    "CREATE TABLE sealed (id INTEGER PRIMARY KEY)",
)


def _create(connection: sqlite3.Connection) -> None:
    for statement in _VERSION_1:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (_create,)
VERSION = len(MIGRATIONS)


def prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Create the tables of an empty file, or bring older ones up to date. One transaction; safe against a second process.

    Raises:
        StoreError: the file is another program's database, or was made by a newer release.
        sqlite3.Error: for the caller to translate.
    """
    if _version(connection, path) == VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for step in MIGRATIONS[_version(connection, path) :]:
            step(connection)
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def check(connection: sqlite3.Connection, path: Path) -> None:
    """Make sure that a file opened for reading only is a store of this version.

    Raises:
        StoreError: it is none.
    """
    version = _version(connection, path)
    if version != VERSION:
        raise StoreError(
            f"{path} is a store of version {version}, this release reads {VERSION}", hint="open it once for writing"
        )


def is_sealed(connection: sqlite3.Connection) -> bool:
    """Whether every entry has a seal: earlier releases made no such file."""
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'sealed'").fetchone() is not None


def _version(connection: sqlite3.Connection, path: Path) -> int:
    # All of one moment: another process may be making the tables just now.
    found: tuple[int, int, int] = connection.execute(
        """SELECT user_version, application_id, (SELECT count(*) FROM sqlite_master)
           FROM pragma_user_version, pragma_application_id"""
    ).fetchone()
    version, owner, tables = found
    if owner != APPLICATION_ID and (owner or version or tables):
        raise StoreError(f"{path} is a SQLite database, but not a store", hint="name another file")
    if version > VERSION:
        raise StoreError(
            f"{path} was made by a newer release (version {version}, this one reads up to {VERSION})", hint="upgrade transom"
        )
    return version
