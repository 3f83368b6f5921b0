"""What is in a folder, and the tree below it: within entries, depth and time, with counts of what is not shown."""

from __future__ import annotations

import stat
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Annotated

from msgspec import Meta

from ...access.folder import Entry
from ...access.place import Place
from ...access.walls import gather
from ...access.workspace import Workspace
from ...tool import Refused, Result, ToolContext, tool
from .names import EXCLUDED, printable

__all__ = ["directory_tree", "list_directory"]

SECONDS = 3.0
"""How long a folder may take to be read before what there is becomes the answer."""
MOST_LISTED = 2_000
MOST_IN_TREE = 1_000
MOST_IN_ONE_FOLDER = 100
"""Entries of one folder that a tree shows: one large folder must not hide the others."""


def _order(entry: Entry) -> tuple[bool, str, str]:
    return (not entry.is_folder, entry.name.casefold(), entry.name)


def _kind(entry: Entry) -> str:
    names = {stat.S_IFDIR: "folder", stat.S_IFREG: "file", stat.S_IFLNK: "link"}
    return names.get(entry.kind, "other" if entry.kind else "unknown")


def _label(entry: Entry) -> str:
    name = printable(entry.name)
    return f"{name}/" if entry.is_folder else f"{name}@" if entry.is_link else name


@tool(family="files", title="List a folder", read_only=True, idempotent=True, visible=True, reader=True, tier=1)
def list_directory(
    context: ToolContext,
    path: str = ".",
    limit: Annotated[int, Meta(ge=1, le=MOST_LISTED)] = 500,
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
    entries = sorted(found.items, key=_order)
    shown = entries[offset : offset + limit]
    following = offset + len(shown) if offset + len(shown) < len(entries) else None
    lines = [
        f"{_label(entry)}\t{entry.status.st_size}" if entry.is_file and entry.status is not None else _label(entry)
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


@dataclass
class _Node:
    """One folder of a tree."""

    entries: list[Entry] = field(default_factory=list)
    hidden: int = 0
    note: str = ""


@tool(family="files", title="Show a folder tree", read_only=True, idempotent=True, visible=True, reader=True, tier=1)
def directory_tree(
    context: ToolContext,
    path: str = ".",
    max_depth: Annotated[int, Meta(ge=1, le=20)] = 3,
    max_entries: Annotated[int, Meta(ge=1, le=MOST_IN_TREE)] = 300,
    include_excluded: bool = False,
) -> Result:
    """Show the tree of folders and files, near levels first. Links are not followed; what is left out is counted.

    Args:
        path: the folder at its top.
        max_depth: levels to show.
        max_entries: most entries to show.
        include_excluded: look into node_modules, .git, build folders and the like, too.
    """
    words = context.words.filing
    place = context.use(Workspace).place(path)
    excluded = frozenset() if include_excluded else EXCLUDED
    found = gather(lambda halt: _levels(place, max_depth, max_entries, excluded, halt), seconds=SECONDS, go_on=context.check)
    nodes: dict[tuple[str, ...], _Node] = dict(found.items)
    counts: Counter[str] = Counter()
    lines: list[str] = []
    paths: list[str] = []
    stack: list[tuple[tuple[str, ...], Entry]] = [((), entry) for entry in reversed(nodes.get((), _Node()).entries)]
    hidden = {(): nodes.get((), _Node()).hidden}
    while stack:
        above, entry = stack.pop()
        here = (*above, entry.name)
        counts["folders" if entry.is_folder else "files"] += 1
        line = "  " * len(above) + _label(entry)
        node = nodes.get(here)
        if entry.is_folder and entry.name in excluded:
            counts["excluded"] += 1
            line += " " + words.mark(words.excluded)
        elif entry.is_folder and (node is None or node.note):
            counts["unread"] += 1
            line += " " + words.mark(node.note if node is not None and node.note else words.not_read)
        elif node is not None:
            if node.hidden:
                counts["not_shown"] += node.hidden
                line += " " + words.mark(words.more_inside.format(count=node.hidden))
            stack += [(here, below) for below in reversed(node.entries)]
        lines.append(line)
        paths.append("/".join(map(printable, here)) + ("/" if entry.is_folder else ""))
    counts["not_shown"] += hidden[()]
    if hidden[()]:
        lines.append(words.mark(words.more_inside.format(count=hidden[()])))
    if not found.complete:
        lines.append(words.mark(words.partial.format(seconds=SECONDS)))
    lines.append(words.mark(words.tree_counts.format(folders=counts["folders"], files=counts["files"])))
    data: dict[str, object] = {
        "path": place.shown,
        "entries": paths,
        "folders": counts["folders"],
        "files": counts["files"],
        "left_out": {name: counts[name] for name in ("excluded", "not_shown", "unread")},
        "complete": found.complete,
    }
    return Result(data=data, text="\n".join(lines), provenance=place.shown)


def _levels(
    top: Place, depth: int, most: int, excluded: frozenset[str], halt: Callable[[], None]
) -> Iterator[tuple[tuple[str, ...], _Node]]:
    """The folders of a tree, level by level, each with the entries it shows."""
    queue: deque[tuple[Place, tuple[str, ...]]] = deque([(top, ())])
    left = most
    while queue:
        halt()
        place, names = queue.popleft()
        node = _Node()
        try:
            entries = []
            for entry in place.children():
                halt()
                entries.append(entry)
        except Refused as refusal:
            if not names:
                raise
            node.note = refusal.error
            yield names, node
            continue
        entries.sort(key=_order)
        room = 0 if len(names) >= depth else min(left, MOST_IN_ONE_FOLDER if names else left)
        node.entries, node.hidden = entries[:room], max(0, len(entries) - room)
        left -= len(node.entries)
        yield names, node
        queue.extend(
            (place.child(entry.name), (*names, entry.name))
            for entry in node.entries
            if entry.is_folder and entry.name not in excluded
        )
