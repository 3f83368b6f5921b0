"""What an importer hands over: things found, each with where it was, and what it leaves, each with the reason.

Pure data; knows nothing of the store that takes it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from ..engine.memory.entry import Entry
from ..engine.memory.fact import Fact
from ..engine.memory.origin import Origin
from ..engine.memory.projects import Project
from ..engine.memory.summaries import Session

__all__ = ["Archive", "Finding", "Found", "Left", "Note", "Text", "Thing"]


@dataclass(frozen=True, slots=True)
class Text:
    """A text or file that had left a window; its exact bytes."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Archive:
    """Messages that had left a window, one JSON text each."""

    lines: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """A text that a model or a person wrote under a path."""

    path: str
    text: str


Thing: TypeAlias = Fact | Entry | Session | Project | Text | Archive | Note


@dataclass(frozen=True, slots=True)
class Found:
    """Something to take.

    Attributes:
        thing: what; facts, entries and sessions belong to nobody yet.
        origin: where it was.
        root: the folder of the project that it was remembered for; empty for everybody.
        remarks: what of it could not be kept as it was.
    """

    thing: Thing
    origin: Origin
    root: str = ""
    remarks: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Left:
    """Something that is not taken.

    Attributes:
        origin: where it is.
        reason: why, in one line.
        fault: it could not be read, or may not be; ``False`` where there was no need of it.
    """

    origin: Origin
    reason: str
    fault: bool = True


Finding: TypeAlias = Found | Left
