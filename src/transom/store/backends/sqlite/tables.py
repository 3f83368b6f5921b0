"""What is done to the tables inside a transaction: entries in and out, the index queue filled and emptied.

Knows SQL and full text; no threads, no futures. Every function takes the connection and is to be run between BEGIN and COMMIT.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from ....errors import IntegrityError, StoreError
from ...backend import StoredEntry, Write
from ...fulltext import clean, columns, texts_of
from ...sealing import damaged, opened, sealed
from .schema import DOCS, is_sealed

__all__ = ["Doc", "append", "delete", "entry_of", "find_doc", "flush", "put", "scope_word", "touch", "waiting"]

_INSERT = """INSERT INTO entries (namespace, path, created, size, texts, meta, data) VALUES (?, ?, ?, ?, ?, ?, ?)
             ON CONFLICT (namespace, path) DO NOTHING"""
# Not collected while a session is about to cite it again; at most one write a minute for an entry.
_REUSED = """INSERT INTO uses (entry, accessed, uses) SELECT id, ?3, 1 FROM entries WHERE namespace = ?1 AND path = ?2
             ON CONFLICT (entry) DO UPDATE SET accessed = excluded.accessed, uses = uses + 1
             WHERE accessed < excluded.accessed - 60"""
_UPDATE = "UPDATE entries SET created = ?, size = ?, texts = ?, meta = ?, data = ? WHERE id = ?"
_INSERT_ROOM = _INSERT.replace("?, ?)", "?, zeroblob(?))")
_UPDATE_ROOM = _UPDATE.replace("data = ?", "data = zeroblob(?)")
_LARGE, _PIECE = 1024 * 1024, 256 * 1024
_NONE, _ITSELF, _DOCS = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Doc:
    """An indexed text and where it came from; ``line`` counts from 1, 0 where the entry has one text."""

    namespace: str
    path: str
    line: int
    text: str


def put(connection: sqlite3.Connection, write: Write, now: float) -> bool:
    """Store one entry and queue its text; whether it was stored."""
    meta = _kept(write, write.data)
    texts = _kind(write)
    size = len(write.data)
    large = size >= _LARGE
    values = (write.namespace, write.path, now, size, texts, meta, size if large else write.data)
    cursor = connection.execute(_INSERT_ROOM if large else _INSERT, values)
    if cursor.rowcount:
        entry = cursor.lastrowid
        assert entry is not None
    elif write.if_absent:
        connection.execute(_REUSED, (write.namespace, write.path, now))
        return False
    else:
        entry = _id(connection, write.namespace, write.path)
        assert entry is not None
        _unindex(connection, entry)
        changes = (now, size, texts, meta, size if large else write.data, entry)
        connection.execute(_UPDATE_ROOM if large else _UPDATE, changes)
    if large:
        _fill(connection, entry, write.data)
    if texts == _ITSELF:
        connection.execute("INSERT INTO queue (doc) VALUES (?)", (entry * DOCS,))
    elif texts == _DOCS:
        many = isinstance(write.text, tuple)
        for number, text in enumerate(texts_of(write.text)):
            _add_doc(connection, entry * DOCS + number, number + 1 if many else 0, 0, 0, clean(text))
    return True


def _kept(write: Write, data: bytes) -> str | None:
    kept = sealed(write.namespace, write.path, data, write.meta)
    return None if kept is None else kept.decode("utf-8")


def _fill(connection: sqlite3.Connection, entry: int, data: bytes) -> None:
    """Write the bytes of an entry piece by piece: binding them as a value would copy all of them twice. No slower, measured."""
    view = memoryview(data)
    with connection.blobopen("entries", "data", entry) as blob:
        for start in range(0, len(data), _PIECE):
            blob.write(view[start : start + _PIECE])


def _kind(write: Write) -> int:
    text = write.text
    if not text:
        return _NONE
    if isinstance(text, tuple):
        if len(text) >= DOCS:
            raise StoreError(f"an entry of {len(text)} texts", hint=f"split it: at most {DOCS - 1}")
        return _DOCS
    return _ITSELF if text.encode("utf-8", "surrogatepass") == write.data else _DOCS


def _add_doc(connection: sqlite3.Connection, doc: int, line: int, start: int, size: int, text: str | None) -> None:
    if text == "":
        return
    connection.execute("INSERT INTO docs (id, line, start, size, text) VALUES (?, ?, ?, ?, ?)", (doc, line, start, size, text))
    connection.execute("INSERT INTO queue (doc) VALUES (?)", (doc,))


def append(connection: sqlite3.Connection, write: Write, now: float) -> None:
    """Add bytes at the end of an entry and queue their text."""
    row = connection.execute(
        "SELECT id, data, texts, CAST(meta AS BLOB) FROM entries WHERE namespace = ? AND path = ?",
        (write.namespace, write.path),
    ).fetchone()
    if row is None:
        put(connection, write, now)
        return
    entry, old, texts = int(row[0]), entry_of(connection, write.namespace, write.path, row[1], row[3]).data, int(row[2])
    if isinstance(write.text, str) and write.text:
        first = entry * DOCS
        if texts == _ITSELF:
            # What was the whole is now a part; it is indexed, or queued, under the same number.
            connection.execute("INSERT INTO docs (id, line, start, size) VALUES (?, 0, 0, ?)", (first, len(old)))
        last = connection.execute("SELECT max(id) FROM docs WHERE id >= ? AND id < ?", (first, first + DOCS)).fetchone()[0]
        doc = first if last is None else int(last) + 1
        same = write.text.encode("utf-8", "surrogatepass") == write.data
        _add_doc(connection, doc, 0, len(old), len(write.data) if same else 0, None if same else clean(write.text))
        texts = _DOCS
    elif texts == _ITSELF:
        connection.execute("INSERT INTO docs (id, line, start, size) VALUES (?, 0, 0, ?)", (entry * DOCS, len(old)))
        texts = _DOCS
    data = old + write.data
    meta = _kept(write, data)
    connection.execute(
        "UPDATE entries SET size = ?, texts = ?, meta = ?, data = ? WHERE id = ?", (len(data), texts, meta, data, entry)
    )


def entry_of(connection: sqlite3.Connection, namespace: str, path: str, data: object, kept: bytes | None) -> StoredEntry:
    """The entry in a row, after a look at its seal, which none lacks in a file that was sealed from its start.

    Raises:
        IntegrityError: it is not what was stored.
    """
    entry = opened(namespace, path, data, kept)
    if not entry.checked and is_sealed(connection):
        raise damaged(namespace, path)
    return entry


def delete(connection: sqlite3.Connection, namespace: str, path: str) -> bool:
    """Remove an entry, its index rows and its uses; whether it was there."""
    entry = _id(connection, namespace, path)
    if entry is None:
        return False
    _unindex(connection, entry)
    connection.execute("DELETE FROM uses WHERE entry = ?", (entry,))
    connection.execute("DELETE FROM entries WHERE id = ?", (entry,))
    return True


def _id(connection: sqlite3.Connection, namespace: str, path: str) -> int | None:
    row = connection.execute("SELECT id FROM entries WHERE namespace = ? AND path = ?", (namespace, path)).fetchone()
    return int(row[0]) if row else None


def _unindex(connection: sqlite3.Connection, entry: int) -> None:
    """Take an entry out of the index. A contentless table forgets a row only when told what was in it."""
    data, texts, namespace = connection.execute(
        "SELECT CASE WHEN texts THEN data END, texts, namespace FROM entries WHERE id = ?", (entry,)
    ).fetchone()
    if texts == _NONE:
        return
    first, end = entry * DOCS, (entry + 1) * DOCS
    queued = {int(row[0]) for row in connection.execute("SELECT doc FROM queue WHERE doc >= ? AND doc < ?", (first, end))}
    rows = connection.execute("SELECT id, start, size, text FROM docs WHERE id >= ? AND id < ?", (first, end)).fetchall()
    for doc, start, size, text in rows if texts == _DOCS else [(first, 0, len(data), None)]:
        if doc not in queued:
            values = (doc, *columns(text if text is not None else _part(data, start, size)), scope_word(namespace))
            connection.execute("INSERT INTO words (words, rowid, text, dense, scope) VALUES ('delete', ?, ?, ?, ?)", values)
    connection.execute("DELETE FROM queue WHERE doc >= ? AND doc < ?", (first, end))
    connection.execute("DELETE FROM docs WHERE id >= ? AND id < ?", (first, end))


def _part(data: bytes, start: int, size: int) -> str:
    return clean(_decoded(data[start : start + size]))


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        # Damaged since it was written. Whoever reads it hears of that; the index must not fail over it.
        return data.decode("utf-8", "replace")


def find_doc(connection: sqlite3.Connection, doc: int) -> Doc | None:
    """The text with this number in the index; none where the entry that holds it is damaged."""
    row = connection.execute(
        """SELECT namespace, path, docs.line, docs.start, docs.size, docs.text,
           CASE WHEN docs.text IS NULL THEN data END, CAST(meta AS BLOB), texts
           FROM entries LEFT JOIN docs ON docs.id = ?1 WHERE entries.id = ?2""",
        (doc, doc // DOCS),
    ).fetchone()
    if row is None:
        return None
    namespace, path, line, start, size, text, data, meta, texts = row
    if texts == _NONE or (texts == _DOCS and line is None):
        return None
    if text is None:
        try:
            entry_of(connection, namespace, path, data, meta)
        except IntegrityError:
            return None
    if texts == _ITSELF:
        return Doc(namespace, path, 0, clean(data.decode("utf-8", "surrogatepass")))
    return Doc(namespace, path, line, text if text is not None else _part(data, start, size))


def scope_word(namespace: str) -> str:
    """What the index holds for the scope in a namespace; empty for the local user."""
    _, _, scope = namespace.partition("@")
    return f"s{hashlib.sha256(scope.encode()).hexdigest()[:20]}" if scope else ""


def waiting(connection: sqlite3.Connection) -> bool:
    """Whether there is index work."""
    return connection.execute("SELECT 1 FROM queue LIMIT 1").fetchone() is not None


def flush(connection: sqlite3.Connection, most: int) -> int:
    """Index queued texts, oldest entry first, until ``most`` bytes of them are done; how many were."""
    done = 0
    last = -1
    rows = connection.execute(
        """SELECT doc, namespace, CASE WHEN texts = 1 THEN data END
           FROM queue LEFT JOIN entries ON entries.id = queue.doc / ? ORDER BY doc""",
        (DOCS,),
    )
    for doc, namespace, data in rows:
        last = doc
        if data is not None:
            text = _decoded(data)
        else:
            found = find_doc(connection, doc)
            text = found.text if found is not None else ""
        if text:
            words, dense = columns(text)
            values = (doc, words, dense, scope_word(namespace))
            connection.execute("INSERT INTO words (rowid, text, dense, scope) VALUES (?, ?, ?, ?)", values)
            most -= len(words) + len(dense)
        done += 1
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
