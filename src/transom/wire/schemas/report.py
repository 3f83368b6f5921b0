"""What a conversion did to a schema, said place by place. Pure data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

__all__ = ["Change", "SchemaNote", "SchemaReport"]

Change = Literal["rewritten", "dropped", "described", "loosened", "encoded", "closed", "cut", "refused"]

_WEAKER = frozenset({"described", "loosened", "closed", "cut"})


@dataclass(frozen=True, slots=True)
class SchemaNote:
    """One thing that a conversion changed.

    Attributes:
        change: what became of it. ``rewritten``: the same meaning in other keywords. ``dropped``: an annotation that constrains
            nothing. ``described``: a constraint became a sentence of the description. ``loosened``: a constraint went, and no
            words stand for it. ``encoded``: a value is written in another form, which ``restore_arguments`` undoes. ``closed``:
            keys that are not listed can no longer be given. ``cut``: a schema that holds itself ends here. ``refused``: the
            target will not take the schema.
        where: JSON pointer to the place, along properties, items and alternatives; references do not show in it. Before it the
            tool's name and ``#`` where several tools are reported together.
        keyword: the keyword concerned, or empty.
        detail: what happened and why, in one line.
    """

    change: Change
    where: str
    keyword: str
    detail: str

    @property
    def weaker(self) -> bool:
        """Whether the target enforces less, or offers less, than the schema said."""
        return self.change in _WEAKER


@dataclass(frozen=True, slots=True)
class SchemaReport:
    """Everything that a conversion changed, in the order of the schema.

    Attributes:
        profile: what was converted to.
        notes: the changes.
    """

    profile: str
    notes: tuple[SchemaNote, ...] = ()

    @property
    def weakened(self) -> tuple[SchemaNote, ...]:
        """The notes about what the target enforces or offers less of."""
        return tuple(note for note in self.notes if note.weaker)

    @property
    def refused(self) -> tuple[SchemaNote, ...]:
        """The reasons why the target will not take the schema; empty for one that it takes."""
        return tuple(note for note in self.notes if note.change == "refused")

    def named(self, tool: str) -> SchemaReport:
        """The same report with the tool's name before every place."""
        return SchemaReport(
            self.profile,
            tuple(SchemaNote(note.change, f"{tool}#{note.where}", note.keyword, note.detail) for note in self.notes),
        )

    @classmethod
    def joined(cls, profile: str, reports: Iterable[SchemaReport]) -> SchemaReport:
        """One report of several."""
        return cls(profile, tuple(note for report in reports for note in report.notes))
