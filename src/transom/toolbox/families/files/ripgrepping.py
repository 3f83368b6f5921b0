"""``ripgrep``: text in files, without regard to case, over as many files as three seconds allow."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from ...access.excluded import EXCLUDED
from ...access.workspace import Workspace
from ...searching.engine import search
from ...searching.query import Query
from ...tool import Result, ToolContext, tool
from .found import Show, checked_globs, checked_pattern, listed
from .names import SECONDS

__all__ = ["ripgrep"]


@tool(family="files", title="Search in files", read_only=True, idempotent=True, visible=True, reader=True, tier=1)
def ripgrep(
    context: ToolContext,
    pattern: Annotated[str, Meta(max_length=10_000)],
    path: str = ".",
    mode: Literal["regex", "literal"] = "regex",
    case_sensitive: bool = False,
    globs: Annotated[list[str], Meta(max_length=50)] | None = None,
    include_excluded: bool = False,
    show: Show = "auto",
    offset: Annotated[int, Meta(ge=0)] = 0,
) -> Result:
    """Find lines in files that match a pattern. Links are not followed; hidden and ignored files are searched.

    Args:
        pattern: what to look for, within one line; an invalid or unsafe regex is taken as literal text.
        path: a folder, or one file.
        mode: how the pattern is read.
        case_sensitive: upper and lower case differ.
        globs: only these files, e.g. *.py or src/**; with ! not these.
        include_excluded: search node_modules, .git, build folders and the like, too.
        show: lines, their locations or counts per file; auto takes the fullest that fits.
        offset: results to leave out at the beginning.
    """
    literal, why = checked_pattern(context, pattern, literal=mode == "literal", ignore_case=not case_sensitive)
    place = context.use(Workspace).place(path)
    query = Query(
        pattern=pattern,
        literal=literal,
        ignore_case=not case_sensitive,
        globs=checked_globs(context, globs or ()),
        excluded=frozenset() if include_excluded else EXCLUDED,
        seconds=SECONDS,
    )
    return listed(context, search(context, place, query), query, path=place.shown, why=why, show=show, offset=offset)
