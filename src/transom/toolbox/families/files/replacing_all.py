"""``find_replace_all``: the same replacement in many files, shown first, then made in all of them or in none."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

from msgspec import Meta

from ....safety import regexes
from ...access.excluded import BACKUPS, EXCLUDED
from ...access.place import Place
from ...access.workspace import Change, Workspace
from ...editing.backups import SUFFIX
from ...editing.diff import unified_diff
from ...editing.document import Document, Splice
from ...editing.file import alone, count_change
from ...editing.refusal import EditRefused
from ...editing.replacing import replaced
from ...searching.engine import search
from ...searching.query import Query
from ...searching.splicing import TooSlow, changes
from ...searching.templates import NoSuchGroup, parts
from ...tool import Refused, Result, ToolContext, tool
from .found import checked_globs
from .names import printable
from .pages import PAGE_BYTES

__all__ = ["find_replace_all"]

_FILES, _BYTES, _LINES, _DEPTH, _SECONDS = 100, 100_000, 5_000, 10, 15.0
_DIFF_LINES = 80


@dataclass
class _Plan:
    """What is to change.

    Attributes:
        changes: one a file.
        numbers: replacements of each.
        diffs: what they look like.
        alone: files that are left as they are, by the reason.
        skipped: files that were not looked at, by the reason.
    """

    changes: list[Change] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    diffs: list[str] = field(default_factory=list)
    alone: dict[str, list[str]] = field(default_factory=dict)
    skipped: dict[str, int] = field(default_factory=dict)

    def leave(self, reason: str, place: Place) -> None:
        self.alone.setdefault(reason, []).append(printable(place.shown))


@dataclass(frozen=True, kw_only=True)
class _Order:
    """What the call asks for."""

    pattern: str
    replacement: str
    regex: bool
    ignore_case: bool
    globs: Sequence[str]
    excluded: frozenset[str]
    end: float

    @property
    def left(self) -> float:
        return max(self.end - time.monotonic(), 0.1)

    @property
    def flags(self) -> re.RegexFlag:
        return re.IGNORECASE if self.ignore_case else re.NOFLAG


@tool(
    family="files",
    title="Replace in many files",
    visible=True,
    tier=3,
    confirm=lambda arguments: not arguments.get("dry_run", True),
)
def find_replace_all(
    context: ToolContext,
    pattern: Annotated[str, Meta(max_length=10_000)],
    replacement: Annotated[str, Meta(max_length=100_000)],
    directory: str = ".",
    mode: Literal["literal", "regex"] = "literal",
    ignore_case: bool = False,
    globs: Annotated[list[str], Meta(max_length=50)] | None = None,
    include_excluded: bool = False,
    dry_run: bool = True,
    confirm: bool = False,
) -> Result:
    """Replace text in all files of a folder: at most 100 files of 100 KB, all or none. Shows the diff unless dry_run=false.

    Args:
        pattern: the text to replace; with mode=regex a regular expression, matched within lines.
        replacement: what takes its place, literally; with mode=regex $1 and ${name} are groups, $$ a dollar sign.
        directory: the folder, or one file.
        mode: how the pattern is read.
        ignore_case: upper and lower case are the same.
        globs: only these files, e.g. *.py or src/**; with ! not these.
        include_excluded: also in node_modules, build folders and the like.
        dry_run: only show what would change.
        confirm: the user agrees to the writing.
    """
    words = context.words.seeking
    if not pattern:
        raise Refused("invalid_input", words.pattern_empty)
    order = _Order(
        pattern=pattern,
        replacement=replacement,
        regex=mode == "regex",
        ignore_case=ignore_case,
        globs=globs or (),
        excluded=BACKUPS if include_excluded else EXCLUDED,
        end=time.monotonic() + _SECONDS,
    )
    template = _template(context, order)
    folder = context.use(Workspace).place(directory)
    plan = _Plan()
    places = _places(context, folder, order, plan)
    try:
        with alone(context, places):
            _work_out(context, places, order, template, plan)
            if not plan.changes and not plan.alone:
                text = words.no_hits.format(pattern=printable(pattern[:200]), path=folder.shown)
                notes = [text, words.left_out(plan.skipped, counted=True, limits={"size": _BYTES, "line_cap": _LINES})]
                raise Refused("not_found", "\n".join(filter(None, notes)), data={"skipped": plan.skipped})
            if not dry_run:
                context.use(Workspace).apply(plan.changes)
    except TooSlow:
        raise Refused("timeout", words.too_slow.format(seconds=_SECONDS)) from None
    if not dry_run:
        for change in plan.changes:
            count_change(context, change.place)
    return _told(context, folder, plan, dry=dry_run)


def _template(context: ToolContext, order: _Order) -> list[str | int]:
    """The parts of the new text."""
    words = context.words.seeking
    _must_be_text(context, order.pattern, order.replacement)
    if not order.regex:
        return [order.replacement]
    if verdict := regexes.judge(order.pattern, int(order.flags)):
        try:
            return list(parts(order.replacement, re.compile(order.pattern, order.flags)))
        except NoSuchGroup as error:
            raise Refused("invalid_input", words.bad_replacement.format(group=error.group)) from None
    # Text that was meant as a pattern is searched for as it stands, but never written over.
    raise Refused("invalid_input", words.bad_regex.format(why=Refused.by(verdict, context.words).text))


def _must_be_text(context: ToolContext, *texts: str) -> None:
    if any("\ud800" <= letter <= "\udfff" for text in texts for letter in text):
        raise Refused("invalid_input", context.words.seeking.odd_pattern)


def _places(context: ToolContext, folder: Place, order: _Order, plan: _Plan) -> list[Place]:
    """The files that hold the pattern."""
    words = context.words.seeking
    lines = [line for line in order.pattern.split("\n") if line.strip("\r")]
    if not lines or ("\n" in order.pattern and (order.regex or order.ignore_case)):
        # Line ends alone are in every file; and what is not plain text is looked for line by line.
        raise Refused("invalid_input", words.odd_pattern)
    query = Query(
        pattern=order.pattern if order.regex else max(lines, key=len).strip("\r"),
        literal=not order.regex,
        ignore_case=order.ignore_case,
        globs=checked_globs(context, order.globs),
        excluded=order.excluded,
        depth=_DEPTH,
        file_bytes=_BYTES,
        per_file=1,
        most=2 * _FILES + 1,  # each may have a backup beside it
        seconds=_SECONDS - 5,
    )
    # Where a regular expression decides what is written, one engine finds and replaces.
    found = search(context, folder, query, engine="python" if order.regex or order.ignore_case else None)
    if not found.complete:
        raise Refused("timeout", words.too_slow.format(seconds=_SECONDS))
    places = [hit.place for hit in found.hits]
    kept = [place for place in places if not _is_backup(place, folder, order)]
    if len(kept) > _FILES or found.capped:
        raise Refused("too_large", words.too_many_files.format(limit=_FILES))
    plan.skipped.update(found.skipped)
    if backups := len(places) - len(kept):
        plan.skipped["backups"] = backups
    return kept


def _is_backup(place: Place, folder: Place, order: _Order) -> bool:
    """A backup holds what a file was: it is only written where the call names it."""
    named = place.shown == folder.shown or any(glob.endswith(SUFFIX) and glob[:1] != "!" for glob in order.globs)
    return place.name.lower().endswith(SUFFIX) and not named


def _work_out(context: ToolContext, places: Sequence[Place], order: _Order, template: list[str | int], plan: _Plan) -> None:
    files = list(_opened(places, plan))
    if order.regex or order.ignore_case:
        pattern = order.pattern if order.regex else re.escape(order.pattern)
        bodies = [document.body for _, _, document in files]
        made = changes(context, pattern, template, bodies, flags=order.flags, seconds=order.left)
        work = [_spliced(document, found) for (_, _, document), found in zip(files, made, strict=True)]
    else:
        work = [_literally(document, order) for _, _, document in files]
    for (place, data, document), splices in zip(files, work, strict=True):
        context.check()
        if splices is None:
            plan.leave("odd", place)
        elif splices:
            _add(context, plan, place, data, document, splices)


def _opened(places: Sequence[Place], plan: _Plan) -> Iterator[tuple[Place, bytes, Document]]:
    for place in places:
        try:
            data = place.read(_BYTES)
            document = Document.of(data)
        except EditRefused:
            plan.leave("odd", place)
            continue
        if document.lines.count > _LINES:
            plan.skipped["line_cap"] = plan.skipped.get("line_cap", 0) + 1
        elif _is_protected(place):
            plan.leave("protected", place)
        else:
            yield place, data, document


def _is_protected(place: Place) -> bool:
    try:
        with place.written():
            return False
    except Refused as refusal:
        if refusal.error != "protected_path":
            raise
        return True


def _literally(document: Document, order: _Order) -> list[Splice] | None:
    try:
        old, new = document.encoded(order.pattern, "pattern"), document.encoded(order.replacement, "replacement")
    except EditRefused:
        return None
    return list(replaced(document, old, new).splices)


def _spliced(document: Document, found: Sequence[tuple[int, int, bytes]]) -> list[Splice] | None:
    splices: list[Splice] = []
    lines = document.lines
    for start, end, text in found:
        # What stood in the file comes back as it stood; only what is new must be of its encoding.
        new = text.replace(b"\r\n", b"\n")
        old = document.body[start:end]
        if not document.encoding.known and not new.isascii() and not _from(new, old):
            return None
        if b"\n" in new:
            new = new.replace(b"\n", lines.terminator_near(lines.at(start)))
        if new != old:
            splices.append(Splice(start, end, new))
    return splices


def _from(new: bytes, old: bytes) -> bool:
    return {byte for byte in new if byte > 127} <= set(old)


def _add(context: ToolContext, plan: _Plan, place: Place, data: bytes, document: Document, splices: Sequence[Splice]) -> None:
    after = document.changed(splices)
    new = after.data
    if new == data:
        return
    if len(new) > 100 * _BYTES:
        plan.leave("grown", place)
        return
    plan.changes.append(Change(place=place, data=new, expected=data))
    plan.numbers.append(len(splices))
    plan.diffs.append(unified_diff(document, splices, after, printable(place.shown), most=_DIFF_LINES))


def _told(context: ToolContext, folder: Place, plan: _Plan, *, dry: bool) -> Result:
    words = context.words.seeking
    total, files = sum(plan.numbers), len(plan.changes)
    lines = [(words.would_replace if dry else words.replaced).format(replacements=total, files=files)]
    changed = [
        {"path": printable(change.place.shown), "replacements": number}
        for change, number in zip(plan.changes, plan.numbers, strict=True)
    ]
    data: dict[str, object] = {
        "path": folder.shown, "dry_run": dry, "replacements": total, "files": changed, "left_alone": plan.alone,
        "skipped": plan.skipped,
    }  # fmt: skip
    if dry:
        shown = list(_fitting(plan.diffs))
        data["diff"] = "".join(shown)
        lines += [diff.rstrip("\n") for diff in shown]
        if len(shown) < len(plan.diffs):
            lines.append(words.mark(words.diff_cut))
            lines += [f"{item['path']}: {item['replacements']}" for item in changed[len(shown) :]]
        if files:
            lines.append(words.mark(words.to_write))
    else:
        lines += [f"{item['path']}: {item['replacements']}" for item in changed]
    lines += [words.alone(paths, getattr(words, reason)) for reason, paths in plan.alone.items()]
    lines.append(words.left_out(plan.skipped, counted=True, limits={"size": _BYTES, "line_cap": _LINES}))
    return Result(data=data, text="\n".join(filter(None, lines)), provenance=folder.shown)


def _fitting(diffs: Sequence[str]) -> Iterator[str]:
    room = PAGE_BYTES
    for diff in diffs:
        room -= 2 * len(diff.encode())
        if room < 0:
            return
        yield diff
