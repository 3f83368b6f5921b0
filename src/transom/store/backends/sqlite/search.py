"""Full-text search over the index.

Knows FTS5's query language and its cost. FTS5 visits every row that a term touches, twice (once to weigh the term, once to rank
the row), so a question in plain words over a large store would spend all its time on words that tell nothing. How many rows
a term touches is found by counting to a bound; rare terms are taken first until ``_ROWS`` rows are spent, and the rest only
decide among what the rare ones found. To FTS5's rank is added what
the terms that a text holds are worth, since that rank is nearly nothing for words that most texts of a small store hold.
"""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from ...backend import Hit
from ...fulltext import Query, Term, clean, excerpt, fold, parse_query
from .schema import DOCS
from .tables import find_doc, scope_word

__all__ = ["search"]

_ROWS = 4000
_CANDIDATES = 50
_SUBSTRING_TERMS = 3
_LONGEST_NEEDLE = 1000
_WILD = re.compile(r"[\\%_]")
_RERANK_CHARACTERS = 60_000

_RANKED = "SELECT rowid, -rank FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?"
_NEWEST = "SELECT rowid, 0.0 FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?"


@dataclass(slots=True)
class _Candidate:
    doc: int
    score: float
    namespace: str
    path: str
    line: int
    text: str


def search(connection: sqlite3.Connection, query: str, namespaces: Sequence[str], limit: int) -> list[Hit]:
    """The best matches for a question, best first. Any text is a valid question."""
    return _Search(connection, parse_query(query), tuple(namespaces)).run(limit)


class _Search:
    """One question, with the row counts that more than one step needs."""

    def __init__(self, connection: sqlite3.Connection, query: Query, namespaces: tuple[str, ...]) -> None:
        self._connection = connection
        self._query = query
        self._namespaces = namespaces
        self._counts: dict[str, int] = {}
        scopes = {scope_word(namespace) for namespace in namespaces}
        scope = scopes.pop() if len(scopes) == 1 else ""
        self._within = f"(scope : {scope}) AND " if scope else ""

    def run(self, limit: int) -> list[Hit]:
        query = self._query
        found = self._by_words(max(_CANDIDATES, 2 * limit)) or self._by_substring(limit)
        needles = query.needles or (fold(query.text.strip()),)
        weights = self._weights()
        for candidate in found:
            folded = fold(candidate.text[:_RERANK_CHARACTERS])
            candidate.score += sum(weight for needle, weight in weights if needle in folded)
        found.sort(key=lambda candidate: (-candidate.score, candidate.doc))
        return [
            Hit(
                hit.namespace, hit.path, round(hit.score, 4), excerpt(hit.text, needles), {"line": hit.line} if hit.line else {}
            )
            for hit in found[:limit]
        ]

    def _weights(self) -> list[tuple[str, float]]:
        """What each term is worth: the rarer and the longer, the more."""
        row = self._connection.execute("SELECT max(id) FROM entries").fetchone()
        total = int(row[0] or 1)
        counted = ((term, self._count(_expression(term))) for term in self._query.terms)
        return [(fold(term.text), len(term.tokens) * math.log1p(total / count)) for term, count in counted if count]

    def _by_words(self, most: int) -> list[_Candidate]:
        terms = self._query.terms
        required = " AND ".join(_expression(term) for term in terms if term.required)
        if required:
            extra = " OR ".join(_expression(term) for term in terms[:8] if not term.required)
            found = (extra and self._match(f"({required}) AND ({extra})", most)) or self._match(required, most)
            if found:
                return found
        found_nowhere = {token for term in terms if not self._count(_expression(term)) for token in term.tokens}
        wanted = [*terms, *(part for part in self._query.parts if part.text in found_nowhere)]
        counted = [(self._count(_expression(term)), index, _expression(term)) for index, term in enumerate(wanted)]
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
            begun = " OR ".join(_expression(term, begun=True) for term in wanted if len(term.text) > 2)
            return self._match(begun, most) if begun else []
        # Every word of the question is in thousands of rows: texts that hold all of them, else the newest that hold any.
        every = self._match(" AND ".join(everywhere), most, newest=True)
        return every or self._match(" OR ".join(everywhere), most, newest=True)

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


def _expression(term: Term, *, begun: bool = False) -> str:
    """A term in FTS5's language. Words are quoted, so no character of theirs is an operator; ``begun``: longer words too."""
    phrase = " ".join(term.tokens)
    if term.dense:
        return f'(dense : "{phrase}" *)' if begun or len(phrase) == 1 else f'(dense : "{phrase}")'
    if begun:
        return f'(text : "{phrase}" *)'
    if len(term.tokens) == 1 and (other := _other_number(phrase)):
        return f'(text : ("{phrase}" OR "{other}"))'
    return f'(text : "{phrase}")'


def _other_number(word: str) -> str:
    """The plural of a plain English word, or the singular: asking for ports finds port."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return ""
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else f"{word}s"
