"""Processes that use the tools for memory, plans and backups, several at once and killed at random points.

What was acknowledged is there afterwards, once; a restore is done whole or not at all; after the next start nothing is left
lying about. The processes are forked from one that has everything imported, so that a kill costs milliseconds.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from transom.runtime import open_toolbox
from transom.toolbox.dispatch import Caller
from transom.toolbox.tool import Envelope

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="fork and SIGKILL")

KILLS = 100
FILES = 8
BACKUPS = ".ai_toolbox_backups"

WORKER = """
import asyncio, json, os, random, sys
from transom.runtime import open_toolbox
from transom.toolbox.dispatch import Caller

async def work(store, root, seed, mode):
    rng = random.Random(seed)
    async with open_toolbox(roots=[root], store=store) as box:
        caller = Caller(session=f"s{seed}")
        plan = None
        number = 0
        while True:
            number += 1
            text = f"{seed}-{number}"
            kind = mode or rng.choice(["remember", "session", "plan", "step", "backup", "restore", "restore"])
            if kind == "remember":
                answer = await box.call("remember", {"fact": text}, caller)
                said = ["entry", answer.data.get("entry_id"), text]
            elif kind == "session":
                answer = await box.call("save_session_summary", {"summary": text}, caller)
                said = ["session", answer.data.get("session_id"), text]
            elif kind == "plan" or plan is None:
                answer = await box.call("create_plan", {"steps": [text, "b", "c"]}, caller)
                plan = answer.data["plan_id"]
                said = ["plan", plan, [text, "pending", ""]]
            elif kind == "step":
                status = rng.choice(["in_progress", "done", "blocked", "pending"])
                answer = await box.call(
                    "update_plan_step", {"plan_id": plan, "step": 1, "status": status, "note": text}, caller
                )
                if not answer.ok:
                    continue
                step = answer.data["steps"][0]
                said = ["plan", plan, [step["text"], step["status"], step["note"]]]
            elif kind == "backup":
                answer = await box.call("create_backup", {"confirm": True, "label": text}, caller)
                said = ["backup", answer.data.get("backupFile"), text]
            else:
                which = rng.choice(["A", "B"])
                answer = await box.call("restore_backup", {"backupFile": f"{which}.zip", "confirm": True}, caller)
                said = ["restored", which, text]
            assert answer.ok, answer.text
            os.write(1, (json.dumps(said) + "\\n").encode())

store, root = sys.argv[1:3]
# Read before the fork, once for all: families are imported when a toolbox is built, the rest when one is opened and used.
async def warm():
    async with open_toolbox(roots=[root], store=store) as box:
        await box.call("recall", {})
asyncio.run(warm())
for line in sys.stdin:
    seed, mode = json.loads(line)
    pid = os.fork()
    if pid == 0:
        asyncio.run(work(store, root, seed, mode))
    os.write(1, (json.dumps(["pid", pid, seed]) + "\\n").encode())
    os.waitpid(pid, 0)
    os.write(1, b'["gone", 0, 0]\\n')
"""


@contextmanager
def _workers(store: Path, root: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that forks one that works, each time it is told to."""
    with subprocess.Popen(
        [sys.executable, "-u", "-c", WORKER, str(store), str(root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        try:
            yield process
        finally:
            assert process.stdin is not None
            process.stdin.close()


def _acknowledged(process: subprocess.Popen[bytes], seed: int, mode: str, count: int, spin: float) -> list[list[object]]:
    """What a worker said was done before it was killed: after so many answers and a moment more."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps([seed, mode]).encode() + b"\n")
    process.stdin.flush()
    said: list[list[object]] = []
    pid = 0
    while len(said) < count or not pid:
        line = json.loads(process.stdout.readline())
        if line[0] == "pid":
            pid = line[1]
        else:
            said.append(line)
    until = time.perf_counter() + spin
    while time.perf_counter() < until:
        pass
    os.kill(pid, signal.SIGKILL)
    while True:
        line = process.stdout.readline().rstrip(b"\n")
        if line.endswith(b'["gone", 0, 0]'):
            # A line that was being written when its writer died stands before it.
            return said
        said.append(json.loads(line))


def _write(root: Path, letter: str) -> None:
    for number in range(FILES):
        place = root / f"d{number % 3}" / f"{number}.txt"
        place.parent.mkdir(exist_ok=True)
        place.write_text(letter * (1_000 + 500 * number), "utf-8")


def _texts(root: Path) -> list[str]:
    return [(root / f"d{number % 3}" / f"{number}.txt").read_text("utf-8")[:1_000] for number in range(FILES)]


def _letters(root: Path) -> set[str]:
    """The letters that the files hold; each file is as long as it has to be."""
    for number in range(FILES):
        assert (root / f"d{number % 3}" / f"{number}.txt").stat().st_size == 1_000 + 500 * number
    return {letter for text in _texts(root) for letter in text}


async def _call(store: Path, root: Path, *calls: tuple[str, dict[str, object]]) -> list[Envelope]:
    async with open_toolbox(roots=[root], store=store) as box:
        return [await box.call(tool, arguments, Caller(session="check")) for tool, arguments in calls]


def _prepare(store: Path, root: Path) -> None:
    root.mkdir()
    for letter in ("A", "B"):
        _write(root, letter)
        (made,) = asyncio.run(_call(store, root, ("create_backup", {"confirm": True})))
        assert made.ok, made.text
        (root / BACKUPS / str(made.data["backupFile"])).rename(root / BACKUPS / f"{letter}.zip")


def _litter(root: Path) -> list[str]:
    """What is neither one of the files nor a backup nor a folder of theirs."""
    known = {f"d{number % 3}/{number}.txt" for number in range(FILES)}
    return [
        name
        for path in root.rglob("*")
        if path.is_file() and (name := path.relative_to(root).as_posix()) not in known and not name.startswith(f"{BACKUPS}/")
    ] + [path.name for path in (root / BACKUPS).iterdir() if path.suffix != ".zip"]


def test_a_hundred_kills_lose_nothing_acknowledged_and_leave_nothing_after_the_next_start(tmp_path: Path) -> None:
    store, root = tmp_path / "s.db", tmp_path / "ws"
    _prepare(store, root)
    rng = random.Random(7)
    entries: dict[str, str] = {}
    sessions: dict[str, str] = {}
    plans: dict[str, object] = {}
    backups: set[str] = set()
    caught = 0
    with _workers(store, root) as process:
        for kill in range(KILLS):
            mode = ("", "remember", "backup", "restore", "step")[kill % 5]
            said = _acknowledged(process, kill, mode, rng.randint(0, 6), rng.random() * 0.02)
            for kind, name, what in said:
                match kind:
                    case "entry":
                        entries[str(name)] = str(what)
                    case "session":
                        sessions[str(name)] = str(what)
                    case "plan":
                        plans[str(name)] = what
                    case "backup":
                        backups.add(str(name))
                    case _:
                        pass
            caught += bool(list(root.rglob("*.tmp"))) or len(set(_texts(root))) > 1
            asyncio.run(_call(store, root))
            assert len(_letters(root)) == 1, f"kill {kill}: a restore was done in part"
            assert _litter(root) == [], f"kill {kill}"
            assert [path.name for path in tmp_path.rglob("*.intents")] == [], f"kill {kill}"
    assert len(entries) > KILLS / 5
    assert caught, "no kill came in the middle of anything"
    assert backups
    _check(store, root, entries, sessions, plans)
    for path in (root / BACKUPS).iterdir():
        with zipfile.ZipFile(path) as archive:
            assert archive.testzip() is None, path.name
            assert len(archive.namelist()) == FILES, path.name
        backups.discard(path.name)
    assert backups == set()


def _check(store: Path, root: Path, entries: dict[str, str], sessions: dict[str, str], plans: dict[str, object]) -> None:
    """See that everything is there as it was acknowledged."""
    recalls: list[tuple[str, dict[str, object]]] = [
        ("context", {"command": "view", "path": f"memory/entries/global/{name}"}) for name in entries
    ]
    looks: list[tuple[str, dict[str, object]]] = [("get_session_summary", {"session_id": name}) for name in sessions]
    shows: list[tuple[str, dict[str, object]]] = [("get_plan", {"plan_id": name}) for name in plans]
    answers = asyncio.run(_call(store, root, *recalls, *looks, *shows))
    assert [answer.text for answer in answers if not answer.ok] == []
    for answer, text in zip(answers, [*entries.values(), *sessions.values()], strict=False):
        assert text in answer.text
    for answer, told in zip(answers[len(entries) + len(sessions) :], plans.values(), strict=True):
        steps = answer.data["steps"]
        assert isinstance(steps, list)
        now = [steps[0]["text"], steps[0]["status"], steps[0]["note"]]
        # The change that was under way when the process died may have been made without anybody being told.
        assert isinstance(told, list)
        assert now == told or (now[0] == told[0] and _order(now[2]) > _order(told[2]))


def _order(text: object) -> list[int]:
    """Which of the words that a process wrote came later: the kill that ended it, and their number."""
    return [int(part) for part in str(text).split("-") if part]


RACER = """
import asyncio, json, sys
from transom.runtime import open_toolbox
from transom.toolbox.dispatch import Caller

async def main(store, root, plan, steps):
    async with open_toolbox(roots=[root], store=store) as box:
        caller = Caller(session=steps)
        sys.stdin.readline()
        for step in map(int, steps.split(",")):
            for status in ("in_progress", "done"):
                arguments = {"plan_id": plan, "step": step, "status": status, "note": f"by {steps}"}
                answer = await box.call("update_plan_step", arguments, caller)
                assert answer.ok, answer.text
            kept = await box.call("remember", {"fact": f"step {step} is done"}, caller)
            print(json.dumps([step, kept.data["entry_id"]]), flush=True)

asyncio.run(main(*sys.argv[1:]))
"""


def test_processes_that_write_one_plan_and_one_memory_at_once_lose_nothing(tmp_path: Path) -> None:
    store, root = tmp_path / "s.db", tmp_path / "ws"
    root.mkdir()
    (made,) = asyncio.run(_call(store, root, ("create_plan", {"steps": [f"step {number}" for number in range(30)]})))
    plan = str(made.data["plan_id"])
    parts: Sequence[range] = [range(1 + start, 31, 3) for start in range(3)]
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", RACER, str(store), str(root), plan, ",".join(map(str, part))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for part in parts
    ]
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("\n")
        racer.stdin.flush()
    kept: dict[int, str] = {}
    for racer in racers:
        out, errors = racer.communicate()
        assert (racer.returncode, errors) == (0, "")
        kept |= dict(map(json.loads, out.splitlines()))
    assert sorted(kept) == list(range(1, 31))
    shown, recalled = asyncio.run(_call(store, root, ("get_plan", {"plan_id": plan}), ("recall", {"limit": 50})))
    assert (shown.data["done"], shown.data["total"]) == (30, 30)
    entries = recalled.data["entries"]
    assert isinstance(entries, list)
    assert {entry["id"] for entry in entries} <= set(kept.values())
    diagnostics = recalled.data["diagnostics"]
    assert isinstance(diagnostics, dict)
    assert diagnostics["context_entries_found"] == 30
