"""Whether one SQL statement only reads: by its text, and by what the database says it is about to do.

``judge`` reads the text and gives a reason that a model can act on. ``authorize`` is the boundary: SQLite asks it about every
table, function and pragma while it compiles a statement, those of views and triggers included, so it needs no reading of SQL.
A tool uses both, on a connection opened read-only (``mode=ro``): none of the three is enough by itself. Knows no database;
SQLite's action codes are written down here.
"""

from __future__ import annotations

from collections.abc import Sequence

from .sqltokens import Token, UnreadableSQL, is_mark, tokens
from .verdict import ALLOWED, Verdict, refuse

__all__ = ["DENY", "PERMIT", "authorize", "judge"]

PERMIT, DENY = 0, 1
"""What an authorizer answers: SQLITE_OK and SQLITE_DENY (https://sqlite.org/c3ref/c_deny.html)."""

_PRAGMA, _READ, _SELECT, _UPDATE, _FUNCTION, _RECURSIVE = 19, 20, 21, 23, 31, 33
_READING_ACTIONS = frozenset({_READ, _SELECT, _RECURSIVE})
_ATTACHING = frozenset({24, 25})
"""ATTACH and DETACH reach other files: refused where writing is meant, too (https://sqlite.org/c3ref/c_alter_table.html)."""

_LOOKING = frozenset(
    {
        *("foreign_key_check", "foreign_key_list", "index_info", "index_list", "index_xinfo", "integrity_check", "quick_check"),
        *("table_info", "table_list", "table_xinfo"),
    }
)
"""Pragmas whose argument names what is looked at (https://sqlite.org/pragma.html)."""
_TELLING = _LOOKING | {
    *("application_id", "auto_vacuum", "cache_size", "collation_list", "compile_options", "data_version", "database_list"),
    *("defer_foreign_keys", "encoding", "foreign_keys", "freelist_count", "function_list", "journal_mode", "max_page_count"),
    *("module_list", "page_count", "page_size", "pragma_list", "query_only", "schema_version", "synchronous", "user_version"),
}
"""Pragmas that only tell something as long as nothing is assigned to them."""

_FOREIGN_CODE = frozenset(
    {"edit", "eval", "fsdir", "fts3_tokenizer", "load_extension", "lsdir", "readfile", "shell", "writefile"}
)
"""Functions that run code or touch files, of SQLite and of the extensions that its shell carries."""

_WRITING = frozenset({"delete", "insert", "merge", "update"})
_LONGEST = 100_000
"""Characters. A tenth of what SQLite takes, and more than a person or a model writes."""
_WRITING_HEADS = _WRITING | {"alter", "analyze", "create", "drop", "reindex", "replace"}


def judge(statement: str, *, writable: bool = False) -> Verdict:
    """Whether a statement may run.

    Args:
        statement: one statement; a semicolon and comments may follow it.
        writable: the database was opened for writing on purpose: changes to its tables are fine then. Other files, foreign code
            and settings that outlive the statement never are.

    Returns:
        ``sql_readonly`` for what writes or reaches out, ``multi_statement``, or ``sql_error`` for what is no statement.
    """
    if len(statement) > _LONGEST:
        return refuse("sql_error", "sql_long", limit=f"{_LONGEST:,}")
    if "\0" in statement:
        return refuse("sql_error", "sql_unreadable", what="NUL")
    for postgres in (False, True):
        try:
            read = list(tokens(statement, postgres=postgres))
        except UnreadableSQL as error:
            return refuse("sql_error", "sql_unreadable", what=str(error))
        verdict = _judge(read, writable)
        if not verdict.allowed:
            return verdict
    return ALLOWED


def authorize(
    action: int,
    first: str | None,
    second: str | None,
    database: str | None,
    source: str | None,  # noqa: ARG001 - SQLite passes five arguments
    *,
    writable: bool = False,
) -> int:
    """What a connection may do: the callback of ``sqlite3.Connection.set_authorizer``.

    Args:
        action: what SQLite is about to do (https://sqlite.org/c3ref/c_alter_table.html).
        first, second: what it is done to; which of them says what depends on the action.
        database: the name it is attached as.
        source: the view or trigger that asks; such a one may do no more than the statement itself.
        writable: as in ``judge``.

    Returns:
        ``PERMIT`` or ``DENY``.
    """
    if action == _FUNCTION:
        return DENY if (second or "").lower() in _FOREIGN_CODE else PERMIT
    if action == _PRAGMA:
        return PERMIT if _pragma_tells(first or "", second) else DENY
    if action in _READING_ACTIONS:
        return PERMIT
    if action == _UPDATE and first == "sqlite_master" and database == "main":
        # SQLite 3.40 asks this when it only opens a virtual table (full text, json_each, pragma_…), and nothing else. To really
        # change that table takes PRAGMA writable_schema, which is denied above, and a connection that may write.
        return PERMIT
    return PERMIT if writable and action not in _ATTACHING else DENY


def _judge(read: Sequence[Token], writable: bool) -> Verdict:
    read = _one_statement(read)
    if not read:
        return refuse("sql_error", "sql_empty")
    if any(is_mark(token, ";") for token in read) and not _is_trigger(read):
        return refuse("multi_statement", "sql_several")
    for index, token in enumerate(read[:-1]):
        if token.kind in {"word", "name"} and token.text in _FOREIGN_CODE and is_mark(read[index + 1], "("):
            return refuse("sql_readonly", "sql_function", function=token.text)
    return _judge_statement(read, writable)


def _one_statement(read: Sequence[Token]) -> Sequence[Token]:
    """Without the semicolon that may end it."""
    return read[:-1] if read and is_mark(read[-1], ";") else read


def _judge_statement(read: Sequence[Token], writable: bool) -> Verdict:
    """A statement that is one, by its head: EXPLAIN once, WITH once, then what is really done."""
    read = _behind_brackets(read)
    if _head(read) == "explain":
        read = _behind_brackets(_behind_explain(read))
    if _head(read) == "with":
        main = _behind_with(read)
        if main is None:
            return refuse("sql_error", "sql_unreadable", what="WITH")
        parts = _judge_query(read[: len(read) - len(main)], writable)
        if not parts:
            return parts
        read = _behind_brackets(main)
    head = _head(read)
    if head in {"select", "values"}:
        return _judge_query(read, writable)
    if head == "pragma":
        return _judge_pragma(read)
    if writable and head in _WRITING_HEADS:
        return ALLOWED
    return refuse("sql_readonly", "sql_writes", statement=head.upper() or "?")


def _head(read: Sequence[Token]) -> str:
    return read[0].text if read and read[0].kind == "word" else ""


def _behind_brackets(read: Sequence[Token]) -> Sequence[Token]:
    start = next((index for index, token in enumerate(read) if not is_mark(token, "(")), len(read))
    return read[start:]


def _judge_query(read: Sequence[Token], writable: bool) -> Verdict:
    """A query must not hold a change: some databases take one in parentheses, or write what was selected INTO a table."""
    if writable:
        return ALLOWED
    for index, token in enumerate(read):
        if token.kind != "word":
            continue
        if token.text == "into":
            return refuse("sql_readonly", "sql_writes", statement="INTO")
        if token.text in _WRITING and index and is_mark(read[index - 1], "("):
            return refuse("sql_readonly", "sql_writes", statement=token.text.upper())
    return ALLOWED


def _judge_pragma(read: Sequence[Token]) -> Verdict:
    """``PRAGMA name``, ``PRAGMA name(argument)`` or ``PRAGMA name = value``, perhaps with a database before the name."""
    rest = read[1:]
    if len(rest) >= 3 and is_mark(rest[1], "."):
        rest = rest[2:]
    name = rest[0].text if rest and rest[0].kind in {"word", "name"} else ""
    if _pragma_tells(name, "" if len(rest) > 1 else None):
        return ALLOWED
    return refuse("sql_readonly", "sql_pragma", pragma=name or "?")


def _behind_explain(read: Sequence[Token]) -> Sequence[Token]:
    rest = read[1:]
    if rest and is_mark(rest[0], "("):
        rest = _behind_group(rest)
    while rest and rest[0].kind == "word" and rest[0].text in {"query", "plan", "analyze", "verbose"}:
        rest = rest[1:]
    return rest


def _behind_with(read: Sequence[Token]) -> Sequence[Token] | None:
    """What follows ``WITH name (columns) AS (…), …``; ``None`` where it is not written like that."""
    rest = read[1:]
    if len(rest) > 1 and rest[0].text == "recursive" and rest[1].kind in {"word", "name"} and rest[1].text != "as":
        rest = rest[1:]
    while True:
        rest = rest[1:]
        if rest and is_mark(rest[0], "("):
            rest = _behind_group(rest)
        if not rest or rest[0].text != "as":
            return None
        rest = rest[1:]
        while rest and rest[0].kind == "word" and rest[0].text in {"not", "materialized"}:
            rest = rest[1:]
        if not rest or not is_mark(rest[0], "("):
            return None
        rest = _behind_group(rest)
        if not rest or not is_mark(rest[0], ","):
            return rest
        rest = rest[1:]


def _behind_group(read: Sequence[Token]) -> Sequence[Token]:
    depth = 0
    for index, token in enumerate(read):
        depth += is_mark(token, "(") - is_mark(token, ")")
        if depth == 0:
            return read[index + 1 :]
    return ()


def _is_trigger(read: Sequence[Token]) -> bool:
    """One statement that holds others: CREATE TRIGGER … BEGIN …; …; END. Its first ``; END`` ends it."""
    if read[0].text != "create" or not any(token.kind == "word" and token.text == "trigger" for token in read[1:3]):
        return False
    ends = [
        i for i, token in enumerate(read[1:], 1) if token.kind == "word" and token.text == "end" and is_mark(read[i - 1], ";")
    ]
    return bool(ends) and ends[0] == len(read) - 1


def _pragma_tells(name: str, argument: str | None) -> bool:
    return name.lower() in (_TELLING if argument is None else _LOOKING)
