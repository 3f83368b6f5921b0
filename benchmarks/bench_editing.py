"""Random edits against a second model of them, kills in the middle of edits, and what edits of large files cost."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from figures import HERE, Figure, median_ms

sys.path.insert(0, str(HERE.parent))
from tests.properties.edit_model import cases, expected

from transom.toolbox.access.intents import Intents
from transom.toolbox.access.workspace import Workspace
from transom.toolbox.box import Toolbox
from transom.toolbox.editing.document import Document
from transom.toolbox.editing.hunks import patched
from transom.toolbox.editing.line_edits import deleted, inserted, moved
from transom.toolbox.editing.nearmiss import nearest
from transom.toolbox.editing.patch import parsed
from transom.toolbox.editing.replacing import replaced

EDITS = 20_000
SEED = 2026
KILLS = 200
MEMORY = Path("/dev/shm")
"""A file system without a disk, where there is one: what is counted here does not depend on syncing."""


def measure() -> Iterable[Figure]:
    """Counts over all edits and kills; times of edits of 5 and 10 MB."""
    seen, wrong = _compared()
    done = sum(count for what, count in seen.items() if what == "made")
    note = (
        f"{done:,} made, {EDITS - done:,} refused, by {len({case.tool for case in cases(SEED, 200)})} tools; {wrong or 'none'}"
    )
    yield Figure("random edits", EDITS, "")
    yield Figure("edits that differ from the model", seen["different"], "", at_most=0, note=note)
    if hasattr(os, "fork"):
        yield from _killed()
    yield from _costs()


def _compared() -> tuple[Counter[str], str]:
    seen: Counter[str] = Counter()
    wrong = ""
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder, asyncio.Runner() as runner:
        file = Path(folder, "f.txt")
        # With its journal, as where tools really run: without one a backup cannot be told from a file of the user's.
        toolbox = Toolbox(services={Workspace: Workspace([folder], intents=Intents(Path(folder, "journal")))})
        for case in cases(SEED, EDITS):
            file.write_bytes(case.data)
            Path(folder, "f.txt.bak").unlink(missing_ok=True)
            answer = runner.run(toolbox.call(case.tool, {"file_name": "f.txt", **case.arguments}))
            wanted = expected(case)
            refused = isinstance(wanted, str)
            same = file.read_bytes() == (case.data if refused else wanted) and answer.error == (wanted if refused else None)
            seen["made" if answer.ok else "refused"] += 1
            if not same:
                seen["different"] += 1
                wrong = wrong or f"first: {case}"
    return seen, wrong


def _killed() -> Iterable[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        program = [sys.executable, str(HERE.parent / "tests/faults/killed_tools.py"), folder, str(KILLS), str(SEED)]
        account = json.loads(subprocess.run(program, check=True, capture_output=True).stdout)
    note = f"{account['acknowledged']} calls acknowledged, {account['litter before']} temporary files put in order"
    yield Figure("processes killed", account["killed"], "")
    wrong = account["wrong"]
    yield Figure("damaged, lost or left behind", len(wrong), "", at_most=0, note=wrong[0] if wrong else note)


def _costs() -> Iterable[Figure]:
    half, whole = (_lines(count) for count in (105_000, 210_000))
    for name, work in _EDITS.items():
        times = [median_ms(lambda data=data, work=work: work(data), repeat=5) for data in (half, whole)]
        yield Figure(f"{name}, {len(whole) / 1e6:.0f} MB", times[1], "ms", at_most=2_000)
        yield Figure(f"{name}, against half of it", times[1] / times[0], "×", at_most=2.8)


def _lines(count: int) -> bytes:
    return b"".join(b"    value = compute(%07d)  # some text\r\n" % number for number in range(count))


def _replaced(data: bytes, old: bytes, new: bytes) -> bytes:
    document = Document.of(data)
    return document.written(replaced(document, old, new).splices)


def _patched(data: bytes) -> bytes:
    document = Document.of(data)
    patch = "--- a/f\n+++ b/f\n@@ -900 +900 @@\n-    value = compute(0050000)  # some text\n+new\n"
    return document.written(patched(document, parsed(patch)[0].hunks).splices)


def _by_line(edit: Callable[[Document, int], object]) -> Callable[[bytes], object]:
    def work(data: bytes) -> object:
        document = Document.of(data)
        return edit(document, document.lines.count // 2)

    return work


_EDITS: dict[str, Callable[[bytes], object]] = {
    "delete a line": _by_line(lambda document, line: document.written(deleted(document, line).splices)),
    "insert a line": _by_line(lambda document, line: document.written(inserted(document, line, b"new").splices)),
    "move a line": _by_line(lambda document, line: document.written(moved(document, line, 1).splices)),
    "replace two lines": lambda data: _replaced(data, b"(0050000)  # some text\n    value", b"x\ny"),
    "replace in every line": lambda data: _replaced(data, b"value", b"values"),
    "apply a hunk": _patched,
    "find the nearest place": lambda data: nearest(Document.of(data), "value = compute(0050000)  #  some text!"),
}
