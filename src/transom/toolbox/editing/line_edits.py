"""Edits by line number: delete, insert, move, append. Each gives the splices that make it and names the lines it made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .document import Document, Splice
from .lines import Lines
from .refusal import EditRefused

__all__ = ["Edit", "appended", "checked_range", "deleted", "inserted", "moved"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What an edit does to a body.

    Attributes:
        splices: the changes, in order. None: nothing changes.
        first, last: the lines of the new body that hold what is new; of a deletion, the lines of the old body that went.
    """

    splices: Sequence[Splice]
    first: int
    last: int


def checked_range(lines: Lines, first: int, last: int | None) -> tuple[int, int]:
    """A range of existing lines, both ends included; without an end, one line.

    Raises:
        EditRefused: ``out_of_range``: reversed, or not within the file.
    """
    end = first if last is None else last
    if end < first:
        raise EditRefused("out_of_range", "reversed_range", first=first, last=end)
    if first < 1 or end > lines.count:
        reason = "no_lines" if not lines.count else "no_such_line"
        raise EditRefused("out_of_range", reason, line=first if first < 1 or first > lines.count else end, count=lines.count)
    return first, end


def deleted(document: Document, first: int, last: int | None = None) -> Edit:
    """Remove lines with their own terminators.

    Raises:
        EditRefused: as ``checked_range``.
    """
    lines = document.lines
    first, end = checked_range(lines, first, last)
    return Edit(splices=[Splice(lines.start(first), lines.end(end), b"")], first=first, last=end)


def inserted(document: Document, number: int, content: bytes) -> Edit:
    """Put lines in front of line ``number``, or after the last line.

    Args:
        document: where.
        number: 1 to one more than there are lines.
        content: what; one newline at its end is no further line. Every new line ends as the line above it does, else as
            the one below, else with LF; a file without a final newline stays without one.

    Raises:
        EditRefused: ``out_of_range``.
    """
    lines = document.lines
    if not 1 <= number <= lines.count + 1:
        raise EditRefused("out_of_range", "no_place", line=number, count=lines.count, most=lines.count + 1)
    new = lines.split(content)
    terminator = lines.terminator_near(number - 1)
    if number == lines.count + 1 and not lines.ended:
        data = b"".join(terminator + line for line in new)
    else:
        data = b"".join(line + terminator for line in new)
    at = len(lines.body) if number > lines.count else lines.start(number)
    return Edit(splices=[Splice(at, at, data)], first=number, last=number + len(new) - 1)


def moved(document: Document, origin: int, target: int) -> Edit:
    """Take line ``origin`` out and put it back so that it is line ``target``; it keeps its terminator.

    A file that ends without a newline still does: what would become its last line gives its terminator to the line that
    had none.

    Raises:
        EditRefused: ``out_of_range``.
    """
    lines = document.lines
    for number in (origin, target):
        checked_range(lines, number, number)
    if origin == target:
        return Edit(splices=[], first=target, last=target)
    line, at = lines.whole(origin), lines.start(target) if target < origin else lines.end(target)
    if not lines.ended and lines.count in {origin, target}:
        return _moved_unended(lines, origin, target)
    gone, put = Splice(lines.start(origin), lines.end(origin), b""), Splice(at, at, line)
    return Edit(splices=[put, gone] if target < origin else [gone, put], first=target, last=target)


def _moved_unended(lines: Lines, origin: int, target: int) -> Edit:
    """The same where the last line, which has no terminator, moves or gets a line behind it."""
    last = lines.count
    if origin == last:
        freed = lines.terminator(last - 1)
        start = lines.end(last - 1) - len(freed)
        splices = [Splice(lines.start(target), lines.start(target), lines.content(last) + freed)]
    else:
        freed = lines.terminator(origin)
        start = len(lines.body)
        splices = [Splice(lines.start(origin), lines.end(origin), b"")]
    new_end = b"" if origin == last else freed + lines.content(origin)
    return Edit(splices=[*splices, Splice(start, len(lines.body), new_end)], first=target, last=target)


def appended(document: Document, content: bytes) -> Edit:
    """Put text at the very end, no newline before it or after it; newlines in it become those of the file's last line,
    if there is any in the file.

    Returns:
        Its lines are those that the new text stands in.
    """
    lines = document.lines
    new = content
    if lines.count > 1 or (lines.count and lines.ended):
        terminator = lines.terminator_near(lines.count)
        new = content.replace(b"\r\n", b"\n").replace(b"\n", terminator)
    first = lines.count + 1 if lines.ended else lines.count
    size = len(lines.body)
    breaks = max(1, len(lines.split(content)))
    return Edit(splices=[Splice(size, size, new)] if new else [], first=first, last=first + breaks - 1)
