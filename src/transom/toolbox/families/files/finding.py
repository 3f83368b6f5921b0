"""Files by name: ``find_files`` by pattern, ``fuzzy_find_local_files`` by what is remembered of the name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from msgspec import Meta

from ...access.excluded import EXCLUDED
from ...access.workspace import Workspace
from ...searching.likeness import Likeness
from ...searching.names import Kind, Named, names_below
from ...tool import Refused, Result, ToolContext, tool
from .found import checked_globs, page_of_paths
from .names import SECONDS, printable

__all__ = ["find_files", "fuzzy_find_local_files"]

_MOST = 10_000
_COMPARED = 50_000
_GLOB = frozenset("*?[{")


@tool(family="files", title="Find files", read_only=True, idempotent=True, visible=True, reader=True, tier=1)
def find_files(
    context: ToolContext,
    pattern: Annotated[str, Meta(max_length=500)],
    path: str = ".",
    kind: Kind = "file",
    case_sensitive: bool = False,
    hidden: bool = True,
    include_excluded: bool = False,
    limit: Annotated[int, Meta(ge=1, le=1_000)] = 200,
    offset: Annotated[int, Meta(ge=0)] = 0,
) -> Result:
    """Find files or folders by name, at any depth, sorted by path. Links are not followed.

    Args:
        pattern: a glob (*.py, src/**/test_*.py) or a part of the name or path.
        path: the folder to look in.
        kind: file, folder or any.
        case_sensitive: upper and lower case differ.
        hidden: with names that begin with a dot.
        include_excluded: look into node_modules, .git, build folders and the like, too.
        limit: most paths to show.
        offset: paths to leave out at the beginning.
    """
    words = context.words.seeking
    place = context.use(Workspace).place(path)
    found = names_below(
        place,
        _accepts(context, pattern, case_sensitive=case_sensitive),
        kind=kind,
        excluded=frozenset() if include_excluded else EXCLUDED,
        hidden=hidden,
        most=_MOST,
        seconds=SECONDS,
        go_on=context.check,
    )
    paths = [printable(_below(place.shown, named.path)) + ("/" if named.entry.is_folder else "") for named in found.all]
    total = len(paths)
    if offset and offset >= total:
        raise Refused("out_of_range", words.behind.format(total=total, offset=offset))
    shown = page_of_paths(paths, offset, limit)
    following = offset + len(shown) if offset + len(shown) < total else None
    lines = list(shown)
    if not paths:
        lines.append(words.no_files.format(pattern=printable(pattern)))
    if following is not None or offset:
        lines.append(words.page_note(offset + 1, offset + len(shown), total, following))
    if found.capped:
        lines.append(words.mark(words.some_files.format(most=_MOST)))
    if not found.complete:
        lines.append(words.mark(words.partial.format(seconds=SECONDS)))
    data: dict[str, object] = {
        "path": place.shown,
        "paths": shown,
        "total": total,
        "next_offset": following,
        "complete": found.complete and not found.capped,
    }
    return Result(data=data, text="\n".join(lines), provenance=place.shown)


def _below(folder: str, path: str) -> str:
    return path if folder == "." else f"{folder.rstrip('/')}/{path}"


def _accepts(context: ToolContext, pattern: str, *, case_sensitive: bool) -> Callable[[Named], bool]:
    if not pattern:
        raise Refused("invalid_input", context.words.seeking.pattern_empty)
    if _GLOB & set(pattern):
        globs = checked_globs(context, [pattern], ignore_case=not case_sensitive)
        return lambda named: globs.accept(named.path)
    whole = "/" in pattern
    if case_sensitive:
        return lambda named: pattern in (named.path if whole else named.entry.name)
    part = pattern.casefold()
    return lambda named: part in (named.path if whole else named.entry.name).casefold()


@tool(family="files", title="Find files by a rough name", read_only=True, idempotent=True, reader=True, tier=4)
def fuzzy_find_local_files(
    context: ToolContext,
    query: Annotated[str, Meta(max_length=300)],
    path: str = ".",
    limit: Annotated[int, Meta(ge=1, le=50)] = 10,
) -> Result:
    """Find files whose names are like what you remember of one, nearest first.

    Args:
        query: the name, or a path, as far as you know it.
        path: the folder to look in.
        limit: most files to show.
    """
    words = context.words.seeking
    if not query.strip("/ "):
        raise Refused("invalid_input", words.pattern_empty)
    place = context.use(Workspace).place(path)
    likeness = Likeness(query, limit)
    scores: dict[tuple[str, ...], float] = {}
    seen = 0

    def accept(named: Named) -> bool:
        nonlocal seen
        seen += 1
        score = likeness.score(named.path) if seen <= _COMPARED else 0.0
        if score:
            scores[named.segments] = score
        return bool(score)

    found = names_below(place, accept, excluded=EXCLUDED, most=_COMPARED, seconds=SECONDS, go_on=context.check)
    best = sorted(found.all, key=lambda named: (-scores[named.segments], len(named.segments), named.path))[:limit]
    paths = [printable(_below(place.shown, named.path)) for named in best]
    lines = list(paths) if paths else [words.no_files.format(pattern=printable(query))]
    if not found.complete or seen > _COMPARED:
        lines.append(words.mark(words.partial.format(seconds=SECONDS)))
    data: dict[str, object] = {
        "path": place.shown,
        "matches": [
            {"path": shown, "likeness": round(scores[named.segments], 2)} for shown, named in zip(paths, best, strict=True)
        ],
        "compared": min(seen, _COMPARED),
        "complete": found.complete and seen <= _COMPARED,
    }
    return Result(data=data, text="\n".join(lines), provenance=place.shown, confidence="inferred" if paths else "extracted")
