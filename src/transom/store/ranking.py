"""How well texts answer a question: each by its own words and by those of its neighbours, by who speaks and by when.

Knows texts in the order in which they stand, no storage and no index. A turn that answers seldom says again what was asked, so
a text is worth what its neighbours' words are worth too, less the further they stand away. A question that names a speaker or
a time prefers what was said by them and at it; a date in a heading holds until the next. Words that tell nothing only decide
among the texts that hold one that does, and their neighbours: the others are passed over.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from .fulltext import fold
from .moments import heading, relative
from .question import Question
from .speakers import name_candidates, speakers, speaks_of

__all__ = ["REACH", "Found", "Question", "beside", "ranked"]

REACH = 3
"""Texts before and after one that may lend it their words."""
_BEFORE = (1.0, 0.6, 0.4, 0.25)
_AFTER = (1.0, 0.5, 0.25, 0.15)
_ASKED = 0.8
"""What the words of the text just before are worth where it ends with a question."""
_PART = 0.25
_K, _B = 1.2, 0.5
_OTHER_SPEAKER, _OTHER_TIME, _NO_TIME = 0.45, 0.3, 0.6
_SAID_THEN = 0.35
"""What lying in the time asked for is worth by itself, as a share of the question's rarest word."""
_SPEAKS = 12
"""Who speaks in fewer than one of so many texts is no speaker: a label like ``port:`` is none."""
_KNOWN = 0.1
"""What is left of the weight of a word that says who or when."""
_TELLING, _TELLING_OF_MANY, _MANY = 0.1, 0.25, 4
"""The share of the rarest word's weight from which on a word tells something; more where so many times what is looked at is
stored, since what was looked up there was looked up by its rare words.
"""
_SHORT_WORDS = {1: 0.3, 2: 0.4, 3: 0.6, 4: 0.85}
"""What a plain word of so many letters is worth: few texts do not show by themselves that it is a common one."""
_MARKS = ("?", "？", "؟")
_ENDS_WITHIN = 120


@dataclass(frozen=True, slots=True)
class Found:
    """What a text is worth as an answer.

    Attributes:
        worth: higher is better; 0 for nothing. Comparable within one question only.
        match: it holds words of the question, or answers better than the neighbour that does.
    """

    worth: float
    match: bool


_NOTHING = Found(0.0, match=False)


@dataclass(slots=True)
class _Line:
    """A text, looked at once.

    Attributes:
        text, folded: the text.
        counts: how often each term stands in it.
        words: how many words it has; of one that is passed over about as many.
        worth, own: what each term in it is worth, and all of them.
        tells: one of them tells something.
        partial: it lacks what was required.
        day: when it was said.
    """

    text: str
    folded: str
    counts: dict[int, float]
    words: int
    worth: dict[int, float] = field(default_factory=dict)
    own: float = 0.0
    tells: bool = False
    partial: bool = False
    day: date | None = None


def ranked(
    question: Question,
    runs: Sequence[Sequence[str]],
    *,
    total: int = 0,
    spread: Mapping[int, int] | None = None,
    days: Sequence[date | None] = (),
) -> list[list[Found]]:
    """What each text is worth.

    Args:
        question: what is asked.
        runs: texts that stand beside each other, run by run.
        total: texts in all, where more are stored than are given.
        spread: in how many of them each term and part of the question stands, by its number; counted where it is not given.
        days: the day on which each run begins, where it is known from what stands before it.
    """
    given = sum(map(len, runs))
    least = _TELLING if total <= _MANY * given else _TELLING_OF_MANY
    weights = _weights(question, spread, max(total, given)) if spread is not None else []
    telling = _telling(weights, least) if spread is not None else frozenset(range(question.size))
    beginnings = question.beginnings(telling)
    lines = [[_look(question, text, beginnings) for text in run] for run in runs]
    every = [line for run in lines for line in run]
    if spread is None:
        counted = {number: sum(1 for line in every if number in line.counts) for number in range(question.size)}
        weights = _weights(question, counted, max(total, given))
    names = _names(question, every)
    for number, term in enumerate(question.query.terms):
        if fold(term.text) in names:
            weights[number] *= _KNOWN
    timed = _timed(question, lines, weights, days)
    _weigh(question, every, weights, least)
    bonus = _SAID_THEN * max(weights, default=0.0)
    return [_run(run, names, timed, bonus) for run in lines]


def _look(question: Question, text: str, beginnings: Sequence[str]) -> _Line:
    folded = fold(text)
    if not any(each in folded for each in beginnings):
        return _Line(text, folded, {}, len(folded) // 6)
    return _Line(text, folded, *question.counted(folded))


def _weigh(question: Question, lines: Sequence[_Line], weights: Sequence[float], least: float) -> None:
    """Say of each line what the words in it are worth: BM25, by the line's length among the others."""
    telling = _telling(weights, least)
    mean = max(1.0, sum(line.words for line in lines) / max(1, len(lines)))
    required = [number for number, term in enumerate(question.query.terms) if term.required]
    strict = bool(required) and any(all(number in line.counts for number in required) for line in lines)
    for line in lines:
        if line.counts:
            norm = _K * (1 - _B + _B * line.words / mean)
            line.worth = {number: weights[number] * count * (1 + _K) / (count + norm) for number, count in line.counts.items()}
            line.own = sum(line.worth.values())
            line.tells = not telling.isdisjoint(line.counts)
        line.partial = strict and not all(number in line.counts for number in required)


def _run(run: Sequence[_Line], names: frozenset[str], timed: Callable[[date], bool] | None, bonus: float) -> list[Found]:
    reached = {near for at, line in enumerate(run) if line.tells for near in range(at - REACH, at + REACH + 1)}
    worths = []
    for at, line in enumerate(run):
        worth = _lent(run, at) if at in reached else line.own
        if worth and timed is not None:
            inside = None if line.day is None else timed(line.day)
            worth = worth + bonus if inside else worth * (_NO_TIME if inside is None else _OTHER_TIME)
        if worth and names and (spoken := speakers(line.folded)) and not names & spoken:
            worth *= _OTHER_SPEAKER
        worths.append(worth)
    return [_found(run, worths, at) if worth else _NOTHING for at, worth in enumerate(worths)]


def _found(run: Sequence[_Line], worths: Sequence[float], at: int) -> Found:
    worth, line = worths[at], run[at]
    if line.own or line.partial:
        return Found(worth, match=not line.partial)
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
        if at >= away and (before := run[at - away]).tells:
            asks = away == 1 and any(mark in before.text[-_ENDS_WITHIN:] for mark in _MARKS)
            _borrow(best, before.worth, _ASKED if asks else _BEFORE[away])
        if at + away < len(run) and (after := run[at + away]).tells:
            _borrow(best, after.worth, _AFTER[away])
    return sum(best.values())


def _borrow(best: dict[int, float], theirs: Mapping[int, float], factor: float) -> None:
    for number, worth in theirs.items():
        if worth * factor > best.get(number, 0.0):
            best[number] = worth * factor


def _weights(question: Question, spread: Mapping[int, int], total: int) -> list[float]:
    terms, parts = question.query.terms, question.query.parts
    result = []
    for number, term in enumerate((*terms, *parts)):
        count = spread.get(number, 0)
        weight = math.log(1 + (total - count + 0.5) / (count + 0.5)) if count else 0.0
        if term.text.isascii() and term.text.isalpha() and term.text.islower():
            weight *= _SHORT_WORDS.get(len(term.text), 1.0)
        result.append(weight * (len(term.tokens) ** 0.5 if number < len(terms) else _PART))
    return result


def _telling(weights: Sequence[float], least: float) -> frozenset[int]:
    bound = least * max(weights, default=0.0)
    return frozenset(number for number, weight in enumerate(weights) if weight and weight >= bound)


def _names(question: Question, lines: Sequence[_Line]) -> frozenset[str]:
    """The words of the question that are speakers' names; none where nobody else speaks."""
    wanted = dict.fromkeys(name_candidates(question), 0)
    least = max(2, len(lines) // _SPEAKS)
    for line in lines:
        if speaks_of(line.folded, wanted):
            for label in speakers(line.folded) & wanted.keys():
                wanted[label] += 1
    named = frozenset(name for name, count in wanted.items() if count >= least)
    if not named:
        return named
    others = 0
    for line in lines:
        spoken = speakers(line.folded)
        others += bool(spoken) and not spoken & named
        if others >= least:
            return named
    return frozenset()


def _timed(
    question: Question, runs: Sequence[Sequence[_Line]], weights: list[float], begun: Sequence[date | None]
) -> Callable[[date], bool] | None:
    """Whether a day is one the question asks for; ``None`` where it asks for none or no text has a day."""
    if not question.timed:
        return None
    days: set[date] = set()
    for at, run in enumerate(runs):
        day = begun[at] if begun else None
        for line in run:
            day = line.day = heading(line.text) or day
            if day is not None:
                days.add(day)
    spans = [span for span in question.spans if any(span.holds(day) for day in days)]
    if spans:
        said = {word for span in spans for word in span.words}
        for number, term in enumerate(question.query.terms):
            if set(map(fold, term.tokens)) <= said:
                weights[number] *= _KNOWN
        return lambda day: any(span.holds(day) for span in spans)
    between = relative(question.query.text, days)
    return (lambda day: between[0] <= day <= between[1]) if between else None
