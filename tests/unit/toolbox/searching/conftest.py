"""A folder to search."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.toolbox.searching.searching_box import Box


@pytest.fixture
def box(tmp_path: Path) -> Box:
    root = tmp_path / "ws"
    root.mkdir()
    return Box(root)
