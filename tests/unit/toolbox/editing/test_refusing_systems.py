"""A disk that is full or read-only, and too many open files: one sentence with the next step, and nothing is damaged."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from transom.toolbox.access.intents import Intents
from transom.toolbox.access.workspace import Workspace
from transom.toolbox.box import Toolbox
from transom.toolbox.dispatch import Caller
from transom.toolbox.editing.counts import EditCounts
from transom.toolbox.families.backup import FAMILY as BACKUP
from transom.toolbox.families.execution import FAMILY as EXECUTION
from transom.toolbox.families.files import FAMILY as FILES
from transom.toolbox.sandbox import Sandbox
from transom.toolbox.sandbox.bubblewrap import Bubblewrap
from transom.toolbox.tool import Envelope, Family, Result, ToolContext, tool

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="mounts a file system of Linux")

Call = Callable[[str, dict[str, object]], Envelope]

PATCH = (
    "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,3 @@\n one\n-two\n+TWO\n+" + "z" * 9_000 + "\n"
    "--- a/b.txt\n+++ b/b.txt\n@@ -1,2 +1,2 @@\n-x\n+y\n x\n"
)
CHANGES: list[tuple[str, dict[str, object]]] = [
    ("save_file", {"file_name": "new.txt", "content": "n" * 5_000}),
    ("save_file", {"file_name": "a.txt", "content": "n" * 50_000}),
    ("replace_text_in_file", {"file_name": "a.txt", "old_string": "one", "new_string": "ONE", "backup": True}),
    ("apply_patch", {"patch": PATCH}),
    ("copy_file", {"source": "b.txt", "destination": "c.txt"}),
    ("create_backup", {"path": ".", "confirm": True}),
]


def _mount(*arguments: str) -> None:
    done = subprocess.run(["mount", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"nothing can be mounted here: {done.stderr.strip()}")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB with two files on it."""
    folder = tmp_path / "disk"
    folder.mkdir()
    _mount("-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder))
    try:
        (folder / "a.txt").write_text("one\ntwo\n")
        (folder / "b.txt").write_text("x\n" * 20_000)
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def call(disk: Path, tmp_path: Path) -> Call:
    workspace = Workspace([disk], intents=Intents(tmp_path / "journal"))
    services: dict[type[object], object] = {Workspace: workspace, Sandbox: Sandbox(os.environ)}
    toolbox = Toolbox([FILES, BACKUP, EXECUTION], services=services)

    def called(name: str, arguments: dict[str, object]) -> Envelope:
        caller = Caller(session="s", services={EditCounts: EditCounts()})
        return asyncio.run(toolbox.call(name, arguments, caller))

    return called


def _held(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(("name", "arguments"), CHANGES)
def test_a_full_disk_is_told_and_leaves_all_as_it_was(call: Call, disk: Path, name: str, arguments: dict[str, object]) -> None:
    with contextlib.suppress(OSError), (disk / "fill").open("wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4_096)
    before = _held(disk)
    answer = call(name, arguments)
    assert answer.error == "io_error", answer
    assert "no room left on the disk; nothing was written. Free some space" in answer.text
    assert _held(disk) == before
    (disk / "fill").unlink()
    assert call(name, arguments).ok


@pytest.mark.parametrize(("name", "arguments"), CHANGES)
def test_a_read_only_file_system_is_told(call: Call, disk: Path, name: str, arguments: dict[str, object]) -> None:
    _mount("-o", "remount,ro", str(disk))
    before = _held(disk)
    answer = call(name, arguments)
    assert answer.error == "io_error", answer
    assert "the file system is read-only; nothing was written. Use another folder" in answer.text
    assert _held(disk) == before


def test_programs_run_in_a_folder_that_nobody_can_write_to(disk: Path) -> None:
    confinement = Bubblewrap(os.environ.get("PATH", ""))
    if reason := confinement.missing():
        pytest.skip(reason)
    _mount("-o", "remount,ro", str(disk))
    sandbox = Sandbox(os.environ, confined_by=[confinement])
    run = asyncio.run(sandbox.run(["/bin/sh", "-c", "cat a.txt; echo x > new"], cwd=disk, roots=[disk]))
    assert run.stdout.text() == "one\ntwo\n"
    assert not (disk / "new").exists()


@pytest.mark.parametrize(("name", "arguments"), [*CHANGES, ("run_python", {"code": "print(1)"})])
def test_too_many_open_files_are_told_and_leave_all_as_it_was(
    call: Call, disk: Path, name: str, arguments: dict[str, object]
) -> None:
    import resource  # not everywhere

    before = _held(disk)
    assert call("read_file", {"file_name": "a.txt"}).ok
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    spare = os.open(os.devnull, os.O_RDONLY)
    os.close(spare)
    # The loop of the call takes a few by itself; what is left is not enough for a file in a folder.
    resource.setrlimit(resource.RLIMIT_NOFILE, (spare + 4, hard))
    try:
        answer = call(name, arguments)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert answer.error == "io_error", answer
    assert "too many files are open" in answer.text
    assert "Let other calls end, then try again." in answer.text
    assert _held(disk) == before


@pytest.mark.parametrize("reason", ["EROFS", "ENOSPC", "EDQUOT", "EACCES", "EMFILE", "EIO"])
def test_what_the_system_refuses_a_tool_outside_its_files_is_told(reason: str) -> None:
    @tool(family="files", title="Try", read_only=True)
    def attempt(context: ToolContext) -> Result:
        """Try."""
        number = getattr(errno, reason)
        raise OSError(number, os.strerror(number))

    toolbox = Toolbox([Family(name="files", title="Files", tools=(attempt,))])
    answer = asyncio.run(toolbox.call("attempt", {}))
    assert answer.error == "io_error"
    assert answer.text.startswith("Error: attempt was not done: ")
