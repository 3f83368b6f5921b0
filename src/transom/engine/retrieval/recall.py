"""Recall by itself: whether a message refers to something that left the window, and the passages that answer it.

Knows a session's texts out of the window, a message and the words; no window, no phase, no store. Silence is the rule: passages
are shown where rare words of the message stand close together in one place, more of them than chance would put there, and where
the message asks or points back. The weights were set on one seed of ``benchmarks/bench_recall.py`` and measured on others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from ...errors import InputError
from ...store.fulltext import Term, fold
from ...store.passages import passage_of
from ...store.ranking import REACH, Question
from ...vocabulary.retrieving import RetrievalWords
from .evicted import Evicted, Found, Unit
from .referring import Reference, reference_of

__all__ = ["SMALLEST", "Mode", "Passage", "Recall", "Recollection", "recollect"]

Mode = Literal["off", "suggest", "on"]
"""Nothing; one line that names addresses; the passages themselves."""

Silence = Literal["", "nothing named", "nothing alike", "too little alike", "in the window", "no room"]
"""Why nothing was put beside a message; empty where something was."""

_RARE_SHARE, _RARE_LEAST = 0.03, 3
"""A word is rare that stands in at most this share of the texts, or in so few of them."""
_ASKED_COVERAGE, _NAMED_COVERAGE, _TOLD_COVERAGE = 0.35, 0.15, 0.6
"""Share of what a message names, by rarity, that has to stand in one place: of a question; of one that also names somebody or
something by a name that was used; of a message that asks for nothing."""
_ALONE_COVERAGE, _ALONE_MARGIN = 0.4, 1.5
"""The same of a single rare word, where the message points back; and how much better its place has to be than any other."""
_ORDERED_COVERAGE, _ORDERED_MARGIN = 0.45, 1.1
"""The same of an order, and how much better its place has to be: what is said all the time is no reference."""
_TOLD_WORDS = 3
_WORTH = 0.2
"""Passages are shown down to this share of the best one's worth."""
_MOST_PASSAGES = 24
_MOST_SUGGESTED = 3
_LEAST_CHARACTERS = 80
_CHARACTERS_PER_TOKEN = 4
SMALLEST = 60
_SEEN_LINE = 16
"""Characters from which a line tells whether a text is one that the window shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """How a session recalls by itself.

    Attributes:
        mode: ``on`` puts passages beside the message, ``suggest`` a line that names where they are, ``off`` nothing.
        budget: tokens that may be put beside one message.

    Raises:
        InputError: a value that makes no sense.
    """

    mode: Mode = "on"
    budget: int = 1_000

    def __post_init__(self) -> None:
        if self.mode not in ("off", "suggest", "on"):
            raise InputError(f"a recall that is {self.mode!r}", hint="off, suggest or on")
        if self.budget < SMALLEST:
            raise InputError(f"a recall of {self.budget!r} tokens", hint=f"give at least {SMALLEST}")


@dataclass(frozen=True, slots=True)
class Passage:
    """Where something that was put beside a message stands.

    Attributes:
        uri: its address.
        messages: which messages of an archive, from 1; empty for a text of its own.
    """

    uri: str
    messages: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Recollection:
    """What came of one message: what was put beside it and why, or why nothing was.

    Attributes:
        mode: ``on`` or ``suggest``.
        passages: what was put there, the best first.
        tokens: what it weighs.
        score: what the best place is worth; comparable within one message only.
        coverage: share of what the message names, by rarity, that stands in the best place, 0 to 1.
        terms: the words of the message that stand there.
        silence: why nothing was put there; empty where something was.
        text: what was put there.
    """

    mode: Mode
    passages: tuple[Passage, ...] = ()
    tokens: int = 0
    score: float = 0.0
    coverage: float = 0.0
    terms: tuple[str, ...] = ()
    silence: Silence = ""
    text: str = field(default="", repr=False)

    def silenced(self, why: Silence) -> Recollection:
        """The same, with nothing put there."""
        return replace(self, passages=(), tokens=0, silence=why, text="")


Label = Callable[[str], str]
"""What is said of how sure a text is, by its address; may be empty."""


def recollect(
    message: str,
    evicted: Evicted,
    settings: Recall,
    *,
    window: str,
    words: RetrievalWords,
    count: Callable[[str], int],
    label: Label,
    tool: bool,
) -> Recollection:
    """What belongs beside a message of the user.

    Args:
        message: as the user wrote it.
        evicted: what is out of the window.
        settings: mode and budget.
        window: everything that the window shows.
        words: what the model reads.
        count: tokens of a text.
        label: what is said of how sure a text is.
        tool: the model has the ``context`` tool.
    """
    mode = settings.mode
    reference = reference_of(message)
    if reference is None:
        return Recollection(mode, silence="nothing named")
    question = Question.of(reference.query)
    spread = evicted.spread(question)
    found = evicted.find(question, spread)
    if not found:
        return Recollection(mode, silence="nothing alike")
    evidence = _Evidence.of(reference, question, evicted, spread, found)
    judged = Recollection(mode, (), 0, round(found[0].worth, 4), round(evidence.coverage, 4), evidence.terms)
    if not evidence.enough(reference):
        return judged.silenced("too little alike")
    least = found[0].worth * _WORTH
    fresh = _unseen(evicted, [each for each in found if each.worth >= least], window)
    if not any(any(question.counts(fold(evicted.units[each.number].text))[0]) for each in fresh):
        # What stands beside a match tells nothing where the match itself is in sight.
        return judged.silenced("in the window")
    page = _Page(words, count, label, tool=tool)
    if mode == "suggest":
        text, passages = page.suggestion([evicted.units[each.number] for each in fresh], settings.budget)
    else:
        text, passages = page.passages(question, [evicted.units[each.number] for each in fresh], settings.budget)
    if not passages:
        return judged.silenced("no room")
    return replace(judged, passages=passages, tokens=count(text), text=text)


@dataclass(frozen=True, slots=True)
class _Evidence:
    """What speaks for the best place.

    Attributes:
        terms: words of the message that stand there.
        rare: how many of them are rare.
        named: the rare and the names are not the same one.
        coverage: share of what the message names.
        margin: how much more the best place is worth than any other.
    """

    terms: tuple[str, ...]
    rare: int
    named: bool
    coverage: float
    margin: float

    @classmethod
    def of(
        cls, reference: Reference, question: Question, evicted: Evicted, spread: Mapping[int, int], found: Sequence[Found]
    ) -> _Evidence:
        total, best = len(evicted), found[0]
        around = range(max(0, best.number - REACH), min(total, best.number + REACH + 1))
        standing = [question.counts(fold(evicted.units[number].text))[0] for number in around]
        times = {word for span in question.spans for word in span.words}
        there: list[Term] = []
        whole = covered = 0.0
        rare_terms: list[Term] = []
        for index, term in enumerate(reference.query.terms):
            here = any(counts[index] for counts in standing)
            if here:
                there.append(term)
                if spread[index] <= max(_RARE_LEAST, _RARE_SHARE * total):
                    rare_terms.append(term)
            if not here and (set(map(fold, term.tokens)) <= times or term.text in reference.orders):
                # A time is said in many ways, and most texts do not say it at all; what is to be done was not said yet.
                continue
            weight = (
                math.log(1 + (total - spread[index] + 0.5) / (spread[index] + 0.5))
                if spread[index]
                else math.log(1 + 2 * total)
            )
            whole += weight
            covered += weight if here else 0.0
        names = {term.text for term in there} & reference.names
        named = any(term.text not in names for term in rare_terms) if names else False
        other = next((each.worth for each in found if abs(each.number - best.number) > 2 * REACH), 0.0)
        margin = best.worth / other if other else math.inf
        return cls(tuple(term.text for term in there), len(rare_terms), named, covered / whole if whole else 0.0, margin)

    def enough(self, reference: Reference) -> bool:
        """Whether it is enough to speak up."""
        if reference.asks or reference.points_back:
            if (self.named and self.coverage >= _NAMED_COVERAGE) or (self.rare > 1 and self.coverage >= _ASKED_COVERAGE):
                return True
            alone = self.rare == 1 and reference.points_back
            return alone and self.coverage >= _ALONE_COVERAGE and self.margin >= _ALONE_MARGIN
        if reference.orders:
            return self.rare > 1 and self.coverage >= _ORDERED_COVERAGE and self.margin >= _ORDERED_MARGIN
        return self.rare >= _TOLD_WORDS and self.coverage >= _TOLD_COVERAGE and self.margin >= _ORDERED_MARGIN


def _unseen(evicted: Evicted, found: Sequence[Found], window: str) -> list[Found]:
    """What the window does not show already, each text once."""
    fresh: list[Found] = []
    taken: set[str] = set()
    for each in found:
        text = evicted.units[each.number].text.strip()
        if text in taken or _shows(window, text):
            continue
        taken.add(text)
        fresh.append(each)
        if len(fresh) == _MOST_PASSAGES:
            break
    return fresh


def _shows(window: str, text: str) -> bool:
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    telling = [line for line in lines if len(line) >= _SEEN_LINE] or lines
    return all(line in window for line in telling)


class _Page:
    """What is put beside a message, within a budget."""

    def __init__(self, words: RetrievalWords, count: Callable[[str], int], label: Label, *, tool: bool) -> None:
        self._words, self._count, self._label, self._tool = words, count, label, tool

    def suggestion(self, units: Sequence[Unit], budget: int) -> tuple[str, tuple[Passage, ...]]:
        """One line of addresses."""
        shown: list[tuple[Unit, str]] = []
        text = ""
        for unit in units:
            if any(unit.uri == other.uri and unit.line == other.line for other, _ in shown):
                continue
            longer = self._words.suggestion([self._place(entry) for entry in _grouped([*shown, (unit, "")])], tool=self._tool)
            if len(shown) == _MOST_SUGGESTED or self._count(longer) > budget:
                break
            shown, text = [*shown, (unit, "")], longer
        return text, _passages(shown)

    def passages(self, question: Question, units: Sequence[Unit], budget: int) -> tuple[str, tuple[Passage, ...]]:
        """The texts, the best first, as far as there is room."""
        shown: list[tuple[Unit, str]] = []
        text = ""
        left = budget
        for unit in units:
            width = min(len(unit.text), max(_LEAST_CHARACTERS * 5, left * _CHARACTERS_PER_TOKEN // 2))
            while width >= min(_LEAST_CHARACTERS, len(unit.text)):
                longer = [*shown, (unit, passage_of(question, unit.text, width).text)]
                written = self._written(longer)
                if self._count(written) <= budget:
                    shown, text = longer, written
                    left = budget - self._count(text)
                    break
                width = width // 2 if width >= 2 * _LEAST_CHARACTERS and not shown else 0
            if left < _LEAST_CHARACTERS // _CHARACTERS_PER_TOKEN:
                break
        return text, _passages(shown)

    def _written(self, shown: Sequence[tuple[Unit, str]]) -> str:
        blocks = [f"{self._place(entry)}\n{self._body(entry)}" for entry in _grouped(shown)]
        return self._words.recalled_around(blocks, tool=self._tool)

    def _place(self, entry: Sequence[tuple[Unit, str]]) -> str:
        uri = entry[0][0].uri
        numbers = sorted({unit.line for unit, _ in entry if unit.line})
        said = self._label(uri)
        return self._words.recalled_place(uri, numbers) + (f" {said}" if said else "")

    def _body(self, entry: Sequence[tuple[Unit, str]]) -> str:
        lines: list[str] = []
        for unit, text in entry:
            lines.append(self._words.recalled_message(unit.line, unit.role, text) if unit.line else text)
        return "\n".join(lines)


def _grouped(shown: Sequence[tuple[Unit, str]]) -> list[list[tuple[Unit, str]]]:
    """Entry by entry, the best entry first; within an entry as it was said."""
    entries: dict[str, list[tuple[Unit, str]]] = {}
    for unit, text in shown:
        entries.setdefault(unit.uri, []).append((unit, text))
    return [sorted(entry, key=lambda item: (item[0].line, item[0].at)) for entry in entries.values()]


def _passages(shown: Sequence[tuple[Unit, str]]) -> tuple[Passage, ...]:
    return tuple(
        Passage(entry[0][0].uri, tuple(sorted({unit.line for unit, _ in entry if unit.line}))) for entry in _grouped(shown)
    )
