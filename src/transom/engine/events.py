"""What a compile tells those who listen. Pure data; the bus isolates handlers that fail."""

from __future__ import annotations

from dataclasses import dataclass

from ..observe.bus import HandlerError, event_name
from .ledger.live import Moved
from .memory.events import MemoryChanged, MemoryExpired
from .payload import PayloadMeta
from .placement.cache_audit import Finding
from .retrieval.recall import Recollection

__all__ = [
    "EVENT_NAMES",
    "CacheWarned",
    "CompileDone",
    "CompileStarted",
    "CompressEnded",
    "CompressStarted",
    "InvariantBroken",
    "JobDropped",
    "NewContextDropped",
    "OffloadCreated",
    "Recalled",
    "ToolBlocked",
    "WindowWarned",
]


@dataclass(frozen=True, slots=True)
class CompileStarted:
    """A compile begins: for which target, over how many turns."""

    target: str
    turns: int


@dataclass(frozen=True, slots=True)
class CompileDone:
    """A compile ended; ``meta`` explains it."""

    meta: PayloadMeta


@dataclass(frozen=True, slots=True)
class CompressStarted:
    """A window is about to close: tokens of movable history, and the trigger they exceed."""

    window_id: str
    tokens: int
    trigger: int


@dataclass(frozen=True, slots=True)
class CompressEnded:
    """A closing landed (``strategy`` names the step) or did not (``strategy`` is empty). ``failure`` says what went wrong: what
    kept it from landing, or why ``reset`` had to take the place of the strategy. ``waiting`` names a strategy that is still at
    work.
    """

    window_id: str
    strategy: str
    tokens: int
    failure: str = ""
    waiting: str = ""


@dataclass(frozen=True, slots=True)
class NewContextDropped:
    """A new window was asked for, and the compile did not open one: why."""

    window_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class JobDropped:
    """What a strategy did in the background came to nothing: its name, and why."""

    strategy: str
    reason: str


@dataclass(frozen=True, slots=True)
class WindowWarned:
    """The guard warns, once a window: tokens in use, of how many."""

    window_id: str
    tokens: int
    window: int


@dataclass(frozen=True, slots=True)
class OffloadCreated:
    """A text left the window and can be had back."""

    moved: Moved


@dataclass(frozen=True, slots=True)
class ToolBlocked:
    """A call was refused because the caller's rules forbid it: the tool, the rule (``blocked``, ``not_selected``), and what the
    model was told. Calls that a model got wrong by itself are not told of.
    """

    tool: str
    cause: str
    reason: str


@dataclass(frozen=True, slots=True)
class Recalled:
    """A message of the user was looked up in what left the window: what was put beside it, or why nothing was."""

    recollection: Recollection


@dataclass(frozen=True, slots=True)
class CacheWarned:
    """Something keeps a cache breakpoint from hitting. Told once for each key in a session."""

    target: str
    finding: Finding


@dataclass(frozen=True, slots=True)
class InvariantBroken:
    """A law of the compile did not hold. Reported in development, never enforced."""

    name: str
    detail: str


EVENT_NAMES = frozenset(
    event_name(kind)
    for kind in (
        CompileStarted,
        CompileDone,
        CompressStarted,
        CompressEnded,
        NewContextDropped,
        JobDropped,
        WindowWarned,
        OffloadCreated,
        Recalled,
        ToolBlocked,
        CacheWarned,
        MemoryChanged,
        MemoryExpired,
        InvariantBroken,
        HandlerError,
    )
)
"""Every event a context tells of, by the name that handlers may give."""
