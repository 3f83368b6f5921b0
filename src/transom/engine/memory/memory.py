"""Memory: facts and entries behind the verbs a model uses, both families in one call.

Knows the two families and the words of a summary. Every verb is a plain function of typed arguments that gives plain data, so
that it can be a tool as it stands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ...errors import InputError, NotFoundError
from ...store.backend import Search
from ...store.scanning import rank
from ...store.search import SearchHit
from ...store.uri import SCHEME, parse_uri
from ...vocabulary import ENGLISH
from ...vocabulary.remembering import MemoryWords
from .entries import Entries
from .entry import Confidence, Entry
from .events import Family
from .fact import RESERVED, Fact, project_folder
from .facts import Facts
from .kinds import ENTRY_TYPES, MOST, EntryType, Scope
from .stored import NAMESPACE

__all__ = ["Diagnostics", "Forgotten", "Found", "Memory", "MemoryHit", "Recalled", "Remembered"]

_SPREAD = 4
_DEEPEST = 8192
_SHORTEST = 6
"""Characters of the start of an id that stand for it."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """What ``remember`` answers: under which id it is kept."""

    entry_id: str
    remembered: Literal[True] = True


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """What there is, so that an empty answer explains itself.

    Attributes:
        total_records_in_file: facts and entries in the whole store, of every project and session.
        memory_entries_found: facts that are seen from here.
        context_entries_found: entries that are seen from here and have the type asked for.
    """

    total_records_in_file: int
    memory_entries_found: int
    context_entries_found: int


@dataclass(frozen=True, slots=True)
class Recalled:
    """What ``recall`` answers.

    Attributes:
        facts: the most important first.
        entries: what matters most first.
        diagnostics: how many there are, shown or not.
        summary: the same in words, for a model.
    """

    facts: tuple[Fact, ...]
    entries: tuple[Entry, ...]
    diagnostics: Diagnostics
    summary: str


@dataclass(frozen=True, slots=True)
class MemoryHit:
    """One match of a search.

    Attributes:
        family: ``facts`` or ``context``.
        id: the fact's key, or the entry's id: what ``forget`` takes.
        uri: where its text lies.
        score: how well it matches; comparable within one search only.
        snippet: a verbatim excerpt, with … where it was cut.
        record: the whole of it.
    """

    family: Family
    id: str
    uri: str
    score: float
    snippet: str
    record: Fact | Entry


@dataclass(frozen=True, slots=True)
class Found:
    """What ``search_context`` answers: the question, and what matches it, best first."""

    query: str
    hits: tuple[MemoryHit, ...]


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What ``forget`` answers: of which family the record was."""

    family: Family
    deleted: Literal[True] = True


class Memory:
    """What one context remembers.

    Args:
        facts: what is remembered by key.
        entries: what is remembered by id; in the same store.
        words: what the summary of a recall says.
    """

    def __init__(self, facts: Facts, entries: Entries, *, words: MemoryWords = ENGLISH.remembering) -> None:
        self.facts = facts
        self.entries = entries
        self._store = facts.store
        self._words = words

    async def remember(
        self,
        fact: str,
        *,
        title: str | None = None,
        tags: Sequence[str] = (),
        type: EntryType | None = None,  # noqa: A002  # the tool's name for it
        scope: Scope | None = None,
        confidence: Confidence = "extracted",
    ) -> Remembered:
        """Keep something worth knowing later. It is stored when this returns.

        Args:
            fact: the text.
            title: one line; by default the first 80 characters.
            tags: words to sort by.
            type: what it is about; by default ``decision`` with a title and ``summary`` without.
            scope: who recalls it; by default the project where one is open, else everybody. A session's entries last 24 hours.
            confidence: how sure it is: ``extracted``, ``inferred`` or ``ambiguous``.

        Raises:
            InputError: nothing to remember, or a type, tag, scope or confidence that there is not.
            StoreError: it could not be stored.
        """
        entry = await self.entries.remember(fact, title=title, tags=tags, type=type, scope=scope, confidence=confidence)
        return Remembered(entry.id)

    async def recall(
        self,
        scope: Literal["all", "facts", "entries"] = "all",
        limit: int = 20,
        type: EntryType | None = None,  # noqa: A002
        *,
        turn: int = 0,
    ) -> Recalled:
        """What is remembered: facts, the most important first; entries by 0.7 × recency + 0.3 × frequency.

        Args:
            scope: both families or one of them.
            limit: how many of each, 1 to 50.
            type: entries of this type only; facts have none.
            turn: the session's turn, for facts that last a number of turns.

        Raises:
            InputError: a scope, limit or type that there is not.
        """
        if scope not in {"all", "facts", "entries"}:
            raise InputError(f"a recall of {scope!r}", hint="all, facts or entries")
        _check_limit(limit)
        _check_type(type)
        await self.facts.refresh()
        facts = sorted(await self.facts.list(turn=turn), key=lambda fact: (-fact.importance, fact.key))
        entries = await self.entries.headings(type=type)
        shown_facts = facts[:limit] if scope != "entries" else []
        shown_entries = await self.entries.recall(entries, limit) if scope != "facts" else []
        total = len(await self._store.list(NAMESPACE))
        types = Counter(entry.type for entry in entries)
        return Recalled(
            tuple(shown_facts),
            tuple(shown_entries),
            Diagnostics(total, len(facts), len(entries)),
            self._words.recall_summary(
                (len(facts), len(shown_facts)),
                (len(entries), len(shown_entries)),
                {name: types[name] for name in ENTRY_TYPES if types[name]},
            ),
        )

    async def search_context(
        self,
        query: str,
        limit: int = 20,
        type: EntryType | None = None,  # noqa: A002
        *,
        turn: int = 0,
    ) -> Found:
        """What of all that is remembered matches a question, best first.

        Args:
            query: words (any of them, the rarest count most), "phrases in quotes", identifiers.
            limit: how many, 1 to 50.
            type: entries of this type only; without one, facts as well.
            turn: the session's turn, for facts that last a number of turns.

        Raises:
            InputError: a limit or type that there is not.
        """
        _check_limit(limit)
        _check_type(type)
        if not isinstance(self._store.backend, Search):
            return Found(query, await self._scanned(query, limit, type, turn))
        hits: dict[str, MemoryHit | None] = {}
        visible: list[MemoryHit] = []
        wanted = limit * _SPREAD
        while True:
            # What others remember is found as well and passed over, so more is asked for until it is enough.
            found = await self._store.search(query, (NAMESPACE,), wanted)
            for hit in found:
                if hit.uri not in hits and len(visible) < limit:
                    hits[hit.uri] = await self._seen(hit, type, turn)
                    visible = [seen for seen in hits.values() if seen is not None]
            if len(visible) == limit or len(found) < wanted or wanted >= _DEEPEST:
                return Found(query, tuple(visible))
            wanted *= _SPREAD

    async def forget(self, entry_id: str, *, turn: int = 0) -> Forgotten:
        """Delete one record: the entry with this id, else the fact with this key, else the one entry whose id begins so (with
        6 characters or more). An address works as well.

        Raises:
            NotFoundError: neither an entry nor a fact is called so.
            MemoryRefusedError: the fact may not be deleted.
        """
        name = parse_uri(entry_id).path if entry_id.startswith(f"{SCHEME}{NAMESPACE}/") else entry_id
        if name.startswith("entries/"):
            there = await self.entries.at(name)
            if there is not None and await self.entries.forget(there.id) is not None:
                return Forgotten("context")
        elif await self.entries.forget(name) is not None:
            return Forgotten("context")
        elif self._names_fact(name) and await self.facts.delete(name, turn=turn):
            return Forgotten("facts")
        elif (whole := await self._begun(name)) and await self.entries.forget(whole) is not None:
            return Forgotten("context")
        raise NotFoundError(
            f"nothing is remembered as {entry_id!r}: looked among the entries (by id) and among the facts (by key)",
            hint="recall shows ids and keys",
        )

    async def _begun(self, start: str) -> str:
        """The id that begins so; empty where it is too short for one, or none or several do."""
        ids = {entry.id for entry in await self.entries.headings() if entry.id.startswith(start)}
        return ids.pop() if len(start) >= _SHORTEST and len(ids) == 1 else ""

    async def refresh(self) -> int:
        """For when a window opens: see what other processes changed, and let them see what was recalled. The facts' version."""
        await self.entries.refresh()
        return await self.facts.refresh()

    async def expire(self, turn: int = 0) -> int:
        """Remove what reached the end of its time, of both families; how much. Cheap enough for every compile."""
        return len(await self.facts.expire(turn)) + len(await self.entries.expire())

    async def switch(self, *, project: str, session: str) -> None:
        """See and change what another project and session remember, from now on; empty ids for none."""
        await self.entries.refresh()
        self.entries.switch(project=project, session=session)
        await self.facts.switch(project, session=session)

    async def _seen(self, hit: SearchHit, type: EntryType | None, turn: int) -> MemoryHit | None:  # noqa: A002
        """A match as it is seen from here; ``None`` where it is another's, or its time is over, or it has another type."""
        path = parse_uri(hit.uri).path
        if path.startswith("entries/"):
            entry = await self.entries.at(path)
            if entry is None or (type is not None and entry.type != type):
                return None
            return _hit(entry, hit.score, hit.snippet)
        fact = await self.facts.get(path, turn=turn) if type is None and self._names_fact(path) else None
        if fact is None or fact.path != path:
            return None
        return _hit(fact, hit.score, hit.snippet)

    async def _scanned(self, query: str, limit: int, type: EntryType | None, turn: int) -> tuple[MemoryHit, ...]:  # noqa: A002
        """The same over a backend without an index, which would see the texts alone: no titles, tags, keys or descriptions."""
        await self.facts.refresh()
        facts = await self.facts.list(turn=turn) if type is None else []
        documents: list[tuple[Fact | Entry, str]] = [(fact, fact.searchable) for fact in facts]
        documents += [(entry, entry.searchable) for entry in await self.entries.list(type=type)]
        hits = [_hit(record, score, snippet) for record, score, snippet in rank(documents, query, limit)]
        for hit in hits:
            if isinstance(hit.record, Entry):
                await self.entries.get(hit.record.id)
        return tuple(hits)

    def _names_fact(self, name: str) -> bool:
        """Whether this can be the key or the path of a fact that is seen from here."""
        own = project_folder(self.facts.project)
        return bool(name) and (name.partition("/")[0] not in RESERVED or (bool(own) and name.startswith(own)))


def _hit(record: Fact | Entry, score: float, snippet: str) -> MemoryHit:
    if isinstance(record, Entry):
        return MemoryHit("context", record.id, record.uri, score, snippet, record)
    return MemoryHit("facts", record.key, record.uri, score, snippet, record)


def _check_limit(limit: int) -> None:
    if not 1 <= limit <= MOST:
        raise InputError(f"a limit of {limit!r}", hint=f"1 to {MOST}")


def _check_type(type: str | None) -> None:  # noqa: A002
    if type is not None and type not in ENTRY_TYPES:
        raise InputError(f"entries of type {type!r}", hint=f"one of {', '.join(ENTRY_TYPES)}")
