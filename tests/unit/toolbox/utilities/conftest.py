"""The utilities over a real folder, called as every face calls them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from transom.toolbox.access.workspace import Workspace
from transom.toolbox.box import Toolbox
from transom.toolbox.families.utilities import FAMILY
from transom.toolbox.tool import Envelope

Call = Callable[..., Envelope]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The only folder that tools may reach."""
    folder = tmp_path / "ws"
    folder.mkdir()
    return folder


@pytest.fixture
def call(root: Path) -> Call:
    """Calls a tool of the family with arguments by name."""
    toolbox = Toolbox((FAMILY,), services={Workspace: Workspace([root])})

    def called(tool: str, **arguments: object) -> Envelope:
        return asyncio.run(toolbox.call(tool, arguments))

    return called
