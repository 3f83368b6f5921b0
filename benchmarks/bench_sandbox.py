"""What it costs to run a program confined: each confinement, and each tool that runs code, beside a plain start.

Times are by the clock on the wall, since most of the work is the kernel's and another process's; the median of the runs.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from statistics import median

from figures import Figure

from transom.toolbox.access.workspace import Workspace
from transom.toolbox.box import Toolbox
from transom.toolbox.families.execution import FAMILY
from transom.toolbox.sandbox import Limits, Sandbox, child_environment, run_process
from transom.toolbox.sandbox.sandbox import confinements
from transom.toolbox.toggles import Toggles

REPEAT = 15
TRUE = ["/bin/true"]


def measure() -> Iterable[Figure]:
    """The rows."""
    if sys.platform != "linux":
        raise RuntimeError("there is no sandbox to measure here")
    return asyncio.run(_rows())


async def _median(work: Callable[[], Awaitable[object]]) -> float:
    await work()
    took = []
    for _ in range(REPEAT):
        start = time.perf_counter()
        await work()
        took.append((time.perf_counter() - start) * 1000)
    return median(took)


async def _rows() -> list[Figure]:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        root, limits = Path(folder), Limits(seconds=30)
        environment = child_environment(os.environ)
        plain = await _median(lambda: run_process(TRUE, cwd=root, environment=environment, limits=limits))
        rows.append(Figure("run a program, not confined", plain, "ms"))
        for choice in confinements(os.environ):
            if choice.missing():
                continue
            sandbox = Sandbox(os.environ, confined_by=[choice])
            confined = await _median(lambda one=sandbox: one.run(TRUE, cwd=root, roots=[root], limits=limits))
            rows.append(Figure(f"the same, confined by {choice.name}", confined, "ms", note=f"{confined - plain:.0f} ms more"))
        services = {Workspace: Workspace([root]), Sandbox: Sandbox(os.environ)}
        toolbox = Toolbox([FAMILY], services=services, toggles=Toggles(["all"]))
        for name, arguments in (
            ("run_python", {"python": "print(1)"}),
            ("run_javascript", {"javascript": "1"}),
            ("execute_command", {"command": "true"}),
        ):
            rows.append(Figure(f"{name}, a trivial call", await _median(lambda n=name, a=arguments: toolbox.call(n, a)), "ms"))
    return rows
