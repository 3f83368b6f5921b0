"""Whoever is told to install an extra can."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

_NAMED = re.compile(r"transom\[([^\]{}]+)\]")
_FILLED = re.compile(r"\bextra=\"([^\"]+)\"")


def test_every_extra_that_is_named_exists(repository: Path) -> None:
    extras = set(tomllib.loads((repository / "pyproject.toml").read_text())["project"]["optional-dependencies"])
    pages = [repository / "README.md", *repository.glob("docs/**/*.md"), *repository.glob("src/**/*.py")]
    named: set[str] = set()
    for page in pages:
        text = page.read_text()
        for found in (*_NAMED.findall(text), *(_FILLED.findall(text) if page.suffix == ".py" else ())):
            named.update(name.strip() for name in found.split(","))
    assert {"mcp", "gateway", "otel", "sandbox"} <= named <= extras
