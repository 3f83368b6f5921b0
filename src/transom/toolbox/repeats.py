"""Calls that come again just as they were: a model that goes round in circles is told so before it fills its window.

Knows sessions, names and arguments; keeps a digest of the last call of each session and how often it came.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping

__all__ = ["REMINDED", "Repeats"]

REMINDED = frozenset({3, 5, 8})
"""The repetition at which a model is reminded: often enough to be noticed, too seldom to be learnt as noise."""
_SESSIONS = 4_096


class Repeats:
    """How often the same call came in a row, by session."""

    def __init__(self) -> None:
        self._last: OrderedDict[str | None, tuple[int, int]] = OrderedDict()

    def count(self, session: str | None, tool: str, arguments: Mapping[str, object]) -> int:
        """Note a call; the how manieth in a row it is, from 1."""
        try:
            call = hash((tool, repr(arguments)))
        except (ValueError, RecursionError):
            # Too long a number, or too deep: such a call is refused whenever it comes.
            call = hash(tool)
        last, times = self._last.pop(session, (0, 0))
        times = times + 1 if last == call else 1
        self._last[session] = (call, times)
        if len(self._last) > _SESSIONS:
            self._last.popitem(last=False)
        return times
