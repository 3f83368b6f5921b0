"""Full-text search over the index.

Knows FTS5's query language and its cost. FTS5 visits every row that a term touches, twice (once to weigh the term, once to rank
the row), so a question in plain words over a large store would spend all its time on words that tell nothing. How many rows
a term touches is found by counting to a bound; rare terms are taken first until ``_ROWS`` rows are spent, and the rest only
decide among what the rare ones found. Whatever the words were, the result is ordered by how much of the question a text holds.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from ...backend import Hit
from ...fulltext import Query, Term, excerpt, fold, parse_query
from .schema import DOCS
from .tables import find_doc

__all__ = ["search"]

_ROWS = 4000
_CANDIDATES = 50
_SUBSTRING_TERMS = 3
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
    parsed = parse_query(query)
    found = _by_words(connection, parsed, namespaces, max(_CANDIDATES, 2 * limit))
    if not found:
        found = _by_substring(connection, parsed, namespaces, limit)
    needles = parsed.needles or (fold(parsed.text.strip()),)
    weighed = [(fold(term.text), min(8, len(term.text)) * len(term.tokens)) for term in parsed.terms]
    for candidate in found:
        candidate.score *= 0.25 + _coverage(candidate.text, weighed)
    found.sort(key=lambda candidate: (-candidate.score, candidate.doc))
    return [
        Hit(hit.namespace, hit.path, round(hit.score, 4), excerpt(hit.text, needles), {"line": hit.line} if hit.line else {})
        for hit in found[:limit]
    ]


def _by_words(connection: sqlite3.Connection, query: Query, namespaces: Sequence[str], most: int) -> list[_Candidate]:
    required = [_expression(term) for term in query.terms if term.required]
    optional = [term for term in query.terms if not term.required]
    if required:
        clause = " AND ".join(required)
        extra = " OR ".join(_expression(term) for term in optional[:8])
        found = _run(connection, f"({clause}) AND ({extra})" if extra else clause, namespaces, most)
        found = found or _run(connection, clause, namespaces, most)
        if found:
            return found
        optional = [Term(term.text, term.tokens, term.dense) for term in query.terms]
    counted = [(_count(connection, _expression(term)), index, term) for index, term in enumerate(optional)]
    missing = {token for count, _, term in counted if not count for token in term.tokens}
    counted += [
        (_count(connection, _expression(part)), len(counted) + index, part)
        for index, part in enumerate(query.parts)
        if part.text in missing
    ]
    present = sorted(((count, index, term) for count, index, term in counted if count), key=lambda item: item[:2])
    chosen: list[Term] = []
    budget = _ROWS
    for count, _, term in present:
        if count > budget:
            break
        budget -= count
        chosen.append(term)
    if chosen:
        return _run(connection, " OR ".join(_expression(term) for term in chosen), namespaces, most)
    everywhere = [_expression(term) for _, _, term in present]
    if not everywhere:
        return []
    # Every word of the question is in thousands of rows: texts that hold all of them, else the newest that hold any.
    found = _run(connection, " AND ".join(everywhere), namespaces, most, newest=True)
    return found or _run(connection, " OR ".join(everywhere), namespaces, most, newest=True)


def _expression(term: Term) -> str:
    """A term in FTS5's language. Words are quoted, so no character of theirs is an operator."""
    if term.dense:
        phrase = " ".join(term.tokens)
        return f'(dense : "{phrase}" *)' if len(phrase) == 1 else f'(dense : "{phrase}")'
    if len(term.tokens) == 1 and (other := _other_number(term.tokens[0])):
        return f'(text : ("{term.tokens[0]}" OR "{other}"))'
    return f'(text : "{" ".join(term.tokens)}")'


def _other_number(word: str) -> str:
    """The plural of a plain English word, or the singular: asking for ports finds port."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return ""
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else f"{word}s"


def _count(connection: sqlite3.Connection, expression: str) -> int:
    row = connection.execute(
        "SELECT count(*) FROM (SELECT rowid FROM words WHERE words MATCH ? LIMIT ?)", (expression, _ROWS + 1)
    ).fetchone()
    return int(row[0])


def _run(
    connection: sqlite3.Connection, expression: str, namespaces: Sequence[str], most: int, *, newest: bool = False
) -> list[_Candidate]:
    statement = _NEWEST if newest else _RANKED
    wanted = most
    while True:
        rows = connection.execute(statement, (expression, wanted)).fetchall()
        found: list[_Candidate] = []
        for doc, score in rows:
            candidate = _candidate(connection, doc, float(score), namespaces)
            if candidate is not None:
                found.append(candidate)
                if len(found) == most:
                    return found
        if len(rows) < wanted:
            return found
        # The best rows belong to other namespaces or scopes: look further down.
        wanted *= 8


def _candidate(connection: sqlite3.Connection, doc: int, score: float, namespaces: Sequence[str]) -> _Candidate | None:
    found = find_doc(connection, doc)
    if found is None or (namespaces and found.namespace not in namespaces):
        return None
    return _Candidate(doc, score or 1e-6, found.namespace, found.path, found.line, found.text)


def _coverage(text: str, weighed: Sequence[tuple[str, int]]) -> float:
    """How much of the question a text holds, from 0 to 1; longer terms tell more."""
    folded = fold(text[:_RERANK_CHARACTERS])
    total = sum(weight for _, weight in weighed)
    return sum(weight for needle, weight in weighed if needle in folded) / total if total else 1.0


def _by_substring(connection: sqlite3.Connection, query: Query, namespaces: Sequence[str], limit: int) -> list[_Candidate]:
    """Nothing holds any of the words: read every text for the longest of them, inside words too (slow, and rare)."""
    texts = [query.text.strip(), *sorted((term.text for term in query.terms), key=len, reverse=True)[:_SUBSTRING_TERMS]]
    needles = [needle for needle in dict.fromkeys(fold(text) for text in texts) if len(needle) > (2 if needle.isascii() else 0)]
    if not needles:
        return []
    found: list[_Candidate] = []
    rows = connection.execute("SELECT id * ? FROM entries WHERE texts = 1 UNION ALL SELECT id FROM docs", (DOCS,))
    for (doc,) in rows:
        candidate = _candidate(connection, doc, 0.0, namespaces)
        if candidate is None:
            continue
        folded = fold(candidate.text)
        candidate.score = float(sum(len(needle) for needle in needles if needle in folded))
        if candidate.score:
            found.append(candidate)
            if len(found) >= 4 * limit:
                break
    return found
