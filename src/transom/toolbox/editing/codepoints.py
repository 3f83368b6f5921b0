"""How two texts that look alike differ: the code points of each, by name."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from typing import Literal, NamedTuple

__all__ = ["Difference", "Kind", "alike", "differences", "named", "spelled"]

Kind = Literal["characters", "blanks", "trailing_blanks", "form", "case", "escaped_break", "real_break", "escape"]
"""Other characters; other white space; at a line's end; another Unicode form; another case; a backslash and an n against a line
break, and the other way round; a backslash too many."""

_LOOKALIKES = str.maketrans(
    {
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-"),
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc\u00b4`", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f", None),
        **dict.fromkeys("\u1680\u180e\u2028\u2029\u0085", " "),
    }
)
_BLANKS = re.compile(r"[ \t\v\f\r\x1c-\x1f]+")
_AROUND = re.compile(r"^ | $", re.MULTILINE)
_ESCAPED = re.compile(r"\\r\\n|\\n")
_BACKSLASHED = re.compile(r"\\(?=[\"'\\])")
_STRETCH = 64
"""Characters that are aligned at once."""
_MOST_NAMED = 8
_FEW = 3
"""Different characters that are told apart by name; more are read more easily as text."""
_LONGEST = 80
_MOST_FOLLOWED = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One place where the wanted text and the file's differ.

    Attributes:
        kind: in what way.
        wanted, actual: the pieces, as they are; either may be empty.
        line: which line of the place, from 0.
    """

    kind: Kind
    wanted: str
    actual: str
    line: int


def named(text: str) -> str:
    """The code points of a short text, with names: ``U+00A0 NO-BREAK SPACE``. Repeated ones are counted."""
    shown: list[str] = []
    for letter, run in _runs(text):
        name = _OWN_NAMES.get(letter) or unicodedata.name(letter, "")
        shown.append(f"U+{ord(letter):04X}{' ' + name if name else ''}" + (f" × {run}" if run > 1 else ""))
    extra = len(shown) - _MOST_NAMED
    return " + ".join(shown[:_MOST_NAMED]) + (f" + {extra} more" if extra > 0 else "")


def spelled(wanted: str, actual: str) -> tuple[str, str]:
    """Both sides of a difference: a few characters by name, more as text in quotes, where what cannot be seen is escaped."""
    if alike(wanted) == alike(actual) or all(sum(1 for _ in _runs(text)) <= _FEW for text in (wanted, actual)):
        return named(wanted), named(actual)
    ours, theirs = (repr(text[:_LONGEST]) + ("…" if len(text) > _LONGEST else "") if text else "" for text in (wanted, actual))
    return ours, theirs


_OWN_NAMES = {"\t": "TAB", "\n": "LINE FEED", "\r": "CARRIAGE RETURN"}


def _runs(text: str) -> Iterator[tuple[str, int]]:
    at = 0
    while at < len(text):
        end = at
        while end < len(text) and text[end] == text[at]:
            end += 1
        yield text[at], end - at
        at = end


def alike(text: str, *, escapes: bool = False) -> str:
    """A text with everything folded that a reader may take for the same: forms, dashes, quotes, blanks, case. Lines stay lines.

    Args:
        text: with LF between lines.
        escapes: take a backslash and an n for a line break, and a backslash before a quote for nothing.
    """
    if escapes:
        text = _BACKSLASHED.sub("", _ESCAPED.sub("\n", text))
    folded = unicodedata.normalize("NFKC", text.translate(_LOOKALIKES)).translate(_LOOKALIKES)
    return _AROUND.sub("", _BLANKS.sub(" ", folded)).casefold()


def differences(wanted: str, actual: str) -> Sequence[Difference]:
    """Where two texts differ, in order, the first few.

    From one difference to the next what is equal is skipped, and only a short stretch is aligned: time does not grow with the
    square of the texts. Two texts that have nothing in common for so long are not followed further. Where a line differs in
    more than a few characters, it differs once: from the first word to the last.

    Args:
        wanted, actual: with LF between lines.
    """
    found: list[_Piece] = []
    a = c = 0
    while len(found) < _MOST_FOLLOWED:
        same = _common(wanted, a, actual, c)
        a, c = a + same, c + same
        if a == len(wanted) and c == len(actual):
            break
        mine, their = wanted[a : a + _STRETCH], actual[c : c + _STRETCH]
        blocks = SequenceMatcher(None, mine, their, autojunk=False).get_matching_blocks()
        block = blocks[0]
        kind, ours, theirs = _widened(wanted, actual, (a, a + block.a), (c, c + block.b))
        found.append(_Piece(kind, ours, theirs, actual.count("\n", 0, theirs[0])))
        if not block.size:
            break
        a, c = a + block.a, c + block.b
    told: list[Difference] = []
    for _, group in groupby(found, key=lambda piece: piece.line):
        for kind, ours, theirs, line in _joined(wanted, actual, list(group)):
            difference = Difference(kind=kind, wanted=wanted[slice(*ours)], actual=actual[slice(*theirs)], line=line)
            if not told or told[-1] != difference:
                told.append(difference)
    return told[:_MOST_NAMED]


class _Piece(NamedTuple):
    kind: Kind
    ours: tuple[int, int]
    theirs: tuple[int, int]
    line: int


def _joined(wanted: str, actual: str, pieces: list[_Piece]) -> list[_Piece]:
    """The differences of one line: as one, grown to whole words, where it is not looks alone in which they differ."""
    texts = {(wanted[slice(*piece.ours)], actual[slice(*piece.theirs)]) for piece in pieces if piece.kind == "characters"}
    if sum(max(len(ours), len(theirs)) for ours, theirs in texts if alike(ours) != alike(theirs)) <= _FEW:
        return pieces
    (a, _), (c, _) = pieces[0].ours, pieces[0].theirs
    (_, b), (_, d) = pieces[-1].ours, pieces[-1].theirs
    while a and c and wanted[a - 1] == actual[c - 1] and _is_of_word(wanted[a - 1]):
        a, c = a - 1, c - 1
    while b < len(wanted) and d < len(actual) and wanted[b] == actual[d] and _is_of_word(wanted[b]):
        b, d = b + 1, d + 1
    return [_Piece("characters", (a, b), (c, d), pieces[0].line)]


def _is_of_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


def _common(wanted: str, a: int, actual: str, c: int) -> int:
    """How many characters are the same from two places on."""
    same = 0
    most = min(len(wanted) - a, len(actual) - c)
    while same < most and wanted[a + same] == actual[c + same]:
        same += 1
    return same


def _widened(
    wanted: str, actual: str, ours: tuple[int, int], theirs: tuple[int, int]
) -> tuple[Kind, tuple[int, int], tuple[int, int]]:
    """What kind of difference it is; its pieces grown to whole runs of blanks and whole characters."""
    (a, b), (c, d) = ours, theirs
    mine, their = wanted[a:b], actual[c:d]
    if "\\" in mine and "\n" in their and wanted[a : b + 1].startswith(("\\n", "\\r")):
        return "escaped_break", (a, b if mine.endswith("n") else b + 1), (c, d)
    if "\n" in mine and "\\" in their:
        return "real_break", (a, b), (c, d if their.endswith("n") else d + 1)
    if mine == "\\" and not their:
        return "escape", (a, b), (c, d)
    if (mine + their).strip(" \t\xa0\u202f\u2009") == "" and mine + their:
        while a > 0 and c > 0 and wanted[a - 1] == actual[c - 1] and wanted[a - 1] in " \t":
            a, c = a - 1, c - 1
        while b < len(wanted) and d < len(actual) and wanted[b] == actual[d] and wanted[b] in " \t":
            b, d = b + 1, d + 1
        at_end = b == len(wanted) or wanted[b] == "\n" if b > a else d == len(actual) or actual[d] == "\n"
        return ("trailing_blanks" if at_end else "blanks"), (a, b), (c, d)
    if any(unicodedata.combining(piece[:1] or "a") for piece in (mine, their)):
        a, c = (a - 1, c - 1) if a and c and wanted[a - 1] == actual[c - 1] else (a, c)
        mine, their = wanted[a:b], actual[c:d]
    if unicodedata.normalize("NFC", mine) == unicodedata.normalize("NFC", their):
        return "form", (a, b), (c, d)
    if mine.casefold() == their.casefold():
        return "case", (a, b), (c, d)
    return "characters", (a, b), (c, d)
