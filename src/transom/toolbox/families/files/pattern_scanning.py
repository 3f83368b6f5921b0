"""``pattern_scan``: a survey of a tree of source files, case by case, with small bounds."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from ...access.excluded import EXCLUDED
from ...access.workspace import Workspace
from ...searching.engine import search
from ...searching.query import Query
from ...tool import Result, ToolContext, tool
from .found import checked_pattern, listed
from .names import SECONDS

__all__ = ["pattern_scan"]

_MOST, _PER_FILE, _LINES = 200, 50, 10_000


@tool(family="files", title="Scan for a pattern", read_only=True, idempotent=True, reader=True, tier=4)
def pattern_scan(
    context: ToolContext,
    pattern: Annotated[str, Meta(max_length=10_000)],
    root: str = ".",
    mode: Literal["regex", "literal"] = "regex",
    maxFileSizeBytes: Annotated[int, Meta(ge=1, le=10_485_760)] = 262_144,  # noqa: N803 - the name that callers know
    maxDepth: Annotated[int, Meta(ge=1, le=50)] = 10,  # noqa: N803
    offset: Annotated[int, Meta(ge=0)] = 0,
) -> Result:
    """Find lines that match a pattern, case-sensitively: at most 50 a file, 200 in all, within 3 seconds.

    Args:
        pattern: what to look for, within one line; an invalid or unsafe regex is taken as literal text.
        root: a folder, or one file.
        mode: how the pattern is read.
        maxFileSizeBytes: larger files are skipped and counted.
        maxDepth: levels of folders.
        offset: results to leave out at the beginning.
    """
    literal, why = checked_pattern(context, pattern, literal=mode == "literal", ignore_case=False)
    place = context.use(Workspace).place(root)
    query = Query(
        pattern=pattern,
        literal=literal,
        excluded=EXCLUDED,
        depth=maxDepth,
        file_bytes=maxFileSizeBytes,
        file_lines=_LINES,
        per_file=_PER_FILE,
        most=_MOST,
        seconds=SECONDS,
    )
    return listed(context, search(context, place, query), query, path=place.shown, why=why, offset=offset)
