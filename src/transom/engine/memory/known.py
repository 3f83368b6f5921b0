"""The facts as a process knows them: what was read of the store is kept, so that asking again costs nothing.

Knows the store; no rules and no events. Every look at one key goes to the store and brings what is known up to date; what is
known of all is as old as the last ``refresh``. Not safe for tasks that interleave: ``Facts`` lets one in at a time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...errors import CapabilityError
from ...store.store import Store
from .fact import RESERVED, Fact, decode_fact, encode_meta, fact_path, project_folder
from .stored import NAMESPACE

__all__ = ["KnownFacts"]


@dataclass(frozen=True, slots=True)
class _View:
    """The valid facts in key order, and for which version, times and turns they are that."""

    version: int
    times: tuple[float, float]
    turns: tuple[float, float]
    facts: tuple[Fact, ...]

    def holds(self, version: int, now: float, turn: int) -> bool:
        return self.version == version and self.times[0] <= now < self.times[1] and self.turns[0] <= turn < self.turns[1]


_NOTHING = _View(-1, (0.0, 0.0), (0.0, 0.0), ())


class KnownFacts:
    """Global facts and those of one project.

    Args:
        store: where they lie.
        project: whose are seen beside the global ones; empty for none.
        session: whose turns count.
        clock: unix time in seconds.

    Attributes:
        version: moves with every change of what is known.
    """

    def __init__(self, store: Store, *, project: str, session: str, clock: Callable[[], float]) -> None:
        project_folder(project)
        self.store = store
        self.project = project
        self.session = session
        self.version = 0
        self._clock = clock
        self._facts: dict[str, Fact] | None = None
        self._view = _NOTHING
        self._due: tuple[int, float, float] = (-1, math.inf, math.inf)

    async def refresh(self) -> None:
        """Read everything again."""
        facts = await self._read(self.project)
        if facts != self._facts:
            self._facts = facts
            self.version += 1

    async def switch(self, project: str, session: str) -> None:
        """Know another project's facts, and count another session's turns."""
        facts = await self._read(project)
        self.project, self.session, self._facts = project, session, facts
        self.version += 1

    @property
    def loaded(self) -> bool:
        """Whether everything was read at least once."""
        return self._facts is not None

    @property
    def all(self) -> list[Fact]:
        """Everything known, valid or not, in key order, of equal keys the global one first."""
        return sorted((self._facts or {}).values(), key=lambda fact: (fact.key, fact.project))

    def valid(self, turn: int) -> tuple[Fact, ...]:
        """The valid facts, one a key, in key order."""
        now = self._clock()
        if not self._view.holds(self.version, now, turn):
            known = self.all
            # The project's own come last and win.
            valid = {fact.key: fact for fact in known if not self.expired(fact, turn)}
            times = [fact.expires_at for fact in known if fact.expires_at is not None]
            turns = [fact.expires_turn for fact in known if fact.expires_turn is not None]
            self._view = _View(self.version, _between(times, now), _between(turns, turn), tuple(valid.values()))
        return self._view.facts

    def due(self, turn: int) -> list[Fact]:
        """What is known and no longer valid, in key order. Costs nothing before any can be."""
        version, until, until_turn = self._due
        if version != self.version:
            known = (self._facts or {}).values()
            until = min((fact.expires_at for fact in known if fact.expires_at is not None), default=math.inf)
            own = (fact.expires_turn for fact in known if fact.session == self.session)
            until_turn = min((end for end in own if end is not None), default=math.inf)
            self._due = (self.version, until, until_turn)
        if self._clock() < until and turn < until_turn:
            return []
        return [fact for fact in self.all if self.expired(fact, turn)]

    def expired(self, fact: Fact, turn: int) -> bool:
        """Whether a fact is no longer valid."""
        return fact.expired(self._clock(), turn, self.session)

    async def visible(self, key: str, turn: int) -> Fact | None:
        """The valid fact with this key: the project's, else the global one."""
        if self.project and (own := await self.valid_at(key, self.project, turn)) is not None:
            return own
        return await self.valid_at(key, "", turn)

    async def valid_at(self, key: str, project: str, turn: int) -> Fact | None:
        """The valid fact with this key of one project, or of everybody."""
        fact = await self.look(key, project)
        return None if fact is None or self.expired(fact, turn) else fact

    async def look(self, key: str, project: str) -> Fact | None:
        """A fact as the store has it, valid or not."""
        path = fact_path(key, project)
        entry = await self.store.read(NAMESPACE, path)
        fact = decode_fact(key, project, entry) if entry is not None else None
        if self._facts is not None and self._facts.get(path) != fact:
            self._note(path, fact)
        return fact

    async def keep(self, fact: Fact) -> None:
        """Store a fact."""
        await self.store.put(NAMESPACE, fact.value, path=fact.path, meta=encode_meta(fact), text=fact.searchable)
        self._note(fact.path, fact)

    async def keep_new(self, fact: Fact) -> bool:
        """Store a fact unless its key is taken, by an expired one as well; whether it was stored."""
        meta = encode_meta(fact)
        try:
            taken = await self.store.put_if_absent(NAMESPACE, fact.path, fact.value, meta, text=fact.searchable) is not None
        except CapabilityError:
            # Such a backend decides no races; alone it gives the same.
            taken = await self.store.read(NAMESPACE, fact.path) is not None
            if not taken:
                await self.store.put(NAMESPACE, fact.value, path=fact.path, meta=meta, text=fact.searchable)
        if not taken:
            self._note(fact.path, fact)
        return not taken

    async def remove(self, fact: Fact) -> bool:
        """Delete a fact; whether it was there. Of several who delete it at once one is told yes."""
        removed = await self.store.delete(NAMESPACE, fact.path)
        self._note(fact.path, None)
        return removed

    def hide(self, fact: Fact) -> None:
        """Know nothing of a fact until the next refresh."""
        self._note(fact.path, None)

    def _note(self, path: str, fact: Fact | None) -> None:
        if self._facts is not None:
            if fact is None:
                self._facts.pop(path, None)
            else:
                self._facts[path] = fact
        self.version += 1

    async def _read(self, project: str) -> dict[str, Fact]:
        """Global facts and those of a project, by path."""
        folder = project_folder(project)
        paths = await self.store.list(NAMESPACE)
        shared = [path for path in paths if path.partition("/")[0] not in RESERVED]
        if 2 * len(shared) >= len(paths):
            everything = await self.store.read_all(NAMESPACE)
            found = {path: everything[path] for path in shared if path in everything}
        else:
            # Thousands of entries may lie beside a handful of facts: read only what is wanted.
            found = {path: entry for path in shared if (entry := await self.store.read(NAMESPACE, path)) is not None}
        facts = {path: decode_fact(path, "", entry) for path, entry in found.items()}
        if folder:
            own = await self.store.read_all(NAMESPACE, folder)
            facts |= {path: decode_fact(path.removeprefix(folder), project, entry) for path, entry in own.items()}
        return facts


def _between(ends: Sequence[float], now: float) -> tuple[float, float]:
    """From which moment to which nothing of these ends."""
    passed = max((end for end in ends if end <= now), default=-math.inf)
    return passed, min((end for end in ends if end > now), default=math.inf)
