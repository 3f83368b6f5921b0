"""What is known of an entry without its text: type, age, end, uses. Enough to rank thousands and read the few that are shown.

Knows the store. An entry never changes once it is filed, so a heading is read once; which entries there are is asked each time.
Uses are counted here as they happen and read from the store's access index when asked to.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ...errors import StoreError
from ...store.backend import StoredEntry
from ...store.store import Store
from .entry import Entry, EntryType, type_of
from .stored import NAMESPACE, number_of

__all__ = ["Heading", "Headings"]

_FEW = 32
"""So many new entries are read one by one; of more, all."""

_PENDING = 512
"""So many uses wait at most before they are handed to the store."""


@dataclass(slots=True)
class Heading:
    """An entry without its text.

    Attributes:
        id, type, created, expires_at: those of the entry.
        path: where it lies.
        uses: how often it was recalled or read, by anybody, as far as is known here.
    """

    id: str
    path: str
    type: EntryType
    created: float
    expires_at: float | None = None
    uses: int = 0

    def expired(self, now: float) -> bool:
        """Whether its time is over."""
        return self.expires_at is not None and now >= self.expires_at


class Headings:
    """The headings of the entries in some folders of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[str, Heading] = {}
        self._stale = True
        self._counted: Counter[str] = Counter()

    async def read(self, folders: Iterable[str]) -> list[Heading]:
        """The heading of every entry there is, in path order of each folder. Counts as no use."""
        found: list[Heading] = []
        for folder in folders:
            paths = await self._store.list(NAMESPACE, folder)
            fresh = [path for path in paths if path not in self._known]
            if len(fresh) > _FEW:
                stored = await self._store.read_all(NAMESPACE, folder)
                self._note(folder, {path: stored[path] for path in fresh if path in stored})
            else:
                for path in fresh:
                    self._note(folder, await self._store.read_all(NAMESPACE, path))
            there = [self._known[path] for path in paths if path in self._known]
            if self._stale and there:
                uses = {stat.path: stat.uses for stat in await self._store.stats(NAMESPACE, folder)}
                for heading in there:
                    heading.uses = uses.get(heading.path, 0) + self._counted[heading.path]
            found += there
        self._stale = False
        return found

    def add(self, entry: Entry) -> None:
        """Note an entry that was just filed."""
        self._known[entry.path] = Heading(entry.id, entry.path, entry.type, entry.created, entry.expires_at)

    def drop(self, path: str) -> None:
        """Note that an entry is gone."""
        self._known.pop(path, None)
        self._counted.pop(path, None)

    async def count(self, path: str) -> int:
        """Note that an entry was just read from the store, which counts that as a use; how many are known of."""
        self._counted[path] += 1
        heading = self._known.get(path)
        if heading is not None:
            heading.uses += 1
        uses = heading.uses if heading is not None else self._counted[path]
        if self._counted.total() >= _PENDING:
            await self.flush()
        return uses

    async def flush(self) -> None:
        """Hand the uses to the store's index. A store that cannot be written keeps no count."""
        if not self._counted:
            return
        self._counted.clear()
        with contextlib.suppress(StoreError):
            await self._store.flush_uses()

    async def refresh(self) -> None:
        """Hand over our uses, and read everybody's when they are next needed."""
        await self.flush()
        self._stale = True

    def _note(self, folder: str, stored: Mapping[str, StoredEntry]) -> None:
        for path, entry in stored.items():
            meta = entry.meta
            self._known[path] = Heading(
                path.removeprefix(folder),
                path,
                type_of(meta),
                number_of(meta, "created") or 0.0,
                number_of(meta, "expires_at"),
            )
