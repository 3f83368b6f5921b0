"""What stands where a search process says that something was found: read anew by us, from the open folder.

A search process goes by paths, and somebody may put a link in the place of a folder while it runs. So nothing of what it wrote
is shown: each file is opened as every other file is, and only what stands there is a hit.
"""

from __future__ import annotations

import codecs
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

from ...safety.binary import is_binary
from ..access.intents import TEMPORARY
from ..access.place import Place
from ..tool import Refused
from .query import Hit, Query, Raw

__all__ = ["hits"]

_AROUND = 1_200
"""Bytes kept before and after a match in a long line: 300 characters in any script."""
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SKIPPED = {"too_large": "size", "outside_root": "changed", "not_found": "changed", "not_a_file": "changed"}


def hits(
    where: Callable[[Sequence[str]], Place],
    raws: Iterable[Raw],
    query: Query,
    skipped: Counter[str],
    halt: Callable[[], None],
) -> Iterator[Hit]:
    """The hits that are there.

    Args:
        where: what the segments of a path mean.
        raws: what it wrote.
        query: what it was asked.
        skipped: counts files that are left out, by reason.
        halt: called between files; what it raises ends the work.
    """
    for path, found in groupby(raws, key=lambda raw: raw.path):
        halt()
        segments = [name for name in os.fsdecode(path).replace(os.sep, "/").split("/") if name not in {"", "."}]
        if TEMPORARY.fullmatch(segments[-1]):
            continue
        place = where(segments)
        try:
            data = place.read(query.file_bytes)
        except Refused as refusal:
            skipped[_SKIPPED.get(refusal.error, "unreadable")] += 1
            continue
        if is_binary(data):
            skipped["binary"] += 1
            continue
        yield from _in_file(_File("/".join(segments), place, *_as_text(data)), list(found), query, skipped)


class _File:
    def __init__(self, path: str, place: Place, body: bytes, mark: str) -> None:
        self.path = path
        self.place = place
        self.body = body
        self.mark = mark
        self.classic = b"\n" not in body and b"\r" in body
        self._line = 1
        self._start = 0

    def line(self, number: int) -> tuple[int, int] | None:
        """Where a line begins and ends, as far as LF ends it; lines are asked for in order."""
        while self._line < number:
            end = self.body.find(b"\n", self._start)
            if end < 0:
                return None
            self._start, self._line = end + 1, self._line + 1
        end = self.body.find(b"\n", self._start)
        return self._start, len(self.body) if end < 0 else end


def _as_text(data: bytes) -> tuple[bytes, str]:
    for mark, name in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(name, "replace").encode("utf-8", "replace"), name
    return data.removeprefix(codecs.BOM_UTF8), ""


def _in_file(file: _File, raws: list[Raw], query: Query, skipped: Counter[str]) -> Iterator[Hit]:
    for raw in raws:
        if query.file_lines is not None and raw.line > query.file_lines:
            skipped["line_cap"] += 1
            return
        bounds = file.line(raw.line)
        column = _column(file.body[bounds[0] : bounds[1]], raw) if bounds is not None else None
        if bounds is None or column is None:
            skipped["changed"] += 1
            return
        start, end = bounds
        match = start + column - 1
        number = raw.line
        if file.classic:
            # Lone carriage returns end lines there, for everybody who reads or edits the file.
            number = file.body.count(b"\r", 0, match) + 1
            start = file.body.rfind(b"\r", 0, match) + 1
            following = file.body.find(b"\r", match)
            end = end if following < 0 else following
        elif file.body[end - 1 : end] == b"\r" and end > start:
            end -= 1
        left, right = _cut(file.body, start, match - _AROUND, -1), _cut(file.body, end, match + _AROUND, 1)
        yield Hit(
            path=file.path,
            place=file.place,
            line=number,
            column=match - start + 1,
            text=file.body[left:right],
            at=match - left,
            before=left > start,
            after=right < end,
            mark=file.mark,
        )


def _column(line: bytes, raw: Raw) -> int | None:
    """Where in a line the match begins, from 1; ``None`` when it is not the line that was found."""
    line = line.removesuffix(b"\r")
    if raw.text is None:
        return raw.column if raw.column <= len(line) + 1 else None
    text = raw.text.rstrip(b"\r")
    if text == line.rstrip(b"\r") and raw.column <= len(line) + 1:
        return raw.column or len(line) + 1
    # Where no byte is told, a line that begins like one is taken for it.
    return len(line) + 1 if b"%d:%b" % (raw.column, text) == line.rstrip(b"\r") else None


def _cut(body: bytes, border: int, wanted: int, step: int) -> int:
    """A place near the wanted one, not outside the line, where no character of UTF-8 is cut through."""
    if (wanted - border) * step >= 0:
        return border
    for _ in range(3):
        if body[wanted] & 0xC0 != 0x80:
            break
        wanted += step
    return wanted
