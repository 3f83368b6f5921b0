"""The tree below a folder, near levels first, within entries, depth and time; what is not shown is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated

from msgspec import Meta

from ....vocabulary.filing import FilingWords
from ...access.excluded import EXCLUDED
from ...access.folder import Entry
from ...access.place import Place
from ...access.walls import gather
from ...access.workspace import Workspace
from ...tool import Refused, Result, ToolContext, tool
from .names import SECONDS, in_order, label, printable
from .pages import PAGE_BYTES

__all__ = ["directory_tree"]

MOST = 1_000


@dataclass
class _Node:
    """One folder of a tree."""

    entries: list[Entry] = field(default_factory=list)
    hidden: int = 0
    failed: bool = False


@tool(
    family="files", title="Show a folder tree", read_only=True, idempotent=True, visible=True, reader=True, tier=2, seconds=20.0
)
def directory_tree(
    context: ToolContext,
    path: str = ".",
    max_depth: Annotated[int, Meta(ge=1, le=20)] = 3,
    max_entries: Annotated[int, Meta(ge=1, le=MOST)] = 300,
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
    drawing = _Drawing(dict(found.items), excluded, words)
    drawing.draw()
    if not found.complete:
        drawing.lines.append(words.mark(words.partial.format(seconds=SECONDS)))
    counts = drawing.counts
    drawing.lines.append(words.mark(words.tree_counts.format(folders=counts["folders"], files=counts["files"])))
    data: dict[str, object] = {
        "path": place.shown,
        "entries": drawing.paths,
        "folders": counts["folders"],
        "files": counts["files"],
        "left_out": {name: counts[name] for name in ("excluded", "not_shown", "unread")},
        "complete": found.complete,
    }
    return Result(data=data, text="\n".join(drawing.lines), provenance=place.shown)


class _Drawing:
    """The lines of a tree, depth first.

    Args:
        nodes: its folders, by their names from the top.
        excluded: names of folders that are not looked into.
        words: how that is said.
    """

    def __init__(self, nodes: Mapping[tuple[str, ...], _Node], excluded: frozenset[str], words: FilingWords) -> None:
        self._nodes = nodes
        self._excluded = excluded
        self._words = words
        self._room = PAGE_BYTES
        self.lines: list[str] = []
        self.paths: list[str] = []
        self.counts: Counter[str] = Counter()

    def draw(self) -> None:
        top = self._nodes.get((), _Node())
        stack: list[tuple[tuple[str, ...], Entry]] = [((), entry) for entry in reversed(top.entries)]
        hidden = top.hidden
        while stack:
            above, entry = stack.pop()
            here = (*above, entry.name)
            line = "  " * len(above) + label(entry) + self._remark(entry, here)
            path = "/".join(map(printable, here)) + ("/" if entry.is_folder else "")
            self._room -= len(line) + len(path)
            if self._room < 0:
                hidden += 1 + len(stack)
                break
            self.lines.append(line)
            self.paths.append(path)
            self.counts["folders" if entry.is_folder else "files"] += 1
            if node := self._nodes.get(here):
                stack += [(here, below) for below in reversed(node.entries)]
        if hidden:
            self.counts["not_shown"] += hidden
            self.lines.append(self._words.mark(self._words.more_inside.format(count=hidden)))

    def _remark(self, entry: Entry, here: tuple[str, ...]) -> str:
        if not entry.is_folder:
            return ""
        node = self._nodes.get(here)
        if entry.name in self._excluded:
            self.counts["excluded"] += 1
            text = self._words.excluded
        elif node is None or node.failed:
            self.counts["unread"] += 1
            text = self._words.not_read
        elif node.hidden:
            self.counts["not_shown"] += node.hidden
            text = self._words.more_inside.format(count=node.hidden)
        else:
            return ""
        return " " + self._words.mark(text)


def _levels(
    top: Place, depth: int, most: int, excluded: frozenset[str], halt: Callable[[], None]
) -> Iterator[tuple[tuple[str, ...], _Node]]:
    """The folders of a tree, level by level, each with the entries it shows."""
    level: list[tuple[Place, tuple[str, ...]]] = [(top, ())]
    while level:
        read = [(place, names, _read(place, names, halt)) for place, names in level]
        rooms = _shared(most if len(level[0][1]) < depth else 0, [len(node.entries) for _, _, node in read])
        level = []
        for (place, names, node), room in zip(read, rooms, strict=True):
            node.hidden = len(node.entries) - room
            del node.entries[room:]
            most -= room
            yield names, node
            level += [
                (place.child(entry.name), (*names, entry.name))
                for entry in node.entries
                if entry.is_folder and entry.name not in excluded
            ]


def _read(place: Place, names: tuple[str, ...], halt: Callable[[], None]) -> _Node:
    node = _Node()
    try:
        for entry in place.children():
            halt()
            node.entries.append(entry)
    except Refused:
        if not names:
            raise
        node.failed = True
    node.entries.sort(key=in_order)
    return node


def _shared(room: int, wanted: list[int]) -> list[int]:
    """Room dealt out so that small folders are shown whole and what is left goes to the large ones in equal parts."""
    dealt = [0] * len(wanted)
    for left, index in zip(range(len(wanted), 0, -1), sorted(range(len(wanted)), key=wanted.__getitem__), strict=True):
        dealt[index] = min(wanted[index], room // left)
        room -= dealt[index]
    return dealt
