"""One file under edit: read, changed, backed up, written and read back; and what is said of it.

The one place where the edits of this package meet the file system, the words and a tool's answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property

from ..access.place import READ_LIMIT, Place
from ..access.workspace import Workspace
from ..tool import Refused, Result, ToolContext
from .backups import back_up
from .codepoints import spelled
from .counts import EditCounts
from .diff import unified_diff
from .document import Document, Splice, decoded
from .nearmiss import NearMiss, nearest
from .records import record
from .refusal import EditRefused

__all__ = ["EditedFile", "Written", "alone", "count_change", "near_words", "read_back", "refused"]

_LINE_SHOWN = 160
_NEAR_SHOWN = 2_000
_AROUND = 2
_NEW_SHOWN = 4
_COMPARED = 100
"""Places of a change that are looked for in a file that others write to."""


@dataclass(frozen=True, kw_only=True)
class Written:
    """What an edit came to.

    Attributes:
        file: the file as it was read.
        after: as it is now, or would be.
        splices: the changes.
        backup: where the previous bytes are, as the model sees it.
        dry: nothing was written.
        notes: what else is to be said.
    """

    file: EditedFile
    after: Document
    splices: Sequence[Splice]
    backup: str | None = None
    dry: bool = False
    notes: Sequence[str] = field(default=())

    @property
    def changed(self) -> bool:
        """The bytes are others now."""
        return self.after.body != self.file.document.body

    @cached_property
    def diff(self) -> str:
        """The change as a unified diff."""
        return unified_diff(self.file.document, self.splices, self.after, self.file.place.shown)

    def result(self, said: str, *, around: Sequence[tuple[int, int]] = (), more: bool = False, **data: object) -> Result:
        """The answer.

        Args:
            said: what was done, in a sentence.
            around: show the lines that stand there now: of each place the first and the last new one (one less: between two);
                of a single place with those around it.
            more: there are more places.
            data: what else a program may want to know.
        """
        words, path = self.file.context.words.editing, self.file.place.shown
        facts: dict[str, object] = {
            "path": path,
            "changed": self.changed and not self.dry,
            "lines": self.after.lines.count,
            **data,
        }
        if self.dry:
            facts |= {"dry_run": True, "diff": self.diff}
            text = f"{words.would_change}\n{self.diff}" if self.changed else words.unchanged.format(path=path)
            return Result(data=facts, text=text, provenance=path)
        parts = [said if self.changed else words.unchanged.format(path=path), *self.notes]
        reach = _AROUND if len(around) == 1 else 0
        shown = [_around(self.after, *lines, reach) for lines in around] if self.changed else []
        if any(shown):
            parts.append("\n".join([words.now, *shown, *(["…"] if more else [])]))
        if self.backup is not None:
            facts["backup"] = self.backup
            parts.append(words.backed_up.format(backup=self.backup))
        return Result(data=facts, text="\n".join(parts), provenance=path)


@dataclass(frozen=True, kw_only=True)
class EditedFile:
    """A file that was read to be edited.

    Attributes:
        context: on whose behalf.
        place: where it is.
        data: its bytes; ``None``: it is not there.
        document: the same as an edit sees them.
    """

    context: ToolContext
    place: Place
    data: bytes | None
    document: Document

    @classmethod
    @contextmanager
    def opened(cls, context: ToolContext, file_name: str, *, new: bool = False) -> Iterator[EditedFile]:
        """Read a file that exists, and let nobody else of this process edit it while the ``with`` statement runs.

        Args:
            context, file_name: as the tool got them.
            new: it may be missing.

        Raises:
            Refused: ``binary``, ``encoding``, or as ``Workspace.place`` and ``Place.read``.
        """
        place = context.use(Workspace).place(file_name)
        with alone(context, [place]):
            if new and not place.exists():
                yield cls(context=context, place=place, data=None, document=Document.empty())
                return
            data = place.read()
            with refused(context, place.shown):
                document = Document.of(data)
            yield cls(context=context, place=place, data=data, document=document)

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """What the engine refuses becomes what a model reads."""
        with refused(self.context, self.place.shown, self.document):
            yield

    def refuse(self, error: str, reason: str, /, *, near_to: str | None = None, **facts: object) -> Refused:
        """A refusal about this file.

        Args:
            error, reason, facts: as ``EditRefused``.
            near_to: a text that does not stand in it: its nearest place is shown.
        """
        words = self.context.words.editing
        text = words.sentence(reason, {"path": self.place.shown, **facts})
        data: dict[str, object] = {"path": self.place.shown, "lines": self.document.lines.count}
        if near_to is not None:
            near = nearest(self.document, near_to)
            said, shown = near_words(self.context, near)
            text, data["near"] = f"{text}\n{said}", shown
        return Refused(error, text, data=data)

    def actual(self, around: int, reach: int) -> str:
        """The lines around a place, numbered, for a refusal."""
        return _numbered(self.document, around - reach, around + reach)

    def write(self, splices: Sequence[Splice], *, backup: bool = False, dry: bool = False) -> Written:
        """Make the change.

        Args:
            splices: what changes.
            backup: keep the previous bytes beside it.
            dry: only say what would change.

        Raises:
            Refused: ``too_large``; ``drift``: somebody changed the file meanwhile; as ``Place.replace``.
        """
        after = self.document.changed(splices)
        if dry:
            return Written(file=self, after=after, splices=splices, dry=True)
        new = after.data
        if new == self.data:
            return Written(file=self, after=after, splices=())
        words = self.context.words.editing
        if len(new) > READ_LIMIT:
            facts = {"path": self.place.shown, "size": len(new), "limit": READ_LIMIT}
            raise Refused("too_large", words.too_large_after.format_map(facts))
        kept = None
        if backup and self.data is not None:
            kept = back_up(self.context.use(Workspace), self.place, self.data, self.context.check).shown
        self.place.replace(new, expected=self.data)
        later = read_back(self.context, self.place, new, lambda now: _holds(now, self.document.body, after.body, splices))
        if kept is not None and self.data is not None:
            record(self.context.use(Workspace), self.place, self.data, new)
        note = words.changed_before(count_change(self.context, self.place))
        notes = [said for said in (later, note) if said]
        return Written(file=self, after=after, splices=splices, backup=kept, notes=notes)


@contextmanager
def alone(context: ToolContext, places: Sequence[Place]) -> Iterator[None]:
    """Let nobody else of this process edit some files while the ``with`` statement runs.

    Raises:
        Refused: a path that cannot be reached.
    """
    with context.use(Workspace).turns.at([place.real() for place in places], context.check):
        yield


def read_back(context: ToolContext, place: Place, new: bytes, is_in: Callable[[bytes], bool]) -> str:
    """Read a file that was written; what is to be said where somebody else has changed it since, else an empty text.

    Args:
        context, place: whose words, and the file.
        new: what was written.
        is_in: whether other bytes hold the change as well.

    Raises:
        Refused: ``drift``: somebody else wrote over the change; as ``Place.read``.
    """
    words = context.words.editing
    now = place.read(2 * READ_LIMIT) if place.exists() else None
    if now == new:
        return ""
    if now is None or not is_in(now):
        raise Refused("drift", words.read_back.format(path=place.shown))
    return words.changed_after.format(path=place.shown)


def _holds(now: bytes, before: bytes, after: bytes, splices: Sequence[Splice]) -> bool:
    """Whether a file that others changed as well still has a change: what it put in is there as often, what it took is not."""
    try:
        body = Document.of(now).body
    except EditRefused:
        return False
    return all(
        body.count(data) >= after.count(data) if data else body.count(before[start:end]) <= after.count(before[start:end])
        for start, end, data in splices[:_COMPARED]
    )


def count_change(context: ToolContext, place: Place) -> int:
    """Count a change of a file; how many there have been in this session, 0 where nobody counts."""
    try:
        return context.use(EditCounts).changed(f"{place.root.real}\0{'/'.join(place.given)}")
    except Refused:
        return 0


@contextmanager
def refused(context: ToolContext, path: str, document: Document | None = None) -> Iterator[None]:
    """What the engine refuses becomes what a model reads.

    Args:
        context: whose words.
        path: the file, as the model sees it.
        document: it, where it was read.
    """
    try:
        yield
    except EditRefused as error:
        facts = {"path": path, **error.facts}
        near = facts.pop("near", None)
        text = context.words.editing.sentence(error.reason, facts)
        data: dict[str, object] = {"path": path}
        if document is not None:
            data["lines"] = document.lines.count
        if near is not None or "near" in error.facts:
            said, shown = near_words(context, near if isinstance(near, NearMiss) else None)
            text, data["near"] = f"{text}\n{said}", shown
        raise Refused(error.error, text, data=data) from None


def near_words(context: ToolContext, near: NearMiss | None) -> tuple[str, dict[str, object] | None]:
    """The nearest place, for a model and for a program."""
    words = context.words.editing
    if near is None:
        return words.unlike, None
    text = near.text if len(near.text) <= _NEAR_SHOWN else near.text[:_NEAR_SHOWN] + "…"
    told = [(one.kind, near.first + one.line, *spelled(one.wanted, one.actual)) for one in near.differences]
    data: dict[str, object] = {
        "first_line": near.first,
        "last_line": near.last,
        "text": text,
        "likeness": round(near.likeness, 2),
        "differences": [{"kind": kind, "line": line, "sent": wanted, "file": actual} for kind, line, wanted, actual in told],
    }
    return words.near_place(near.first, near.last, text, told), data


def _around(document: Document, first: int, last: int, reach: int) -> str:
    """New lines with those around them; of many new ones the first and the last."""
    if last - first >= 2 * _NEW_SHOWN:
        above = _numbered(document, first - reach, first + _NEW_SHOWN - 1)
        return f"{above}\n…\n{_numbered(document, last - _NEW_SHOWN + 1, last + reach)}"
    return _numbered(document, first - reach, last + reach)


def _numbered(document: Document, first: int, last: int) -> str:
    shown = []
    for number in range(max(1, first), min(last, document.lines.count) + 1):
        line = decoded(document.lines.content(number))
        shown.append(f"{number}: {line if len(line) <= _LINE_SHOWN else line[:_LINE_SHOWN] + '…'}")
    return "\n".join(shown)
