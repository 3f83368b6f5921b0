"""A program that kills processes while they change files through tools, and counts what that did.

It loads the library once and forks: a child per round works through a plan of calls and says after each that it is done; it is
killed at some moment, the next start puts things in order, and the folder must hold what it held after the last call that was
acknowledged, or after the one that was under way. Run as ``python killed_tools.py FOLDER ROUNDS SEED``; prints JSON.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import select
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from transom.toolbox.access.intents import TEMPORARY, Intents
from transom.toolbox.access.workspace import Workspace
from transom.toolbox.box import Toolbox

CALLS = 60
Tree = dict[str, bytes]
Step = tuple[str, dict[str, object], Tree]


def plan(seed: int) -> tuple[Tree, list[Step]]:
    """A folder, and calls on it with what it holds after each."""
    chance = random.Random(seed)
    filler = "".join(f"line {number} {chance.random()}\r\n" for number in range(chance.choice([10, 5_000])))
    start: Tree = {"a.txt": f"n=0\r\n{filler}".encode(), "b.txt": b"n=0\nkeep\n", "m0.txt": b"moved\n"}
    tree, steps = dict(start), list[Step]()
    left: bytes | None = None  # what the edit left that made the backup
    for number in range(CALLS):
        kind = chance.choice(["edit", "edit", "kept", "patch", "patch", "move", "lines", "save", "restore"])
        after = dict(tree)
        count = int(tree["a.txt"].split(b"\r\n", 1)[0][2:])
        moved = next(name for name in tree if name.startswith("m"))
        match kind:
            case "edit" | "kept":
                call: dict[str, object] = {"file_name": "a.txt", "old_string": f"n={count}\n", "new_string": f"n={count + 1}\n"}
                if kind == "kept":
                    call["backup"] = True
                    after["a.txt.bak"] = tree["a.txt"]
                after["a.txt"] = f"n={count + 1}".encode() + tree["a.txt"][len(f"n={count}") :]
                left = after["a.txt"] if kind == "kept" else left
                steps.append(("replace_text_in_file", call, after))
            case "patch":
                b = tree["b.txt"].split(b"\n", 1)[0].decode()
                fresh = f"new{number}.txt"
                gone = next((name for name in tree if name.startswith("new")), None)
                text = (
                    f"*** Begin Patch\n*** Update File: a.txt\n@@\n-n={count}\n+n={count + 1}\n"
                    f"*** Update File: b.txt\n@@\n-{b}\n+n={count + 1}\n*** Add File: {fresh}\n+{number}\n"
                )
                after["a.txt"] = f"n={count + 1}".encode() + tree["a.txt"][len(f"n={count}") :]
                after["b.txt"] = f"n={count + 1}".encode() + tree["b.txt"][len(b) :]
                after[fresh] = f"{number}\n".encode()
                if gone:
                    text += f"*** Delete File: {gone}\n"
                    del after[gone]
                steps.append(("apply_patch", {"patch": text + "*** End Patch"}, after))
            case "move":
                target = f"m{number + 1}.txt"
                after[target] = after.pop(moved)
                steps.append(("move_file", {"source": moved, "destination": target}, after))
            case "lines":
                after["b.txt"] = tree["b.txt"] + f"{number}\n".encode()
                steps.append(("line_operations", {"file_name": "b.txt", "operation": "insert", "content": str(number)}, after))
            case "save":
                after["s.txt"] = f"{number} ".encode() * chance.choice([1, 50_000])
                steps.append(("save_file", {"file_name": "s.txt", "content": after["s.txt"].decode()}, after))
            case _:
                if "a.txt.bak" not in tree:
                    continue
                after["a.txt"] = after.pop("a.txt.bak")
                if tree["a.txt"] not in {left, after["a.txt"]}:  # newer work becomes the backup
                    after["a.txt.bak"], left = tree["a.txt"], None
                steps.append(("restore_from_bak", {"file_name": "a.txt"}, after))
        tree = dict(after)
    return start, steps


def work(root: Path, journal: Path, steps: list[Step], done: int) -> None:
    """Make the calls of a plan, and write a byte after each; a ``!`` and the answer if one fails."""

    async def all_of_them() -> None:
        toolbox = Toolbox(services={Workspace: Workspace([root], intents=Intents(journal))})
        os.write(done, b">")
        for tool, arguments, _ in steps:
            answer = await toolbox.call(tool, arguments)
            os.write(done, b"." if answer.ok else f"!{tool}: {answer.text}".encode())

    asyncio.run(all_of_them())


def forked(body: Callable[[], None]) -> int:
    """A child that does this and nothing else."""
    pid = os.fork()
    if pid:
        return pid
    try:
        body()
    finally:
        os._exit(0)


def tree_of(root: Path) -> Tree:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def one_round(folder: Path, seed: int, account: dict[str, object]) -> list[str]:
    """Kill once; what was wrong afterwards."""
    root, journal = folder / "ws", folder / "journal"
    root.mkdir(parents=True)
    start, steps = plan(seed)
    for name, data in start.items():
        (root / name).write_bytes(data)
    chance = random.Random(-seed)
    reading, writing = os.pipe()
    pid = forked(lambda: work(root, journal, steps, writing))
    os.close(writing)
    said = os.read(reading, 1)
    until = time.monotonic() + chance.random() * chance.choice([0.01, 0.1, 0.4])
    while (left := until - time.monotonic()) > 0:
        if select.select([reading], [], [], left)[0]:
            if not (more := os.read(reading, 1)):
                break
            said += more
    os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    while more := os.read(reading, 4096):
        said += more
    os.close(reading)
    account["killed"] = int(str(account["killed"])) + (os.WIFSIGNALED(status))
    wrong = [said[said.index(b"!") :].decode()] if b"!" in said else []
    done = said.count(b".")
    account["acknowledged"] = int(str(account["acknowledged"])) + done
    account["litter before"] = int(str(account["litter before"])) + any(map(TEMPORARY.fullmatch, tree_of(root)))

    intents = Intents(journal)
    stuck = Workspace([root], intents=intents).tidy()
    intents.close()
    found = tree_of(root)
    before = start if not done else steps[done - 1][2]
    allowed = [before]
    if done < len(steps):
        _, arguments, after = steps[done]
        allowed.append(after)
        if arguments.get("backup"):  # the backup is written first
            allowed.append({**before, "a.txt.bak": before["a.txt"]})
    if found not in allowed:
        names = [name for name in {*found, *before} if found.get(name) != before.get(name)]
        wrong.append(f"after {done} calls, {steps[min(done, len(steps) - 1)][0]} under way: {names} are neither old nor new")
    if stuck:
        wrong.append(f"could not be put in order: {stuck}")
    if litter := [name for name in (*found, *tree_of(journal)) if TEMPORARY.search(name) or name.endswith(".intents")]:
        wrong.append(f"left behind: {litter}")
    shutil.rmtree(folder)
    return wrong


def main(folder: Path, rounds: int, seed: int) -> dict[str, object]:
    """Kill so many times; what was counted."""
    for tool in Toolbox().tools.values():  # what is made when first asked for, once for all children
        assert tool.schema
    account: dict[str, object] = {"rounds": rounds, "killed": 0, "acknowledged": 0, "litter before": 0}
    wrong = [f"seed {at}: {said}" for at in range(seed, seed + rounds) for said in one_round(folder / str(at), at, account)]
    return {**account, "wrong": wrong}


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))))
