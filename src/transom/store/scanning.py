"""Search without an index, by reading everything: for backends that have none, and for a handful of texts in memory."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from .fulltext import Query, excerpt, fold, parse_query
from .question import Question
from .ranking import beside, ranked

__all__ = ["Ranked", "rank", "read_through"]

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Ranked(Generic[K]):
    """A document that matches: which, how well, an excerpt, and what its neighbours are worth."""

    key: K
    score: float
    snippet: str
    around: Mapping[K, float]


def read_through(
    documents: Iterable[tuple[K, str]], query: str, limit: int, *, follows: Callable[[K, K], bool] | None = None
) -> list[Ranked[K]]:
    """Search by reading everything: the matching documents, best first.

    Args:
        documents: what is searched.
        query: in any words.
        limit: how many at most.
        follows: whether a document stands right before another in one entry.
    """
    parsed = parse_query(query)
    runs: list[list[tuple[K, str]]] = []
    for key, text in documents:
        if follows is not None and runs and follows(runs[-1][-1][0], key):
            runs[-1].append((key, text))
        else:
            runs.append([(key, text)])
    question = Question.of(parsed)
    values = ranked(question, [[text for _, text in run] for run in runs])
    found = [
        (-value.worth, number, at)
        for number, run in enumerate(values)
        for at, value in enumerate(run)
        if value.match and value.worth
    ]
    if not found:
        return _inside(runs, query, parsed, limit)
    shown = question.needles
    result = []
    for worth, number, at in sorted(found)[:limit]:
        key, text = runs[number][at]
        around = {runs[number][other][0]: round(values[number][other].worth, 4) for other in beside(values[number], at)}
        result.append(Ranked(key, -worth, excerpt(text, shown), around))
    return result


def _inside(runs: Iterable[Sequence[tuple[K, str]]], query: str, parsed: Query, limit: int) -> list[Ranked[K]]:
    """What holds a term anywhere, inside words too: for a question none of whose words stands alone in a text."""
    whole = fold(query.strip())
    needles = [needle for needle in dict.fromkeys((whole, *parsed.needles)) if needle]
    found: list[tuple[float, int, K, str]] = []
    for key, text in (document for run in runs for document in run):
        folded = fold(text)
        if worth := sum(len(needle) for needle in needles if needle in folded):
            found.append((-worth, len(found), key, text))
    found.sort(key=lambda item: item[:2])
    return [Ranked(key, -worth, excerpt(text, needles), {}) for worth, _, key, text in found[:limit]]


def rank(documents: Iterable[tuple[K, str]], query: str, limit: int) -> list[tuple[K, float, str]]:
    """``read_through`` for documents that stand alone: key, score and excerpt of each match, best first."""
    return [(each.key, each.score, each.snippet) for each in read_through(documents, query, limit)]
