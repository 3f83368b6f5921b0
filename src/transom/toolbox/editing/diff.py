"""The unified diff of an edit, made from its splices: in the time that reading them takes, however large the file.

A comparison of two whole texts would take the square of it, and might tell another story than the one that happened.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .document import Document, Splice, decoded
from .lines import Lines

__all__ = ["unified_diff"]

_CONTEXT = 3
_NO_NEWLINE = "\\ No newline at end of file"


@dataclass(slots=True)
class _Block:
    """Neighbouring lines that change: numbers of old and new lines, the second ones behind the last."""

    old: int
    old_end: int
    new: int
    new_end: int


def unified_diff(document: Document, splices: Sequence[Splice], after: Document, name: str, *, most: int = 400) -> str:
    """What changes, as a unified diff with three lines of context.

    Args:
        document: before.
        splices: the changes.
        after: the same file with them made.
        name: the file's name, for the head.
        most: lines of diff at most; an ellipsis as the last one says that it goes on.

    Returns:
        The diff, empty where nothing changes. Line terminators are shown as LF; a changed one is marked by ``\\r`` at the
        line's end.
    """
    before, now = document.lines, after.lines
    if document.body == after.body:
        return ""
    shown = [f"--- a/{name}", f"+++ b/{name}"]
    for hunk in _hunks(_blocks(before, now, splices)):
        for line in _shown(before, now, hunk):
            if len(shown) >= most:
                return "\n".join([*shown, "…", ""])
            shown.append(line)
    return "\n".join([*shown, ""]) if len(shown) > 2 else ""


def _blocks(before: Lines, now: Lines, splices: Sequence[Splice]) -> Iterator[_Block]:
    if before.classic != now.classic and before.count and now.count:
        # What ends a line is no longer the same, so that every line may be another.
        splices = [Splice(0, len(before.body), now.body)]
    last: _Block | None = None
    shift = 0
    for splice in splices:
        start, end = splice.start + shift, splice.start + shift + len(splice.data)
        old, _ = _line(before, splice.start)
        new, _ = _line(now, start)
        old_end, old_whole = _line(before, splice.end)
        new_end, new_whole = _line(now, end)
        if not (old_whole and new_whole):  # what follows on the line belongs to it on both sides
            old_end, new_end = min(old_end, before.count) + 1, min(new_end, now.count) + 1
        shift += end - start - (splice.end - splice.start)
        if last is not None and (old <= last.old_end or new <= last.new_end):
            last.old_end, last.new_end = old_end, new_end
            continue
        if last is not None and (trimmed := _trimmed(before, now, last)):
            yield trimmed
        last = _Block(old, old_end, new, new_end)
    if last is not None and (trimmed := _trimmed(before, now, last)):
        yield trimmed


def _line(lines: Lines, offset: int) -> tuple[int, bool]:
    """The line that holds an offset, or one more than there are for the end; and whether a line begins there."""
    if offset == len(lines.body):
        return (lines.count + 1, True) if lines.ended else (lines.count, False)
    number = lines.at(offset)
    return number, lines.start(number) == offset


def _trimmed(before: Lines, now: Lines, block: _Block) -> _Block | None:
    """Without lines at either end that are the same on both sides; ``None``: all were."""
    while block.old < block.old_end and block.new < block.new_end and before.whole(block.old) == now.whole(block.new):
        block.old, block.new = block.old + 1, block.new + 1
    while (
        block.old < block.old_end
        and block.new < block.new_end
        and before.whole(block.old_end - 1) == now.whole(block.new_end - 1)
    ):
        block.old_end, block.new_end = block.old_end - 1, block.new_end - 1
    return block if block.old < block.old_end or block.new < block.new_end else None


def _hunks(blocks: Iterator[_Block]) -> Iterator[list[_Block]]:
    """Blocks whose context would touch; one after the other, as they are asked for."""
    hunk: list[_Block] = []
    for block in blocks:
        if hunk and block.old - hunk[-1].old_end > 2 * _CONTEXT:
            yield hunk
            hunk = []
        hunk.append(block)
    if hunk:
        yield hunk


def _shown(before: Lines, now: Lines, hunk: Sequence[_Block]) -> Iterator[str]:
    lead = min(_CONTEXT, hunk[0].old - 1)
    tail = min(_CONTEXT, before.count - hunk[-1].old_end + 1)
    old = (hunk[0].old - lead, hunk[-1].old_end + tail)
    new = (hunk[0].new - lead, hunk[-1].new_end + tail)
    yield f"@@ -{_range(*old)} +{_range(*new)} @@"
    at = old[0]
    for block in hunk:
        yield from _lines(before, range(at, block.old), " ")
        yield from _lines(before, range(block.old, block.old_end), "-", against=now, numbers=range(block.new, block.new_end))
        yield from _lines(now, range(block.new, block.new_end), "+", against=before, numbers=range(block.old, block.old_end))
        at = block.old_end
    yield from _lines(before, range(at, old[1]), " ")


def _range(first: int, behind: int) -> str:
    size = behind - first
    # An empty range names the line before it: the rule of diff(1).
    return f"{first if size else first - 1}" + ("" if size == 1 else f",{size}")


def _lines(
    lines: Lines, numbers_of: range, sign: str, *, against: Lines | None = None, numbers: range = range(0)
) -> Iterator[str]:
    for at, number in enumerate(numbers_of):
        content, terminator = lines.content(number), lines.terminator(number)
        text = decoded(content)
        if against is not None and terminator == b"\r\n" and at < len(numbers) and against.content(numbers[at]) == content:
            text += "\r"  # only the terminator differs
        yield sign + text
        if not terminator:
            yield _NO_NEWLINE
