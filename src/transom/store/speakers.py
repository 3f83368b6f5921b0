"""Who speaks in a text, as a person would see it: a name before a colon, or in a short line of its own.

Knows folded texts. A name may be no name ("note: …"): it counts only where a question asks for it and others speak too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from .fulltext import fold, words_of
from .moments import is_month
from .question import Question

__all__ = ["name_candidates", "speakers", "speaks_of"]

_LABEL = re.compile(
    r"(?:^|[\s(\[*_>|—–-])([^\W\d_][\w.'’-]{0,30}(?: [^\W\d_][\w.'’-]{0,30}){0,2})[*_]{0,2}\s?[:：](?=[\s*_]|$)"
)
_WITHIN = 100
_BESIDE_TIMES = frozenset(("am", "pm", "on", "at", "utc", "gmt", "um", "uhr", "el", "le", "the"))
_LONGEST, _WORDS = 40, 3
_LINES, _LONGEST_TEXT = 8, 4000
"""A text of more lines is no turn of a conversation with a name in a line of its own, but a file or what a program wrote."""


def name_candidates(question: Question) -> frozenset[str]:
    """Words of a question that may be a speaker's name: those with a capital, all of them where none has one."""
    terms = zip(question.query.terms, question.forms, strict=True)
    words = [term.text for term, others in terms if others and len(term.text) > 1]
    written = [word for word in words if not word.islower()]
    return frozenset(map(fold, written or words))


def speaks_of(folded: str, names: Iterable[str]) -> bool:
    """Whether one of the names stands where a speaker's name would."""
    if len(folded) <= 2 * _WITHIN:
        return any(name in folded for name in names)
    start, end = folded[:_WITHIN], folded[-_WITHIN:]
    return any(name in start or name in end for name in names)


def speakers(folded: str) -> frozenset[str]:
    """The words that may be the speaker's name; none where nothing looks like one."""
    start = folded[:_WITHIN]
    if not 0 < folded.count("\n", 0, _LONGEST_TEXT) <= _LINES:
        return _label(start.split("\n", 1)[0])
    found: set[str] = set()
    first = start.split("\n", 2)[:2]
    last = folded[-_WITHIN:].split("\n")[-2:]
    for line in (*first, *last):
        if 0 < len(line) <= _LONGEST and line[-1] not in ".!?,;:" and len(words := line.split()) <= _WORDS:
            found.update(words)
    return frozenset(found) or _label(first[0])


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
