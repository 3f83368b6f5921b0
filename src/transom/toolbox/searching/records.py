"""What a search process writes, taken in pieces as it comes, and the two bounds on how much of it is kept."""

from __future__ import annotations

import re
from collections import Counter

from .query import Raw

__all__ = ["Records"]

_PLACE = re.compile(rb"(\d{1,12}):(?:(\d{1,12}):)?")
_OMITTED = re.compile(rb"\[Omitted long (?:matching line|line with \d+ matches)\]\r?")
_SEARCHED = re.compile(rb"^(\d+) files searched$", re.MULTILINE)
_LONGEST = 1 << 20


class Records:
    """Takes the output of one search.

    Args:
        most, per_file: hits to keep, altogether and of one file.
    """

    def __init__(self, most: int, per_file: int) -> None:
        self._most = most
        self._per_file = per_file
        self._rest = b""
        self._of: Counter[bytes] = Counter()
        # Most likely binary, of which nothing will be shown: its lines must not use up what is kept of all files.
        self._odd: set[bytes] = set()
        self.hits: list[Raw] = []
        self.fuller: set[bytes] = set()
        self.capped = False

    def take(self, piece: bytes) -> bool:
        """The next piece; whether more is wanted."""
        data = self._rest + piece
        at = 0
        while not self.capped:
            path_end = data.find(b"\0", at)
            end = data.find(b"\n", path_end + 1) if path_end >= 0 else -1
            if end < 0:
                break
            self._keep(data[at:path_end], data[path_end + 1 : end])
            at = end + 1
        self._rest = data[at:]
        # No record is so long: whatever writes this is no search.
        return not self.capped and len(self._rest) <= _LONGEST

    def _keep(self, path: bytes, rest: bytes) -> None:
        found = _PLACE.match(rest)
        if found is None:
            return
        text = rest[found.end() :]
        if self._of[path] >= self._per_file or path in self._odd:
            self.fuller.add(path)
        elif len(self.hits) >= self._most:
            self.capped = True
        else:
            self._of[path] += 1
            if b"\0" in text:
                self._odd.add(path)
            self.hits.append(Raw(path, int(found[1]), int(found[2] or 0), None if _OMITTED.fullmatch(text) else text))

    @property
    def searched(self) -> int | None:
        """How many files the search says it has read; ``None`` until it has ended."""
        found = _SEARCHED.search(self._rest)
        return int(found[1]) if found else None
