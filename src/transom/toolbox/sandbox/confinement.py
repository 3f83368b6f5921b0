"""What a confinement is: it makes a command line that runs another one confined, and says what it cannot confine."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from .layout import Layout
from .process import Ended, Limits

__all__ = ["Confinement", "Start"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """How to start a program confined.

    Attributes:
        argv: the whole command line.
        environment: what is set on top of the program's environment.
        descriptors: what the process inherits.
        leaves: what would stay behind if nobody came to clear up after the run.
    """

    argv: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    descriptors: tuple[int, ...] = ()
    leaves: tuple[Path, ...] = ()


class Confinement(Protocol):
    """One way to confine a program."""

    @property
    def name(self) -> str:
        """As results and ``transom doctor`` name it."""
        ...

    @property
    def not_confined(self) -> tuple[str, ...]:
        """What it leaves open, as names of ``vocabulary.executing.open_ends``."""
        ...

    @property
    def placeholders(self) -> Collection[Path]:
        """Folders in roots that are there for runs under way only."""
        ...

    def missing(self) -> str:
        """Why it cannot be tried here; empty when it can."""
        ...

    def start(self, argv: Sequence[str], layout: Layout, limits: Limits) -> AbstractContextManager[Start]:
        """What to run, and what to hold and let go of around it."""
        ...

    def failure(self, ended: Ended) -> str:
        """Why the program was not run, if the confinement could not be set up; else empty."""
        ...
