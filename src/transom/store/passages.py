"""What is shown of one long text: the paragraphs that answer, with those beside them, verbatim.

Knows a text and a question. A paragraph is a line with something on it, whatever the text is written in.
"""

from __future__ import annotations

from dataclasses import dataclass

from .fulltext import excerpt
from .neighbours import GAP
from .ranking import Question, ranked

__all__ = ["Passage", "passage_of"]

_LONGEST = 60_000
"""Characters of a text up to which its paragraphs are weighed; of a longer one the stretch with most of the words is shown."""
_FEWEST = 4
"""Paragraphs from which a text is taken apart."""


@dataclass(frozen=True, slots=True)
class Passage:
    """What is shown of a text, and the number of the line in which it begins, from 1."""

    text: str
    line: int = 1


def passage_of(question: Question, text: str, width: int) -> Passage:
    """At most about ``width`` characters of a text, the stretches that answer best; … stands where something is left out."""
    whole = text.strip()
    if len(text) <= width:
        return Passage(whole, 1 + text[: text.find(whole)].count("\n") if whole else 1)
    lines = text.split("\n")
    if len(text) <= _LONGEST and sum(1 for line in lines if line.strip()) >= _FEWEST and width >= len(text) // len(lines):
        chosen = _chosen(question, lines, width)
        if chosen:
            return _joined(lines, chosen)
    shown = excerpt(text, question.needles, width)
    core = shown.strip(GAP)
    needle = min((at for each in question.query.needles if (at := core.lower().find(each)) >= 0), default=0)
    return Passage(shown, 1 + text.count("\n", 0, max(0, text.find(core)) + needle))


def _chosen(question: Question, lines: list[str], width: int) -> list[int]:
    """The lines that are worth most and have room; none where the best has not."""
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
    return sorted(chosen)


def _joined(lines: list[str], chosen: list[int]) -> Passage:
    """The lines, what is blank between two of them included."""
    pieces: list[str] = [] if not any(line.strip() for line in lines[: chosen[0]]) else [GAP]
    for before, number in zip([None, *chosen], chosen, strict=False):
        between = lines[before + 1 : number] if before is not None else []
        pieces += between if not any(line.strip() for line in between) else [GAP]
        pieces.append(lines[number])
    if any(line.strip() for line in lines[chosen[-1] + 1 :]):
        pieces.append(GAP)
    return Passage("\n".join(pieces), chosen[0] + 1)
