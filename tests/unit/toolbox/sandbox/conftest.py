"""One sandbox a confinement that works here: what holds for one must hold for the other."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from transom.toolbox.sandbox import Limits, Run, Sandbox, interpreter
from transom.toolbox.sandbox.bubblewrap import Bubblewrap
from transom.toolbox.sandbox.confinement import Confinement
from transom.toolbox.sandbox.landlocked import Landlock

Python = Callable[..., Awaitable[Run]]


def listing(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def until(path: Path) -> None:
    """Wait for a file that another process makes: there is no event to wait for."""
    while not path.exists():  # noqa: ASYNC110, ASYNC240
        await asyncio.sleep(0.01)


@pytest.fixture(params=["bubblewrap", "landlock"])
def confinement(request: pytest.FixtureRequest) -> Confinement:
    chosen: Confinement = Bubblewrap(os.environ.get("PATH", "")) if request.param == "bubblewrap" else Landlock()
    if reason := chosen.missing():
        pytest.skip(reason)
    return chosen


@pytest.fixture
def sandbox(confinement: Confinement) -> Sandbox:
    return Sandbox({**os.environ, "MY_SERVICE_TOKEN": "c4n4ry-91"}, confined_by=[confinement])


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "base" / "ws"
    made.mkdir(parents=True)
    return made


@pytest.fixture
def shell(sandbox: Sandbox, root: Path) -> Python:
    async def run(command: str, **limits: float) -> Run:
        chosen = Limits(**{"seconds": 20.0, **limits})  # type: ignore[arg-type]
        return await sandbox.run(["/bin/sh", "-c", command], cwd=root, roots=[root], limits=chosen)

    return run


@pytest.fixture
def python(sandbox: Sandbox, root: Path) -> Python:
    async def run(code: str, **limits: float) -> Run:
        chosen = Limits(**{"seconds": 20.0, **limits})  # type: ignore[arg-type]
        argv = [sys.executable, "-I", "-B", "-"]
        return await sandbox.run(argv, cwd=root, roots=[root], limits=chosen, stdin=code.encode(), readable=interpreter())

    return run
