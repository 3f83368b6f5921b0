"""Full-text search over the index.

Knows FTS5's query language and its cost. FTS5 visits every row that a term touches, twice (once to weigh the term, once to rank
the row), so a question in plain words over a large store would spend all its time on words that tell nothing. How many rows
a term touches is found by counting to a bound; rare terms are taken first until ``_ROWS`` rows are spent, and the rest only
decide among what the rare ones found. What was found is read together with the texts beside it, entry by entry within a bound,
and ``ranking`` says what each is worth.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import sqrt

from ...backend import Hit
from ...fulltext import Query, Term, clean, excerpt, fold, parse_query
from ...question import Question
from ...ranking import REACH, beside, ranked
from .schema import DOCS
from .tables import find_doc, scope_word

__all__ = ["search"]

_ROWS = 4000
_CANDIDATES = 60
_SUBSTRING_TERMS = 3
_LONGEST_NEEDLE = 1000
_WILD = re.compile(r"[\\%_]")
_READ_CHARACTERS = 60_000
"""Of a text, how much is looked at to rank it."""
_MANY, _MANY_READ = 10_000, 0.4
_WHOLE_LINES, _WHOLE_BYTES = 800, 200_000
"""Entries of several texts are read whole up to so much together, best first; of the others what stands beside a match. Of a
store of so many texts only a part of that: most of them are no part of the conversation that is asked about.
"""

_RANKED = "SELECT rowid, -rank FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?"
_NEWEST = "SELECT rowid, 0.0 FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?"
_LINES = "SELECT id, line, substr(text, 1, ?) FROM docs WHERE id >= ? AND id < ? AND text IS NOT NULL"


@dataclass(slots=True)
class _Candidate:
    doc: int
    score: float
    namespace: str
    path: str
    line: int
    text: str
    around: dict[str, float] = field(default_factory=dict)

    @property
    def meta(self) -> dict[str, object]:
        """What a hit says of its place."""
        return ({"line": self.line} if self.line else {}) | ({"around": self.around} if self.around else {})


def search(connection: sqlite3.Connection, query: str, namespaces: Sequence[str], limit: int) -> list[Hit]:
    """The best matches for a question, best first. Any text is a valid question."""
    return _Search(connection, parse_query(query), tuple(namespaces)).run(limit)


class _Search:
    """One question, with the row counts that more than one step needs."""

    def __init__(self, connection: sqlite3.Connection, query: Query, namespaces: tuple[str, ...]) -> None:
        self._connection = connection
        self._query = query
        self._question = Question.of(query)
        self._forms = dict(zip(query.terms, self._question.forms, strict=True))
        self._namespaces = namespaces
        self._counts: dict[str, int] = {}
        scopes = {scope_word(namespace) for namespace in namespaces}
        scope = scopes.pop() if len(scopes) == 1 else ""
        self._within = f"(scope : {scope}) AND " if scope else ""

    def run(self, limit: int) -> list[Hit]:
        query = self._query
        found = self._by_words(max(_CANDIDATES, 2 * limit))
        found = self._rank(found, limit) if found else self._by_substring(limit)
        needles = self._question.needles or (fold(query.text.strip()),)
        return [
            Hit(hit.namespace, hit.path, round(hit.score, 4), excerpt(hit.text, needles), hit.meta) for hit in found[:limit]
        ]

    # ── ranking ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _rank(self, found: Sequence[_Candidate], limit: int) -> list[_Candidate]:
        total = int(self._connection.execute("SELECT count(*) FROM words_docsize").fetchone()[0])
        runs = self._runs(found, total)
        spread = {index: self._spread(term, total) for index, term in enumerate((*self._query.terms, *self._query.parts))}
        texts = [[candidate.text[:_READ_CHARACTERS] for candidate in run] for run in runs]
        values = ranked(self._question, texts, total=total, spread=spread)
        there = {candidate.doc for candidate in found}
        matches = [
            (-value.worth, runs[number][at].doc, number, at)
            for number, run in enumerate(values)
            for at, value in enumerate(run)
            if value.match or runs[number][at].doc in there
        ]
        result = []
        for worth, _, number, at in sorted(matches)[:limit]:
            candidate = runs[number][at]
            candidate.score = -worth
            candidate.around = {
                str(runs[number][other].line): round(values[number][other].worth, 4) for other in beside(values[number], at)
            }
            result.append(candidate)
        return result

    def _spread(self, term: Term, total: int) -> int:
        """How many texts hold a term. Beyond the bound it is only known to be between it and all: the geometric mean."""
        count = self._count(self._expression(term))
        return count if count <= _ROWS else int(sqrt(count * max(count, total)))

    def _runs(self, found: Sequence[_Candidate], total: int) -> list[list[_Candidate]]:
        """What was found with the texts beside it, as they follow one another."""
        runs: list[list[_Candidate]] = []
        entries: dict[int, list[_Candidate]] = {}
        for candidate in found:
            if candidate.line:
                entries.setdefault(candidate.doc // DOCS, []).append(candidate)
            else:
                runs.append([candidate])
        part = 1 if total <= _MANY else _MANY_READ
        lines, size = int(_WHOLE_LINES * part), int(_WHOLE_BYTES * part)
        for entry, candidates in entries.items():
            first = entry * DOCS
            bytes_, last = self._connection.execute(
                "SELECT size, (SELECT max(id) FROM docs WHERE id < ?) FROM entries WHERE id = ?", (first + DOCS, entry)
            ).fetchone()
            count = int(last) - first + 1
            if count <= lines and bytes_ <= size:
                lines, size = lines - count, size - int(bytes_)
                stretches: Iterable[tuple[int, int]] = [(first, first + DOCS)]
            else:
                stretches = _stretches([candidate.doc for candidate in candidates])
            known = {candidate.doc: candidate for candidate in candidates}
            for start, end in stretches:
                rows = self._connection.execute(
                    _LINES, (_READ_CHARACTERS, max(first, start), min(first + DOCS, end))
                ).fetchall()
                sample = candidates[0]
                runs.append(
                    [
                        known.get(doc) or _Candidate(doc, 0.0, sample.namespace, sample.path, line, text)
                        for doc, line, text in rows
                    ]
                )
        return runs

    # ── finding ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _by_words(self, most: int) -> list[_Candidate]:
        terms = self._query.terms
        required = " AND ".join(self._expression(term) for term in terms if term.required)
        if required:
            extra = " OR ".join(self._expression(term) for term in terms[:8] if not term.required)
            found = (extra and self._match(f"({required}) AND ({extra})", most)) or self._match(required, most)
            if found:
                return found
        found_nowhere = {token for term in terms if not self._count(self._expression(term)) for token in term.tokens}
        wanted = [*terms, *(part for part in self._query.parts if part.text in found_nowhere)]
        expressions = [*map(self._expression, wanted), *map(_dated, self._question.dates)]
        counted = [(self._count(expression), index, expression) for index, expression in enumerate(expressions)]
        present = sorted(item for item in counted if item[0])
        chosen: list[str] = []
        budget = _ROWS
        for count, _, expression in present:
            if count > budget:
                break
            budget -= count
            chosen.append(expression)
        if chosen:
            return self._match(" OR ".join(chosen), most)
        everywhere = [expression for _, _, expression in present]
        if not everywhere:
            begun = " OR ".join(_begun(term) for term in wanted if len(term.text) > 2)
            return self._match(begun, most) if begun else []
        # Every word of the question is in thousands of rows: texts that hold all of them, else the newest that hold any.
        every = self._match(" AND ".join(everywhere), most, newest=True)
        return every or self._match(" OR ".join(everywhere), most, newest=True)

    def _expression(self, term: Term) -> str:
        """A term in FTS5's language, a word with its other forms. Words are quoted, so that no character is an operator."""
        phrase = " ".join(term.tokens)
        if term.dense:
            return f'(dense : "{phrase}" *)' if len(phrase) == 1 else f'(dense : "{phrase}")'
        others = self._forms.get(term, ())
        if len(others) > 1:
            return '(text : ("' + '" OR "'.join(others) + '"))'
        return f'(text : "{phrase}")'

    def _count(self, expression: str) -> int:
        """How many rows match, counted to one more than ``_ROWS``."""
        count = self._counts.get(expression)
        if count is None:
            statement = "SELECT count(*) FROM (SELECT rowid FROM words WHERE words MATCH ? LIMIT ?)"
            count = int(self._connection.execute(statement, (f"{self._within}({expression})", _ROWS + 1)).fetchone()[0])
            self._counts[expression] = count
        return count

    def _match(self, expression: str, most: int, *, newest: bool = False) -> list[_Candidate]:
        statement = _NEWEST if newest else _RANKED
        wanted = most
        while True:
            rows = self._connection.execute(statement, (f"{self._within}({expression})", wanted)).fetchall()
            found: list[_Candidate] = []
            for doc, score in rows:
                candidate = self._candidate(doc, float(score))
                if candidate is not None:
                    found.append(candidate)
                    if len(found) == most:
                        return found
            if len(rows) < wanted:
                return found
            # The best rows belong to other namespaces or scopes: look further down.
            wanted *= 8

    def _candidate(self, doc: int, score: float) -> _Candidate | None:
        found = find_doc(self._connection, doc)
        if found is None or (self._namespaces and found.namespace not in self._namespaces):
            return None
        return _Candidate(doc, score, found.namespace, found.path, found.line, found.text)

    def _by_substring(self, limit: int) -> list[_Candidate]:
        """Nothing holds a word that begins so: read every text for the longest of them, inside words too.

        Rare, and measured at 1.5 µs a record of 1 KB in memory (``instr`` of the lower case takes twice as long).
        """
        query = self._query
        texts = [query.text.strip(), *sorted((term.text for term in query.terms), key=len, reverse=True)[:_SUBSTRING_TERMS]]
        folded = dict.fromkeys(clean(text[:_LONGEST_NEEDLE]).lower() for text in texts)
        needles = [needle for needle in folded if len(needle) > (2 if needle.isascii() else 0)]
        if not needles:
            return []
        here = f"namespace IN ({','.join('?' * len(self._namespaces))})" if self._namespaces else "1"
        has = " OR ".join(["CAST({0} AS TEXT) LIKE ? ESCAPE '\\'"] * len(needles))
        patterns = ["%" + _WILD.sub(r"\\\g<0>", needle) + "%" for needle in needles]
        rows = self._connection.execute(
            f"""SELECT id * {DOCS} FROM entries WHERE texts = 1 AND {here} AND ({has.format("data")})
                UNION ALL
                SELECT docs.id FROM entries JOIN docs ON docs.id >= entries.id * {DOCS} AND docs.id < (entries.id + 1) * {DOCS}
                WHERE texts = 2 AND {here} AND ({has.format("coalesce(docs.text, data)")}) LIMIT ?""",  # noqa: S608 - no value in it
            (*self._namespaces, *patterns, *self._namespaces, *patterns, 20 * limit),
        ).fetchall()
        found = []
        for (doc,) in rows:
            candidate = self._candidate(doc, 0.0)
            if candidate is not None:
                text = candidate.text.lower()
                candidate.score = float(sum(len(needle) for needle in needles if needle in text))
                if candidate.score:
                    found.append(candidate)
        return found


def _begun(term: Term) -> str:
    """What begins as a term does."""
    phrase = " ".join(term.tokens)
    return f'(dense : "{phrase}" *)' if term.dense else f'(text : "{phrase}" *)'


def _dated(written: Sequence[str]) -> str:
    """A date as programs write it: year, month and perhaps day, whatever comes after."""
    return f'(text : "{" ".join(written)}" *)'


def _stretches(docs: Iterable[int]) -> list[tuple[int, int]]:
    """Where texts that stand near one another begin and end, with what is beside them."""
    result: list[tuple[int, int]] = []
    for doc in sorted(docs):
        start, end = doc - REACH, doc + REACH + 1
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], end)
        else:
            result.append((start, end))
    return result
