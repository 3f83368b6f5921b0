"""Run a program confined, and look at what confined it and how it ended."""

import asyncio
import os
import tempfile
from pathlib import Path

from transom.toolbox.access.workspace import Workspace
from transom.toolbox.box import Toolbox
from transom.toolbox.families.execution import FAMILY
from transom.toolbox.sandbox import Limits, Sandbox
from transom.toolbox.toggles import Toggles


async def confined(folder: Path) -> None:
    sandbox = Sandbox(os.environ)
    described = await sandbox.describe()
    print(described.confined_by, described.not_confined, dict(described.reasons))
    if described.confined_by is None:
        return
    run = await sandbox.run(
        ["sh", "-c", "sort names.txt; cat ../secret.txt"],
        cwd=folder,
        roots=[folder],
        limits=Limits(seconds=10, memory=512 << 20),
    )
    print(run.exit_code, run.stdout.text().split(), run.stderr.text())
    print(run.timed_out, run.out_of_memory, run.truncated, run.put_back)


async def as_tools(folder: Path) -> None:
    services = {Workspace: Workspace([folder]), Sandbox: Sandbox(os.environ)}
    toolbox = Toolbox([FAMILY], services=services, toggles=Toggles(["execute_command"]))
    answer = await toolbox.call("run_javascript", {"javascript": "[3, 1, 2].sort()"})
    print(answer.data["value"], answer.data["confined_by"])
    answer = await toolbox.call("run_python", {"python": "import sys; print('half'); sys.exit(3)"})
    print(answer.ok, answer.data.get("exit_code"), answer.data.get("stdout"))
    answer = await toolbox.call("execute_command", {"command": "sleep 60", "timeout": 1})
    print(answer.error)


async def main() -> None:
    with tempfile.TemporaryDirectory() as outside:
        (Path(outside) / "secret.txt").write_text("not for programs\n")
        folder = Path(outside) / "work"
        folder.mkdir()
        (folder / "names.txt").write_text("b\na\n")
        await confined(folder)
        await as_tools(folder)


if __name__ == "__main__":
    asyncio.run(main())
