"""The folders that may be reached, and which of them an absolute path lies in.

Knows no links below a root. A root is known by the path it was given as and by its real one (``/tmp`` and ``/private/tmp``).
Comparison is by whole segments and exact: two names that differ in case may be two folders, except on Windows.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

__all__ = ["Root", "Roots", "segments_of"]

_SEPARATORS = tuple(filter(None, (os.sep, os.altsep)))


def segments_of(text: str) -> list[str]:
    """A path's segments; empty ones and single dots dropped, double dots kept. A drive is the first segment."""
    for separator in _SEPARATORS:
        text = text.replace(separator, "/")
    return [segment for segment in text.split("/") if segment not in {"", "."}]


@dataclass(frozen=True, slots=True)
class Root:
    """One allowed folder.

    Attributes:
        given: its absolute path as it was named.
        real: the same with all links resolved.
    """

    given: str
    real: str

    def inside(self, segments: Sequence[str]) -> list[str] | None:
        """The segments of an absolute path that lie below this root, or ``None``."""
        for own in (segments_of(self.given), segments_of(self.real)):
            # Windows takes names that differ in case for one; elsewhere nothing is changed by this.
            if [os.path.normcase(name) for name in segments[: len(own)]] == [os.path.normcase(name) for name in own]:
                return list(segments[len(own) :])
        return None


class Roots:
    """The allowed folders, in order.

    Args:
        given: their paths. Those that do not exist, or are no folders, are left out and kept in ``missing``.
    """

    def __init__(self, given: Iterable[str | PurePath]) -> None:
        self.all: list[Root] = []
        self.missing: list[str] = []
        for path in given:
            absolute = os.path.abspath(path)  # noqa: PTH100 - links are kept, and resolved beside it
            real = os.path.realpath(absolute)
            if not os.path.isdir(real):  # noqa: PTH112
                self.missing.append(absolute)
            elif all(root.real != real for root in self.all):
                self.all.append(Root(absolute, real))

    def find(self, text: str) -> tuple[Root, list[str]] | None:
        """The innermost root that an absolute path lies in, and the segments below it."""
        segments = segments_of(text)
        found = [(root, rest) for root in self.all if (rest := root.inside(segments)) is not None]
        return min(found, key=lambda item: len(item[1]), default=None)
