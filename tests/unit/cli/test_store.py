"""``transom store``, as a user types it."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from transom.cli.app import run
from transom.jsontext import dumps
from transom.runtime import open_store
from transom.store import Write
from transom.store.archive import archive_lines
from transom.tokens import Heuristic

pytestmark = pytest.mark.feature("S16")

LONG = "line of output, port 99 is fine\n" * 300
RAWS = [dumps({"role": "user", "content": "remember the port"}), dumps({"role": "tool", "content": LONG})]


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: bytes
    stderr: bytes


Transom = Callable[..., Done]


@pytest.fixture
def transom(capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Transom:
    """``transom("ls", "--store", path)``, in this process (starting one takes half a second), in an empty folder."""
    (tmp_path / "here" / ".git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")

    def call(*arguments: object) -> Done:
        status = run(["store", *map(str, arguments)])
        return Done(status, *capfdbinary.readouterr())

    return call


@pytest.fixture(params=["store.db", "files/"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    where = f"{tmp_path}/{request.param}"

    async def fill() -> None:
        async with open_store(where) as store:
            await store.put("notes", b"\x00exact\r\nbytes \xff", path="raw")
            await store.put("notes", "the database port is 5433", path="db")
            blobs, lines = archive_lines(RAWS)
            await store.commit([*blobs, Write("archive", "a1", lines), Write("windows", "w", b'"context://archive/a1"')])

    asyncio.run(fill())
    return where


def test_get_writes_the_exact_bytes(transom: Transom, path: str) -> None:
    assert transom("get", "context://notes/raw", "--store", path).stdout == b"\x00exact\r\nbytes \xff"


def test_an_archive_comes_as_json_lines_and_expand_puts_its_texts_back(transom: Transom, path: str) -> None:
    short = transom("get", "context://archive/a1", "--store", path).stdout
    whole = transom("get", "context://archive/a1", "--expand", "--store", path).stdout
    assert len(short.splitlines()) == 2
    assert len(short) < 300
    assert [json.loads(line) for line in whole.splitlines()] == [json.loads(raw) for raw in RAWS]


def test_ls_lists_addresses_and_sizes(transom: Transom, path: str) -> None:
    found = json.loads(transom("ls", "notes", "--store", path, "--json").stdout)
    assert found == {"entries": [{"uri": "context://notes/db", "bytes": 25}, {"uri": "context://notes/raw", "bytes": 15}]}
    assert b"context://archive/a1" in transom("ls", "--store", path).stdout
    assert json.loads(transom("ls", "context://notes/d", "--store", path, "--json").stdout)["entries"][0]["bytes"] == 25


@pytest.mark.parametrize("budget", [0, 15, 40, 200, 5000])
@pytest.mark.feature("S14")
def test_search_shows_a_model_no_more_than_its_budget(transom: Transom, path: str, budget: int) -> None:
    found = json.loads(transom("search", "which database port?", "--budget", budget, "--store", path, "--json").stdout)
    assert Heuristic().count(found["shown"]) <= budget
    assert found["hits"][0]["uri"] == "context://notes/db"
    assert {"uri", "score", "snippet"} <= set(found["hits"][0])
    if budget >= 200:
        assert "context://notes/db\nthe database port is 5433" in found["shown"]
        assert "context://archive/a1, line 1\nremember the port" in found["shown"]


@pytest.mark.feature("S14")
def test_search_may_be_kept_to_namespaces_and_finding_nothing_is_status_one(transom: Transom, path: str) -> None:
    found = json.loads(transom("search", "port", "--ns", "archive", "--ns", "vfs", "--store", path, "--json").stdout)
    assert {hit["uri"].split("/")[2] for hit in found["hits"]} == {"archive", "vfs"}
    nothing = transom("search", "xylophone", "--store", path)
    assert (nothing.returncode, nothing.stdout) == (1, b"")


def test_ls_may_be_kept_to_namespaces_as_search_is(transom: Transom, path: str) -> None:
    found = json.loads(transom("ls", "--ns", "notes", "--ns", "archive", "--store", path, "--json").stdout)
    assert {entry["uri"].split("/")[2] for entry in found["entries"]} == {"notes", "archive"}
    both = transom("ls", "context://vfs", "--ns", "notes", "--store", path)
    assert (both.returncode, both.stdout, b"leave out --ns" in both.stderr) == (2, b"", True)


@pytest.mark.parametrize("command", [("ls",), ("search", "port"), ("verify",), ("gc",), ("export", "copy")])
def test_a_scope_that_is_not_there_is_said_with_those_that_are(transom: Transom, path: str, command: tuple[str, ...]) -> None:
    async def fill() -> None:
        async with open_store(path, scope="client") as store:
            await store.put("notes", "mine", path="n")

    asyncio.run(fill())
    done = transom(*command, "--store", path, "--scope", "nosuch")
    said = b"transom: no scope 'nosuch' is in the store (there are default, client)\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", said)
    assert transom("verify", "--store", path, "--scope", "client").stdout.startswith(b"1 entry, 4 bytes; 0 addresses cited")


def test_verify_names_what_is_missing_and_exits_with_one(transom: Transom, path: str) -> None:
    assert transom("verify", "--store", path).returncode == 0

    async def lose() -> None:
        async with open_store(path) as store:
            await store.delete("archive", "a1")

    asyncio.run(lose())
    done = transom("verify", "--store", path)
    assert done.returncode == 1
    assert b"missing: context://archive/a1, cited by context://windows/w" in done.stdout
    report = json.loads(transom("verify", "--store", path, "--json").stdout)
    assert (report["ok"], report["missing"]) == (False, [["context://archive/a1", "context://windows/w"]])
    assert json.loads(transom("gc", "--min-age", 0, "--store", path, "--json").stdout)["removed"] != []


def test_an_address_of_a_folder_may_be_listed_as_it_is_written(transom: Transom, path: str) -> None:
    async def fill() -> None:
        async with open_store(path) as store:
            await store.put("notes", "x", path="größe/plan")

    asyncio.run(fill())
    for where in ("context://notes/gr%C3%B6%C3%9Fe/", "notes/größe/"):
        assert json.loads(transom("ls", where, "--store", path, "--json").stdout)["entries"] == [
            {"uri": "context://notes/gr%C3%B6%C3%9Fe/plan", "bytes": 1}
        ]


def test_an_export_is_a_store_that_the_same_commands_read(transom: Transom, path: str, tmp_path: Path) -> None:
    assert transom("export", tmp_path / "out", "--store", path).returncode == 0
    assert transom("get", "context://notes/raw", "--store", tmp_path / "out").stdout == b"\x00exact\r\nbytes \xff"
    again = transom("export", tmp_path / "out", "--store", path)
    assert (again.returncode, again.stderr.count(b"\n")) == (1, 1)


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("get", "context://notes/gone"), 1, b"nothing is stored under context://notes/gone"),
        (("get", "notes/gone"), 2, b"not a context address"),
        (("ls", "nope"), 2, b"there is no namespace 'nope'"),
        (("search", "x", "--ns", "nope"), 2, b"there is no namespace 'nope'"),
        (("ls", "--ns", "nope"), 2, b"there is no namespace 'nope'"),
        (("search", "x", "--limit", "-1"), 2, b"--limit cannot be '-1' (it is more than 0)"),
        (("search", "x", "--limit", "0"), 2, b"--limit cannot be '0' (it is more than 0)"),
        (("search", "x", "--budget", "-1"), 2, b"--budget cannot be '-1' (it is 0 or more)"),
        (("gc", "--min-age", "-1"), 2, b"--min-age cannot be '-1' (it is 0 or more)"),
        (("gc", "--min-age", "nan"), 2, b"--min-age cannot be 'nan' (it is 0 or more)"),
    ],
)
def test_errors_are_one_line_with_the_way_out(
    transom: Transom, path: str, arguments: tuple[str, ...], status: int, said: bytes
) -> None:
    done = transom(*arguments, "--store", path)
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (status, b"", 1)
    assert said in done.stderr


def test_looking_at_a_store_that_is_not_there_does_not_make_one(transom: Transom, tmp_path: Path) -> None:
    for where in (tmp_path / "no.db", f"{tmp_path}/no/"):
        for arguments in (
            ("ls",),
            ("get", "context://notes/a"),
            ("search", "x"),
            ("verify",),
            ("gc",),
            ("export", tmp_path / "out"),
        ):
            done = transom(*arguments, "--store", where)
            assert (done.returncode, done.stdout) == (1, b"")
            assert b"there is no store" in done.stderr
    assert [found.name for found in tmp_path.iterdir()] == ["here"]


def test_without_a_store_the_way_to_name_one_is_said(transom: Transom) -> None:
    done = transom("ls")
    assert done.returncode == 2
    assert b"--store PATH" in done.stderr


def test_the_scopes_of_a_store_are_listed_with_what_they_archived(transom: Transom, path: str) -> None:
    async def fill() -> None:
        async with open_store(path, scope="Another") as store:
            await store.put("notes", "mine", path="n")

    asyncio.run(fill())
    told = json.loads(transom("scopes", "--store", path, "--json").stdout)
    assert told == {"scopes": [{"scope": "default", "archives": 1}, {"scope": "Another", "archives": 0}]}
    assert b"Another" in transom("scopes", "--store", path).stdout


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="where the data directory lies is the system's")
def test_without_a_name_it_is_the_store_in_the_data_directory(
    transom: Transom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    usual = tmp_path / "data" / "transom" / "store.db"
    done = transom("ls")
    assert (done.returncode, f"none at {usual}" in done.stderr.decode()) == (2, True)

    async def fill() -> None:
        async with open_store(usual) as store:
            await store.put("notes", "the database port is 5433", path="db")

    asyncio.run(fill())
    assert b"context://notes/db" in transom("ls").stdout
    assert transom("get", "context://notes/db").stdout == b"the database port is 5433"


@pytest.mark.parametrize("store", ["store.db", "files/"])
def test_what_each_client_left_is_checked_tidied_and_copied_too(transom: Transom, tmp_path: Path, store: str) -> None:
    path = f"{tmp_path}/{store}"

    async def filled() -> None:
        async with open_store(path) as own:
            for scope in ("", "client"):
                part = own.scoped(scope)
                await part.put("notes", f"of {scope}".encode(), path="n")
                await part.put("archive", b"{}", path="a")
                await part.put("windows", b'{"archives": ["context://archive/a"]}', path="w")

    async def lose() -> None:
        async with open_store(path) as own:
            await own.scoped("client").delete("archive", "a")

    asyncio.run(filled())
    assert b"6 entries in 2 scopes" in transom("verify", "--store", path).stdout
    assert b"3 entries, " in transom("verify", "--store", path, "--scope", "default").stdout
    copy = f"{tmp_path}/copy/"
    assert transom("export", copy, "--store", path).stdout.startswith(b"6 entries")
    assert transom("get", "context://notes/n", "--store", copy, "--scope", "client").stdout == b"of client"
    missed = transom("get", "context://notes/n", "--store", copy, "--scope", "nobody")
    assert (missed.returncode, b"transom store scopes" in missed.stderr) == (1, True)
    alone = f"{tmp_path}/alone/"
    assert transom("export", alone, "--store", path, "--scope", "client").stdout.startswith(b"3 entries")
    assert transom("get", "context://notes/n", "--store", alone).stdout == b"of client"
    asyncio.run(lose())
    done = transom("verify", "--store", path)
    assert done.returncode == 1
    assert b"missing (scope client): context://archive/a, cited by context://windows/w" in done.stdout
    told = json.loads(transom("verify", "--store", path, "--json").stdout)
    assert [(each["scope"], len(each["missing"])) for each in told["scopes"]] == [("default", 0), ("client", 1)]
    assert (told["ok"], told["entries"], len(told["missing"])) == (False, 5, 1)
    assert transom("verify", "--store", path, "--scope", "default").returncode == 0
    assert json.loads(transom("gc", "--store", path, "--json").stdout)["removed"] == []
