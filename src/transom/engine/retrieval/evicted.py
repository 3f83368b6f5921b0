"""What a session has out of its window: the messages of its archives and the texts it moved out, ready to be looked through.

Knows addresses, texts and words; no window and no store but for reading. Nothing that another session left is ever in it, and
nothing that this session will set aside later: a question finds the same in every process, whatever else a store holds. Each
text is taken in once. A long one is cut into pieces, so that what is far down in it is found too.
"""

from __future__ import annotations

import logging
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from math import log as ln
from typing import Protocol

from ...errors import IntegrityError, JSONError, NotFoundError
from ...jsontext import loads
from ...store.archive import archive_texts, is_base64, references
from ...store.fulltext import Term, flat, fold, words_of
from ...store.moments import heading
from ...store.ranking import REACH, Question, ranked
from .places import text_of_data
from .transcript import archive_messages

__all__ = ["Evicted", "Found", "Unit"]

log = logging.getLogger(__name__)

_PIECE = 1_600
"""Characters of a piece, cut at the end of a line where one is near."""
_MOST_PIECES = 400
"""Pieces of one text; of a longer one the middle is left out."""
_ROWS = 4_000
_CANDIDATES = 60
_WHOLE_UNITS, _WHOLE_CHARACTERS = 1_200, 400_000
"""Archives are ranked whole up to so much together, the best first; of the others what stands beside a match."""
_LONGEST_DAY = 1_000
"""Messages before one that are looked through for the day it was said on."""


class Readable(Protocol):
    """What is needed of a store."""

    async def get(self, uri: str) -> bytes:
        """The bytes under an address."""
        ...


@dataclass(frozen=True, slots=True)
class Unit:
    """One text, or a piece of one.

    Attributes:
        uri: where all of it is.
        line: which message of an archive, from 1; 0 for a text of its own.
        text: verbatim.
        at: which piece of the message it is, from 0.
        role: who said it; empty where nobody says.
    """

    uri: str
    line: int
    text: str
    at: int = 0
    role: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """A unit that may answer: its number, and what it is worth; comparable within one question only."""

    number: int
    worth: float


@dataclass(frozen=True, slots=True)
class _Entry:
    """An archive or a text.

    Attributes:
        uri: its address.
        blobs: addresses of texts that are in it and in none before.
        texts: what can be found: number of the message, who said it, the text.
    """

    uri: str
    blobs: tuple[str, ...] = ()
    texts: tuple[tuple[int, str, str], ...] = field(default=(), repr=False)


class Evicted:
    """The texts of one session that are out of its window."""

    def __init__(self) -> None:
        self.units: list[Unit] = []
        self._entries: list[_Entry] = []
        self._starts: list[int] = []
        self._blobs: set[str] = set()
        self._postings: dict[str, array[int]] = {}

    def __len__(self) -> int:
        return len(self.units)

    async def bring_up(self, store: Readable, uris: Sequence[str]) -> None:
        """Hold the texts under these addresses, in this order, and no others. What was held in the same order is kept.

        Args:
            store: where they lie; what is gone or damaged there is passed over.
            uris: archives first, the oldest first; then texts that stand in none of them.

        Raises:
            StoreError: the store cannot be read.
        """
        kept = 0
        for entry, uri in zip(self._entries, uris, strict=False):
            if entry.uri != uri:
                break
            kept += 1
        self._drop(kept)
        for uri in uris[kept:]:
            entry = await self._read_entry(store, uri)
            self._starts.append(len(self.units))
            self._blobs.update(entry.blobs)
            self._add(entry)
            self._entries.append(_Entry(uri, entry.blobs))

    async def _read_entry(self, store: Readable, uri: str) -> _Entry:
        data = None if uri in self._blobs else await _read(store, uri)
        if data is None:
            return _Entry(uri)
        if not _is_archive(uri):
            return _Entry(uri, (uri,), ((0, "", _searchable(data)),))
        texts: list[tuple[int, str, str]] = []
        blobs: list[str] = []
        for number, (line, text) in enumerate(zip(archive_messages(data), archive_texts(data), strict=False), 1):
            role = _role(line)
            texts.append((number, role, text))
            for reference in references(line) if text or role else ():
                if reference not in self._blobs and reference not in blobs:
                    blobs.append(reference)
                    blob = await _read(store, reference)
                    # Part of the message: it is shown under the message's address.
                    texts.append((number, role, _searchable(blob) if blob is not None else ""))
        return _Entry(uri, tuple(blobs), tuple(texts))

    def _add(self, entry: _Entry) -> None:
        for line, role, text in entry.texts:
            for at, piece in enumerate(_pieces(text)):
                number = len(self.units)
                self.units.append(Unit(entry.uri, line, piece, at, role))
                for word in set(words_of(fold(piece))):
                    self._postings.setdefault(word, array("I")).append(number)

    def _drop(self, kept: int) -> None:
        """Forget all entries but the first."""
        if kept >= len(self._entries):
            return
        start = self._starts[kept]
        for word in {word for unit in self.units[start:] for word in words_of(fold(unit.text))}:
            numbers = self._postings[word]
            del numbers[bisect_left(numbers, start) :]
        for entry in self._entries[kept:]:
            self._blobs.difference_update(entry.blobs)
        del self.units[start:], self._entries[kept:], self._starts[kept:]

    def spread(self, question: Question) -> dict[int, int]:
        """In how many units each term and part of a question stands, by its number."""
        query = question.query
        return {index: len(self._having(question, index, term)) for index, term in enumerate((*query.terms, *query.parts))}

    def find(self, question: Question, spread: Mapping[int, int]) -> list[Found]:
        """The units that answer a question, the best first."""
        runs = self._joined(self._runs(self._candidates(question, spread)))
        days = [self._day_before(run[0]) for run in runs] if question.timed else []
        texts = [[self.units[at].text for at in run] for run in runs]
        values = ranked(question, texts, total=len(self.units), spread=spread, days=days)
        found = [
            Found(number, value.worth)
            for run, worths in zip(runs, values, strict=True)
            for number, value in zip(run, worths, strict=True)
            if value.worth
        ]
        return sorted(found, key=lambda each: (-each.worth, each.number))

    def _having(self, question: Question, index: int, term: Term) -> set[int]:
        """The units that hold a term; of a phrase those that hold all its words."""
        forms = question.forms[index] if index < len(question.forms) else ()
        if forms:
            return {number for form in forms for number in self._postings.get(form, ())}
        found: set[int] | None = None
        for word in flat(term):
            having = set(self._postings.get(word, ()))
            found = having if found is None else found & having
        return found or set()

    def _candidates(self, question: Question, spread: Mapping[int, int]) -> list[int]:
        terms = (*question.query.terms, *question.query.parts)
        scores: dict[int, float] = {}
        left = _ROWS
        for index in sorted(spread, key=lambda index: (spread[index], index)):
            if not spread[index]:
                continue
            if spread[index] > left:
                break
            left -= spread[index]
            weight = ln(1 + len(self.units) / spread[index])
            for number in self._having(question, index, terms[index]):
                scores[number] = scores.get(number, 0.0) + weight
        return sorted(scores, key=lambda number: (-scores[number], number))[:_CANDIDATES]

    def _runs(self, candidates: Sequence[int]) -> list[list[int]]:
        """The candidates and what stands beside them, as it follows one another."""
        entries: dict[int, list[int]] = {}
        for number in candidates:
            entries.setdefault(self._entry(number), []).append(number)
        units, characters = _WHOLE_UNITS, _WHOLE_CHARACTERS
        runs: list[list[int]] = []
        for entry, numbers in entries.items():
            first = self._starts[entry]
            end = self._starts[entry + 1] if entry + 1 < len(self._starts) else len(self.units)
            size = sum(len(unit.text) for unit in self.units[first:end]) if end - first <= units else characters + 1
            if size <= characters:
                units, characters = units - (end - first), characters - size
                runs.append(list(range(first, end)))
                continue
            near = sorted({at for number in numbers for at in range(max(first, number - REACH), min(end, number + REACH + 1))})
            for at in near:
                if runs and runs[-1][-1] == at - 1 and runs[-1][0] >= first:
                    runs[-1].append(at)
                else:
                    runs.append([at])
        return runs

    def _joined(self, runs: Sequence[Sequence[int]]) -> list[list[int]]:
        """The runs as they were said: archives follow one another, and an answer may stand in the one behind its question."""
        said = next(
            (start for start, each in zip(self._starts, self._entries, strict=True) if not _is_archive(each.uri)), len(self)
        )
        found: set[int] = set()
        for run in runs:
            if run[0] < said:
                found.update(range(max(0, run[0] - REACH), min(said, run[-1] + REACH + 1)))
        joined: list[list[int]] = []
        for number in sorted(found):
            if joined and joined[-1][-1] == number - 1:
                joined[-1].append(number)
            else:
                joined.append([number])
        return [*joined, *(list(run) for run in runs if run[0] >= said)]

    def _day_before(self, number: int) -> date | None:
        """The day that was named last before a message; ``None`` for a text of its own."""
        if not _is_archive(self.units[number].uri):
            return None
        before = (heading(self.units[at].text) for at in range(number - 1, max(-1, number - 1 - _LONGEST_DAY), -1))
        return next((day for day in before if day is not None), None)

    def _entry(self, number: int) -> int:
        return bisect_right(self._starts, number) - 1


def _is_archive(uri: str) -> bool:
    return uri.startswith("context://archive/")


async def _read(store: Readable, uri: str) -> bytes | None:
    try:
        return await store.get(uri)
    except (NotFoundError, IntegrityError) as error:
        log.warning("what left the window cannot be looked through: %s", error)
        return None


def _role(line: bytes) -> str:
    """Who said a message of an archive."""
    try:
        value = loads(line)
    except JSONError:
        return ""
    role = value.get("role") if isinstance(value, Mapping) else None
    return role if isinstance(role, str) else ""


def _searchable(data: bytes) -> str:
    text = text_of_data(data) or ""
    return "" if is_base64(text) else text


def _pieces(text: str) -> list[str]:
    """The text in pieces of whole lines, as far as lines are short enough."""
    if len(text) <= _PIECE * 3 // 2:
        return [text] if text.strip() else []
    pieces: list[str] = []
    start = 0
    while start < len(text):
        end = min(len(text), start + _PIECE)
        if end < len(text):
            cut = text.rfind("\n", start + _PIECE // 2, end)
            end = cut + 1 if cut > 0 else end
        pieces.append(text[start:end])
        start = end
    if len(pieces) > _MOST_PIECES:
        pieces = [*pieces[: _MOST_PIECES // 2], *pieces[-_MOST_PIECES // 2 :]]
    return [piece for piece in pieces if piece.strip()]
