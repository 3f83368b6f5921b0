"""Many processes that remember at once, and processes that die while they do: what was acknowledged is there, once."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from transom import SQLiteBackend, Store
from transom.engine.memory.entries import Entries
from transom.engine.memory.facts import Facts
from transom.engine.memory.memory import Memory

PROCESSES, EACH = 8, 500

CHILD = """
import asyncio, sys
from transom import SQLiteBackend, Store
from transom.engine.memory.entries import Entries
from transom.engine.memory.facts import Facts
from transom.engine.memory.memory import Memory

async def main(path, name, count, facts=""):
    async with Store(SQLiteBackend(path, busy_timeout=60.0)) as store:
        memory = Memory(Facts(store), Entries(store))
        sys.stdin.readline()
        for number in range(int(count)):
            done = await memory.remember(f"{name} learnt thing {number}", tags=[name])
            if facts:
                await memory.facts.set(f"{name}/{done.entry_id}", f"{name} learnt thing {number}")
            print(done.entry_id, f"{name} learnt thing {number}", flush=True)

asyncio.run(main(*sys.argv[1:]))
"""


def _start(store: Path, name: str, count: int, *more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, str(store), name, str(count), *more],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _go(child: subprocess.Popen[str]) -> None:
    assert child.stdin is not None
    child.stdin.write("\n")
    child.stdin.flush()


async def _facts(path: Path) -> dict[str, str]:
    async with Store(SQLiteBackend(path)) as store:
        return {fact.key.partition("/")[2]: fact.value for fact in await Facts(store).list()}


async def _kept(path: Path) -> dict[str, str]:
    async with Store(SQLiteBackend(path)) as store:
        memory = Memory(Facts(store), Entries(store))
        entries = await memory.entries.list()
        assert len({entry.id for entry in entries}) == len(entries)
        found = (await memory.recall(limit=50)).diagnostics
        assert found.context_entries_found == len(entries) == found.total_records_in_file - found.memory_entries_found
        return {entry.id: entry.content for entry in entries}


@pytest.mark.feature("S10")
@pytest.mark.feature("S3")
def test_eight_processes_remember_500_things_each_and_every_one_is_there_once(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    children = [_start(path, f"agent{number}", EACH) for number in range(PROCESSES)]
    for child in children:
        _go(child)
    acknowledged: dict[str, str] = {}
    for child in children:
        out, errors = child.communicate()
        assert (child.returncode, errors) == (0, "")
        acknowledged |= dict(line.split(" ", 1) for line in out.splitlines())
    assert len(acknowledged) == PROCESSES * EACH
    kept = asyncio.run(_kept(path))
    assert kept == acknowledged
    assert set(Counter(kept.values()).values()) == {1}


@pytest.mark.feature("S9")
@pytest.mark.feature("S10")
def test_a_process_killed_while_it_remembers_loses_nothing_it_was_told_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    acknowledged: dict[str, str] = {}
    for lines in (1, 7, 60):
        child = _start(path, f"until{lines}", 100_000, "facts")
        _go(child)
        assert child.stdout is not None
        told = [child.stdout.readline() for _ in range(lines)]
        child.send_signal(signal.SIGKILL)
        # What it printed before it died was acknowledged as well; the last line may be torn.
        rest = child.stdout.readlines()
        child.wait()
        for pipe in (child.stdin, child.stdout, child.stderr):
            assert pipe is not None
            pipe.close()
        whole = [line.rstrip("\n") for line in (*told, *rest) if line.endswith("\n")]
        acknowledged |= dict(line.split(" ", 1) for line in whole)
    kept = asyncio.run(_kept(path))
    facts = asyncio.run(_facts(path))
    assert acknowledged.items() <= facts.items() <= kept.items()
    # At most the one that was being stored when it died is there without anybody knowing.
    assert len(kept) <= len(acknowledged) + 3


SETTER = """
import asyncio, sys
from transom import SQLiteBackend, Store
from transom.engine.memory.facts import Facts

async def main(path, name, count):
    async with Store(SQLiteBackend(path, busy_timeout=60.0)) as store:
        facts = Facts(store, project=name if name.startswith("p") else "")
        for number in range(int(count)):
            await facts.set(f"{name}/{number}", f"value {number}")
            await facts.set("shared", f"{name} {number}")

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.feature("S9")
def test_processes_that_set_facts_at_once_lose_none_and_see_none_of_another_project(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    names = ["p1", "p2", "g1", "g2"]
    children = [
        subprocess.Popen([sys.executable, "-c", SETTER, str(path), name, "100"], stderr=subprocess.PIPE, text=True)
        for name in names
    ]
    for child in children:
        assert (child.communicate()[1], child.returncode) == ("", 0)

    async def look() -> None:
        async with Store(SQLiteBackend(path)) as store:
            for project in ("p1", "p2", ""):
                facts = {fact.key: fact.value for fact in await Facts(store, project=project).list()}
                expected = {f"{name}/{n}": f"value {n}" for name in {project, "g1", "g2"} - {""} for n in range(100)}
                shared = facts.pop("shared")
                assert facts == expected
                assert shared in ({f"{project} 99"} if project else {"g1 99", "g2 99"})

    asyncio.run(look())
