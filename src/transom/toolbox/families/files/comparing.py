"""What differs between two files, as a unified diff, in time that is bounded however unlike they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from itertools import islice

from ...access.place import Place
from ...access.workspace import Workspace
from ...editing.diff import unified_diff
from ...editing.document import Document, Splice
from ...editing.lines import Lines
from ...editing.refusal import EditRefused
from ...tool import Refused, Result, ToolContext, tool
from .pages import PAGE_BYTES
from .texts import PROBE, coding_of

__all__ = ["file_diff"]

MOST_COMPARED = 5_000
"""Lines on one side, between what both begin and end with alike, that are matched one by one; more become one change."""
MOST_SHOWN = 400


@tool(
    family="files", title="Compare two files", read_only=True, idempotent=True, visible=True, reader=True, tier=3, seconds=20.0
)
def file_diff(context: ToolContext, path: str, other_path: str) -> Result:
    """Compare two text files: a unified diff from the first to the second.

    Args:
        path: the file before.
        other_path: the file after.
    """
    words = context.words.filing
    workspace = context.use(Workspace)
    before, after = workspace.place(path), workspace.place(other_path)
    old, new = _document(context, before), _document(context, after)
    changes = list(_splices(old.lines, new.lines, context.check))
    diff = unified_diff(old, changes, new, after.shown, most=MOST_SHOWN) if changes else ""
    diff = diff.replace(f"--- a/{after.shown}", f"--- a/{before.shown}", 1)
    cut = diff.encode("utf-8", "replace")[:PAGE_BYTES].decode("utf-8", "ignore")
    same = old.body == new.body
    same_bytes = same and old.encoding == new.encoding
    data: dict[str, object] = {
        "path": before.shown,
        "other_path": after.shown,
        "diff": cut,
        "identical": same_bytes,
        "changes": len(changes),
        "encodings": [old.encoding.name, new.encoding.name],
        "complete": len(cut) == len(diff),
    }
    if same_bytes:
        text = words.identical.format(path=before.shown, other=after.shown)
    elif same:
        names = f"{old.encoding.name}, {new.encoding.name}"
        text = words.same_text.format(path=before.shown, other=after.shown, encodings=names)
    else:
        text = cut if len(cut) == len(diff) else f"{cut}\n{words.mark(words.diff_cut)}"
    return Result(data=data, text=text, provenance=before.shown)


def _document(context: ToolContext, place: Place) -> Document:
    words = context.words.filing
    data = place.read()
    if coding_of(data[:PROBE]) is None:
        raise Refused("binary", words.binary.format(path=place.shown))
    try:
        return Document.of(data)
    except EditRefused as refusal:
        raise Refused(refusal.error, words.odd_encoding.format(path=place.shown)) from None


def _splices(old: Lines, new: Lines, go_on: Callable[[], None]) -> Iterator[Splice]:
    """What of the old body becomes what of the new one."""
    most = min(old.count, new.count)
    head = sum(1 for _ in _alike((old.whole(n), new.whole(n)) for n in range(1, most + 1)))
    ends = ((old.whole(old.count - n), new.whole(new.count - n)) for n in range(most - head))
    tail = sum(1 for _ in _alike(ends))
    olds = [old.whole(n) for n in range(head + 1, old.count - tail + 1)]
    news = [new.whole(n) for n in range(head + 1, new.count - tail + 1)]
    go_on()
    if not olds and not news:
        return
    if max(len(olds), len(news)) > MOST_COMPARED:
        blocks = [(0, len(olds), 0, len(news))]
    else:
        found = SequenceMatcher(None, olds, news, autojunk=True).get_opcodes()
        blocks = [(a, b, c, d) for tag, a, b, c, d in found if tag != "equal"]
    for first, last, new_first, new_last in blocks:
        start, end = old.start(head + first + 1), old.start(head + last + 1)
        yield Splice(start, end, b"".join(islice(news, new_first, new_last)))


def _alike(pairs: Iterator[tuple[bytes, bytes]]) -> Iterator[None]:
    for one, other in pairs:
        if one != other:
            return
        yield None
