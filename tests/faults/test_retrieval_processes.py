"""Several processes that edit one note or one fact through the context tool at once, and one that dies while it does."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.unit.engine.retrieval.desks import Desk

from transom import FilesystemBackend, SQLiteBackend, Store
from transom.engine.retrieval.claims import LEASE

PROCESSES, EACH = 3, 12

CHILD = """
import asyncio, os, sys
from transom import FilesystemBackend, SQLiteBackend, Store
from transom.engine.memory.facts import Facts
from transom.engine.retrieval import Asked, Host, dispatch

class Dies(SQLiteBackend):
    async def delete(self, namespace, path):
        os._exit(9)

async def main(kind, path, name, address, count):
    made = {"files": FilesystemBackend, "sqlite": SQLiteBackend, "dies": Dies}[kind]
    backend = made(path) if kind == "files" else made(path, busy_timeout=60.0)
    async with Store(backend) as store:
        host = Host(store=store, count=len, budget=100_000, facts=Facts(store))
        sys.stdin.readline()
        for number in range(int(count)):
            line = f"{name} {number}"
            call = {"command": "insert", "path": address, "insert_line": 1, "insert_text": line}
            while not (answer := await dispatch(host, Asked("context", call))).startswith("Edited"):
                assert "somebody else is writing" in answer, answer

asyncio.run(main(*sys.argv[1:]))
"""


def _store(kind: str, path: Path) -> Store:
    return Store(FilesystemBackend(path) if kind == "files" else SQLiteBackend(path, busy_timeout=60.0))


def _start(kind: str, store: Path, name: str, address: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, kind, str(store), name, address, str(count)],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _go(child: subprocess.Popen[str]) -> None:
    assert child.stdin is not None
    child.stdin.write("\n")
    child.stdin.flush()


@pytest.mark.feature("R2")
@pytest.mark.parametrize(("kind", "address"), [("sqlite", "notes/log"), ("files", "notes/log"), ("sqlite", "memory/log")])
async def test_no_edit_is_lost_when_several_processes_edit_one_entry(tmp_path: Path, kind: str, address: str) -> None:
    path = tmp_path / "store"
    async with _store(kind, path) as store:
        assert (await Desk(store).ask("create", address, file_text="the log\n")).startswith("Created")
        children = [_start(kind, path, f"p{number}", address, EACH) for number in range(PROCESSES)]
        for child in children:
            _go(child)
        for child in children:
            _, errors = child.communicate(timeout=90)
            assert child.returncode == 0, errors
        lines = (await store.get(f"context://{address}")).decode().splitlines()
        assert lines[0] == "the log"
        assert sorted(lines[1:]) == sorted(f"p{number} {line}" for number in range(PROCESSES) for line in range(EACH))
        assert await store.list("intents") == []


@pytest.mark.feature("R2")
async def test_what_a_process_claimed_before_it_died_is_free_again_after_a_while(tmp_path: Path) -> None:
    path = tmp_path / "store"
    async with _store("sqlite", path) as store:
        await Desk(store).ask("create", "notes/log", file_text="the log\n")
        child = _start("dies", path, "p", "notes/log", 1)
        _go(child)
        _, errors = child.communicate(timeout=60)
        assert child.returncode == 9, errors
        assert await store.get("context://notes/log") == b"the log\np 0\n"
        assert len(await store.list("intents")) == 1
        now = time.time()

        def clock() -> float:
            nonlocal now
            now += LEASE / 20
            return now

        answer = await Desk(store, more={"clock": clock}).ask("str_replace", "notes/log", old_str="the", new_str="a")
        assert answer.startswith("Edited")
        assert await store.list("intents") == []
