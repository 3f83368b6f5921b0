"""Facts: what is remembered by key, one entry of the store each, the project's own before everybody's.

Knows the rules an application sets and what is known of the store; no prompt. A compile asks for ``version`` and nothing else
while nothing changed. Own changes are seen at once, by ``list`` those of other processes after ``refresh``; ``get`` and every
change look into the store.
"""

from __future__ import annotations

import builtins
import logging
import math
import time
from collections.abc import Callable
from dataclasses import replace

from ...errors import InputError, MemoryRefusedError, NotFoundError, StoreError
from ...store.store import Store
from ...vocabulary.placing import Confidence
from ..turnstile import Turnstile
from .events import MemoryChanged, MemoryExpired
from .fact import Fact, check_importance, check_key, check_value, project_folder
from .hooks import Change, MemorySettings, permit, tell
from .known import KnownFacts
from .stored import check_confidence

__all__ = ["Facts"]

_log = logging.getLogger(__name__)

_LONGEST = 2**53
"""Seconds or turns: up to here a float holds every one."""

Emit = Callable[[object], None]


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
        self.settings = settings if settings is not None else MemorySettings()
        self._known = KnownFacts(store, project=project, session=session, clock=clock)
        self._clock = clock
        self._emit = emit
        self._lock = Turnstile()

    @property
    def store(self) -> Store:
        """Where they lie."""
        return self._known.store

    @property
    def project(self) -> str:
        """Whose facts are set; empty for global ones."""
        return self._known.project

    @property
    def version(self) -> int:
        """Moves whenever another list of facts may be the answer: with each own change, and when a refresh found something new.

        That a fact reaches the end of its time moves it once ``expire`` removed the fact.
        """
        return self._known.version

    @property
    def known(self) -> tuple[Fact, ...]:
        """What was read of memory so far, expired facts included; in path order. Reads nothing."""
        return tuple(sorted(self._known.all, key=lambda fact: fact.path))

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
        key = check_key(key.removeprefix(project_folder(self.project)))
        async with self._lock:
            return await self._known.visible(key, turn)

    async def list(self, prefix: str = "", *, turn: int = 0) -> builtins.list[Fact]:
        """The valid facts whose keys begin with ``prefix``, in key order."""
        await self._load()
        view = self._known.valid(turn)
        return [fact for fact in view if fact.key.startswith(prefix)] if prefix else [*view]

    async def injected(self, *, turn: int = 0) -> builtins.list[Fact]:
        """The facts that are to stand in the prompt, as the settings' selector chooses them, in its order."""
        await self._load()
        return self.settings.chosen(self._known.valid(turn))

    async def refresh(self) -> int:
        """Read everything again, so that changes of other processes are seen; the version."""
        async with self._lock:
            await self._known.refresh()
        return self.version

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
        confidence: Confidence | None = None,
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
            confidence: how sure it is, ``extracted``, ``inferred`` or ``ambiguous``; left out, it stays what it was (at first
                ``extracted``).
            turn: the session's turn now.

        Raises:
            MemoryRefusedError: the key may not be changed, or the application's veto said no.
            InputError: no valid key, value, importance, confidence or lifetime.
        """
        check_key(key)
        check_value(value)
        if importance is not None:
            check_importance(importance)
        if confidence is not None:
            check_confidence(confidence)
        ends = self._ends(ttl, ttl_turns, turn)

        def write(old: Fact | None) -> Fact:
            return replace(
                self._next(old, key, value),
                description=description if description is not None else old.description if old else "",
                importance=float(importance) if importance is not None else old.importance if old else 0.5,
                expires_at=ends[0],
                expires_turn=ends[1],
                session=self._known.session if ends[1] is not None else "",
                confidence=confidence if confidence is not None else old.confidence if old else "extracted",
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
            return self._next(old or seen, seen.key, value)

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
                if await self._known.visible(seen.key, turn) != seen or not await self._known.remove(seen):
                    continue
            await self._done(change)
            return True

    async def put_back(self, fact: Fact) -> bool:
        """Store a fact as it was, unless there is one of its key; whether it was stored. Asks no hook: it was allowed once."""
        async with self._lock:
            there = await self._known.look(fact.key, fact.project)
            return there is None and await self._known.keep_new(fact)

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
                if await self._known.visible(new, turn) is not None:
                    raise _taken(new)
                if await self._known.visible(seen.key, turn) != seen:
                    continue
                if not await self._move(seen, moved, turn):
                    continue
            await self._done(change)
            return moved

    async def clear(self, *, turn: int = 0) -> int:
        """Delete all facts of the project; without one, all global facts. How many.

        Raises:
            MemoryRefusedError: one of them may not be deleted; then none was.
        """
        await self.refresh()
        seen = [fact for fact in self._known.all if fact.project == self.project]
        changes = [Change(fact.key, "deleted", fact, None) for fact in seen if not self._known.expired(fact, turn)]
        for change in changes:
            await permit(self.settings, change)
        async with self._lock:
            for fact in seen:
                # What was written meanwhile stays: nobody was asked about it.
                if await self._known.look(fact.key, fact.project) != fact or not await self._known.remove(fact):
                    changes = [change for change in changes if change.old is not fact]
        for change in changes:
            await self._done(change)
        return len(changes)

    async def expire(self, turn: int = 0) -> builtins.list[Fact]:
        """Remove what reached the end of its time; what that was, in key order. Costs nothing while nothing did.

        What the store cannot remove now is not seen either; it is tried again after the next refresh.
        """
        await self._load()
        if not self._known.due(turn):
            return []
        async with self._lock:
            due = self._known.due(turn)
            gone = [removed for fact in due if (removed := await self._remove_expired(fact, turn)) is not None]
        for fact in gone:
            if self._emit is not None:
                self._emit(MemoryExpired(fact.key, fact.value))
            await tell(self.settings, Change(fact.key, "expired", fact, None))
        return gone

    async def switch(self, project: str, *, session: str | None = None) -> None:
        """See and change another project's facts from now on (none's with an empty id), and count that session's turns."""
        async with self._lock:
            await self._known.switch(project, self._known.session if session is None else session)

    # ── inside ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _load(self) -> None:
        if not self._known.loaded:
            await self.refresh()

    def _ends(self, ttl: float | None, ttl_turns: int | None, turn: int) -> tuple[float | None, int | None]:
        if (ttl is not None and not ttl > 0) or (ttl_turns is not None and ttl_turns < 1):
            raise InputError("a fact that is over at once", hint="ttl is more than 0 seconds, ttl_turns at least 1")
        if (ttl is not None and ttl != math.inf and ttl > _LONGEST) or (ttl_turns is not None and ttl_turns > _LONGEST):
            raise InputError("a fact that lasts longer than can be counted", hint="leave out ttl and ttl_turns: then it lasts")
        at = self._clock() + ttl if ttl is not None and ttl != math.inf else None
        return at, turn + ttl_turns if ttl_turns is not None else None

    def _next(self, old: Fact | None, key: str, value: str) -> Fact:
        now = self._clock()
        if old is None:
            return Fact(key=key, value=value, created=now, updated=now, project=self.project)
        return replace(old, value=value, updated=now, updates=old.updates + 1, project=self.project)

    async def _write(self, key: str, write: Callable[[Fact | None], Fact], turn: int) -> Fact:
        while True:
            async with self._lock:
                old = await self._known.valid_at(key, self.project, turn)
            new = write(old)
            change = Change(key, "added" if old is None else "changed", old, new)
            # Asked outside the lock, so that who is asked may use these facts; what was allowed is what is then done.
            await permit(self.settings, change)
            async with self._lock:
                if await self._known.valid_at(key, self.project, turn) != old:
                    continue
                await self._known.keep(new)
            await self._done(change)
            return new

    async def _move(self, seen: Fact, moved: Fact, turn: int) -> bool:
        """Store a fact under its new key, then take it from the old one: whoever dies in between loses nothing.

        Whether it was moved; where somebody else moved, changed or deleted it meanwhile, it does not stay under the new key.

        Raises:
            MemoryRefusedError: somebody else took the new key meanwhile.
        """
        there = await self._known.look(moved.key, moved.project)
        if there is not None and self._known.expired(there, turn):
            await self._known.remove(there)
        if not await self._known.keep_new(moved):
            raise _taken(moved.key)
        if await self._known.look(seen.key, seen.project) == seen and await self._known.remove(seen):
            return True
        if await self._known.look(moved.key, moved.project) == moved:
            await self._known.remove(moved)
        return False

    async def _remove_expired(self, fact: Fact, turn: int) -> Fact | None:
        try:
            # Somebody else may have written it anew meanwhile.
            stored = await self._known.look(fact.key, fact.project)
            if stored is None or not self._known.expired(stored, turn) or not await self._known.remove(stored):
                return None
        except StoreError as error:
            _log.warning("a fact whose time is over could not be removed: %s", error)
            self._known.hide(fact)
            return None
        return stored

    async def _done(self, change: Change) -> None:
        if self._emit is not None:
            old = change.old.value if change.old is not None else None
            new = change.new.value if change.new is not None else None
            self._emit(MemoryChanged(change.key, change.kind, old, new))
        await tell(self.settings, change)


def _missing(key: str) -> NotFoundError:
    return NotFoundError(f"there is no fact {key!r}", hint="list the facts to see their keys")


def _taken(key: str) -> MemoryRefusedError:
    return MemoryRefusedError(f"there is a fact {key!r} already", hint="take another key, or delete that one first")
