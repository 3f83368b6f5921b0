"""What the settled turns of a window come to, added up as they come: a compile costs what is new in it, not what is old.

Knows live turns only. Whoever changes a turn that was counted has to start anew.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from .live import LiveTurn, Moved

__all__ = ["Sums"]


@dataclass(slots=True)
class Sums:
    """Turns added up.

    Attributes:
        count: how many.
        movable: tokens that strategies may move: everything but pinned turns.
        pinned: tokens of pinned turns.
        parts: tokens by who wrote them, without what stands beside messages.
        moved: what pruning moved out of them.
    """

    count: int = 0
    movable: int = 0
    pinned: int = 0
    parts: dict[str, int] = field(default_factory=lambda: {"head": 0, "user": 0, "assistant": 0, "results": 0})
    moved: list[Moved] = field(default_factory=list)

    def add(self, turns: Iterable[LiveTurn]) -> None:
        """Count some more."""
        for live in turns:
            self.count += 1
            if live.pinned:
                self.pinned += live.tokens
            else:
                self.movable += live.tokens
            for kind, tokens in live.weights.items():
                self.parts[kind] += tokens
            self.moved.extend(live.moved)
