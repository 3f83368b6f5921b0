"""A text as lines with the ends they had: LF or CRLF, nothing else ends a line. Put together they are the text again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Lines"]

_END = re.compile(r"\r?\n")


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines and what ends each; only the last may end with nothing."""

    contents: tuple[str, ...]
    ends: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Lines:
        """The lines of a text; an empty text has none."""
        ends = tuple(match.group() for match in _END.finditer(text))
        contents = tuple(_END.split(text))
        if contents[-1]:
            return cls(contents, (*ends, ""))
        return cls(contents[:-1], ends)

    @property
    def text(self) -> str:
        """The text."""
        return "".join(content + end for content, end in zip(self.contents, self.ends, strict=True))

    def reordered(self, contents: Sequence[str]) -> Lines:
        """As many other lines in these places: ends stay where they are."""
        return Lines(tuple(contents), self.ends)

    def only(self, kept: Sequence[int]) -> Lines:
        """Some of the lines, by index; whether the text ends with a line end stays as it is."""
        if not kept:
            return Lines((), ())
        ends = [self.ends[index] for index in kept]
        ends[-1] = self.ends[-1]
        return Lines(tuple(self.contents[index] for index in kept), tuple(ends))
