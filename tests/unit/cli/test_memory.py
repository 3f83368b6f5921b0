"""``transom memory``, as a user types it."""

from __future__ import annotations

import asyncio
import io
import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from transom.cli.app import run
from transom.engine.memory.switching import open_memory
from transom.runtime import open_store
from transom.tokens import Heuristic

pytestmark = pytest.mark.feature("S9", "S10")


@dataclass(frozen=True)
class Done:
    status: int
    stdout: bytes
    stderr: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.stdout)


Transom = Callable[..., Done]


@pytest.fixture
def transom(capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Transom:
    """``transom("list", stdin=b"")``, in this process (starting one takes half a second), in an empty folder."""
    (tmp_path / "here" / ".git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")

    def call(*arguments: object, stdin: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        status = run(["memory", *map(str, arguments)])
        return Done(status, *capfdbinary.readouterr())

    return call


@pytest.fixture(params=["store.db", "files/"])
def store(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    where = f"{tmp_path}/{request.param}"
    monkeypatch.setenv("TRANSOM_STORE", where)
    return where


@pytest.fixture
def entry(store: str, transom: Transom) -> str:
    """The id of an entry that an agent remembered for a project, beside facts of the project and of nobody."""
    assert transom("register", "Port").status == 0
    assert transom("set", "style/quotes", "double", "--description", "in Python").status == 0
    assert transom("set", "style/lines", "short", "--project", "port").status == 0

    async def remember() -> str:
        async with open_store(store) as opened:
            scope = await open_memory(opened, "port")
            return (await scope.memory.remember("The old quay is closed.", title="Quay")).entry_id

    return asyncio.run(remember())


def test_what_is_set_is_got_back_byte_for_byte(transom: Transom, store: str, tmp_path: Path) -> None:
    assert transom("set", "a", "no newline").status == 0
    assert transom("get", "a").stdout == b"no newline"
    exact = "tabs\tand\r\nends \u0000 and 日本語 🙂\n".encode()
    assert transom("set", "a", "-", stdin=exact).status == 0
    assert transom("get", "a").stdout == exact
    (tmp_path / "value.txt").write_bytes(exact * 3)
    assert transom("set", "größe/日本", "--file", tmp_path / "value.txt").status == 0
    assert transom("get", "größe/日本").stdout == exact * 3
    assert transom("set", "empty", "").status == 0
    assert transom("get", "empty").stdout == b""
    assert transom("set", "minus", "-x").status == 0
    assert transom("get", "minus").stdout == b"-x"


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=st.text())
def test_any_text_comes_back_byte_for_byte_from_stdin(transom: Transom, tmp_path: Path, value: str) -> None:
    try:
        data = value.encode()
    except UnicodeEncodeError:
        data = b"\xff"
    done = transom("set", "k", "-", "--store", tmp_path / "any.db", stdin=data)
    if data == b"\xff":
        assert done.status == 1
        assert b"is no UTF-8 text" in done.stderr
    else:
        assert transom("get", "k", "--store", tmp_path / "any.db").stdout == data


def test_json_tells_all_that_is_known_of_a_fact(transom: Transom, store: str) -> None:
    before = time.time()
    done = transom("set", "k", "v", "--description", "d", "--importance", "0.9", "--ttl", "3600", "--json").json
    assert done == transom("get", "k", "--json").json
    assert {key: done[key] for key in ("family", "key", "value", "description", "importance", "project", "uri")} == {
        "family": "facts",
        "key": "k",
        "value": "v",
        "description": "d",
        "importance": 0.9,
        "project": "",
        "uri": "context://memory/k",
    }
    assert before + 3600 <= done["expires_at"] <= time.time() + 3600
    again = transom("set", "k", "w", "--json").json
    assert (again["description"], again["importance"], again["updates"], again["expires_at"]) == ("d", 0.9, 1, None)


def test_a_fact_whose_time_is_over_is_gone(transom: Transom, store: str) -> None:
    assert transom("set", "k", "v", "--ttl", "0.000001").status == 0
    assert transom("get", "k").status == 1
    assert transom("list", "--json").json["facts"] == []


def test_list_shows_both_families_and_one_of_them_if_asked(transom: Transom, entry: str) -> None:
    both = transom("list", "--project", "port", "--json").json
    assert [fact["key"] for fact in both["facts"]] == ["style/lines", "style/quotes"]
    assert [(found["id"], found["title"], found["content"]) for found in both["entries"]] == [
        (entry, "Quay", "The old quay is closed.")
    ]
    facts = transom("list", "--project", "port", "--scope", "facts", "--json").json
    assert (len(facts["facts"]), facts["entries"]) == (2, [])
    entries = transom("list", "--project", "port", "--scope", "entries", "--json").json
    assert (entries["facts"], len(entries["entries"])) == ([], 1)
    assert [fact["key"] for fact in transom("list", "--prefix", "style/q", "--json").json["facts"]] == ["style/quotes"]
    lines = transom("list", "--project", "Port").stdout.decode().splitlines()
    assert lines[0].split() == ["kind", "key", "or", "id", "whose", "written", "text"]
    assert len(lines) == 4
    assert "Quay: The old quay is closed." in lines[3]


def test_a_long_or_hostile_text_takes_one_line_of_a_list(transom: Transom, store: str) -> None:
    transom("set", "k", "-", stdin=b"\n\n\x1b[31mred\n" + b"x" * 5000)
    lines = transom("list").stdout.splitlines()
    assert len(lines) == 2
    assert lines[1].endswith("\\x1b[31mred …".encode())


def test_projects_do_not_see_each_other(transom: Transom, entry: str) -> None:
    assert transom("register", "Lighthouse").status == 0
    for name in ("style/lines", entry):
        assert transom("get", name, "--project", "lighthouse").status == 1
        assert transom("forget", name, "--project", "lighthouse").status == 1
        assert transom("get", name).status == 1
        assert transom("get", name, "--project", "port").status == 0
    assert transom("search", "quay", "--project", "lighthouse").status == 1
    assert [fact["key"] for fact in transom("list", "--project", "lighthouse", "--json").json["facts"]] == ["style/quotes"]


def test_a_projects_own_fact_goes_before_a_global_one(transom: Transom, entry: str) -> None:
    assert transom("set", "style/quotes", "single", "--project", "port").status == 0
    assert transom("get", "style/quotes", "--project", "port").stdout == b"single"
    assert transom("get", "style/quotes").stdout == b"double"
    assert transom("forget", "style/quotes", "--project", "port", "--json").json["uri"].endswith("/projects/port/style/quotes")
    assert transom("get", "style/quotes", "--project", "port").stdout == b"double"


def test_forget_says_of_which_family_it_was(transom: Transom, entry: str) -> None:
    assert transom("forget", entry, "--project", "port", "--json").json == {
        "deleted": True,
        "family": "entries",
        "id": entry,
        "uri": f"context://memory/entries/project/port/{entry}",
    }
    assert transom("forget", "style/quotes").stdout == b"forgot the fact style/quotes (context://memory/style/quotes)\n"
    for name in (entry, "style/quotes", "never"):
        done = transom("forget", name, "--project", "port")
        assert (done.status, done.stdout, done.stderr.count(b"\n")) == (1, b"", 1)
        assert b"no fact has this key and no entry this id" in done.stderr


def test_an_address_is_a_name_as_well(transom: Transom, entry: str) -> None:
    uri = transom("get", entry, "--project", "port", "--json").json["uri"]
    assert transom("get", uri, "--project", "port").stdout == b"The old quay is closed."
    assert transom("get", "context://memory/style/quotes").stdout == b"double"
    assert transom("forget", "context://memory/projects/port/style/lines", "--project", "port").status == 0
    assert transom("forget", uri, "--project", "port").status == 0


def test_search_finds_both_families_and_finding_nothing_is_status_one(transom: Transom, entry: str) -> None:
    hits = transom("search", "quay double", "--project", "port", "--json").json["hits"]
    assert {(hit["family"], hit.get("key") or hit.get("id")) for hit in hits} == {
        ("facts", "style/quotes"),
        ("entries", entry),
    }
    assert all({"uri", "score", "snippet"} <= set(hit) for hit in hits)
    assert len(transom("search", "quay double", "--limit", "1", "--project", "port", "--json").json["hits"]) == 1
    assert b"The old quay is closed." in transom("search", "quay", "--project", "port").stdout
    nothing = transom("search", "xylophone", "--json")
    assert (nothing.status, nothing.json) == (1, {"hits": []})


@pytest.mark.feature("S11")
def test_an_unknown_project_is_refused_with_those_that_are_known_and_registers_none(transom: Transom, entry: str) -> None:
    for arguments in (
        ("list",),
        ("get", "k"),
        ("set", "k", "v"),
        ("forget", "k"),
        ("search", "x"),
        ("sessions",),
        ("restore",),
    ):
        done = transom(*arguments, "--project", "prot")
        assert (done.status, done.stdout) == (1, b"")
        assert done.stderr == (
            b"transom: no project 'prot' is registered (registered are port; transom memory register NAME adds one)\n"
        )
    assert [project["id"] for project in transom("projects", "--json").json["projects"]] == ["port"]


@pytest.mark.feature("S11")
def test_projects_are_registered_and_listed(transom: Transom, store: str) -> None:
    made = transom("register", "Outer Harbour", "--root", "/srv/harbour", "--description", "berths", "--json").json
    assert (made["id"], made["name"], made["root"]) == ("outer-harbour", "Outer Harbour", "/srv/harbour")
    assert transom("register", "🙂", "--id", "smile").stdout.decode() == "🙂 is registered as smile\n"
    assert transom("projects", "--json").json["projects"][0] == made
    assert len(transom("projects").stdout.splitlines()) == 3
    again = transom("register", "outer harbour")
    assert again.status == 1
    assert b"there is a project outer-harbour already" in again.stderr


@pytest.mark.feature("S11")
def test_sessions_are_listed_and_restored_within_a_budget(transom: Transom, entry: str, store: str) -> None:
    async def save() -> None:
        async with open_store(store) as opened:
            sessions = (await open_memory(opened, "port")).sessions
            await sessions.save("Dredged.\n" * 500, title="Dredging", next_steps=["measure"], tags=["t"], session_id="s1")

    asyncio.run(save())
    [info] = transom("sessions", "--project", "port", "--json").json["sessions"]
    assert (info["id"], info["title"], info["open_steps"], info["characters"]) == ("s1", "Dredging", 1, 4500)
    assert b"Dredging" in transom("sessions", "--project", "port", "--tag", "t").stdout
    assert transom("sessions", "--json").json == {"sessions": []}
    for budget in (0, 60, 150, 2000):
        told = transom("restore", "--budget", budget, "--project", "port", "--json").json
        assert told["tokens"] == Heuristic().count(told["text"]) <= budget
        assert told["session"] == {"id": "s1", "project": "port", "uri": "context://sessions/port/s1"}
        plain = transom("restore", "s1", "--budget", budget, "--project", "port").stdout.decode()
        assert plain.split(" saved ")[0] == told["text"].split(" saved ")[0]
    assert "The old quay is closed." in told["text"]
    assert told["stale"] is False
    assert transom("restore", "--stale-after", "0.0000001", "--project", "port", "--json").json["stale"] is True
    assert transom("restore", "nope", "--project", "port").status == 1


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("get", "gone"), 1, "nothing is remembered as 'gone'"),
        (("get", "a//b"), 2, "an empty segment"),
        (("get", "projects/x"), 2, "no fact can be called"),
        (("set", "../x", "v"), 2, "the segment '..'"),
        (("set", "entries/x", "v"), 2, "no fact can be called"),
        (("set", "k"), 2, "one value is needed"),
        (("set", "k", "v", "--file", "f"), 2, "one value is needed"),
        (("set", "k", "--file", "gone.txt"), 1, "gone.txt: No such file or directory"),
        (("set", "k", "v", "--importance", "1.5"), 2, "--importance cannot be '1.5' (it is a number from 0 to 1)"),
        (("set", "k", "v", "--importance", "much"), 2, "--importance cannot be 'much'"),
        (("set", "k", "v", "--ttl", "0"), 2, "--ttl cannot be '0' (it is more than 0)"),
        (("set", "k", "v", "--ttl", "nan"), 2, "--ttl cannot be 'nan'"),
        (("set", "k", "x" * 300_000), 1, "at most 262,144"),
        (("search", "x", "--limit", "0"), 2, "--limit cannot be '0' (it is more than 0)"),
        (("search", "x", "--limit", "51"), 2, "--limit cannot be '51' (it is at most 50)"),
        (("list", "--scope", "some"), 2, "facts"),
        (("list", "extra"), 2, "transom memory list --help"),
        (("restore", "--budget", "-1"), 2, "--budget cannot be '-1' (it is 0 or more)"),
        (("sessions", "--limit", "0"), 2, "--limit cannot be '0'"),
        (("restore", "a/b"), 1, "is no id of a session"),
        (("register", "🙂"), 1, "give an id as well"),
    ],
    ids=lambda value: " ".join(map(str, value))[:40] if isinstance(value, tuple) else None,
)
def test_errors_are_one_line_with_the_way_out(
    transom: Transom, tmp_path: Path, arguments: tuple[str, ...], status: int, said: str
) -> None:
    where = ("--store", str(tmp_path / "s.db"))
    assert transom("set", "there", "already", *where).status == 0
    done = transom(*arguments, *where)
    assert (done.status, done.stdout, done.stderr.count(b"\n")) == (status, b"", 1)
    assert said in done.stderr.decode()


def test_looking_at_a_store_that_is_not_there_does_not_make_one(transom: Transom, tmp_path: Path) -> None:
    for where in (tmp_path / "no.db", f"{tmp_path}/no/"):
        for arguments in (
            ("list",),
            ("get", "k"),
            ("forget", "k"),
            ("search", "x"),
            ("projects",),
            ("sessions",),
            ("restore",),
            ("set", "k", "v", "--project", "p"),
        ):
            done = transom(*arguments, "--store", where)
            assert (done.status, done.stdout) == (1, b"")
            assert b"there is no store" in done.stderr
    assert [found.name for found in tmp_path.iterdir()] == ["here"]
    assert transom("list").status == 2


@pytest.mark.parametrize("arguments", [("memory", "set", "k", "-"), ("validate", "-"), ("convert", "-", "--to", "openai")])
def test_what_is_read_from_a_closed_stdin_is_no_empty_text(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    where = ("--store", str(tmp_path / "s.db")) if arguments[0] == "memory" else ()
    command = [sys.executable, "-m", "transom", *arguments]
    if where:
        before = [sys.executable, "-m", "transom", "memory", "set", "k", "kept", *where]
        subprocess.run(before, cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *command, *where], cwd=tmp_path, capture_output=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout) in {(1, b""), (2, b"")}
    assert done.stderr.count(b"\n") == 1
    assert b"stdin: it is closed" in done.stderr
    if where:
        shown = subprocess.run(
            [sys.executable, "-m", "transom", "memory", "get", "k", *where], cwd=tmp_path, capture_output=True, check=True
        )
        assert shown.stdout == b"kept"


def test_two_processes_set_and_read_side_by_side(tmp_path: Path) -> None:
    """Each sets twenty facts of its own, while the other does."""
    where = str(tmp_path / "s.db")
    program = (
        "import sys; from transom.cli.app import run; name, store = sys.argv[1:]; "
        "sys.exit(max(run(['memory', 'set', f'{name}/{n}', 'v', '--store', store]) for n in range(20)))"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", program, name, where], cwd=tmp_path, stdout=subprocess.DEVNULL)
        for name in ("a", "b")
    ]
    assert [process.wait(60) for process in running] == [0, 0]

    async def keys() -> list[str]:
        async with open_store(where) as opened:
            return [fact.key for fact in await (await open_memory(opened)).memory.facts.list()]

    assert asyncio.run(keys()) == sorted(f"{name}/{number}" for name in ("a", "b") for number in range(20))
