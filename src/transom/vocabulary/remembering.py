"""Memory as a model reads it: the block of facts, what changed, entries, dossiers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["MemoryWords"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryWords:
    """Memory as a model reads it.

    Attributes:
        block_name: the element that frames the facts; a fact cannot close it.
        block_opening: the first line inside it: what these are.
        block_hint: added to it where the model has the ``context`` tool.
        fact, described_fact: one fact: its ``{key}``, ``{value}``, and what it is about (``{description}``).
        cut_value: stands behind the beginning of a long value: ``{hidden}`` of ``{whole}`` characters, and its ``{uri}``.
        left_out: how many facts (``{count}``) the block has no room for.
        left_out_hint: added to it where the model has the ``context`` tool.
        changes_name: the element that frames what changed since the block was written.
        changes_opening: the first line inside it.
        removed: the facts that are gone: their ``{keys}``.
        changes_left_out: how many further changes (``{count}``) there is no room for.
    """

    block_name: str
    block_opening: str
    block_hint: str
    fact: str
    described_fact: str
    cut_value: str
    left_out: str
    left_out_hint: str
    changes_name: str
    changes_opening: str
    removed: str
    changes_left_out: str

    def opening(self, *, tool: bool) -> str:
        """The first line of the block. ``tool``: the model has the ``context`` tool."""
        return self.block_opening + (self.block_hint if tool else "")

    def fact_line(self, key: str, value: str, description: str) -> str:
        """One fact."""
        template = self.described_fact if description else self.fact
        return template.format(key=key, value=value, description=description)

    def cut_note(self, hidden: int, whole: int, uri: str) -> str:
        """What stands behind the beginning of a long value."""
        return self.cut_value.format(hidden=hidden, whole=whole, uri=uri)

    def left_out_note(self, count: int, *, tool: bool) -> str:
        """How many facts there is no room for."""
        return self.left_out.format(count=count) + (self.left_out_hint if tool else "")

    def removed_line(self, keys: Sequence[str]) -> str:
        """The facts that are gone."""
        return self.removed.format(keys=", ".join(keys))

    def changes_left_out_note(self, count: int) -> str:
        """How many changes there is no room for."""
        return self.changes_left_out.format(count=count)
