"""Edits of a text: one replacement, or lines inserted. Pure.

A line ends with a newline; what stands after the last one is a line as well. Line ends are kept as they are.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Edited", "insert", "lines_of", "occurrences", "replace_once"]


@dataclass(frozen=True, slots=True)
class Edited:
    """A text after an edit.

    Attributes:
        text: the whole of it.
        line: where the edit begins, counted from 1.
        count: how many lines it covers.
    """

    text: str
    line: int
    count: int


def lines_of(text: str) -> list[str]:
    """The lines of a text without their ends."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def occurrences(text: str, old: str) -> list[int]:
    """The lines in which ``old`` begins, one for each time, none of them overlapping."""
    found: list[int] = []
    at, line, counted = text.find(old), 1, 0
    while at >= 0:
        line += text.count("\n", counted, at)
        counted = at
        found.append(line)
        at = text.find(old, at + len(old))
    return found


def replace_once(text: str, old: str, new: str) -> Edited:
    """``old``, which occurs once, replaced by ``new``."""
    at = text.index(old)
    return Edited(text[:at] + new + text[at + len(old) :], text.count("\n", 0, at) + 1, new.count("\n") + 1)


def insert(text: str, after: int, inserted: str) -> Edited | None:
    """Lines inserted after line ``after`` (0 for the beginning); ``None`` where there is no such line."""
    lines = lines_of(text)
    if not 0 <= after <= len(lines):
        return None
    fresh = lines_of(inserted) or [""]
    ended = text.endswith("\n") or (not text and inserted.endswith("\n"))
    whole = "\n".join([*lines[:after], *fresh, *lines[after:]])
    return Edited(whole + "\n" if ended else whole, after + 1, len(fresh))
