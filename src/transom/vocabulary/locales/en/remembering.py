"""English. See ``vocabulary.remembering``."""

from __future__ import annotations

from ...remembering import MemoryWords

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
    removed="- No longer remembered: {keys}",
    changes_left_out="{count:,} more changes are not shown here.",
)
