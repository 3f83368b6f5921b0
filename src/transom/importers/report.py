"""What an import did: each thing that was taken or was there already, and each that was left, with the reason.

Pure data.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..engine.memory.origin import Origin
from .findings import Left

__all__ = ["KINDS", "Report", "Taken"]

KINDS = ("project", "fact", "entry", "session", "note", "text", "archive")
"""What is taken, in the order in which a report counts it."""


@dataclass(frozen=True, slots=True)
class Taken:
    """Something that is in the store.

    Attributes:
        kind: one of ``KINDS``.
        origin: where it was.
        uri: where it is; empty for a project of a dry run.
        fresh: it was not there before.
        remarks: what of it could not be kept as it was.
    """

    kind: str
    origin: Origin
    uri: str
    fresh: bool = True
    remarks: tuple[str, ...] = ()


@dataclass(slots=True)
class Report:
    """The whole account, in the order of the source.

    Attributes:
        taken: what is in the store now, what was there already included.
        left: what is not.
    """

    taken: list[Taken] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)

    def add(self, taken: Taken) -> None:
        """Account for something that is in the store."""
        self.taken.append(taken)

    def leave(self, left: Left) -> None:
        """Account for something that is not."""
        self.left.append(left)

    @property
    def counts(self) -> dict[str, tuple[int, int]]:
        """For each kind that was met: how many are new, and how many were there already."""
        found = {kind: [0, 0] for kind in KINDS}
        for each in self.taken:
            found[each.kind][0 if each.fresh else 1] += 1
        return {kind: (new, old) for kind, (new, old) in found.items() if new or old}

    @property
    def faults(self) -> list[Left]:
        """What was left because it could not be read, or may not be."""
        return [left for left in self.left if left.fault]
