"""The place that a text was probably meant for, where it does not stand as given.

Two ways, both bounded by work and not by time, so that the same question has the same answer: first both texts are folded (see
``codepoints.alike``) and searched, which finds everything that differs in looks only; then lines of the wanted text are looked
for one by one, and lines that share its rarest words are compared. Of two places that are about as like, the one that has whole
lines of the wanted text where they should be is the one that was meant.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from .codepoints import Difference, alike, differences
from .document import Document, decoded

__all__ = ["NearMiss", "nearest"]

_MOST_FOLDED = 1_000_000
"""Characters of a file that are folded: about a tenth of a second."""
_PLACES = 40
"""Places that are compared letter by letter."""
_COMPARED = 600
"""Characters of each that are."""
_ENOUGH = 0.5
_TOKEN = re.compile(r"\w+|\s+|.", re.DOTALL)
_TOKENS = 100
"""Words of a line that are aligned."""
_WORD = re.compile(r"\w{2,}")
_MOST_LINES = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class NearMiss:
    """A place that nearly matches.

    Attributes:
        first, last: its lines.
        text: what stands there, whole lines, exactly, with LF between them.
        likeness: 0 to 1; 1 where only looks differ.
        differences: how it differs from what was looked for.
    """

    first: int
    last: int
    text: str
    likeness: float
    differences: Sequence[Difference]


def nearest(document: Document, wanted: str) -> NearMiss | None:
    """The nearest place to a text, or ``None`` where nothing is like it.

    Args:
        document: the file.
        wanted: the text that does not stand there.
    """
    wanted = wanted.replace("\r\n", "\n")
    if not wanted.strip() or not document.lines.count:
        return None
    return _same_in_looks(document, wanted) or _most_alike(document, wanted)


def _same_in_looks(document: Document, wanted: str) -> NearMiss | None:
    body = decoded(document.body[:_MOST_FOLDED])
    text = body.replace("\r\n", "\n")
    if document.lines.classic:
        text = text.replace("\r", "\n")
    folded = alike(text)
    escaped = wanted.rstrip("\n").replace("\n", "\\n")
    for asked in (
        alike(wanted),
        alike(wanted, escapes=True),  # a model that escaped once too often
        alike(escaped),  # a file that holds source code
        alike(escaped.replace('"', '\\"')),
    ):
        sought = asked.strip("\n ")
        at = folded.find(sought) if sought else -1
        if at >= 0:
            first = folded.count("\n", 0, at) + 1
            return _near(document, wanted, first, first + sought.count("\n"), 1.0)
    return None


def _most_alike(document: Document, wanted: str) -> NearMiss | None:
    lines = [line for line in wanted.split("\n") if line.strip()][:_MOST_LINES]
    offset = next(at for at, line in enumerate(wanted.split("\n")) if line.strip())
    height = wanted.count("\n", 0, len(wanted.rstrip("\n"))) + 1
    best, likeness, most = 0, 0.0, 0.0
    runs = _runs(wanted[:_COMPARED])
    whole = [line.strip() for line in wanted.split("\n")[: offset + _MOST_LINES]]
    for first in _candidates(document, lines):
        start = max(1, first - offset)
        actual = _text(document, start, start + height - 1)
        ratio = _ratio(runs, actual[: 2 * _COMPARED])
        standing = _standing(whole, actual)
        if max(ratio, standing) >= _ENOUGH and ratio + standing > most:
            best, likeness, most = start, ratio, ratio + standing
    if not best:
        return None
    return _near(document, wanted, best, best + height - 1, likeness)


def _candidates(document: Document, wanted: Sequence[str]) -> Iterator[int]:
    """Lines where the wanted text may begin: where a line of it stands, then where its rarest words do."""
    body, numbers = document.body, document.lines
    seen: set[int] = set()
    for above, line in enumerate(wanted):
        for at in _offsets(body, line.strip().encode(errors="replace"), 8):
            seen.add(max(1, numbers.at(at) - above))
        if len(seen) >= _PLACES:
            break
    words = {word: above for above, line in reversed(list(enumerate(wanted))) for word in _WORD.findall(line)}
    rare = sorted((count, word) for word in list(words)[:200] if (count := body.count(word.encode(errors="replace"))))
    for _, word in rare[:6]:
        if len(seen) >= _PLACES:
            break
        for at in _offsets(body, word.encode(errors="replace"), 12):
            seen.add(max(1, numbers.at(at) - words[word]))
    yield from sorted(seen)[: 2 * _PLACES]


def _offsets(body: bytes, text: bytes, most: int) -> Iterator[int]:
    at = body.find(text) if len(text) > 1 else -1
    while at >= 0 and most:
        yield at
        most -= 1
        at = body.find(text, at + len(text))


def _ratio(wanted: Counter[str], actual: str) -> float:
    """How much of the wanted text stands in the other, which may be longer: the share of its runs of three characters."""
    return (wanted & _runs(actual)).total() / max(1, wanted.total())


def _standing(wanted: Sequence[str], actual: str) -> float:
    """How much of the wanted text are whole lines that stand in their places in the other: the share of their letters."""
    there = (line.strip() for line in actual.split("\n"))
    equal = sum(len(ours) for ours, theirs in zip(wanted, there, strict=False) if ours == theirs)
    return equal / max(1, sum(map(len, wanted)))


def _runs(text: str) -> Counter[str]:
    folded = " ".join(text.split())
    return Counter(folded[at : at + 3] for at in range(max(1, len(folded) - 2)))


def _text(document: Document, first: int, last: int) -> str:
    lines = document.lines
    return "\n".join(decoded(lines.content(number)) for number in range(first, min(last, lines.count) + 1))


def _near(document: Document, wanted: str, first: int, last: int, likeness: float) -> NearMiss:
    last = min(last, document.lines.count)
    text = _text(document, first, last)
    return NearMiss(
        first=first, last=last, text=text, likeness=likeness, differences=differences(*_trimmed(wanted.rstrip("\n"), text))
    )


def _trimmed(wanted: str, actual: str) -> tuple[str, str]:
    """The part of the file's lines that stands against the wanted text, which may begin and end within a line."""
    folded = alike(wanted)
    if "\n" in wanted or len(actual) > _COMPARED * 4 or not folded:
        return wanted, actual
    if folded not in alike(actual):
        ours, theirs = (list(_TOKEN.finditer(text))[:_TOKENS] for text in (wanted, actual))
        words = ([token[0] for token in ours], [token[0] for token in theirs])
        edges = [block for block in SequenceMatcher(None, *words, autojunk=False).get_matching_blocks() if block.size]
        if not edges:
            return wanted, actual
        first, last = edges[0], edges[-1]
        start = theirs[first.b].start() - ours[first.a].start()
        end = theirs[last.b + last.size - 1].end() + len(wanted) - ours[last.a + last.size - 1].end()
        return wanted, actual[max(0, start) : end]
    # The shortest piece that still folds to the same, found by halving; then the blanks that the wanted text has around it.
    size = len(actual)
    start = bisect_left(range(size), True, key=lambda at: folded not in alike(actual[at + 1 :]))
    end = bisect_left(range(size), True, key=lambda at: folded in alike(actual[start:at]))
    while wanted[:1].isspace() and start and actual[start - 1].isspace():
        start -= 1
    while wanted[-1:].isspace() and actual[end : end + 1].isspace():
        end += 1
    return wanted, actual[start:end]
