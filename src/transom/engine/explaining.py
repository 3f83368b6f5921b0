"""Explaining a compile: what each part cost, what moved where and why, how far the prefix held.

Knows a payload's account, no state: what it says it can also say of a flight record, in another process.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from ..errors import InputError
from .payload import PayloadMeta

__all__ = ["MOST_REMEMBERED", "Explanation", "RecentCompiles", "account", "explain_flight"]

MOST_REMEMBERED = 512
"""Compiles that a session can explain; older ones are in their flight records."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """One compile, explained.

    Attributes:
        turn: its number in the session, from 1; 0 where it is not known.
        record: what is known of it, as JSON values.
    """

    turn: int
    record: Mapping[str, object]

    def as_dict(self) -> dict[str, object]:
        """As JSON values."""
        return {"turn": self.turn, **self.record}

    def text(self) -> str:
        """For a person, over several lines."""
        return f"Compile {self.turn}"

    def __str__(self) -> str:
        return self.text()


class RecentCompiles:
    """The accounts of a session's last compiles.

    Args:
        limit: how many are kept.
    """

    def __init__(self, limit: int = MOST_REMEMBERED) -> None:
        self._metas: deque[PayloadMeta] = deque(maxlen=limit)
        self.count = 0

    def add(self, meta: PayloadMeta) -> None:
        """Take one in; the oldest leaves."""
        self._metas.append(meta)
        self.count += 1

    def explain(self, turn: int) -> Explanation:
        """The compile of that number: from 1 on, or from -1 back.

        Raises:
            InputError: there is none, or it is no longer remembered.
        """
        number = turn if turn > 0 else self.count + 1 + turn
        first = self.count - len(self._metas) + 1
        if isinstance(turn, bool) or turn == 0 or not 1 <= number <= self.count:
            raise InputError(
                f"there is no compile {turn}", hint=f"there were {self.count} so far" if self.count else "compile first"
            )
        if number < first:
            raise InputError(
                f"compile {number} is no longer remembered", hint=f"{first} to {self.count} are; flight records keep all"
            )
        return Explanation(number, account(self._metas[number - first]))


def account(meta: PayloadMeta) -> dict[str, object]:
    """What a compile did, as JSON values: the flight record."""
    return {"target": meta.target}


def explain_flight(record: Mapping[str, object], turn: int = 0) -> Explanation:
    """A flight record, explained.

    Args:
        record: as it was stored.
        turn: its number.
    """
    return Explanation(turn, record)
