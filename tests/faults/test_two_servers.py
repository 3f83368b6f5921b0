"""Two processes that write one file at once: what was acknowledged is there."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

WRITER = """
import asyncio, json, sys
from transom.runtime import open_toolbox

async def main(name, root, store):
    kept = []
    async with open_toolbox(roots=[root], store=store) as toolbox:
        for number in range(60):
            line = f"{name}{number}"
            answer = await toolbox.call("append_file", {"file_name": "shared.txt", "content": line + chr(10)})
            if answer.ok:
                kept.append(line)
    print(json.dumps(kept))

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be locked there")
def test_no_acknowledged_line_of_two_servers_is_lost_or_doubled(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "shared.txt").write_text("0\n")
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, name, str(root), str(tmp_path / "store.db")],
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        for name in ("a", "b", "c")
    ]
    kept = [line for writer in writers for line in json.loads(writer.communicate(timeout=60)[0])]
    lines = (root / "shared.txt").read_text().split()
    assert len(kept) >= 60
    assert sorted(set(kept) - set(lines)) == []
    assert len(lines) == len(set(lines))
