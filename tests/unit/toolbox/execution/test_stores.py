"""A store that lies in the folder that is worked in: what a program may do about it, and what the next start believes."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import pytest

from transom.runtime import open_toolbox
from transom.toolbox.sandbox.leavings import Leavings

pytestmark = [pytest.mark.feature("Z4"), pytest.mark.skipif(sys.platform != "linux", reason="confinements of Linux")]

EVIL = b"#!/bin/sh\nexit\n"


@pytest.fixture(autouse=True)
def data_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data"


def journal(root: Path) -> str:
    """A journal that asks for everything that a journal must not get."""
    lines = []
    for number, (folder, name, temporary) in enumerate(
        [
            ([], ".envrc", "p1"),
            ([], "plain.txt", ".transom-0000000000000001.tmp"),
            ([".git", "hooks"], "pre-commit", "../../p2"),
            ([], "../escaped", "p3"),
            (["x/../.."], "escaped", "p4"),
            ([], str(root.parent / "escaped"), "p5"),
        ],
        start=1,
    ):
        target = {"root": str(root), "folder": folder, "name": name}
        after = hashlib.sha256(EVIL).hexdigest()
        lines += [
            {"number": number, "plan": [{"target": target, "temporary": temporary, "before": "", "after": after}]},
            {"number": number, "decided": True},
        ]
    return "".join(json.dumps(line) + "\n" for line in lines)


async def test_a_journal_from_somewhere_else_is_not_acted_on(root: Path) -> None:
    (root / ".git/hooks").mkdir(parents=True)
    (root / "agent.db-intents").mkdir()
    for name in ("p1", "p2", "p3", "p4", "p5", ".transom-0000000000000001.tmp"):
        (root / name).write_bytes(EVIL)
    forged = root / "agent.db-intents/9999999.intents"
    forged.write_text(journal(root))
    forged.chmod(0o600)
    async with open_toolbox(roots=[root], store=root / "agent.db"):
        pass
    assert not (root / ".envrc").exists()
    assert not (root / "plain.txt").exists()
    assert not any((root / ".git/hooks").iterdir())
    assert not (root.parent / "escaped").exists()
    assert forged.exists()


async def test_a_program_reaches_neither_the_store_nor_what_the_next_start_reads(root: Path) -> None:
    (root / "empty").mkdir()
    code = f"""
import os, pathlib
for name, data in (("agent.db-intents/9999999.intents", {journal(root)!r}), ("agent.db-sandbox/9999999-x", "empty")):
    try:
        pathlib.Path(name).parent.mkdir(exist_ok=True)
        pathlib.Path(name).write_text(data)
    except OSError as error:
        print("refused", error)
for name in ("agent.db", "agent.db-wal", "agent.db-shm"):
    try:
        print(b"TOPSECRET" in open(name, "rb").read())
    except OSError as error:
        print("refused", error)
    try:
        os.unlink(name)
    except OSError as error:
        print("refused", error)
"""
    async with open_toolbox(roots=[root], store=root / "agent.db") as toolbox:
        await toolbox.call("remember", {"fact": "TOPSECRET of another session"})
        ran = await toolbox.call("run_python", {"python": code, "timeout_seconds": 30})
        assert "True" not in ran.text
        assert ran.text.count("refused") == 8
        assert "TOPSECRET" in (await toolbox.call("recall", {})).text
    async with open_toolbox(roots=[root], store=root / "agent.db") as toolbox:
        assert "TOPSECRET" in (await toolbox.call("recall", {})).text
    assert (root / "empty").is_dir()
    assert not (root / ".envrc").exists()


async def test_a_program_cannot_make_the_store_before_anything_was_remembered(root: Path) -> None:
    names = [f"agent.db{suffix}" for suffix in ("", "-wal", "-journal", "-intents/9.intents", "-sandbox/9-x")]
    code = f"""
import pathlib
for name in {names!r}:
    try:
        pathlib.Path(name).parent.mkdir(exist_ok=True)
        pathlib.Path(name).write_text("evil")
    except OSError:
        print("refused")
"""
    async with open_toolbox(roots=[root], store=root / "agent.db") as toolbox:
        ran = await toolbox.call("run_python", {"python": code, "timeout_seconds": 30})
        assert ran.text.count("refused") == 5, ran.text
    async with open_toolbox(roots=[root], store=root / "agent.db") as toolbox:
        assert (await toolbox.call("recall", {})).ok
        assert (await toolbox.call("remember", {"fact": "a fact"})).ok


async def test_a_program_in_the_users_own_folder_cannot_read_the_key(root: Path, data_of_the_user: Path) -> None:
    home = data_of_the_user.parent
    async with open_toolbox(roots=[home], store=home / "elsewhere.db") as toolbox:
        assert (await toolbox.call("save_file", {"file_name": "note.txt", "content": "x"})).ok
        assert (data_of_the_user / "transom/journal.key").is_file()
        ran = await toolbox.call("run_python", {"python": "print(open('data/transom/journal.key', 'rb').read())"})
        written = await toolbox.call("save_file", {"file_name": "data/transom/journal.key", "content": "x" * 32})
    assert not ran.ok
    assert written.error == "protected_path"


def test_notes_of_runs_remove_nothing_but_the_very_folders_that_were_made(root: Path, tmp_path: Path) -> None:
    notes, outside = tmp_path / "notes", tmp_path / "empty-outside"
    mine, swapped, full = root / "mine", root / "swapped", root / "full"
    for folder in (outside, mine, swapped, full):
        folder.mkdir()
    (full / "f").write_text("x")
    leavings = Leavings(notes)
    with leavings.noted([outside, mine, swapped, full]):
        (note,) = notes.iterdir()
        left = notes / f"9999999-{note.name}"
        left.write_bytes(note.read_bytes())
        left.chmod(0o600)
        swapped.rename(root / "moved")
        swapped.mkdir()
    (notes / "9999998-x").write_bytes(str(swapped).encode())
    assert leavings.tidy([root]) == [mine]
    assert outside.is_dir()
    assert swapped.is_dir()
    assert full.is_dir()
    assert left.exists()
