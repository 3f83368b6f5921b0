"""What is done to the tables inside a transaction: entries in and out, the index queue filled and emptied.

Knows SQL and full text; no threads, no futures. Every function takes the connection and is to be run between BEGIN and COMMIT.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

from ....jsontext import EMPTY, dumps, loads
from ...backend import StoredEntry, Write
from ...fulltext import clean, columns, texts_of

__all__ = ["append", "delete", "doc_text", "entry_of", "flush", "meta_of", "put", "touch"]

_EXISTS = "SELECT id FROM entries WHERE namespace = ? AND path = ?"
_INSERT = "INSERT INTO entries (namespace, path, created, size, meta, data) VALUES (?, ?, ?, ?, ?, ?)"
_UPDATE = "UPDATE entries SET created = ?, size = ?, meta = ?, data = ? WHERE id = ?"
_DOC = "INSERT INTO docs (entry, line, start, size, text) VALUES (?, ?, ?, ?, ?)"


def meta_of(meta: str | None) -> Mapping[str, object]:
    """The stored meta values."""
    value = loads(meta) if meta else EMPTY
    return value if isinstance(value, dict) else EMPTY


def put(connection: sqlite3.Connection, write: Write, now: float) -> bool:
    """Store one entry and queue its text; whether it was stored."""
    meta = dumps(write.meta).decode() if write.meta else None
    row = connection.execute(_EXISTS, (write.namespace, write.path)).fetchone()
    if row is None:
        values = (write.namespace, write.path, now, len(write.data), meta, write.data)
        entry = connection.execute(_INSERT, values).lastrowid
        assert entry is not None
    elif write.if_absent:
        return False
    else:
        entry = int(row[0])
        _unindex(connection, entry)
        connection.execute(_UPDATE, (now, len(write.data), meta, write.data, entry))
    if write.text is not None:
        many = isinstance(write.text, tuple)
        for line, text in enumerate(texts_of(write.text), 1):
            same = not many and text.encode("utf-8", "surrogatepass") == write.data
            _queue(connection, entry, line if many else 0, 0, len(write.data) if same else 0, None if same else text)
    return True


def append(connection: sqlite3.Connection, write: Write, now: float) -> None:
    """Add bytes at the end of an entry and queue their text."""
    row = connection.execute(
        "SELECT id, data FROM entries WHERE namespace = ? AND path = ?", (write.namespace, write.path)
    ).fetchone()
    if row is None:
        put(connection, write, now)
        return
    entry, old = int(row[0]), bytes(row[1])
    meta = dumps(write.meta).decode() if write.meta else None
    data = old + write.data
    connection.execute("UPDATE entries SET size = ?, meta = ?, data = ? WHERE id = ?", (len(data), meta, data, entry))
    if isinstance(write.text, str):
        same = write.text.encode("utf-8", "surrogatepass") == write.data
        _queue(connection, entry, 0, len(old) if same else 0, len(write.data) if same else 0, None if same else write.text)


def _queue(connection: sqlite3.Connection, entry: int, line: int, start: int, size: int, text: str | None) -> None:
    if text is not None:
        text = clean(text)
    if text == "" or (text is None and size == 0):
        return
    doc = connection.execute(_DOC, (entry, line, start, size, text)).lastrowid
    connection.execute("INSERT INTO queue (doc) VALUES (?)", (doc,))


def delete(connection: sqlite3.Connection, namespace: str, path: str) -> bool:
    """Remove an entry, its index rows and its uses; whether it was there."""
    row = connection.execute(_EXISTS, (namespace, path)).fetchone()
    if row is None:
        return False
    entry = int(row[0])
    _unindex(connection, entry)
    connection.execute("DELETE FROM uses WHERE entry = ?", (entry,))
    connection.execute("DELETE FROM entries WHERE id = ?", (entry,))
    return True


def _unindex(connection: sqlite3.Connection, entry: int) -> None:
    """Take an entry out of the index. A contentless table forgets a row only when told what was in it."""
    docs = connection.execute(
        """SELECT docs.id, docs.start, docs.size, docs.text, queue.doc FROM docs LEFT JOIN queue ON queue.doc = docs.id
           WHERE docs.entry = ?""",
        (entry,),
    ).fetchall()
    if not docs:
        return
    data: bytes | None = None
    for doc, start, size, text, queued in docs:
        if queued is not None:
            connection.execute("DELETE FROM queue WHERE doc = ?", (doc,))
            continue
        if text is None:
            if data is None:
                data = bytes(connection.execute("SELECT data FROM entries WHERE id = ?", (entry,)).fetchone()[0])
            text = doc_text(data, start, size)  # noqa: PLW2901 - the same value, materialised
        connection.execute("INSERT INTO words (words, rowid, text, dense) VALUES ('delete', ?, ?, ?)", (doc, *columns(text)))
    connection.execute("DELETE FROM docs WHERE entry = ?", (entry,))


def doc_text(data: bytes, start: int, size: int) -> str:
    """The text of a document that is a stretch of its entry."""
    return clean(data[start : start + size].decode("utf-8", "surrogatepass"))


def flush(connection: sqlite3.Connection, most: int) -> int:
    """Index queued documents, oldest first, until ``most`` bytes of them are done; how many documents were."""
    rows = connection.execute(
        """SELECT queue.doc, docs.start, docs.size, docs.text, CASE WHEN docs.text IS NULL THEN entries.data END
           FROM queue JOIN docs ON docs.id = queue.doc JOIN entries ON entries.id = docs.entry
           ORDER BY queue.doc"""
    )
    done = last = 0
    for doc, start, size, text, data in rows:
        words, dense = columns(text if text is not None else doc_text(data, start, size))
        connection.execute("INSERT INTO words (rowid, text, dense) VALUES (?, ?, ?)", (doc, words, dense))
        last = doc
        done += 1
        most -= len(words) + len(dense)
        if most <= 0:
            break
    rows.close()
    if done:
        connection.execute("DELETE FROM queue WHERE doc <= ?", (last,))
    return done


def touch(connection: sqlite3.Connection, uses: Iterable[tuple[str, str, float, int]]) -> None:
    """Add to the access index; entries that are gone are skipped."""
    connection.executemany(
        """INSERT INTO uses (entry, accessed, uses) SELECT id, ?3, ?4 FROM entries WHERE namespace = ?1 AND path = ?2
           ON CONFLICT (entry) DO UPDATE SET accessed = max(accessed, excluded.accessed), uses = uses + excluded.uses""",
        uses,
    )


def entry_of(row: tuple[bytes, str | None]) -> StoredEntry:
    """An entry from its ``data`` and ``meta`` columns."""
    return StoredEntry(bytes(row[0]), meta_of(row[1]))
