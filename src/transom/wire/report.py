"""What a transform could not carry over, said instead of done in silence. Pure data."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..vocabulary.mending import MendingWords

__all__ = ["Note", "Notes", "Report", "Violation"]


@dataclass(frozen=True, slots=True)
class Note:
    """One thing a transform changed or could not carry.

    Attributes:
        code: stable symbol: ``dropped``, ``degraded``, ``reordered``, ``repaired``, ``skipped``.
        where: where it stood, for example ``messages[3].parts[1]``.
        detail: what happened and why, in one line.
    """

    code: str
    where: str
    detail: str


@dataclass(slots=True)
class Report:
    """Collects notes in the order they arise; a note equal to an earlier one is kept once."""

    notes: list[Note] = field(default_factory=list)
    _seen: set[Note] = field(default_factory=set, init=False, repr=False, compare=False)

    def add(self, code: str, where: str, detail: str) -> None:
        """Record one note."""
        note = Note(code, where, detail)
        if note not in self._seen:
            self._seen.add(note)
            self.notes.append(note)


class Notes:
    """A report at one place: called with (code, detail), it adds where that happened.

    Args:
        report: takes the notes.
        words: what is written where the target has no place for something.
        where: the place, for example ``messages[3]``.
        at: which message of a turn of several; ``None`` where the place is one message.

    Attributes:
        words: as given.
        part: which part of the message is at work; -1 for the message itself.
    """

    __slots__ = ("_at", "_report", "_where", "part", "words")

    def __init__(self, report: Report, words: MendingWords, where: str, at: int | None = None) -> None:
        self._report = report
        self.words = words
        self._where = where
        self._at = at
        self.part = -1

    @classmethod
    def in_turn(cls, report: Report, words: MendingWords, where: str, messages: int, at: int) -> Notes:
        """A report at one message of a turn of so many ``messages``; the turn's place may be empty."""
        return cls(report, words, where or "turn", at if messages > 1 or not where else None)

    def __call__(self, code: str, detail: str) -> None:
        """Record one note here."""
        place = self._where if self._at is None else f"{self._where}[{self._at}]"
        self._report.add(code, place if self.part < 0 else f"{place}.parts[{self.part}]", detail)


@dataclass(frozen=True, slots=True)
class Violation:
    """A provider's rule that a payload breaks.

    Attributes:
        rule: stable symbol, for example ``anthropic.result-follows-call``.
        where: for example ``messages[4]``.
        index: index of the message concerned, or ``None`` when the rule concerns the request.
        message: what the provider would say, in its own terms.
        source: where the rule is written down.
    """

    rule: str
    where: str
    index: int | None
    message: str
    source: str
