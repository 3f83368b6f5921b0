"""The folder of one run: the gateway's log lies there, and goes with the run. A run that was killed is cleared up by the next.

Knows folders and locks. The gateway holds the run's lock for as long as it lives, whatever becomes of who started it.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_path

from ...errors import UsageError
from ...toolbox.access.holding import Held

__all__ = ["Run", "attended", "forget", "runs_folder"]

_SUFFIX = ".run"


def runs_folder() -> Path:
    """Where runs are recorded, for this user."""
    return user_cache_path("transom", appauthor=False) / "wrap"


@dataclass(frozen=True, slots=True)
class Run:
    """One run.

    Attributes:
        held: the lock; whoever holds it is alive.
    """

    held: Held

    @classmethod
    def begin(cls, folder: Path) -> Run:
        """Clear up what killed runs left, and record a new one."""
        for left in Held.abandoned(folder, _SUFFIX):
            _remove(left)
        run = cls(Held.create(folder, _SUFFIX))
        run.held.append(str(os.getpid()).encode(), synced=False)
        run.folder.mkdir(mode=0o700)
        return run

    @property
    def folder(self) -> Path:
        """Where its files lie."""
        return self.held.path.with_suffix("")

    @property
    def log(self) -> Path:
        """What the gateway says."""
        return self.folder / "gateway.log"

    def end(self) -> None:
        """Leave nothing behind."""
        _remove(self.held)


def attended(record: Path) -> int:
    """The process that a run is for.

    Raises:
        UsageError: there is no such run.
    """
    try:
        return int(record.read_text("ascii"))
    except (OSError, ValueError):
        raise UsageError(f"there is no run at {record}", hint="transom wrap starts them") from None


def forget(record: Path) -> None:
    """Remove a run by its record; for the gateway, which outlives who recorded it."""
    shutil.rmtree(record.with_suffix(""), ignore_errors=True)
    record.unlink(missing_ok=True)


def _remove(held: Held) -> None:
    shutil.rmtree(held.path.with_suffix(""), ignore_errors=True)
    held.close(remove=True)
