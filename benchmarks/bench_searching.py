"""Searching 100,000 files with both engines, and the wall that every search ends at, whatever it hangs in.

Times are by the clock on the wall, since the work is another process's and the promise is one about waiting.
"""

from __future__ import annotations

import asyncio
import os
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from statistics import median
from unittest import mock

from figures import Figure

from transom.toolbox.access.workspace import Workspace
from transom.toolbox.box import Toolbox
from transom.toolbox.dispatch import Caller
from transom.toolbox.families.files import FAMILY
from transom.toolbox.sandbox import Sandbox
from transom.toolbox.searching.engine import Engine, search
from transom.toolbox.searching.query import Query
from transom.toolbox.tool import Family, Result, ToolContext, tool

FILES, IN_A_FOLDER = 100_000, 250
REPEAT = 3
WALL = 3.0
LATE = 0.2


def measure() -> Iterable[Figure]:
    """The rows."""
    return asyncio.run(_rows())


async def _rows() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "many"
        _fill(root)
        rows = await _many(root)
        if sys.platform == "linux":
            rows += await _walls(Path(folder))
    return rows


def _fill(root: Path) -> None:
    for number in range(FILES // IN_A_FOLDER):
        inner = root / f"part{number // 20:02}" / f"folder{number:03}"
        inner.mkdir(parents=True)
        for at in range(IN_A_FOLDER):
            (inner / f"file{at:03}.py").write_bytes(b"import os\n\n\ndef work(value):\n    return os.fspath(value)\n" * 4)
    (root / "part10" / "folder200" / "file100.py").write_bytes(b"a rare-needle is here\n")


async def _timed(root: Path, query: Query, engine: Engine) -> tuple[float, int]:
    """Seconds of the median run, and hits."""

    @tool(family="probing", title="Probe", read_only=True)
    def probe(context: ToolContext) -> Result:
        """Search."""
        found = search(context, context.use(Workspace).place("."), query, engine=engine)
        return Result(data={"hits": len(found.hits), "complete": found.complete})

    toolbox = Toolbox(
        [Family(name="probing", title="Probing", tools=(probe,))],
        services={Workspace: Workspace([root]), Sandbox: Sandbox(os.environ)},
    )
    took, hits = [], 0
    for _ in range(REPEAT):
        begun = time.monotonic()
        answer = await toolbox.call("probe", {}, Caller(session="s"))
        took.append(time.monotonic() - begun)
        hits = int(str(answer.data["hits"]))
    return median(took), hits


async def _many(root: Path) -> list[Figure]:
    rows = []
    for engine in ("ripgrep", "python"):
        first, hits = await _timed(root, Query(pattern="fspath", most=1), engine)
        assert hits == 1
        bound = 1.0 if engine == "ripgrep" else None
        rows.append(Figure(f"first line of {FILES:,} files, {engine}", first, "s", at_most=bound))
        full, hits = await _timed(root, Query(pattern="fspath"), engine)
        rows.append(Figure(f"2,000 lines of {FILES:,} files, {engine}", full, "s", note=f"{hits} lines"))
        rare, hits = await _timed(root, Query(pattern="rare-needle"), engine)
        rows.append(Figure(f"one line in {FILES:,} files, {engine}", rare, "s", at_most=WALL + LATE, note=f"{hits} found"))
    return rows


async def _walls(folder: Path) -> list[Figure]:
    root = folder / "stuck"
    root.mkdir()
    (root / "a.txt").write_bytes(b"needle\n")
    (root / "b.txt").write_bytes(b"a" * 60 + b"!\n")
    os.mkfifo(root / "fifo")
    rows = []
    took, hits = await _timed(root, Query(pattern="needle"), "ripgrep")
    rows.append(Figure("a FIFO among the files", took, "s", at_most=WALL + LATE, note=f"{hits} line found"))
    took, hits = await _timed(root, Query(pattern="(a+)+b$|needle"), "python")
    rows.append(Figure("a pattern that takes for ever", took, "s", at_most=WALL + LATE, note=f"{hits} line found before"))
    stuck = folder / "rg"
    stuck.write_text("#!/bin/sh\nprintf 'a.txt\\0001:1:needle\\n'\nread line <> fifo\n")
    stuck.chmod(0o755)
    toolbox = Toolbox([FAMILY], services={Workspace: Workspace([root]), Sandbox: Sandbox({"PATH": str(folder)})})
    with mock.patch.object(sysconfig, "get_path", lambda name: str(folder / name)):
        begun = time.monotonic()
        answer = await toolbox.call("ripgrep", {"pattern": "needle"}, Caller(session="s"))
        took = time.monotonic() - begun
    note = f"{answer.data['total']} line found before"
    rows.append(Figure("a read that never returns", took, "s", at_most=WALL + LATE, note=note))
    return rows
