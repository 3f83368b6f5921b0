"""A patch over many files: what each file becomes, worked out in memory before any is touched, then all or nothing.

Meets the file system only through ``Workspace``. A path may stand in a patch several times; later changes see earlier ones.
"""

from __future__ import annotations

import stat
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..access.place import READ_LIMIT, Place
from ..access.workspace import Change, Workspace
from ..tool import Refused, ToolContext
from .diff import unified_diff
from .document import Document, Splice
from .file import refused
from .hunks import Placed, new_file, patched
from .patch import FileChange

__all__ = ["Outcome", "PatchedFile", "changes_of", "worked_out"]


@dataclass(kw_only=True)
class PatchedFile:
    """One file that a patch touches.

    Attributes:
        place: where it is.
        before: its bytes now; ``None``: it is not there.
        after: what they will be.
        mode: permission bits that it takes over from the file it was, where it moves.
    """

    place: Place
    before: bytes | None
    after: bytes | None
    mode: int | None = None


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What one change of a patch comes to.

    Attributes:
        change: what the patch says.
        path, target: the file as a model sees it, and its new name where it moves.
        places: where the hunks went.
        diff: what changes.
    """

    change: FileChange
    path: str
    target: str | None = None
    places: Sequence[Placed] = field(default=())
    diff: str = ""


class _Work:
    def __init__(self, context: ToolContext) -> None:
        self.context = context
        self.workspace = context.use(Workspace)
        self.files: dict[tuple[str, ...], PatchedFile] = {}

    def file(self, path: str) -> PatchedFile:
        place = self.workspace.place(path)
        key = (place.root.real, *place.given)
        if key not in self.files:
            data = place.read() if place.status() is not None else None
            self.files[key] = PatchedFile(place=place, before=data, after=data)
        return self.files[key]

    def existing(self, path: str) -> tuple[PatchedFile, bytes]:
        file = self.file(path)
        if file.after is None:
            file.place.stat()  # refuses, and names the nearest file
            raise Refused("not_found", self.context.words.filing.missing(file.place.shown))
        return file, file.after

    def free(self, path: str) -> PatchedFile:
        file = self.file(path)
        if file.after is not None:
            raise Refused("invalid_input", self.context.words.editing.patch_file_exists.format(path=file.place.shown))
        return file

    def change(self, change: FileChange) -> Outcome:
        match change.kind:
            case "add":
                return self._add(change)
            case "delete":
                return self._delete(change)
            case _:
                return self._update(change)

    def _add(self, change: FileChange) -> Outcome:
        file = self.free(change.path)
        with refused(self.context, file.place.shown):
            data = new_file(change.hunks)
            after = Document.of(data)
        file.after = data
        made = [Splice(0, 0, after.body)]
        return Outcome(change=change, path=file.place.shown, diff=unified_diff(Document.empty(), made, after, file.place.shown))

    def _delete(self, change: FileChange) -> Outcome:
        file, data = self.existing(change.path)
        diff = ""
        if change.hunks:  # says what the file holds: all of it must be there
            document, splices, _ = self._patched(file, data, change)
            diff = unified_diff(document, splices, document.changed(splices), file.place.shown)
        file.after = None
        return Outcome(change=change, path=file.place.shown, diff=diff)

    def _update(self, change: FileChange) -> Outcome:
        file, data = self.existing(change.path)
        document, splices, places = self._patched(file, data, change)
        after = document.changed(splices)
        if len(after.data) > READ_LIMIT:
            facts = {"path": file.place.shown, "size": len(after.data), "limit": READ_LIMIT}
            raise Refused("too_large", self.context.words.editing.too_large_after.format_map(facts))
        diff = unified_diff(document, splices, after, file.place.shown)
        if change.target is None:
            file.after = after.data
            return Outcome(change=change, path=file.place.shown, places=places, diff=diff)
        target = self.file(change.target)
        if target is not file:
            target = self.free(change.target)
            status = file.place.status()
            target.mode = stat.S_IMODE(status.st_mode) if status is not None else file.mode
            file.after = None
        target.after = after.data
        return Outcome(change=change, path=file.place.shown, target=target.place.shown, places=places, diff=diff)

    def _patched(
        self, file: PatchedFile, data: bytes, change: FileChange
    ) -> tuple[Document, Sequence[Splice], Sequence[Placed]]:
        if not change.hunks:  # a file that only moves may be of any kind
            return Document(encoding=Document.empty().encoding, body=data), (), ()
        with refused(self.context, file.place.shown):
            document = Document.of(data)
            placement = patched(document, change.hunks)
        return document, placement.splices, placement.places


def worked_out(context: ToolContext, changes: Sequence[FileChange]) -> tuple[list[Outcome], list[PatchedFile]]:
    """What a patch comes to. Nothing is written.

    Returns:
        each change in order, and every file that it makes another.

    Raises:
        Refused: what is wrong with the first file that cannot be changed, and with how many more.
    """
    work = _Work(context)
    outcomes: list[Outcome] = []
    wrong: list[Refused] = []
    for change in changes:
        context.check()
        try:
            outcomes.append(work.change(change))
        except Refused as refusal:
            wrong.append(refusal)
    if wrong:
        words = context.words.editing
        text = "\n".join([words.patch_stopped, *(refusal.text for refusal in wrong)])
        data: dict[str, object] = {"problems": [{"error": refusal.error, **refusal.data} for refusal in wrong]}
        raise Refused(wrong[0].error, text, data=data)
    return outcomes, [file for file in work.files.values() if file.before != file.after]


def changes_of(files: Sequence[PatchedFile]) -> list[Change]:
    """The changes that make the files what they become."""
    return [Change(place=file.place, data=file.after, expected=file.before, mode=file.mode) for file in files]
