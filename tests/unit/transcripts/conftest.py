"""The small session files written for these tests, one or two for each format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from transom.wire.transcripts import Transcript, load

Recorded = Callable[[str], Transcript]


@pytest.fixture(scope="session")
def session_files(repository: Path) -> Path:
    """The folder they lie in."""
    return repository / "tests" / "fixtures" / "transcripts"


@pytest.fixture(scope="session")
def recorded(session_files: Path) -> Recorded:
    """Reads one of them by name, its format detected."""

    def read(name: str) -> Transcript:
        return load((session_files / name).read_bytes(), name=name)

    return read
