"""What is shown of one long text: the paragraphs that answer, with those beside them, verbatim.

Knows a text and a question. A paragraph is a line with something on it, whatever the text is written in.
"""

from __future__ import annotations

from dataclasses import dataclass

from .fulltext import excerpt, fold
from .neighbours import GAP
from .question import Question
from .ranking import ranked

__all__ = ["Passage", "passage_of"]

_LONGEST = 160_000
"""Characters of a text up to which its paragraphs are weighed; of a longer one the stretch with most of the words is shown."""
_FEWEST = 4
"""Paragraphs from which a text is taken apart."""


@dataclass(frozen=True, slots=True)
class Passage:
    """What is shown of a text, and the number of the line, from 1, in which the best of it stands."""

    text: str
    line: int = 1


def passage_of(question: Question, text: str, width: int) -> Passage:
    """At most about ``width`` characters of a text, the stretches that answer best; … stands where something is left out."""
    whole = text.strip()
    if len(text) <= width:
        return Passage(whole, _line_of(question, text, 0, len(text)))
    lines = text.split("\n")
    if len(text) <= _LONGEST and sum(1 for line in lines if line.strip()) >= _FEWEST and width >= len(text) // len(lines):
        chosen = _chosen(question, lines, width)
        if chosen:
            return Passage(_joined(lines, sorted(chosen)), chosen[0] + 1)
    shown = excerpt(text, question.needles, width)
    core = shown.strip(GAP)
    start = max(0, text.find(core))
    return Passage(shown, _line_of(question, text, start, start + len(core)))


def _line_of(question: Question, text: str, start: int, end: int) -> int:
    """The line of the first word of the question in a stretch of the text; of its beginning where there is none."""
    folded = fold(text[start:end])
    first = min((at for needle in question.needles if (at := folded.find(needle)) >= 0), default=0)
    return 1 + text.count("\n", 0, start + first)


def _chosen(question: Question, lines: list[str], width: int) -> list[int]:
    """The numbers of the lines that are worth most and have room, the best first; none where the best has not."""
    numbers = [number for number, line in enumerate(lines) if line.strip()]
    values = ranked(question, [[lines[number] for number in numbers]])[0]
    order = sorted(range(len(numbers)), key=lambda at: (-values[at].worth, at))
    chosen: list[int] = []
    left = width
    for at in order:
        size = len(lines[numbers[at]]) + 2
        if not values[at].worth or size > left:
            break
        chosen.append(numbers[at])
        left -= size
    return chosen


def _joined(lines: list[str], chosen: list[int]) -> str:
    """The lines, what is blank between two of them included."""
    pieces: list[str] = [] if not any(line.strip() for line in lines[: chosen[0]]) else [GAP]
    for before, number in zip([None, *chosen], chosen, strict=False):
        between = lines[before + 1 : number] if before is not None else []
        pieces += between if not any(line.strip() for line in between) else [GAP]
        pieces.append(lines[number])
    if any(line.strip() for line in lines[chosen[-1] + 1 :]):
        pieces.append(GAP)
    return "\n".join(pieces)
