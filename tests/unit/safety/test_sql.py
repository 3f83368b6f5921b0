"""Statements that only read may run; whatever else a statement hides is refused by its text, and by SQLite itself."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.safety import sql
from transom.vocabulary import ENGLISH

pytestmark = pytest.mark.feature("Z5")

CASES = [
    json.loads(line) for line in (Path(__file__).parents[2] / "cases" / "toolbox-sql.jsonl").read_text("utf-8").splitlines()
]
BY_THE_TOOL = {
    "TBX-SQL-S23": "where the database is, is for the path policy",
    "TBX-SQL-S24": "whether the database is there, only the file system knows",
    "TBX-SQL-S25": "how long a query runs, only running it tells",
}
"""Cases that a statement alone does not decide, and why."""
BY_JUDGEMENT = [case for case in CASES if case["id"] not in BY_THE_TOOL]
REFUSED = [case for case in BY_JUDGEMENT if case["expect"] == "reject"]
READING = [case for case in BY_JUDGEMENT if case["expect"] != "reject"]


def query(case: dict[str, dict[str, str]]) -> str:
    return case["args"]["query"].replace("{BASE}", "/nowhere")


@pytest.mark.parametrize("case", READING, ids=lambda case: case["id"])
def test_a_case_that_reads_may_run(case: dict[str, dict[str, str]]) -> None:
    assert sql.judge(query(case))


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case["id"])
def test_a_case_that_writes_is_refused_with_its_symbol_and_a_sentence(case: dict[str, dict[str, list[str]]]) -> None:
    verdict = sql.judge(query(case))  # type: ignore[arg-type]
    assert verdict.error in case["expected"]["error"]
    assert ENGLISH.refusing.say(verdict.reason, verdict.facts).endswith(".")


def test_cases_left_to_the_tool_are_statements_that_only_read() -> None:
    for case in CASES:
        if case["id"] in BY_THE_TOOL:
            assert sql.judge(query(case))


# ── the database's own answer ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def connection(tmp_path: Path) -> sqlite3.Connection:
    """A database with every trap in it, open as a tool opens it: read-only, with the authorizer."""
    path = tmp_path / "t.db"
    writer = sqlite3.connect(path)
    writer.executescript(
        "CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT, note TEXT);"
        "INSERT INTO users VALUES(1,'Ann','x'),(2,'Bob',NULL),(3,'Zoë','y');"
        'CREATE TABLE kw("delete" TEXT, "update" INTEGER);'
        "CREATE VIEW v AS SELECT name FROM users;"
        "CREATE VIRTUAL TABLE found USING fts5(words); INSERT INTO found VALUES('one two');"
    )
    writer.close()
    reader = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
    reader.set_authorizer(sql.authorize)
    return reader


@pytest.mark.parametrize("case", READING, ids=lambda case: case["id"])
def test_sqlite_under_the_authorizer_answers_what_reads(
    case: dict[str, dict[str, str]], connection: sqlite3.Connection
) -> None:
    with connection:
        assert connection.execute(query(case)).fetchmany(10)
    connection.close()


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case["id"])
def test_sqlite_under_the_authorizer_refuses_what_writes(
    case: dict[str, dict[str, str]], connection: sqlite3.Connection, tmp_path: Path
) -> None:
    before = (tmp_path / "t.db").read_bytes()
    statement = query(case).replace("/nowhere/outside", str(tmp_path))
    with pytest.raises((sqlite3.DatabaseError, sqlite3.Warning)):
        connection.execute(statement).fetchall()
    connection.close()
    assert (tmp_path / "t.db").read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["t.db"]


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT name FROM v",
        "SELECT words FROM found WHERE found MATCH 'two'",
        "SELECT name FROM pragma_table_info('users')",
        "SELECT value FROM json_each('[1,2]')",
        'SELECT "delete", "update" FROM kw WHERE 0 UNION SELECT 1, 2',
        "SELECT id FROM users WHERE name LIKE '%n%' ORDER BY id DESC LIMIT 1",
        "EXPLAIN SELECT 1",
        "PRAGMA main.table_info('users')",
        "PRAGMA table_info = users",
        "PRAGMA user_version",
        "PRAGMA journal_mode",
        'WITH replace AS (SELECT 1 AS "into") SELECT * FROM replace',
        "WITH RECURSIVE a(x) AS NOT MATERIALIZED (SELECT 1), b AS (SELECT 2) SELECT * FROM a, b",
    ],
)
def test_queries_of_every_shape_pass_both_layers(statement: str, connection: sqlite3.Connection) -> None:
    assert sql.judge(statement), sql.judge(statement)
    assert connection.execute(statement).fetchall()
    connection.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE sqlite_master SET sql = 'x'",
        "CREATE TEMP TABLE t(x)",
        "SELECT * FROM pragma_journal_mode('WAL')",
        "PRAGMA main.journal_mode = WAL",
        "INSERT INTO found VALUES ('three')",
    ],
)
def test_sqlite_under_the_authorizer_refuses_by_itself_what_the_text_may_hide(
    statement: str, connection: sqlite3.Connection
) -> None:
    with pytest.raises(sqlite3.DatabaseError):
        connection.execute(statement).fetchall()
    connection.close()


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("", "sql_error"),
        (" -- nothing\n ; ", "sql_error"),
        ("SELECT 'open", "sql_error"),
        ('SELECT "open', "sql_error"),
        ("SELECT 1\0; DROP TABLE users", "sql_error"),
        ("SELECT 1" + " " * 100_000, "sql_error"),
        ("WITH DELETE FROM users", "sql_error"),
        ("EXPLAIN DELETE FROM users", "sql_readonly"),
        ("EXPLAIN ANALYZE INSERT INTO users VALUES (1)", "sql_readonly"),
        ("EXPLAIN (ANALYZE, BUFFERS) DELETE FROM users", "sql_readonly"),
        ("INSERT INTO users(id) VALUES(9) RETURNING id", "sql_readonly"),
        ("REPLACE INTO users(id) VALUES(1)", "sql_readonly"),
        ("SELECT \"load_extension\"('x')", "sql_readonly"),
        ("SELECT [Load_Extension] /* so */ ('x')", "sql_readonly"),
        ("SELECT writefile('/tmp/x', 'y')", "sql_readonly"),
        ("SELECT fts3_tokenizer('simple', x'00')", "sql_readonly"),
        ("DETACH DATABASE main", "sql_readonly"),
        ("VACUUM", "sql_readonly"),
        ("BEGIN", "sql_readonly"),
        ("PRAGMA main.user_version = 1", "sql_readonly"),
        ("PRAGMA optimize", "sql_readonly"),
        ("PRAGMA wal_checkpoint", "sql_readonly"),
        ("PRAGMA temp_store_directory = '/tmp'", "sql_readonly"),
        ("PRAGMA", "sql_readonly"),
        ("WITH gone AS (DELETE FROM users RETURNING *) SELECT * FROM gone", "sql_readonly"),
        ("SELECT * INTO copy FROM users", "sql_readonly"),
        ("SELECT 1 -- x\r; DELETE FROM users", "multi_statement"),
        ("SELECT $a$; DELETE FROM users; --$a$", "multi_statement"),
        ("SELECT /* /* */ 1; DROP TABLE users; -- */ */", "multi_statement"),
        (r"SELECT E'\'; DELETE FROM users; --'", "multi_statement"),
        ("SELECT a[';'] ; DELETE FROM users WHERE x = ']'", "multi_statement"),
    ],
)
def test_what_is_no_single_query_is_refused(statement: str, error: str) -> None:
    verdict = sql.judge(statement)
    assert verdict.error == error
    assert ENGLISH.refusing.say(verdict.reason, verdict.facts)


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO users VALUES (1)",
        "WITH d AS (SELECT 1) DELETE FROM users",
        "CREATE TABLE t(x)",
        "CREATE TRIGGER t AFTER INSERT ON users BEGIN SELECT CASE WHEN 1 THEN 2 END; DELETE FROM kw; END;",
        "SELECT 1",
    ],
)
def test_a_database_opened_for_writing_takes_changes(statement: str) -> None:
    assert sql.judge(statement, writable=True)


@pytest.mark.parametrize(
    "statement",
    [
        "ATTACH 'x' AS y",
        "VACUUM INTO 'x'",
        "PRAGMA writable_schema = 1",
        "SELECT load_extension('x')",
        "INSERT INTO users VALUES (1); DROP TABLE users",
        "CREATE TRIGGER t AFTER INSERT ON users BEGIN SELECT 1; END; DROP TABLE users; END",
    ],
)
def test_a_database_opened_for_writing_still_reaches_no_other_file_and_no_code(statement: str) -> None:
    assert not sql.judge(statement, writable=True)


def test_the_authorizer_of_a_writer_lets_changes_through_and_no_attachment() -> None:
    connection = sqlite3.connect(":memory:")
    connection.set_authorizer(lambda *asked: sql.authorize(*asked, writable=True))
    connection.execute("CREATE TABLE t(x)")
    connection.execute("INSERT INTO t VALUES (1)")
    with pytest.raises(sqlite3.DatabaseError, match="not authorized"):
        connection.execute("ATTACH ':memory:' AS other")
    with pytest.raises(sqlite3.DatabaseError):
        connection.execute("PRAGMA writable_schema = 1")
    connection.close()


@given(st.text(st.sampled_from(list("SELCTDEsx '\"`[]();,-/*$\n\\")), max_size=60))
def test_any_text_gets_a_verdict(text: str) -> None:
    verdict = sql.judge(text)
    assert verdict or ENGLISH.refusing.say(verdict.reason, verdict.facts)


@given(st.text(max_size=40).filter(lambda text: "\0" not in text))
def test_whatever_stands_in_a_literal_says_nothing_about_the_statement(text: str) -> None:
    quoted = text.replace("'", "''")
    assert sql.judge(f"SELECT '{quoted}' AS s")


def test_deep_brackets_are_read_in_one_pass() -> None:
    assert sql.judge("(" * 90_000 + "SELECT 1").allowed
