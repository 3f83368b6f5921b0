"""The guard: thresholds for people who want to see their window fill up, and who want its newest messages left alone.

Pure: settings and figures. What is said stands in the vocabulary; when, in the phase.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import InputError

__all__ = ["ClosingFigures", "Guard", "guard"]

ALLOWANCE = 64
"""Tokens kept free for what the indicator says. Both its lines in English take 45; one that takes more is left out."""


@dataclass(frozen=True, slots=True)
class ClosingFigures:
    """What a closing saved, in tokens as the provider counts them: everything in the payload before and after it."""

    before: int
    after: int

    @property
    def saved(self) -> int:
        """The difference."""
        return self.before - self.after


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """When to warn, when to close the window, and what to leave alone. Made by ``guard``.

    Attributes:
        warn: share of the window from which on it is said how full it is.
        compress: share of the window at which it closes.
        keep_last: how many of the newest messages stay verbatim.
        indicator: whether the model is told.
    """

    warn: float = 0.75
    compress: float = 0.90
    keep_last: int = 10
    indicator: bool = True

    @property
    def allowance(self) -> int:
        """Tokens kept free for the indicator."""
        return ALLOWANCE if self.indicator else 0


def guard(*, warn: float = 0.75, compress: float = 0.90, keep_last: int = 10, indicator: bool = True) -> Guard:
    """Thresholds as shares of the whole window, in place of a context's ``trigger``.

    The window closes when the payload reaches ``compress`` of it, or where the reserve for the answer begins, whichever comes
    first; where system prompt, tools and pinned turns alone come near that share, when half of what they leave over is used.

    Args:
        warn: from this share on an event tells how full the window is, once per window, and with ``indicator`` a line at the
            end of each payload does.
        compress: at this share the window closes.
        keep_last: turns that hold one of so many newest messages are not closed over, unless nothing fits otherwise.
        indicator: tell the model: how full the window is from ``warn`` on, and what a closing saved.

    Raises:
        InputError: shares that are not in order within (0, 1], or a number of messages below 0.
    """
    if not 0 < warn <= compress <= 1:
        raise InputError(f"a guard that warns at {warn} and compresses at {compress}", hint="0 < warn <= compress <= 1")
    if keep_last < 0:
        raise InputError(f"a guard that keeps {keep_last!r} messages", hint="give a number of messages, for example 10")
    return Guard(warn=warn, compress=compress, keep_last=keep_last, indicator=indicator)
