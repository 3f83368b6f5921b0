"""Room: how many tokens an answer may have, and what fits into them.

Pure. Every text that leaves this package went through ``clamp``; views are built to fit, so that it has nothing to cut.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...vocabulary.words import MARK_CLOSE, MARK_OPEN

__all__ = ["SMALLEST", "Room"]

SMALLEST = 128
"""Tokens below which no view has room for its heading, a line and the call that gives the next one."""


@dataclass(frozen=True, slots=True)
class Room:
    """What an answer must fit into.

    Attributes:
        budget: tokens.
        count: tokens of a text; must not count a beginning of a text higher than the text by more than a few tokens.
    """

    budget: int
    count: Callable[[str], int]

    @property
    def brief(self) -> bool:
        """Whether addresses have to be cut, so that something is left for the text."""
        return self.budget < 3 * SMALLEST

    def fits(self, text: str) -> bool:
        """Whether a text fits. One that is far too long is not counted."""
        return len(text) <= self.characters and self.count(text) <= self.budget

    @property
    def characters(self) -> int:
        """More characters than this are not worth counting: no prose has so many a token."""
        return self.budget * 16

    def most(self, upper: int, build: Callable[[int], str]) -> int:
        """The largest number up to ``upper`` whose text fits; 0 where not even that of 1 does.

        Counts about log2(``upper``) texts.
        """
        low, high = 0, upper
        while low < high:
            middle = (low + high + 1) // 2
            if self.fits(build(middle)):
                low = middle
            else:
                high = middle - 1
        return low

    def clamp(self, text: str, cut: str) -> str:
        """The text, cut at its end where it does not fit; ``cut`` says so."""
        if self.fits(text):
            return text
        mark = f"{MARK_OPEN}{cut}{MARK_CLOSE}"
        return text[: self.most(min(len(text), self.characters), lambda length: text[:length] + mark)] + mark
