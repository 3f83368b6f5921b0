"""``delete_files_by_pattern``: files of one folder by their names, listed before anybody agrees."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Meta

from ....safety import regexes
from ...access.excluded import EXCLUDED
from ...access.place import Place
from ...access.workspace import Workspace
from ...searching.names import Named, names_below
from ...searching.splicing import TooSlow, changes
from ...tool import Refused, Result, ToolContext, tool
from .found import checked_globs, page_of_paths
from .names import SECONDS, printable

__all__ = ["delete_files_by_pattern"]

_MOST, _LOOKED_AT = 1_000, 20_000

Mode = Literal["regex", "glob"]


def _matching(
    context: ToolContext, pattern: str, directory: str, mode: Mode, *, recursive: bool
) -> list[tuple[Place, tuple[str, ...]]]:
    """The files that a call is about, each with its real path below its root.

    Raises:
        Refused: the pattern cannot be used; ``not_found``: it matches nothing; ``too_large``: it matches too much, or looking
            takes too long.
    """
    words = context.words.seeking
    folder = context.use(Workspace).place(directory)
    if not pattern:
        raise Refused("invalid_input", words.pattern_empty)
    found = names_below(
        folder,
        lambda named: named.entry.is_file or named.entry.is_link,
        excluded=EXCLUDED if recursive else _Everything(),
        most=_LOOKED_AT,
        seconds=SECONDS,
        go_on=context.check,
    )
    if not found.complete:
        raise Refused("timeout", words.too_slow.format(seconds=SECONDS))
    matching = _chosen(context, found.all, pattern, mode)
    if found.capped or len(matching) > _MOST:
        raise Refused("too_large", words.too_many_files.format(limit=_LOOKED_AT if found.capped else _MOST))
    if not matching:
        text = words.none_to_delete.format(path=folder.shown, pattern=printable(pattern))
        other = words.try_glob if mode == "regex" else words.try_regex
        raise Refused("not_found", f"{text} {other}")
    with folder.there() as spot:
        above = spot.segments
    places = []
    for named in matching:
        place = folder
        for name in named.segments:
            place = place.child(name)
        places.append((place, (*above, *named.segments)))
    return places


def _remove(place: Place, segments: tuple[str, ...]) -> None:
    """Remove a file or a link, unless somebody has put something else on the way to it."""
    with place.written(follow=False) as spot:
        if spot.segments != segments or spot.status is None or spot.is_kind(stat.S_IFDIR):
            raise Refused("drift", place.shown)
        spot.folder.unlink(spot.name)


class _Everything(frozenset[str]):
    """Names of all folders: none is looked into."""

    def __contains__(self, name: object) -> bool:
        return True


def _chosen(context: ToolContext, names: Sequence[Named], pattern: str, mode: Mode) -> list[Named]:
    words = context.words.seeking
    if mode == "glob":
        globs = checked_globs(context, [pattern])
        return [named for named in names if globs.accept(named.path)]
    verdict = regexes.judge(pattern)
    if not verdict:
        # Never as literal text: what is deleted must be what was meant.
        why = Refused.by(verdict, context.words).text
        raise Refused("invalid_input", f"{words.bad_regex.format(why=why)} {words.try_glob}")
    bodies = [os.fsencode(named.entry.name) for named in names]
    try:
        found = changes(context, pattern, [""], bodies, flags=re.NOFLAG, seconds=SECONDS)
    except TooSlow:
        raise Refused("timeout", words.too_slow.format(seconds=SECONDS)) from None
    return [named for named, matches in zip(names, found, strict=True) if matches]


def _preview(
    context: ToolContext,
    pattern: str,
    directory: str = ".",
    mode: Mode = "regex",
    recursive: bool = False,
    expected_files: int | None = None,
    confirm: bool = False,
) -> Result:
    places = _matching(context, pattern, directory, mode, recursive=recursive)
    paths = [printable(place.shown) for place, _ in places]
    shown = page_of_paths(paths, 0, _MOST)
    lines = [context.words.seeking.would_delete.format(count=len(paths)), *shown, *(["…"] if len(shown) < len(paths) else [])]
    return Result(data={"would_delete": shown, "total": len(paths)}, text="\n".join(lines))


@tool(family="files", title="Delete files by pattern", destructive=True, confirm=True, preview=_preview, tier=4)
def delete_files_by_pattern(
    context: ToolContext,
    pattern: Annotated[str, Meta(max_length=500)],
    directory: str = ".",
    mode: Mode = "regex",
    recursive: bool = False,
    expected_files: Annotated[int, Meta(ge=1)] | None = None,
    confirm: bool = False,
) -> Result:
    """Delete the files of a folder whose names match. Without confirm=true it lists them and deletes nothing.

    Args:
        pattern: a regular expression found in the name, or with mode=glob a glob such as *.tmp.
        directory: the folder.
        mode: how the pattern is read.
        recursive: also in the folders below, except .git, node_modules and the like.
        expected_files: delete nothing unless so many match.
        confirm: the user agrees.
    """
    words = context.words.seeking
    places = _matching(context, pattern, directory, mode, recursive=recursive)
    if expected_files not in {None, len(places)}:
        raise Refused("ambiguous", words.unexpected.format(count=len(places), expected=expected_files))
    gone, kept = [], []
    for place, segments in places:
        context.check()
        try:
            _remove(place, segments)
        except Refused as refusal:
            kept.append({"path": printable(place.shown), "error": refusal.error})
        else:
            gone.append(printable(place.shown))
    lines = [words.deleted.format(count=len(gone)), *page_of_paths(gone, 0, _MOST)]
    if kept:
        lines.append(words.mark(words.kept.format(paths=", ".join(f"{item['path']} ({item['error']})" for item in kept[:20]))))
    data: dict[str, object] = {"deleted": page_of_paths(gone, 0, _MOST), "total": len(gone), "kept": kept}
    return Result(data=data, text="\n".join(lines))
