"""Runs the command line as a user does: a process of its own, its two streams and its exit status."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def transom(tmp_path: Path) -> Run:
    """``transom("config", "show")`` in an empty folder; ``environment`` adds variables."""
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / ".git").mkdir()

    def run(*arguments: str, environment: dict[str, str] | None = None, cwd: Path = folder) -> subprocess.CompletedProcess[str]:
        command: Sequence[str] = (sys.executable, "-m", "transom", *arguments)
        return subprocess.run(
            command,
            cwd=cwd,
            env=os.environ | (environment or {}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )

    return run
