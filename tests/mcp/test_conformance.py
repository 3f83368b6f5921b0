"""The official conformance suite, all server scenarios, against the command that users run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .conftest import Node, Serve

SUITE = "@modelcontextprotocol/conformance/dist/index.js"
LISTED = re.compile(r"^\| `([a-z0-9-]+)` \| passes", re.MULTILINE)
SUMMED = re.compile(r"^(✓|✗) ([a-z0-9-]+): (\d+) passed, (\d+) failed", re.MULTILINE)


@pytest.mark.timeout(300)
def test_every_server_scenario_passes_and_is_published(node: Node, serve: Serve, repository: Path) -> None:
    with serve.http("--conformance") as url:
        done = node.run(SUITE, "server", "--url", url, "--suite", "all", "-o", str(serve.folder))
    found = {name: (mark, int(failed)) for mark, name, _, failed in SUMMED.findall(done.stdout)}
    assert done.returncode == 0, done.stdout[-4000:]
    assert {name for name, (mark, failed) in found.items() if mark != "✓" or failed} == set()
    page = (repository / "docs" / "reference" / "mcp.md").read_text(encoding="utf-8")
    assert sorted(found) == sorted(LISTED.findall(page))
