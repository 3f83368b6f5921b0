"""A toolbox with the tools that run things, over one folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from transom.toolbox.access.workspace import Workspace
from transom.toolbox.box import Toolbox
from transom.toolbox.families.execution import FAMILY
from transom.toolbox.sandbox import Sandbox
from transom.toolbox.sandbox.confinement import Confinement
from transom.toolbox.toggles import Toggles
from transom.toolbox.tool import Envelope


class Box:
    """Calls tools in a folder.

    Args:
        root: the allowed folder.
        confined_by: what may confine; this machine's own choice if not given.
    """

    def __init__(self, root: Path, confined_by: Sequence[Confinement] | None = None) -> None:
        self.root = root
        sandbox = Sandbox({**os.environ, "TRANSOM_CANARY": "c4n4ry-77"}, confined_by=confined_by)
        services = {Workspace: Workspace([root]), Sandbox: sandbox}
        self._toolbox = Toolbox([FAMILY], services=services, toggles=Toggles(["all"]))

    async def __call__(self, name: str, **arguments: object) -> Envelope:
        return await self._toolbox.call(name, arguments)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text("MARK-7f3a secret\n")
    made = tmp_path / "ws"
    made.mkdir()
    return made


@pytest.fixture
def box(root: Path) -> Box:
    return Box(root)


@pytest.fixture
def bare(root: Path) -> Box:
    """On a machine where nothing can confine a program."""
    return Box(root, confined_by=[])
