"""Why an edit is not made: a symbol, the name of a sentence in ``vocabulary.editing`` and what fills it. Worded elsewhere."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["EditRefused"]


class EditRefused(Exception):
    """An edit that cannot be made as asked. Nothing was changed.

    Args:
        error: the symbol of its class, for example ``out_of_range``.
        reason: which sentence says it.
        facts: what fills the sentence.
    """

    def __init__(self, error: str, reason: str, /, **facts: object) -> None:
        super().__init__(f"{error}: {reason} {facts}")
        self.error = error
        self.reason = reason
        self.facts: Mapping[str, object] = facts
