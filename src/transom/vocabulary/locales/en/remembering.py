"""English. See ``vocabulary.remembering``."""

from __future__ import annotations

from ...remembering import DossierWords, MemoryWords

__all__ = ["REMEMBERING"]

REMEMBERING = MemoryWords(
    block_name="memory",
    block_opening="Facts remembered from before, the most important first.",
    block_hint=" Read or correct one with the `context` tool at memory/<key>.",
    fact="- {key}: {value}",
    described_fact="- {key} ({description}): {value}",
    cut_value="{hidden:,} of {whole:,} characters not shown. All of it: {uri}",
    left_out="{count:,} more are remembered and not shown here.",
    left_out_hint=" View memory/ with the `context` tool to list them.",
    changes_name="memory_changes",
    changes_opening="Changed in memory since the facts above were written; what stands here is valid.",
    removed="- {key}: no longer remembered",
    changes_left_out="{count:,} more changes are not shown here.",
    nothing_remembered="Nothing is remembered.",
    remembered="Remembered: {entries:,} by id, {facts:,} by key.",
    remembered_types=" Kinds of those by id: {types}.",
    recall_shown=" Shown: {shown_facts:,} facts and {shown_entries:,} entries, what matters most first.",
    dossier=DossierWords(
        opening='Session "{title}", saved {saved}: {uri}',
        opening_in_project='Session "{title}" of project {project}, saved {saved}: {uri}',
        moments_ago="just now",
        minute_ago="1 minute ago",
        minutes_ago="{count} minutes ago",
        hour_ago="1 hour ago",
        hours_ago="{count} hours ago",
        day_ago="1 day ago",
        days_ago="{count} days ago",
        age_unknown="at a time that nobody recorded",
        stale="That is more than {days} days ago: files, versions and open work may have changed. Check before you rely on it.",
        next_steps="Next steps",
        summary="Summary",
        decisions="Decisions",
        facts="Facts",
        entries="Entries",
        files="Files",
        item="- {text}",
        entry="- {title} ({type}): {content}",
        addressed="{line} ({uri})",
        more="{count:,} more: {uri}",
        left_out="Not shown for lack of room: {what}",
        left_out_part="{heading} ({count:,})",
        left_out_part_at="{heading} ({count:,}, {uri})",
    ),
)
