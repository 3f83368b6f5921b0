"""How the lines of a patch are indented in the file that it goes into, where the two differ.

Learnt from the lines that a patch and a file share. A patch in blanks for a file in tabs (or the other way round) is written as
the file is; where the shared lines do not say how, nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["Indenting"]


class Indenting:
    """How a patch and a file indent the lines that both have.

    Args:
        pairs: each such line, as the patch and as the file have it.
    """

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        leads = [(_lead(ours), _lead(theirs)) for ours, theirs in pairs if ours.strip()]
        self._known = dict(leads)
        self._certain = all(self._known[ours] == theirs for ours, theirs in leads)
        self._others = [(ours, theirs) for ours, theirs in leads if ours != theirs]
        self._width = _width(self._others)
        self._margin = _margin(leads)

    def of(self, line: str) -> str | None:
        """A new line of the patch as the file would have it.

        Returns:
            ``None``: the shared lines do not say how, and it would mix two kinds of indentation.
        """
        lead = _lead(line)
        if not self._others or not line.strip():
            return line
        found = self._known.get(lead) if self._certain else None
        if found is None:
            found = self._worked_out(lead)
        if found is None:
            foreign = set(lead) - {letter for theirs in self._known.values() for letter in theirs}
            return None if foreign else line
        return found + line[len(lead) :]

    def _worked_out(self, lead: str) -> str | None:
        if self._width is not None:
            blanks, tabs = self._width
            if blanks and not lead.strip(" ") and len(lead) % blanks == 0:
                return "\t" * (len(lead) // blanks)
            if tabs and not lead.strip("\t"):
                return " " * (len(lead) * tabs)
        if self._margin is not None:
            ours, theirs = self._margin
            if lead.startswith(ours):
                return theirs + lead[len(ours) :]
        return None


def _lead(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _width(pairs: list[tuple[str, str]]) -> tuple[int, int] | None:
    """How many blanks of the patch are a tab of the file, or how many of the file a tab of the patch; the other is 0."""
    blanks = {_of_tabs(ours, theirs) for ours, theirs in pairs}
    if len(blanks) == 1 and (found := blanks.pop()):
        return found, 0
    tabs = {_of_tabs(theirs, ours) for ours, theirs in pairs}
    if len(tabs) == 1 and (found := tabs.pop()):
        return 0, found
    return None


def _of_tabs(blanks: str, tabs: str) -> int:
    """How many blanks a tab is; 0: they are not blanks and tabs that go up."""
    if not blanks or not tabs or blanks.strip(" ") or tabs.strip("\t") or len(blanks) % len(tabs):
        return 0
    return len(blanks) // len(tabs)


def _margin(pairs: list[tuple[str, str]]) -> tuple[str, str] | None:
    """What stands before every line of the patch, and what in its place before every line of the file; one of them is empty."""
    if not pairs:
        return None
    ours, theirs = pairs[0]
    if theirs.endswith(ours):
        margin = ("", theirs[: len(theirs) - len(ours)])
        return margin if all(margin[1] + mine == file for mine, file in pairs) else None
    if ours.endswith(theirs):
        margin = (ours[: len(ours) - len(theirs)], "")
        return margin if all(margin[0] + file == mine for mine, file in pairs) else None
    return None
