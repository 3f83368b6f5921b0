"""What is in a folder, in pages, within a time that no slow file system exceeds."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Meta

from ...access.folder import Entry
from ...access.walls import gather
from ...access.workspace import Workspace
from ...tool import Refused, Result, ToolContext, tool
from .names import SECONDS, in_order, label, printable
from .pages import PAGE_BYTES

__all__ = ["list_directory"]

MOST = 1_000


def _kind(entry: Entry) -> str:
    names = {stat.S_IFDIR: "folder", stat.S_IFREG: "file", stat.S_IFLNK: "link"}
    return names.get(entry.kind, "other" if entry.kind else "unknown")


@tool(family="files", title="List a folder", read_only=True, idempotent=True, visible=True, reader=True, tier=1, seconds=20.0)
def list_directory(
    context: ToolContext,
    path: str = ".",
    limit: Annotated[int, Meta(ge=1, le=MOST)] = 500,
    offset: Annotated[int, Meta(ge=0)] = 0,
) -> Result:
    """List what is in a folder: folders first (name/), links (name@), files with their size in bytes.

    Args:
        path: the folder.
        limit: most entries to show.
        offset: entries to leave out at the beginning.
    """
    words = context.words.filing
    place = context.use(Workspace).place(path)
    found = gather(lambda _: place.children(), seconds=SECONDS, go_on=context.check)
    entries = sorted(found.items, key=in_order)
    if offset and offset >= len(entries):
        raise Refused("out_of_range", words.no_such_entry.format(path=place.shown, count=len(entries), offset=offset))
    shown = list(_fitting(entries[offset : offset + limit]))
    following = offset + len(shown) if offset + len(shown) < len(entries) else None
    lines = [
        f"{label(entry)}\t{entry.status.st_size}" if entry.is_file and entry.status is not None else label(entry)
        for entry in shown
    ]
    if not entries and found.complete:
        lines.append(words.mark(words.empty_folder))
    if following is not None or offset:
        lines.append(words.list_note(offset + 1, offset + len(shown), len(entries), following))
    if not found.complete:
        lines.append(words.mark(words.partial.format(seconds=SECONDS)))
    data: dict[str, object] = {
        "path": place.shown,
        "entries": [
            {
                "name": printable(entry.name),
                "type": _kind(entry),
                **({"size": entry.status.st_size} if entry.is_file and entry.status is not None else {}),
            }
            for entry in shown
        ],
        "total": len(entries),
        "next_offset": following,
        "complete": found.complete,
    }
    return Result(data=data, text="\n".join(lines), provenance=place.shown)


def _fitting(entries: Sequence[Entry]) -> Iterator[Entry]:
    """As many as an answer may hold: names may be long."""
    room = PAGE_BYTES
    for entry in entries:
        room -= 2 * len(os.fsencode(entry.name)) + 50
        if room < 0:
            return
        yield entry
