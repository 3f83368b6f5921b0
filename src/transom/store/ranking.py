"""How well texts answer a question: each by its own words and by those of its neighbours, by who speaks and by when.

Knows texts in the order in which they stand, no storage and no index. A turn that answers seldom says again what was asked, so
a text is worth what its neighbours' words are worth too, less the further they stand away. A question that names a speaker or
a time prefers what was said by them and at it; both are read from the text itself, as a person would: a name before a colon or
in a line of its own, a date in a heading that holds until the next. ``read_through`` is search without an index, for backends
that have none.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Generic, TypeVar

from .fulltext import Query, Term, excerpt, flat, fold, parse_query, words_of
from .inflection import forms
from .moments import Span, heading, is_month, moments, relative, says_when

__all__ = ["REACH", "Found", "Question", "Ranked", "beside", "rank", "ranked", "read_through"]

K = TypeVar("K", bound=Hashable)

REACH = 3
"""Texts before and after one that may lend it their words."""
_BEFORE = (1.0, 0.6, 0.4, 0.25)
_AFTER = (1.0, 0.5, 0.25, 0.15)
_ASKED = 0.8
"""What the words of the text just before are worth where it ends with a question."""
_INFLECTED = 0.85
_PART = 0.25
_K, _B = 1.2, 0.5
_OTHER_SPEAKER, _OTHER_TIME, _NO_TIME = 0.45, 0.3, 0.6
_SAID_THEN = 0.35
"""What lying in the time asked for is worth by itself, as a share of the question's rarest word."""
_LABEL = re.compile(
    r"(?:^|[\s(\[*_>|—–-])([^\W\d_][\w.'’-]{0,30}(?: [^\W\d_][\w.'’-]{0,30}){0,2})[*_]{0,2}\s?[:：](?=[\s*_]|$)"
)
_LABEL_WITHIN = 100
_BESIDE_TIMES = frozenset(("am", "pm", "on", "at", "utc", "gmt", "um", "uhr", "el", "le", "the"))
_MARKS = ("?", "？", "؟")
_ENDS_WITHIN = 120
_SHORT = 3
_SHORT_WORDS = {1: 0.3, 2: 0.4, 3: 0.6, 4: 0.85}
"""What a plain word of so many letters is worth: few texts do not show by themselves that it is a common one."""
_LONGEST_NAME, _NAME_WORDS = 40, 3
_LONG = 6000
"""Characters from which a text is looked through for the words of the question only, not taken apart."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and what of it is looked for in what way.

    Attributes:
        query: its terms.
        forms: for each term the single words that stand for it, the written one first; empty for phrases.
        spans: times it names.
        timed: whether it asks for a time at all.
    """

    query: Query
    forms: tuple[tuple[str, ...], ...]
    spans: tuple[Span, ...]
    timed: bool
    _words: Mapping[str, Sequence[tuple[int, float]]]
    _phrases: tuple[tuple[int, str], ...]

    @classmethod
    def of(cls, query: Query) -> Question:
        """Take a parsed question further apart."""
        bent = tuple(forms(fold(term.text)) if _is_word(term) else () for term in query.terms)
        words: dict[str, list[tuple[int, float]]] = {}
        for index, others in enumerate(bent):
            for at, word in enumerate(others):
                words.setdefault(word, []).append((index, _INFLECTED if at else 1.0))
        phrases = [(index, f" {' '.join(flat(term))} ") for index, term in enumerate(query.terms) if not bent[index]]
        phrases += [(index, f" {' '.join(flat(part))} ") for index, part in enumerate(query.parts, len(query.terms))]
        spans = tuple(moments(query.text))
        return cls(query, bent, spans, bool(spans) or says_when(query.text), words, tuple(phrases))

    @property
    def needles(self) -> tuple[str, ...]:
        """What to look for in a text that holds the answer, folded: the terms as they were written, then their other forms."""
        others = (form for term in self.forms for form in term[1:] if len(form) > _SHORT)
        return tuple(dict.fromkeys((*self.query.needles, *others)))

    @property
    def dates(self) -> tuple[tuple[str, ...], ...]:
        """The times it names whole enough to look for, as programs write them: year, month, day."""
        return tuple(
            (f"{span.year}", f"{span.month:02}", *([f"{span.day:02}"] if span.day else []))
            for span in self.spans
            if span.year and span.month
        )

    def counts(self, folded: str) -> tuple[list[float], int]:
        """How often each term and part stands in a folded text, and how many words it has."""
        found = [0.0] * (len(self.query.terms) + len(self.query.parts))
        if len(folded) > _LONG:
            for index, term in enumerate((*self.query.terms, *self.query.parts)):
                found[index] = float(min(9, folded.count(fold(term.text))))
            return found, len(folded) // 6
        words = words_of(folded)
        for word in self._words.keys() & set(words):
            count = words.count(word)
            for index, factor in self._words[word]:
                found[index] += factor * count
        if self._phrases:
            joined = f" {' '.join(words)} "
            for index, phrase in self._phrases:
                if phrase in joined:
                    found[index] = float(joined.count(phrase)) if index < len(self.query.terms) else 1.0
        return found, len(words)


def _is_word(term: Term) -> bool:
    return len(term.tokens) == 1 and not term.dense and not term.required


@dataclass(slots=True)
class _Line:
    """A text, looked at once."""

    counts: list[float]
    size: int
    labels: frozenset[str] = frozenset()
    asks: bool = False
    day: date | None = None
    own: float = 0.0
    partial: bool = False
    worth: dict[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Found:
    """What a text is worth as an answer.

    Attributes:
        worth: higher is better; 0 for nothing. Comparable within one question only.
        match: it holds words of the question, or answers better than the neighbour that does.
    """

    worth: float
    match: bool


def ranked(
    question: Question, runs: Sequence[Sequence[str]], *, total: int = 0, spread: Mapping[int, int] | None = None
) -> list[list[Found]]:
    """What each text is worth.

    Args:
        question: what is asked.
        runs: texts that stand beside each other, run by run.
        total: texts in all, where more are stored than are given.
        spread: in how many of them each term and part of the question stands, by its number; counted where it is not given.
    """
    lines = [[_look(question, text) for text in run] for run in runs]
    flat_lines = [line for run in lines for line in run]
    if not flat_lines:
        return []
    if spread is None:
        spread = {
            index: sum(1 for line in flat_lines if line.counts[index])
            for index in range(len(question.query.terms) + len(question.query.parts))
        }
    total = max(total, len(flat_lines))
    weights = _weights(question, spread, total)
    names = _names(question, flat_lines)
    for index, term in enumerate(question.query.terms):
        if term.text and fold(term.text) in names:
            weights[index] *= 0.1
    timed = _timed(question, lines, weights)
    mean = sum(line.size for line in flat_lines) / len(flat_lines)
    required = [index for index, term in enumerate(question.query.terms) if term.required]
    strict = bool(required) and any(all(line.counts[index] for index in required) for line in flat_lines)
    for line in flat_lines:
        line.partial = strict and not all(line.counts[index] for index in required)
        norm = _K * (1 - _B + _B * line.size / max(1.0, mean))
        line.worth = {
            index: weights[index] * count * (1 + _K) / (count + norm) for index, count in enumerate(line.counts) if count
        }
        line.own = sum(line.worth.values())
    bonus = _SAID_THEN * max(weights, default=0.0)
    results = []
    for run in lines:
        worths = []
        for at, line in enumerate(run):
            worth = _lent(run, at)
            if timed is not None:
                inside = None if line.day is None else timed(line.day)
                if inside and worth:
                    worth += bonus
                worth *= 1.0 if inside else _NO_TIME if inside is None else _OTHER_TIME
            if names and line.labels and not names & line.labels:
                worth *= _OTHER_SPEAKER
            worths.append(worth)
        results.append([_found(run, worths, at) for at in range(len(run))])
    return results


def _found(run: Sequence[_Line], worths: Sequence[float], at: int) -> Found:
    worth, line = worths[at], run[at]
    if not worth or line.partial:
        return Found(worth, match=False)
    if line.own:
        return Found(worth, match=True)
    lenders = range(max(0, at - REACH), min(len(run), at + REACH + 1))
    return Found(worth, match=all(worths[other] < worth for other in lenders if run[other].own))


def beside(run: Sequence[Found], at: int) -> list[int]:
    """The places in a run of the texts beside one that are worth something as answers too."""
    reach = range(max(0, at - REACH), min(len(run), at + REACH + 1))
    return [other for other in reach if other != at and run[other].worth]


def _lent(run: Sequence[_Line], at: int) -> float:
    """What the words in a text and around it are worth: each word of the question once, where it is worth most."""
    best = dict(run[at].worth)
    for away in range(1, REACH + 1):
        if at - away >= 0 and (other := run[at - away]).own:
            _borrow(best, other.worth, _ASKED if away == 1 and other.asks else _BEFORE[away])
        if at + away < len(run) and (other := run[at + away]).own:
            _borrow(best, other.worth, _AFTER[away])
    return sum(best.values())


def _borrow(best: dict[int, float], theirs: Mapping[int, float], factor: float) -> None:
    for index, worth in theirs.items():
        if worth * factor > best.get(index, 0.0):
            best[index] = worth * factor


def _look(question: Question, text: str) -> _Line:
    folded = fold(text)
    counts, size = question.counts(folded)
    asks = any(mark in text[-_ENDS_WITHIN:] for mark in _MARKS)
    return _Line(counts, size, _labels(folded), asks, heading(text) if question.timed else None)


def _labels(folded: str) -> frozenset[str]:
    """Words that may be the speaker's name: before a colon with only a time before it, or in a short line of their own."""
    lines = folded.split("\n", 8)
    if len(lines) == 1:
        return _label(folded[:_LABEL_WITHIN])
    found: set[str] = set()
    for line in (*lines[:2], *lines[-2:]):
        if 0 < len(line) <= _LONGEST_NAME and line[-1] not in ".!?,;:" and len(words := line.split()) <= _NAME_WORDS:
            found.update(words)
    return frozenset(found) or _label(lines[0][:_LABEL_WITHIN])


def _label(start: str) -> frozenset[str]:
    if ":" not in start and "：" not in start:
        return frozenset()
    match = _LABEL.search(start)
    if match is None:
        return frozenset()
    before = words_of(start[: match.start(1)])
    if any(word.isalpha() and word not in _BESIDE_TIMES and not is_month(word) for word in before):
        return frozenset()
    return frozenset(match[1].split())


def _weights(question: Question, spread: Mapping[int, int], total: int) -> list[float]:
    terms, parts = question.query.terms, question.query.parts
    result = []
    for index, term in enumerate((*terms, *parts)):
        count = spread.get(index, 0)
        weight = math.log(1 + (total - count + 0.5) / (count + 0.5)) if count else 0.0
        if term.text.isascii() and term.text.isalpha() and term.text.islower():
            weight *= _SHORT_WORDS.get(len(term.text), 1.0)
        result.append(weight * (len(term.tokens) ** 0.5 if index < len(terms) else _PART))
    return result


def _names(question: Question, lines: Sequence[_Line]) -> frozenset[str]:
    """The words of the question that are speakers' names, unless everybody is named."""
    wanted = {fold(term.text).removesuffix("'s").removesuffix("’s"): 0 for term in question.query.terms}
    speakers: dict[frozenset[str], int] = {}
    for line in lines:
        if line.labels:
            speakers[line.labels] = speakers.get(line.labels, 0) + 1
            for label in line.labels & wanted.keys():
                wanted[label] += 1
    least = max(2, len(lines) // 50)
    named = frozenset(name for name, count in wanted.items() if count >= least)
    others = sum(count for labels, count in speakers.items() if not labels & named)
    return named if others >= least else frozenset()


def _timed(question: Question, runs: Sequence[Sequence[_Line]], weights: list[float]) -> Callable[[date], bool] | None:
    """Whether a day is one the question asks for; ``None`` where it asks for none or no text has a day."""
    days: set[date] = set()
    for run in runs:
        day = None
        for line in run:
            day = line.day = line.day or day
            if day is not None:
                days.add(day)
    spans = [span for span in question.spans if any(span.holds(day) for day in days)]
    if spans:
        said = {word for span in spans for word in span.words}
        for index, term in enumerate(question.query.terms):
            if set(map(fold, term.tokens)) <= said:
                weights[index] *= 0.1
        return lambda day: any(span.holds(day) for span in spans)
    between = relative(question.query.text, days)
    return (lambda day: between[0] <= day <= between[1]) if between else None


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
