"""The prefix report: which part moved the prefix, and what that costs.

Pure. A cache holds a request from its first byte on; where two requests differ, everything behind has to be read again. The
report is made only where less stands still than before; in all other compiles it says so in three numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

__all__ = ["Part", "PrefixReport", "Stretch", "located", "prefix_report"]

Part = Literal["", "tools", "system", "skill", "memory", "state", "head", "message", "tail"]
"""What a stretch of a payload is: skill, memory and state are frozen behind the system prompt, the head opens a window."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefixReport:
    """How far the prefix held.

    Attributes:
        held: leading bytes equal to the compile before, for the same target.
        due: bytes that a cache could have held: those before the volatile end of the compile before.
        lost_bytes: bytes of this payload that a cache has to read again although it had read as many: what is due, or all of
            this payload where that is less, without what held.
        lost_tokens: the same, estimated in tokens.
        part: what moved it; empty where it held.
        where: the place, for example ``tools[2]`` or ``messages[14]``.
        reason: why, in one line.
    """

    held: int = 0
    due: int = 0
    lost_bytes: int = 0
    lost_tokens: int = 0
    part: Part = ""
    where: str = ""
    reason: str = ""

    @property
    def broken(self) -> bool:
        """Whether something had to be read again."""
        return self.lost_bytes > 0


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a payload's compared sequence: what it is, where it stands, how many bytes it has."""

    part: Part
    where: str
    length: int


def located(stretches: Iterable[Stretch], offset: int) -> Stretch:
    """The stretch that holds the byte at ``offset``, or the last one."""
    last = Stretch("tail", "tail", 0)
    for stretch in stretches:
        last = stretch
        if offset < stretch.length:
            break
        offset -= stretch.length
    return last


def prefix_report(held: int, due: int, length: int, tokens: int, stretches: Iterable[Stretch], reason: str) -> PrefixReport:
    """The report of one compile.

    Args:
        held: leading bytes equal to the compile before.
        due: bytes that stood still in it.
        length: bytes of this compile's sequence.
        tokens: what this payload weighs.
        stretches: this payload's parts in order; looked at only where something was lost.
        reason: why, where the caller knows better than what the part says.
    """
    lost = min(due, length) - held
    if lost <= 0:
        return PrefixReport(held=held, due=due)
    found = located(stretches, held)
    return PrefixReport(
        held=held,
        due=due,
        lost_bytes=lost,
        lost_tokens=-(-tokens * lost // length) if length else 0,
        part=found.part,
        where=found.where,
        reason=reason or _REASONS.get(found.part, ""),
    )


_REASONS: Mapping[str, str] = {
    "tools": "the tools changed",
    "system": "the system prompt changed",
    "skill": "the frozen skill changed",
    "memory": "the frozen memory changed",
    "state": "the frozen state changed",
    "head": "the head of the window changed",
    "message": "an earlier message changed",
    "tail": "what stood still before is at the volatile end",
}
