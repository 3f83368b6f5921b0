"""What answering a call needs of the context it belongs to: a value, so that this package knows no context.

Memory is reached through a port: facts have hooks, and nothing here may go past them.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ...errors import InputError
from ...store.store import Store
from ...vocabulary import ENGLISH, Vocabulary
from ...vocabulary.placing import Confidence
from ..placement.labels import Labels
from .room import SMALLEST, Room

__all__ = ["READABLE", "WRITABLE", "FactLike", "FactsPort", "Host"]

READABLE = ("memory", "notes", "vfs", "archive", "sessions")
"""The namespaces a model sees, in the order they are named to it."""

WRITABLE = frozenset({"memory", "notes"})
"""Those of them that a model can ever write to."""


class FactLike(Protocol):
    """What is needed of a fact."""

    @property
    def key(self) -> str:
        """Its name, like a path."""
        ...

    @property
    def value(self) -> str:
        """The text."""
        ...

    @property
    def path(self) -> str:
        """Where it lies in the namespace ``memory``: the key, with a project's folder before it if it belongs to one."""
        ...

    @property
    def confidence(self) -> Confidence:
        """How sure it is."""
        ...

    @property
    def updated(self) -> float:
        """When it was last written, as unix time; 0 where nobody knows."""
        ...


class FactsPort(Protocol):
    """Memory with its hooks: what may not be changed raises an ``InputError`` whose message is meant for the model."""

    @property
    def project(self) -> str:
        """Whose memory is open; empty for nobody's."""
        ...

    async def get(self, key: str, *, turn: int = 0) -> FactLike | None:
        """The fact as this session sees it, or ``None``."""
        ...

    async def set(self, key: str, value: str, *, turn: int = 0) -> object:
        """Add a fact."""
        ...

    async def revise(self, key: str, value: str, *, turn: int = 0) -> object:
        """Give a fact another value; everything else of it stays."""
        ...

    async def delete(self, key: str, *, turn: int = 0) -> object:
        """Forget a fact."""
        ...

    async def list(self, prefix: str = "", *, turn: int = 0) -> Sequence[FactLike]:
        """The facts this session sees whose keys begin with ``prefix``."""
        ...

    async def rename(self, old: str, new: str, *, turn: int = 0) -> object:
        """Give a fact another key; everything else of it stays."""
        ...

    async def refresh(self) -> object:
        """See what other processes changed."""
        ...


class EntryLike(Protocol):
    """What is remembered without a key."""

    @property
    def content(self) -> str:
        """The text."""
        ...

    @property
    def path(self) -> str:
        """Where it lies in the namespace ``memory``."""
        ...

    @property
    def confidence(self) -> Confidence:
        """How sure it is."""
        ...

    @property
    def created(self) -> float:
        """When it was written, as unix time; 0 where nobody knows."""
        ...


class EntriesPort(Protocol):
    """Entries, to be read."""

    async def at(self, path: str) -> EntryLike | None:
        """The entry at a path, as this session sees it, or ``None``."""
        ...

    async def list(self) -> Sequence[EntryLike]:
        """Every entry this session sees."""
        ...


_OF_NO_PROJECT = "_"
"""The folder of sessions that belong to no project."""


def _token() -> str:
    return uuid.uuid4().hex


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """One session, as far as retrieval is concerned.

    Attributes:
        store: where everything lies.
        count: tokens of a text.
        budget: tokens an answer may have; at least ``SMALLEST``.
        facts: memory; without it the namespace ``memory`` is not there.
        entries: what is remembered without a key; it is read in the namespace ``memory``, below ``entries/``.
        turn: the session's turn, for facts that last a number of turns.
        vocabulary: what the model reads.
        writable: namespaces that may be written, a part of ``WRITABLE``.
        request_new_context: called when the model asks for a new window; without it such a call is refused.
        name: what the context tool is called here.
        labels: which labels are shown.
        clock: unix time in seconds. Two sessions that edit one entry wait for each other by it; it shapes no answer.
        token: a name nobody else has, for the same purpose.

    Raises:
        InputError: a budget or namespace that makes no sense.
    """

    store: Store
    count: Callable[[str], int]
    budget: int = 2_000
    facts: FactsPort | None = None
    entries: EntriesPort | None = None
    turn: int = 0
    vocabulary: Vocabulary = ENGLISH
    writable: frozenset[str] = WRITABLE
    request_new_context: Callable[[], object] | None = None
    name: str = "context"
    labels: Labels = field(default_factory=Labels)
    clock: Callable[[], float] = time.time
    token: Callable[[], str] = _token

    def __post_init__(self) -> None:
        if self.budget < SMALLEST:
            raise InputError(f"a view of {self.budget} tokens", hint=f"give at least {SMALLEST}")
        if not self.writable <= WRITABLE:
            raise InputError(
                f"{', '.join(sorted(self.writable - WRITABLE))} cannot be made writable", hint="memory and notes can be"
            )

    @property
    def room(self) -> Room:
        """What an answer must fit into."""
        return Room(self.budget, self.count)

    @property
    def readable(self) -> tuple[str, ...]:
        """The namespaces that are there."""
        return READABLE if self.facts is not None else tuple(name for name in READABLE if name != "memory")

    def sees(self, namespace: str, path: str) -> bool:
        """Whether an entry is this session's business: of what other sessions left, what its project or nobody's owns."""
        folder, slash, _ = path.partition("/")
        if namespace != "sessions" or not slash or folder == _OF_NO_PROJECT:
            return True
        return self.facts is not None and folder == self.facts.project
