"""What ``transom doctor`` finds, and what it says to do."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path

import pytest

from transom.cli.app import run
from transom.runtime import open_store
from transom.testing.provider import ScriptedProvider, says


@pytest.fixture
def findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, str]]:
    monkeypatch.setenv("TRANSOM_STORE", str(tmp_path / "store.db"))
    assert run(["doctor", "--root", str(tmp_path), "--json"]) == 0
    return {item["part"]: item for item in json.loads(capsys.readouterr().out)["findings"]}


def test_it_names_what_is_there(findings: dict[str, dict[str, str]], tmp_path: Path) -> None:
    assert findings["folders"]["detail"].startswith(str(tmp_path))
    assert findings["tools"]["state"] == "ok"
    numbers = re.fullmatch(
        r"(\d+) tools: (\d+) shown to clients, (\d+) more that they can call, (\d+) off \(transom tools list --all\)",
        findings["tools"]["detail"],
    )
    assert numbers is not None
    whole, *parts = map(int, numbers.groups())
    assert whole == sum(parts)
    assert "store.db" in findings["store"]["detail"]


def test_what_is_missing_comes_with_the_mend(findings: dict[str, dict[str, str]]) -> None:
    for item in findings.values():
        if item["state"] == "missing" and (item["part"] != "sandbox" or sys.platform == "linux"):
            assert item["mend"], item


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a confinement yet")
def test_it_says_what_confines_programs_and_what_it_could_not(findings: dict[str, dict[str, str]]) -> None:
    assert findings["sandbox"]["detail"].split(";")[0] in {"bubblewrap", "landlock"}


def test_a_damaged_store_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = tmp_path / "store.db"
    store.write_bytes(b"this is no database" * 400)
    assert run(["doctor", "--root", str(tmp_path), "--store", str(store)]) == 1
    assert "missing" in capsys.readouterr().out


def test_a_home_is_not_worked_in_by_saying_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRANSOM_STORE", str(tmp_path / "store.db"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    run(["doctor"])
    assert "name one with --root FOLDER" in capsys.readouterr().out


def test_the_upstreams_of_the_settings_are_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRANSOM_STORE", str(tmp_path / "store.db"))
    with ScriptedProvider([says("Hello")]) as provider:
        monkeypatch.setenv("TRANSOM_UPSTREAM", f"there={provider.url}, gone=http://127.0.0.1:9")
        assert run(["doctor", "--root", str(tmp_path), "--json"]) == 0
    found = {item["part"]: item for item in json.loads(capsys.readouterr().out)["findings"]}
    assert found["upstream there"]["state"] == "ok"
    assert found["upstream gone"]["state"] == "missing"
    assert "127.0.0.1:9" in found["upstream gone"]["detail"]


@pytest.mark.parametrize("name", ["store.db", "plain/"])
@pytest.mark.parametrize("there", [False, True])
def test_it_only_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, there: bool
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home/data"))
    work = tmp_path / "work"
    work.mkdir()

    async def fill() -> None:
        async with open_store(f"{work}/{name}") as store:
            await store.put("notes", "text", path="a")

    if there:
        asyncio.run(fill())
    before = contents(tmp_path)
    assert run(["doctor", "--root", str(work), "--store", f"{work}/{name}"]) == 0
    assert run(["doctor", "--root", str(work)]) == 0
    assert contents(tmp_path) == before
    assert "is made when it is first written" in capsys.readouterr().out


def contents(folder: Path) -> dict[str, bytes | None]:
    return {str(path): path.read_bytes() if path.is_file() else None for path in sorted(folder.rglob("*"))}
