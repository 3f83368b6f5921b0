"""How like a name is to what somebody remembers of it."""

from __future__ import annotations

from difflib import SequenceMatcher

__all__ = ["Likeness"]

_FLOOR = 0.45


class Likeness:
    """Scores names against one text, and remembers what a name must reach to be worth a closer look.

    Args:
        wanted: what is remembered. With a slash it is compared with whole paths, otherwise with names.
        most: how many of the best are of interest.
    """

    def __init__(self, wanted: str, most: int) -> None:
        self._wanted = wanted.casefold().strip("/")
        self._whole = "/" in self._wanted
        self._matcher = SequenceMatcher(autojunk=False, b=self._wanted)
        self._most = most
        self._best: list[float] = []

    def score(self, path: str) -> float:
        """From 0 to 1; 0 for what is too unlike, or no longer of interest."""
        text = path.casefold()
        name = text if self._whole else text.rpartition("/")[2]
        stem = name.partition(".")[0] or name
        floor = min(self._best) if len(self._best) >= self._most else _FLOOR
        score = max(self._one(name, floor), 0.98 * self._one(stem, floor / 0.98) if stem != name else 0.0)
        if score >= floor:
            self._best.append(score)
            self._best.sort(reverse=True)
            del self._best[self._most :]
            return score
        return 0.0

    def _one(self, text: str, floor: float) -> float:
        if text == self._wanted:
            return 1.0
        if self._wanted in text:
            # What is named in full is nearer than what only resembles it; the less there is beside it the better.
            return 0.8 + 0.19 * len(self._wanted) / len(text)
        matcher = self._matcher
        matcher.set_seq1(text)
        if matcher.real_quick_ratio() < floor or matcher.quick_ratio() < floor:
            return 0.0
        return matcher.ratio() * (0.95 if _in_order(self._wanted, text) else 0.9)


def _in_order(wanted: str, text: str) -> bool:
    letters = iter(text)
    return all(letter in letters for letter in wanted)
