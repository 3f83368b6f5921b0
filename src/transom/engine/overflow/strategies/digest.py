"""``digest``: the span becomes one model-free digest of what was asked, decided, touched and left open.

The strategy only; how the text is made stands in ``overflow/digesting``.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....tokens.weigh import PER_MESSAGE
from ...ledger.records import Item
from ..strategy import Outcome, Span

__all__ = ["Digest", "digest"]

RULES = 3
"""Raised when a change of the digest's rules changes its text: records of other rules are then left alone."""

MOST_OF_SPAN = 0.4
"""Share of what it replaces that a digest may weigh."""

SMALLEST = 120
"""Tokens below which a digest could name nothing but its archive, which ``reset`` does as well."""


@dataclass(frozen=True, slots=True)
class Digest:
    """Replaces the span by a digest of at most the room's head budget.

    Attributes:
        max_tokens: upper bound of the digest, in tokens; ``None`` leaves it to the budget.
    """

    max_tokens: int | None = None

    @property
    def name(self) -> str:
        """``digest``."""
        return "digest"

    @property
    def model_free(self) -> bool:
        """It needs no model."""
        return True

    @property
    def fingerprint(self) -> str:
        """Name, rules and bound."""
        return f"digest{RULES}({self.max_tokens})"

    async def apply(self, span: Span) -> Outcome:
        """Write the digest. Turns that stay follow it verbatim."""
        # Loaded by the first closing: its patterns take a fifth of what importing Context does.
        from ..digesting import digest as write_digest

        cut = span.cut
        if not span.leaving(cut):
            return Outcome()
        replaced = sum(turn.tokens for index, turn in enumerate(span.turns[:cut]) if index not in span.staying)
        budget = min(span.room.head, int(replaced * MOST_OF_SPAN), self.max_tokens or span.room.head)
        under_trigger = span.room.trigger - span.total_after(Outcome(cut, tuple(span.kept(cut)))) - PER_MESSAGE
        # A few tokens more would leave the history above the trigger, and a harder step would tell the model less; or would
        # bring it there with the next turn, where that is as large as the last one.
        tight = [room for room in (under_trigger - span.turns[-1].tokens, under_trigger) if SMALLEST <= room < budget]
        budget = tight[0] if tight else budget
        if budget < SMALLEST:
            return Outcome()
        written = write_digest(
            [message for turn in span.turns[:cut] for message in turn.source.linked],
            previous=span.previous_head,
            budget=budget,
            tokenizer=span.tokenizer,
            archive_uri=span.archive_uri(cut),
            window=span.lineage.current,
            previous_window=span.lineage.previous,
            vocabulary=span.vocabulary,
        )
        if not written.text:
            return Outcome()
        items = (Item("head", text=written.text), *span.kept(cut))
        return Outcome(cut, items, span.messages(cut), span.leaving(cut), tuple(written.cited), self.name)


def digest(*, max_tokens: int | None = None) -> Digest:
    """A deterministic, model-free digest.

    Args:
        max_tokens: upper bound; by default a fifth of the low-water mark, at most 8,000.
    """
    return Digest(max_tokens)
