"""Replacing text: where it stands, literally, and what goes there instead.

A newline in the text that is looked for matches any terminator of the file, and one in the new text becomes the terminator of
the line where the match begins; with ``normalise`` off, both are bytes like all others. Nothing else is folded.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .document import Document, Splice
from .lines import Lines

__all__ = ["Match", "Replacement", "found", "lines_of", "replaced"]

_CRLF = b"\r\n"


class Match(NamedTuple):
    """Where a text stands: offsets in the body, the second one behind it. A tuple: there may be a million of them."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """What replacing does to a body.

    Attributes:
        matches: where the text stands, in order, not overlapping; those that are replaced.
        splices: the changes. Fewer than matches where the new text is what stands there.
        lines: the numbers of the lines where the matches begin, in the old body.
    """

    matches: Sequence[Match]
    splices: Sequence[Splice]
    lines: Sequence[int]


def replaced(document: Document, old: bytes, new: bytes, *, everywhere: bool = True, normalise: bool = True) -> Replacement:
    """Replace a text.

    Args:
        document: where.
        old: what is looked for; not empty.
        new: what takes its place.
        everywhere: all of them, from the left, not overlapping; otherwise the first.
        normalise: newlines match and become those of the file.
    """
    lines = document.lines
    matches: list[Match] = []
    for match in found(lines, old, normalise=normalise):
        matches.append(match)
        if not everywhere:
            break
    numbers = lines.all_at([match.start for match in matches])
    if (_folded(old) == _folded(new)) if normalise else (old == new):
        return Replacement(matches=matches, splices=[], lines=numbers)
    plain = _folded(new) if normalise else new
    if not normalise or b"\n" not in plain:
        splices = [Splice(start, end, plain) for start, end in matches]
    else:
        splices = [
            Splice(match.start, match.end, plain.replace(b"\n", lines.terminator_near(number)))
            for match, number in zip(matches, numbers, strict=True)
        ]
    return Replacement(matches=matches, splices=splices, lines=numbers)


def lines_of(after: Document, splices: Sequence[Splice]) -> Iterator[tuple[int, int]]:
    """The lines that hold what was written: the first and the last of each place; places on one line are one.

    Args:
        after: the file with the changes made.
        splices: the changes, as offsets in the file before.
    """
    first = last = shift = 0
    for start, end, data in splices:
        top = after.lines.at(start + shift)
        bottom = after.lines.at(start + shift + max(0, len(data) - 1))
        if first and top > last:
            yield first, last
            first = 0
        first, last = first or top, bottom
        shift += len(data) - (end - start)
    if first:
        yield first, last


def found(lines: Lines, text: bytes, *, normalise: bool = True) -> Iterator[Match]:
    """Where a text stands, from the left, not overlapping. Time is linear in the size of the body.

    Args:
        lines: where to look.
        text: what to look for; not empty.
        normalise: a newline in it matches any terminator of the file, as a whole.
    """
    body = lines.body
    wanted = _folded(text) if normalise else text
    if not normalise or b"\n" not in wanted:
        yield from _literal(body, wanted)
    elif lines.classic:
        yield from _literal(body, wanted.replace(b"\n", b"\r"))
    elif _CRLF not in body:
        yield from _literal(body, wanted)
    else:
        # Every CRLF counts as one byte, so that the search is for plain bytes (which is linear); then offsets are put back.
        breaks = [match.start - shift for shift, match in enumerate(_literal(body, _CRLF))]
        for match in _literal(_folded(body), wanted):
            yield Match(match.start + bisect_left(breaks, match.start), match.end + bisect_left(breaks, match.end))


def _literal(body: bytes, text: bytes) -> Iterator[Match]:
    at = body.find(text)
    while at >= 0:
        yield Match(at, at + len(text))
        at = body.find(text, at + len(text))


def _folded(text: bytes) -> bytes:
    return text.replace(_CRLF, b"\n")
