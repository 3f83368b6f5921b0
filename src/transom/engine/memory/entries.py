"""Entries: what is remembered without a key, each under an id of its own, for everybody, one project or one session.

Knows the store; no prompt. Everything is filed put-if-absent, so that any number of processes remember at once and none
overwrites another. How often an entry was recalled is counted in memory and handed to the store's access index in batches, with
the next write or on ``refresh``: reading never waits for a writer.
"""

from __future__ import annotations

import builtins
import math
import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from ...errors import InputError
from ...store.store import Store
from .entry import (
    Confidence,
    Entry,
    EntryType,
    Scope,
    check_entry,
    check_tags,
    decode_entry,
    encode_entry_meta,
    entry_folder,
    is_id,
    title_of,
)
from .events import MemoryChanged, MemoryExpired
from .headings import Heading, Headings
from .ranking import rank
from .stored import NAMESPACE, check_text

__all__ = ["SESSION_LIFETIME", "Entries", "new_id"]

SESSION_LIFETIME = 86_400.0
"""Seconds that a session's entries last: 24 hours."""

_ATTEMPTS = 8

Emit = Callable[[object], None]


def new_id() -> str:
    """An id that nobody else has."""
    return uuid.uuid4().hex


class Entries:
    """The entries that one context sees: global ones, its project's and its session's; never another's.

    Args:
        store: where they lie.
        project: its id; without one nothing is remembered for a project.
        session: its id; without one nothing is remembered for a session.
        clock: unix time in seconds.
        new_id: makes the ids.
        emit: told of ``MemoryChanged`` and ``MemoryExpired``.

    Every method raises ``StoreError`` when the store fails.
    """

    def __init__(
        self,
        store: Store,
        *,
        project: str = "",
        session: str = "",
        clock: Callable[[], float] = time.time,
        new_id: Callable[[], str] = new_id,
        emit: Emit | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._new_id = new_id
        self._emit = emit
        self._folders: dict[str, tuple[Scope, str]] = {}
        self._sweep_at = -math.inf
        self.switch(project=project, session=session)

    def switch(self, *, project: str, session: str) -> None:
        """See and file the entries of another project and session from now on.

        Raises:
            InputError: an id that is no single name.
        """
        folders: dict[str, tuple[Scope, str]] = {entry_folder("global", ""): ("global", "")}
        if project:
            folders[entry_folder("project", project)] = ("project", project)
        if session:
            folders[entry_folder("session", session)] = ("session", session)
        self._project, self._session, self._folders = project, session, folders
        self._headings = Headings(self._store)

    async def remember(
        self,
        content: str,
        *,
        title: str | None = None,
        tags: Sequence[str] = (),
        type: EntryType | None = None,  # noqa: A002  # the tool's name for it
        scope: Scope | None = None,
        confidence: Confidence = "extracted",
    ) -> Entry:
        """File an entry. It is stored when this returns.

        Args:
            content: the text.
            title: one line; by default the first 80 characters.
            tags: words to sort by.
            type: what it is about; by default ``decision`` with a title and ``summary`` without.
            scope: who recalls it; by default the project where one is open, else everybody. A session's entries last 24 hours.
            confidence: how sure it is.

        Raises:
            InputError: nothing to remember, or a type, tag, scope or confidence that there is not.
        """
        where: Scope = scope if scope is not None else "project" if self._project else "global"
        owners = {"global": "", "project": self._project, "session": self._session}
        if where not in owners:
            raise InputError(f"an entry of scope {where!r}", hint="global, project or session")
        entry_folder(where, owners[where])
        check_text(content, "an entry")
        title = " ".join(title.split()) if title else None
        now = self._clock()
        entry = check_entry(
            Entry(
                id="",
                content=content,
                title=title or title_of(content),
                type=type if type is not None else "decision" if title else "summary",
                tags=check_tags(tags),
                scope=where,
                owner=owners[where],
                confidence=confidence,
                created=now,
                expires_at=now + SESSION_LIFETIME if where == "session" else None,
            )
        )
        await self._headings.flush()
        for _ in range(_ATTEMPTS):
            filed = replace(entry, id=self._new_id())
            meta = encode_entry_meta(filed)
            if await self._store.put_if_absent(NAMESPACE, filed.path, filed.content, meta, text=filed.searchable) is None:
                self._headings.add(filed)
                self._say(MemoryChanged(filed.id, "added", None, filed.content, "context"))
                return filed
        raise InputError(f"{_ATTEMPTS} ids in a row were taken", hint="new_id must not repeat itself")

    async def put_back(self, entry: Entry) -> bool:
        """File an entry as it was, unless there is one of its id; whether it was filed. For copies, imports and the like.

        Raises:
            InputError: an entry that could not have been remembered, or one that is not seen from here.
        """
        check_text(entry.content, "an entry")
        check_entry(entry)
        if entry_folder(entry.scope, entry.owner) not in self._folders or not is_id(entry.id):
            raise InputError(f"the entry {entry.id!r} would not be seen from here", hint="open its project or session first")
        meta = encode_entry_meta(entry)
        if await self._store.put_if_absent(NAMESPACE, entry.path, entry.content, meta, text=entry.searchable) is not None:
            return False
        self._headings.add(entry)
        self._say(MemoryChanged(entry.id, "added", None, entry.content, "context"))
        return True

    async def list(self, *, type: EntryType | None = None) -> builtins.list[Entry]:  # noqa: A002
        """Every valid entry, in the order in which they were remembered. Counts as no use of them."""
        now = self._clock()
        uses = {heading.path: heading.uses for heading in await self._headings.read(self._folders)}
        found: builtins.list[Entry] = []
        for folder, (scope, owner) in self._folders.items():
            found += [
                decode_entry(path.removeprefix(folder), scope, owner, entry, uses.get(path, 0))
                for path, entry in (await self._store.read_all(NAMESPACE, folder)).items()
            ]
        valid = [entry for entry in found if not entry.expired(now) and (type is None or entry.type == type)]
        return sorted(valid, key=lambda entry: (entry.created, entry.id))

    async def headings(self, *, type: EntryType | None = None) -> builtins.list[Heading]:  # noqa: A002
        """What is known of the valid entries without reading their texts. Counts as no use of them."""
        now = self._clock()
        headings = await self._headings.read(self._folders)
        return [heading for heading in headings if not heading.expired(now) and (type is None or heading.type == type)]

    async def ranked(self, *, type: EntryType | None = None) -> builtins.list[Entry]:  # noqa: A002
        """Every valid entry, what matters most first: 0.7 × recency + 0.3 × frequency. Counts as no use of them."""
        return rank(await self.list(type=type), self._clock())

    async def get(self, id: str) -> Entry | None:  # noqa: A002
        """The valid entry with this id, or ``None``. Counts as a use."""
        return await self._find(id) if is_id(id) else None

    async def at(self, path: str) -> Entry | None:
        """The valid entry at a path of the namespace, or ``None``: also where it belongs to another project or session."""
        for folder in self._folders:
            if path.startswith(folder):
                return await self.get(path.removeprefix(folder))
        return None

    async def recall(self, headings: Iterable[Heading], limit: int) -> builtins.list[Entry]:
        """Of these entries the ones that matter most, each counted as used; what was forgotten meanwhile is left out."""
        best = rank(headings, self._clock(), limit)
        return [entry for heading in best if (entry := await self._find(heading.id)) is not None]

    async def forget(self, id: str) -> Entry | None:  # noqa: A002
        """Take the entry with this id away; what it was, or ``None`` when there is none that is seen from here."""
        if not is_id(id):
            return None
        for folder, (scope, owner) in self._folders.items():
            stored = await self._store.read(NAMESPACE, folder + id)
            if stored is not None and await self._store.delete(NAMESPACE, folder + id):
                entry = decode_entry(id, scope, owner, stored)
                self._headings.drop(folder + id)
                self._say(MemoryChanged(id, "deleted", entry.content, None, "context"))
                return entry
        return None

    async def expire(self) -> builtins.list[Entry]:
        """Remove what reached the end of its time, in whichever session; what that was. Costs nothing before any can be due."""
        now = self._clock()
        if now < self._sweep_at:
            return []
        gone: builtins.list[Entry] = []
        # Whatever another process files from now on lasts at least this long.
        self._sweep_at = now + SESSION_LIFETIME
        for path, stored in (await self._store.read_all(NAMESPACE, "entries/session/")).items():
            owner, _, name = path.removeprefix("entries/session/").partition("/")
            entry = decode_entry(name, "session", owner, stored)
            if not entry.expired(now):
                self._sweep_at = min(self._sweep_at, entry.expires_at if entry.expires_at is not None else math.inf)
            elif await self._store.delete(NAMESPACE, path):
                self._headings.drop(path)
                gone.append(entry)
                self._say(MemoryExpired(entry.id, entry.content, "context"))
        return gone

    async def refresh(self) -> None:
        """Hand the counted uses to the store for all to see, and see those that others counted."""
        await self._headings.refresh()

    async def _find(self, id: str) -> Entry | None:  # noqa: A002
        now = self._clock()
        for folder, (scope, owner) in self._folders.items():
            stored = await self._store.read(NAMESPACE, folder + id)
            if stored is not None:
                entry = decode_entry(id, scope, owner, stored)
                if entry.expired(now):
                    return None
                # To read an entry by its path is what the store counts as a use.
                return replace(entry, uses=await self._headings.count(folder + id))
        return None

    def _say(self, event: object) -> None:
        if self._emit is not None:
            self._emit(event)
