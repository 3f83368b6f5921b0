"""Numbers and names that come up again and again: ports, versions, hashes, tickets, addresses, symbols.

Knows text. What recurs in different messages is what the work is about; each is shown with the words around its first mention,
since a bare number says nothing.
"""

from __future__ import annotations

import re

from .form import BREAKS
from .notes import Recurring

__all__ = ["Tally"]

_NAMED = re.compile(
    r"https?://[^\s<>\"'`)\]}|\\]+"
    r"|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
    r"|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b"
    r"|\b[A-Z][A-Z0-9]+-\d+\b|(?<![\w&])#\d{1,6}\b"
    r"|\bv?\d+\.\d+(?:\.\d+)+(?:-[\w.]+)?\b|\bv\d+\.\d+\b"
    r"|\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b"
    r"|(?<![\w.,/#-])\d{1,3}(?:,\d{3})+(?![\w.]\d)|(?<![\w.,/#:-])\d{3,12}(?:\.\d+)?%?(?![\w,-]|\.\d)|(?<![\w./#-])\d+(?:\.\d+)?%"
    r"|(?<=:)\d{3,5}(?![\w:.])"
    r"|\b[a-z]+(?:[A-Z][a-z0-9]+){1,6}\b|\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+){1,6}\b|\b[a-z][a-z0-9]+(?:_[a-z0-9]+)+\b"
)
_SINGULAR = re.compile(
    r"https?://|(?=[0-9a-f-]*\d)(?=[0-9a-f-]*[a-f])[0-9a-f]{7,40}$|[0-9a-f]{8}-[0-9a-f-]{27}$|[A-Z][A-Z0-9]+-\d+$|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$"
)
_AROUND_WORDS = ".,;:()[]{}<>\"'`*!?"
_AROUND = 34
_YEAR = re.compile(r"(?:19|20)\d\d$")


class Tally:
    """Counts candidates over the messages of a span, in how many of them each came up."""

    __slots__ = ("_context", "_count", "_found", "_said")

    def __init__(self) -> None:
        self._count: dict[str, int] = {}
        self._context: dict[str, str] = {}
        self._said: dict[str, int] = {}
        self._found: dict[str, tuple[str, ...]] = {}

    def add(self, text: str, *, said: bool) -> None:
        """Count the candidates of one text once each.

        Args:
            said: a person or the model said it; what stands in calls and results counts less.
        """
        seen: set[str] = set()
        # Words repeat, so each is looked into once for all texts.
        for piece in dict.fromkeys(text.split()):
            found = self._found.get(piece)
            if found is None:
                found = self._found[piece] = _named(piece)
            for word in found:
                if word not in seen:
                    seen.add(word)
                    self._count[word] = self._count.get(word, 0) + 1
                    if said:
                        self._said[word] = self._said.get(word, 0) + 1
                        if word not in self._context:
                            self._context[word] = _around(text, word)

    def notes(self, most: int) -> tuple[Recurring, ...]:
        """Those that came up in two messages at least, the most telling first."""
        found = [
            word
            for word, count in self._count.items()
            if count > 1 + (word.isdigit() and len(word) < 4) and (word in self._said or _distinct(word))
        ]
        found.sort(key=self._rank, reverse=True)
        return tuple(Recurring(word, self._count[word], self._context.get(word, "")) for word in found[:most])

    def _rank(self, word: str) -> float:
        telling = 0.5 if _YEAR.match(word) else 3.0 if _distinct(word) else 2.0 if word[0].isdigit() else 1.0
        return telling * (min(self._said.get(word, 0), 8) * 3 + min(self._count[word], 12))


def _named(piece: str) -> tuple[str, ...]:
    bare = piece.strip(_AROUND_WORDS)
    if bare.isalpha() and (bare.islower() or bare.istitle()):
        return ()
    return tuple(word.rstrip(".,;:") for word in _NAMED.findall(piece[:240]))


def _distinct(word: str) -> bool:
    """Hashes, addresses, tickets, settings: never mere vocabulary."""
    return _SINGULAR.match(word) is not None


def _around(text: str, word: str) -> str:
    """The words around the first mention, on one line; empty where they would add nothing."""
    start = text.find(word)
    end = start + len(word)
    left = max(start - _AROUND, 0)
    if left:
        left = text.find(" ", left, start) + 1 or start
    right = text.find(" ", end + _AROUND // 2, end + _AROUND)
    right = right if right >= 0 else min(end + _AROUND // 2, len(text))
    around = (BREAKS.split(text[left:start])[-1] + word + BREAKS.split(text[end:right])[0]).strip()
    return around if len(around.split()) > 2 else ""
