"""Turns to bars: how a session of any length becomes a picture of bounded size.

Up to ``MAX_BARS`` turns are drawn one by one. Beyond that each bar stands for a run of neighbours and shows the heaviest of
them, so that a peak is never averaged away; marks of all of them are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .figures import Turn

__all__ = ["MAX_BARS", "Bar", "to_bars"]

MAX_BARS = 360
"""Bars in one picture: three pixels each on a laptop, and a file that stays small whatever the session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar: the turn it shows and the run of turns it stands for. ``held`` is the mean of the run."""

    index: int
    shown: Turn
    first: int
    last: int
    closes: bool
    moves: int
    broken: bool
    failed: bool
    starts: bool
    held: float | None
    largest_input: int


def to_bars(turns: Sequence[Turn], limit: int = MAX_BARS) -> list[Bar]:
    """Group turns into at most ``limit`` bars of equal length (the last may be shorter)."""
    size = max(-(-len(turns) // limit), 1)
    bars = []
    for index, start in enumerate(range(0, len(turns), size)):
        run = turns[start : start + size]
        shares = [turn.held for turn in run if turn.held is not None]
        bars.append(
            Bar(
                index=index,
                shown=max(run, key=lambda turn: turn.output_tokens),
                first=run[0].number,
                last=run[-1].number,
                closes=any(turn.closed_window for turn in run),
                moves=sum(len(turn.moves) for turn in run),
                broken=any(turn.broken for turn in run),
                failed=any(bool(turn.error) or not turn.valid or turn.over for turn in run),
                starts=start > 0 and any(turn.held is None for turn in run),
                held=sum(shares) / len(shares) if shares else None,
                largest_input=max(turn.input_tokens for turn in run),
            )
        )
    return bars
