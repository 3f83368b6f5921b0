"""``reset``: pinned turns, the last turn and the newest user message stay; the rest leaves behind a notice."""

from __future__ import annotations

from dataclasses import dataclass

from ...ledger.records import Item
from ..strategy import Outcome, Span

__all__ = ["Reset", "reset"]


@dataclass(frozen=True, slots=True)
class Reset:
    """The step that always makes room."""

    @property
    def name(self) -> str:
        """``reset``."""
        return "reset"

    @property
    def model_free(self) -> bool:
        """It needs no model."""
        return True

    @property
    def fingerprint(self) -> str:
        """Its name: the notice follows from window and archive alone."""
        return "reset1"

    async def apply(self, span: Span) -> Outcome:
        """Close over everything but the last turn."""
        cut = span.deepest
        leaving = span.leaving(cut)
        if not leaving:
            return Outcome()
        notice = span.vocabulary.reset_notice(window=span.lineage.current, messages=len(leaving), archive=span.archive_uri(cut))
        return Outcome(cut, (Item("head", text=notice), *span.kept(cut)), span.messages(cut), leaving, (), self.name)


def reset() -> Reset:
    """Everything leaves that may leave."""
    return Reset()
