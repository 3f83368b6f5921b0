"""Facts: what is remembered by key, one entry of the store each, the project's own before everybody's.

Knows the store and the rules an application sets; no prompt. What was read is kept in the process, so that a compile asks for
``version`` and nothing else while nothing changed. Own changes are seen at once, by ``list`` those of other processes after
``refresh``; ``get`` and every change look into the store.
"""

from __future__ import annotations

import asyncio
import builtins
import logging
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from ...errors import InputError, MemoryRefusedError, NotFoundError, StoreError
from ...store.store import Store
from .events import MemoryChanged, MemoryExpired
from .fact import (
    RESERVED,
    Fact,
    check_importance,
    check_key,
    check_value,
    decode_fact,
    encode_meta,
    fact_path,
    project_folder,
)
from .hooks import Change, MemorySettings, permit, tell
from .stored import NAMESPACE

__all__ = ["Facts"]

_log = logging.getLogger(__name__)

Emit = Callable[[object], None]


@dataclass(frozen=True, slots=True)
class _View:
    """The valid facts in key order, and for which version, times and turns they are that."""

    version: int
    times: tuple[float, float]
    turns: tuple[float, float]
    facts: tuple[Fact, ...]

    def holds(self, version: int, now: float, turn: int) -> bool:
        return self.version == version and self.times[0] <= now < self.times[1] and self.turns[0] <= turn < self.turns[1]


class Facts:
    """The facts that one context sees and changes.

    Args:
        store: where they lie.
        settings: which keys may change, and who is asked and told.
        project: its facts are seen beside the global ones, and win where a key is in both; what is set is set for it. Empty for
            global facts alone. Facts of other projects are never seen.
        session: whose turns ``ttl_turns`` counts. In other sessions such a fact lasts until this one removes it.
        clock: unix time in seconds.
        emit: told of ``MemoryChanged`` and ``MemoryExpired``.

    Every method raises ``StoreError`` when the store fails. Two processes that write one key at once do not see each other: the
    later write stays.
    """

    def __init__(
        self,
        store: Store,
        *,
        settings: MemorySettings | None = None,
        project: str = "",
        session: str = "",
        clock: Callable[[], float] = time.time,
        emit: Emit | None = None,
    ) -> None:
        project_folder(project)
        self.settings = settings if settings is not None else MemorySettings()
        self._store = store
        self._project = project
        self._session = session
        self._clock = clock
        self._emit = emit
        self._known: dict[str, Fact] | None = None
        self._version = 0
        self._view = _View(-1, (0.0, 0.0), (0, 0), ())
        self._due: tuple[int, float, float] = (-1, math.inf, math.inf)
        self._lock = asyncio.Lock()

    @property
    def store(self) -> Store:
        """Where they lie."""
        return self._store

    @property
    def project(self) -> str:
        """Whose facts are set; empty for global ones."""
        return self._project

    @property
    def version(self) -> int:
        """Moves whenever another list of facts may be the answer: with each own change, and when a refresh found something new.

        That a fact reaches the end of its time moves it once ``expire`` removed the fact.
        """
        return self._version

    @property
    def known(self) -> tuple[Fact, ...]:
        """What was read of memory so far, expired facts included; in path order. Reads nothing."""
        return tuple(fact for _, fact in sorted((self._known or {}).items()))

    # ── reading ────────────────────────────────────────────────────────────────────────────────────────────────────────

    async def get(self, key: str, *, turn: int = 0) -> Fact | None:
        """The project's fact with this key, else the global one, else ``None``; as the store has it now.

        Args:
            key: its key, or its path in the namespace (``projects/<project>/<key>``).
            turn: the session's turn, for facts that last a number of turns.

        Raises:
            URIError: no valid key.
            MemoryRefusedError: a key that no fact can have.
        """
        key = check_key(key.removeprefix(project_folder(self._project)))
        async with self._lock:
            return await self._visible(key, turn)

    async def list(self, prefix: str = "", *, turn: int = 0) -> builtins.list[Fact]:
        """The valid facts whose keys begin with ``prefix``, in key order."""
        await self._load()
        view = self._valid(turn)
        return [fact for fact in view if fact.key.startswith(prefix)] if prefix else [*view]

    async def injected(self, *, turn: int = 0) -> builtins.list[Fact]:
        """The facts that are to stand in the prompt, as the settings' selector chooses them, in its order."""
        await self._load()
        return self.settings.chosen(self._valid(turn))

    async def refresh(self) -> int:
        """Read everything again, so that changes of other processes are seen; the version."""
        async with self._lock:
            known = await self._read(self._project)
            if known != self._known:
                self._known = known
                self._version += 1
        return self._version

    # ── changing ───────────────────────────────────────────────────────────────────────────────────────────────────────

    async def set(
        self,
        key: str,
        value: str,
        *,
        description: str | None = None,
        importance: float | None = None,
        ttl: float | None = None,
        ttl_turns: int | None = None,
        turn: int = 0,
    ) -> Fact:
        """Write a fact. It is stored when this returns.

        Args:
            key: like a path: ``style/quotes``.
            value: the text, at most 256 KiB.
            description: what it is about, in a few words; left out, it stays what it was (at first empty).
            importance: 0 to 1; left out, it stays what it was (at first 0.5).
            ttl: seconds that it lasts from now.
            ttl_turns: turns that it lasts from ``turn``. Where both are given, the earlier end counts; with neither it lasts.
            turn: the session's turn now.

        Raises:
            MemoryRefusedError: the key may not be changed, or the application's veto said no.
            InputError: no valid key, value, importance or lifetime.
        """
        check_key(key)
        check_value(value)
        if importance is not None:
            check_importance(importance)
        ends = self._ends(ttl, ttl_turns, turn)

        def write(old: Fact | None) -> Fact:
            return replace(
                self._next(old, key, value),
                description=description if description is not None else old.description if old else "",
                importance=float(importance) if importance is not None else old.importance if old else 0.5,
                expires_at=ends[0],
                expires_turn=ends[1],
                session=self._session if ends[1] is not None else "",
            )

        return await self._write(key, write, turn)

    async def revise(self, key: str, value: str, *, turn: int = 0) -> Fact:
        """Give a fact another value; everything else of it stays, its remaining lifetime included.

        A global fact that a project revises becomes the project's own; the global one stays as it is.

        Raises:
            NotFoundError: there is no such fact.
            MemoryRefusedError, InputError: as for ``set``.
        """
        check_value(value)
        seen = await self.get(key, turn=turn)
        if seen is None:
            raise _missing(key)

        def write(old: Fact | None) -> Fact:
            return self._next(old or replace(seen, updates=seen.updates), seen.key, value)

        return await self._write(seen.key, write, turn)

    async def delete(self, key: str, *, turn: int = 0) -> bool:
        """Take a fact away: the one that ``get`` gives. Whether there was one.

        Raises:
            MemoryRefusedError: the key may not be changed, or the application's veto said no.
        """
        while True:
            seen = await self.get(key, turn=turn)
            if seen is None:
                return False
            change = Change(seen.key, "deleted", seen, None)
            await permit(self.settings, change)
            async with self._lock:
                if await self._visible(seen.key, turn) != seen:
                    continue
                await self._remove(seen)
            await self._done(change)
            return True

    async def put_back(self, fact: Fact) -> bool:
        """Store a fact as it was, unless there is one of its key; whether it was stored. Asks no hook: it was allowed once."""
        async with self._lock:
            if await self._look(fact.key, fact.project) is not None:
                return False
            await self._keep(fact)
            return True

    async def rename(self, old: str, new: str, *, turn: int = 0) -> Fact:
        """Give a fact another key; it stays the project's or everybody's.

        Raises:
            NotFoundError: there is no fact ``old``.
            MemoryRefusedError: there is a fact ``new``, or one of the keys may not be changed, or the veto said no.
        """
        check_key(new)
        while True:
            seen = await self.get(old, turn=turn)
            if seen is None:
                raise _missing(old)
            moved = replace(seen, key=new, updated=self._clock(), updates=seen.updates + 1)
            change = Change(new, "renamed", seen, moved)
            await permit(self.settings, change)
            async with self._lock:
                if await self._visible(new, turn) is not None:
                    raise MemoryRefusedError(
                        f"there is a fact {new!r} already", hint="take another key, or delete that one first"
                    )
                if await self._visible(seen.key, turn) != seen:
                    continue
                # Stored under the new key before it leaves the old one: whoever dies in between loses nothing.
                await self._keep(moved)
                await self._remove(seen)
            await self._done(change)
            return moved

    async def clear(self, *, turn: int = 0) -> int:
        """Delete all facts of the project; without one, all global facts. How many.

        Raises:
            MemoryRefusedError: one of them may not be deleted; then none was.
        """
        await self.refresh()
        seen = [fact for fact in (self._known or {}).values() if fact.project == self._project]
        changes = [Change(fact.key, "deleted", fact, None) for fact in seen if not self._expired(fact, turn)]
        for change in changes:
            await permit(self.settings, change)
        async with self._lock:
            for fact in seen:
                # What was written meanwhile stays: nobody was asked about it.
                if await self._look(fact.key, fact.project) == fact:
                    await self._remove(fact)
                else:
                    changes = [change for change in changes if change.old is not fact]
        for change in changes:
            await self._done(change)
        return len(changes)

    async def expire(self, turn: int = 0) -> builtins.list[Fact]:
        """Remove what reached the end of its time; what that was, in key order. Costs nothing while nothing did.

        What the store cannot remove now is not seen either; it is tried again after the next refresh.
        """
        await self._load()
        version, until, until_turn = self._due
        if version != self._version:
            known = self._known or {}
            until = min((fact.expires_at for fact in known.values() if fact.expires_at is not None), default=math.inf)
            own = (fact.expires_turn for fact in known.values() if fact.session == self._session)
            until_turn = min((end for end in own if end is not None), default=math.inf)
            self._due = (self._version, until, until_turn)
        if self._clock() < until and turn < until_turn:
            return []
        async with self._lock:
            due = [fact for fact in (self._known or {}).values() if self._expired(fact, turn)]
            due.sort(key=lambda fact: (fact.key, fact.project))
            gone = [removed for fact in due if (removed := await self._remove_expired(fact, turn)) is not None]
        for fact in gone:
            if self._emit is not None:
                self._emit(MemoryExpired(fact.key, fact.value))
            await tell(self.settings, Change(fact.key, "expired", fact, None))
        return gone

    async def switch(self, project: str, *, session: str | None = None) -> None:
        """See and change another project's facts from now on (none's with an empty id), and count that session's turns."""
        project_folder(project)
        async with self._lock:
            known = await self._read(project)
            self._project, self._known = project, known
            self._session = self._session if session is None else session
            self._version += 1

    # ── inside ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _load(self) -> None:
        if self._known is None:
            await self.refresh()

    async def _read(self, project: str) -> dict[str, Fact]:
        """Global facts and those of a project, by path."""
        paths = await self._store.list(NAMESPACE)
        shared = [path for path in paths if path.partition("/")[0] not in RESERVED]
        if 2 * len(shared) >= len(paths):
            everything = await self._store.read_all(NAMESPACE)
            found = {path: everything[path] for path in shared if path in everything}
        else:
            # Thousands of entries may lie beside a handful of facts: read only what is wanted.
            found = {path: entry for path in shared if (entry := await self._store.read(NAMESPACE, path)) is not None}
        facts = {path: decode_fact(path, "", entry) for path, entry in found.items()}
        if folder := project_folder(project):
            own = await self._store.read_all(NAMESPACE, folder)
            facts |= {path: decode_fact(path.removeprefix(folder), project, entry) for path, entry in own.items()}
        return facts

    async def _look(self, key: str, project: str) -> Fact | None:
        """A fact as the store has it, expired or not; what is known of it follows."""
        path = fact_path(key, project)
        entry = await self._store.read(NAMESPACE, path)
        fact = decode_fact(key, project, entry) if entry is not None else None
        if self._known is not None and self._known.get(path) != fact:
            self._note(path, fact)
        return fact

    def _note(self, path: str, fact: Fact | None) -> None:
        if self._known is not None:
            if fact is None:
                self._known.pop(path, None)
            else:
                self._known[path] = fact
        self._version += 1

    async def _visible(self, key: str, turn: int) -> Fact | None:
        for project in dict.fromkeys((self._project, "")):
            fact = await self._look(key, project)
            if fact is not None and not self._expired(fact, turn):
                return fact
        return None

    def _expired(self, fact: Fact, turn: int) -> bool:
        return fact.expired(self._clock(), turn, self._session)

    def _valid(self, turn: int) -> tuple[Fact, ...]:
        now = self._clock()
        if not self._view.holds(self._version, now, turn):
            known = (self._known or {}).values()
            # The project's own come last and win.
            valid = {fact.key: fact for fact in sorted(known, key=lambda fact: fact.project) if not self._expired(fact, turn)}
            times = [fact.expires_at for fact in known if fact.expires_at is not None]
            turns = [fact.expires_turn for fact in known if fact.expires_turn is not None]
            self._view = _View(
                self._version,
                _between(times, now),
                _between(turns, turn),
                tuple(sorted(valid.values(), key=lambda fact: fact.key)),
            )
        return self._view.facts

    def _ends(self, ttl: float | None, ttl_turns: int | None, turn: int) -> tuple[float | None, int | None]:
        if (ttl is not None and not ttl > 0) or (ttl_turns is not None and ttl_turns < 1):
            raise InputError("a fact that is over at once", hint="ttl is more than 0 seconds, ttl_turns at least 1")
        at = self._clock() + ttl if ttl is not None and ttl != math.inf else None
        return at, turn + ttl_turns if ttl_turns is not None else None

    def _next(self, old: Fact | None, key: str, value: str) -> Fact:
        now = self._clock()
        if old is None:
            return Fact(key=key, value=value, created=now, updated=now, project=self._project)
        return replace(old, value=value, updated=now, updates=old.updates + 1, project=self._project)

    async def _write(self, key: str, write: Callable[[Fact | None], Fact], turn: int) -> Fact:
        while True:
            old = await self._own(key, turn)
            new = write(old)
            change = Change(key, "added" if old is None else "changed", old, new)
            # Asked outside the lock, so that who is asked may use these facts; what was allowed is what is then done.
            await permit(self.settings, change)
            async with self._lock:
                if await self._own(key, turn, locked=True) != old:
                    continue
                await self._keep(new)
            await self._done(change)
            return new

    async def _own(self, key: str, turn: int, *, locked: bool = False) -> Fact | None:
        if not locked:
            async with self._lock:
                return await self._own(key, turn, locked=True)
        fact = await self._look(key, self._project)
        return None if fact is None or self._expired(fact, turn) else fact

    async def _keep(self, fact: Fact) -> None:
        await self._store.put(NAMESPACE, fact.value, path=fact.path, meta=encode_meta(fact), text=fact.searchable)
        self._note(fact.path, fact)

    async def _remove(self, fact: Fact) -> None:
        await self._store.delete(NAMESPACE, fact.path)
        self._note(fact.path, None)

    async def _remove_expired(self, fact: Fact, turn: int) -> Fact | None:
        try:
            # Somebody else may have written it anew meanwhile.
            stored = await self._look(fact.key, fact.project)
            if stored is None or not self._expired(stored, turn):
                return None
            await self._remove(stored)
        except StoreError as error:
            _log.warning("a fact whose time is over could not be removed: %s", error)
            self._note(fact.path, None)
            return None
        return stored

    async def _done(self, change: Change) -> None:
        if self._emit is not None:
            old = change.old.value if change.old is not None else None
            new = change.new.value if change.new is not None else None
            self._emit(MemoryChanged(change.key, change.kind, old, new))
        await tell(self.settings, change)


def _between(ends: builtins.list[float] | builtins.list[int], now: float) -> tuple[float, float]:
    """From which moment to which nothing of these ends."""
    return max((end for end in ends if end <= now), default=-math.inf), min(
        (end for end in ends if end > now), default=math.inf
    )


def _missing(key: str) -> NotFoundError:
    return NotFoundError(f"there is no fact {key!r}", hint="list the facts to see their keys")
