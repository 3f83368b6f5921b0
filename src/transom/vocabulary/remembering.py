"""Memory as a model reads it: the block of facts, what changed, entries, dossiers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["DossierWords", "MemoryWords"]

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DossierWords:
    """What a session left for the next one, as a model reads it.

    Attributes:
        opening, opening_in_project: the first line: the session's ``{title}``, its ``{project}``, its age (``{saved}``) and
            ``{uri}``.
        moments_ago, minute_ago, minutes_ago, hour_ago, hours_ago, day_ago, days_ago: an age; ``{count}`` of the plural ones.
        age_unknown: stands for an age that is not known.
        stale: the second line of a dossier that is older than ``{days}`` days.
        next_steps, summary, decisions, facts, entries, files: headings.
        item: one next step, decision or file: its ``{text}``.
        entry: one entry: its ``{title}``, ``{type}`` and ``{content}``.
        addressed: a fact or an entry (``{line}``) with the ``{uri}`` that gives all of it.
        more: how many further ones (``{count}``) there are, and where (``{uri}``).
        left_out: the last line: ``{what}`` had no room at all.
        left_out_part: one of these that is part of the session: its ``{heading}`` and how many (``{count}``).
        left_out_part_at: one that lies elsewhere (``{uri}``).
    """

    opening: str
    opening_in_project: str
    moments_ago: str
    minute_ago: str
    minutes_ago: str
    hour_ago: str
    hours_ago: str
    day_ago: str
    days_ago: str
    age_unknown: str
    stale: str
    next_steps: str
    summary: str
    decisions: str
    facts: str
    entries: str
    files: str
    item: str
    entry: str
    addressed: str
    more: str
    left_out: str
    left_out_part: str
    left_out_part_at: str

    def opening_line(self, *, title: str, project: str, age: float | None, uri: str) -> str:
        """Which session this is. ``age``: seconds since it was saved; ``None`` if nobody knows."""
        template = self.opening_in_project if project else self.opening
        return template.format(title=title, project=project, saved=self.ago(age), uri=uri)

    def ago(self, age: float | None) -> str:
        """An age in seconds, in words."""
        if age is None:
            return self.age_unknown
        for size, one, many in (
            (_DAY, self.day_ago, self.days_ago),
            (_HOUR, self.hour_ago, self.hours_ago),
            (_MINUTE, self.minute_ago, self.minutes_ago),
        ):
            count = int(age // size)
            if count:
                return one if count == 1 else many.format(count=count)
        return self.moments_ago

    def stale_line(self, days: float) -> str:
        """What a reader of an old dossier is told; ``days`` is the limit it is beyond."""
        return self.stale.format(days=f"{days:g}")

    def heading(self, kind: str) -> str:
        """The heading of a part, by the name of its field."""
        return str(getattr(self, kind))

    def item_line(self, text: str) -> str:
        """One next step, decision or file."""
        return self.item.format(text=text)

    def entry_line(self, *, title: str, type: str, content: str) -> str:  # noqa: A002 - the entry's own word
        """One entry."""
        return self.entry.format(title=title, type=type, content=content)

    def addressed_line(self, line: str, uri: str) -> str:
        """A line with the address that gives all of it."""
        return self.addressed.format(line=line, uri=uri)

    def more_note(self, count: int, uri: str) -> str:
        """How many further ones a part has, and where."""
        return self.more.format(count=count, uri=uri)

    def left_out_line(self, parts: Sequence[tuple[str, int, str]]) -> str:
        """The parts that had no room: kind, how many, and where if not in the session itself."""
        named = (
            (self.left_out_part_at if uri else self.left_out_part).format(heading=self.heading(kind), count=count, uri=uri)
            for kind, count, uri in parts
        )
        return self.left_out.format(what=", ".join(named))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
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
        removed: one fact that is gone: its ``{key}``.
        changes_left_out: how many further changes (``{count}``) there is no room for.
        nothing_remembered: the summary of a recall that found nothing.
        remembered: the summary of a recall: how many ``{facts}`` and ``{entries}`` there are.
        remembered_types: added to it: the entries by type, ``{types}``.
        recall_shown: added where not all are shown: ``{shown_facts}``, ``{shown_entries}``.
        dossier: the words of a session that is restored.
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
    nothing_remembered: str
    remembered: str
    remembered_types: str
    recall_shown: str
    dossier: DossierWords

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

    def removed_line(self, key: str) -> str:
        """A fact that is gone."""
        return self.removed.format(key=key)

    def changes_left_out_note(self, count: int) -> str:
        """How many changes there is no room for."""
        return self.changes_left_out.format(count=count)

    def recall_summary(self, facts: tuple[int, int], entries: tuple[int, int], types: Mapping[str, int]) -> str:
        """What a recall found, in a line or two.

        Args:
            facts, entries: how many there are, and how many of them are shown.
            types: how many entries of each type there are.
        """
        if not facts[0] and not entries[0]:
            return self.nothing_remembered
        text = self.remembered.format(facts=facts[0], entries=entries[0])
        if types:
            text += self.remembered_types.format(types=", ".join(f"{name} {number}" for name, number in types.items()))
        if facts[1] < facts[0] or entries[1] < entries[0]:
            text += self.recall_shown.format(shown_facts=facts[1], shown_entries=entries[1])
        return text
