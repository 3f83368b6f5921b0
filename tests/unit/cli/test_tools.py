"""``transom tools``, as a user types it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Run

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(transom: Run, tmp_path: Path) -> Call:
    """``call("recall", {"limit": 3}, "--root", folder)``: status, stdout, stderr, over one store."""

    def called(name: str, arguments: object, *options: str | Path) -> tuple[int, str, str]:
        given = ("--store", str(tmp_path / "kept.db"), *map(str, options))
        done = transom("tools", "call", name, json.dumps(arguments), *given)
        return done.returncode, done.stdout, done.stderr

    return called


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Two folders of one name."""
    made = (tmp_path / "one" / "app", tmp_path / "two" / "app")
    for folder in made:
        folder.mkdir(parents=True)
    return made


def test_what_is_remembered_in_one_folder_is_not_seen_from_another(call: Call, folders: tuple[Path, Path]) -> None:
    here, there = folders
    call("remember", {"fact": "the pier is closed"}, "--root", here)
    call("create_plan", {"steps": ["open the pier"]}, "--root", here)
    call("save_session_summary", {"summary": "closed the pier"}, "--root", here)
    for tool in ("recall", "get_plan", "list_sessions"):
        assert "pier" in call(tool, {}, "--root", here)[1]
        assert "pier" not in "".join(map(str, call(tool, {}, "--root", there)[1:])), tool


def test_what_belongs_to_nobody_is_seen_from_every_folder(call: Call, folders: tuple[Path, Path]) -> None:
    call("remember", {"fact": "tea at five", "scope": "global"}, "--root", folders[0])
    assert "tea at five" in call("recall", {}, "--root", folders[1])[1]


def test_a_named_project_goes_before_the_folders_and_is_registered_if_need_be(call: Call, folders: tuple[Path, Path]) -> None:
    for folder in folders:
        call("remember", {"fact": f"seen from {folder.parent.name}"}, "--root", folder, "--project", "Harbour Works")
    status, text, _ = call("recall", {}, "--project", "harbour-works")
    assert status == 0
    assert "seen from one" in text
    assert "seen from two" in text
    assert "seen from" not in call("recall", {}, "--root", folders[0])[1]


def test_what_is_no_name_of_a_project_is_refused_at_start(call: Call) -> None:
    status, _, said = call("recall", {}, "--project=…")
    assert status != 0
    assert "gives no id of a project" in said


def test_a_project_registered_for_a_folder_is_the_folders(transom: Run, call: Call, folders: tuple[Path, Path]) -> None:
    store = folders[0].parents[1] / "kept.db"
    transom("memory", "register", "Quay", "--root", str(folders[0]), "--store", str(store))
    call("remember", {"fact": "bollards"}, "--root", folders[0])
    assert "bollards" in call("recall", {}, "--project", "quay")[1]


def test_a_folder_that_is_not_there_is_told_and_the_others_hold(call: Call, folders: tuple[Path, Path]) -> None:
    (folders[0] / "buoy.txt").write_text("red")
    status, text, said = call("list_directory", {}, "--root", folders[0] / "none", "--root", folders[0])
    assert (status, text.split()[0]) == (0, "buoy.txt")
    assert said == f"transom: there is no folder {folders[0] / 'none'}; it is left out\n"
    status, _, said = call("list_directory", {}, "--root", folders[0] / "none")
    assert status != 0
    assert "there is no folder" in said


def test_what_a_tool_does_is_one_line_in_the_list(transom: Run) -> None:
    text = transom("tools", "list", "--all").stdout
    assert "\\n" not in text
    assert all(len(line.split()) > 3 for line in text.splitlines()[1:])


def test_a_store_named_with_a_separator_is_a_folder(transom: Run, tmp_path: Path) -> None:
    store = f"{tmp_path / 'kept'}/"
    done = transom("tools", "call", "remember", '{"text": "the sky is blue"}', "--root", str(tmp_path), "--store", store)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "kept").is_dir()
