"""What is looked for, and what was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ..access.place import Place
from .globs import Globs

__all__ = ["Found", "Hit", "Query", "Raw"]


@dataclass(frozen=True, kw_only=True)
class Query:
    """A search for text in files.

    Attributes:
        pattern: what to look for, within one line.
        literal: it is text, not a regular expression.
        ignore_case: upper and lower case are the same.
        globs: in which files.
        excluded: names of folders that are not looked into.
        depth: levels of folders.
        file_bytes: largest file.
        file_lines: lines of a file that are searched.
        per_file, most: lines with hits, of one file and altogether.
        seconds: how long it may take.
    """

    pattern: str
    literal: bool = False
    ignore_case: bool = False
    globs: Globs = field(default_factory=Globs)
    excluded: frozenset[str] = frozenset()
    depth: int = 50
    file_bytes: int = 10_000_000
    file_lines: int | None = None
    per_file: int = 500
    most: int = 2_000
    seconds: float = 3.0


class Raw(NamedTuple):
    """What a search process says: a path as it wrote it, a line, a byte in it (both from 1), and the line unless it is long.

    The byte is 0 where ripgrep tells none: for what matches nothing but the end of a last line without a terminator.
    """

    path: bytes
    line: int
    column: int
    text: bytes | None


@dataclass(frozen=True, slots=True)
class Hit:
    """A line that matches.

    Attributes:
        path: from where the search began, with ``/``.
        place: the file.
        line: its number, from 1.
        column: the byte at which the first match begins, from 1.
        text: the line, or what is around the match; as it is in the file, UTF-16 and UTF-32 as UTF-8.
        at: where in ``text`` the match begins.
        before, after: more of the line lies before and after ``text``.
        mark: the encoding that the file begins by naming; empty for none.
    """

    path: str
    place: Place
    line: int
    column: int
    text: bytes
    at: int
    before: bool = False
    after: bool = False
    mark: str = ""

    @property
    def shown(self) -> str:
        """The file as a model sees it."""
        return self.place.shown


@dataclass(frozen=True, kw_only=True)
class Found:
    """What a search came to.

    Attributes:
        hits: by path, then by line.
        complete: everything was searched; otherwise the time was up.
        capped: there are more than ``Query.most``, so the search was ended.
        fuller: files that have more than ``Query.per_file``.
        searched: how many files were; ``None`` where that is not known.
        skipped: how many files were not searched, or not to their end, by reason: ``size``, ``binary``, ``line_cap``,
            ``unreadable``, ``changed``; and ``excluded``: folders.
        counted: ``skipped`` is complete.
        engine: what searched.
    """

    hits: list[Hit]
    complete: bool
    capped: bool
    fuller: frozenset[str]
    searched: int | None
    skipped: Mapping[str, int]
    counted: bool
    engine: Literal["ripgrep", "python"]
