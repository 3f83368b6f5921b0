"""Putting back what a file held before its last change with a backup."""

from __future__ import annotations

import stat

from ...access.place import READ_LIMIT
from ...access.workspace import Change, Workspace
from ...editing.backups import SUFFIX, backup_of, without_suffix
from ...editing.file import alone, count_change
from ...editing.records import changed_since, forget, record
from ...saying import sayable
from ...tool import Refused, Result, ToolContext, tool

__all__ = ["restore_from_bak"]

_NAMED = 20
_SPARE = ".new"


@tool(family="files", title="Restore a file", visible=True, tier=4)
def restore_from_bak(context: ToolContext, file_name: str) -> Result:
    """Put back a file's content from its backup (the same name with .bak), byte for byte, and remove the backup.

    If the file was changed again since, what it holds now becomes the backup instead.

    Args:
        file_name: Path of the file, without .bak.
    """
    words = context.words.editing
    workspace = context.use(Workspace)
    place = workspace.place(file_name)
    backup = backup_of(workspace, place)
    if backup is None and (name := without_suffix(place.name)) is not None:
        # The backup itself was named: that one is meant, if it is there.
        named, place = place, workspace.place(sayable(place.shown.removesuffix(place.name[len(name) :])))
        backup = named if named.is_file() else backup_of(workspace, place)
    if backup is None or not backup.is_file():
        text = words.no_backup.format(path=place.shown, backup=place.beside(SUFFIX).shown)
        folder = workspace.place(place.shown.rpartition("/")[0] or ".")
        names = (
            sorted(entry.name for entry in folder.children() if without_suffix(entry.name) is not None)
            if folder.is_dir()
            else []
        )
        if names:
            text += " " + words.backups.format(names=", ".join(names[:_NAMED]))
        raise Refused("not_found", text, data={"path": place.shown, "backups": names[:_NAMED]})
    with alone(context, [place, backup]):
        data = backup.read()
        before = place.read(2 * READ_LIMIT) if place.exists() else None
        kept = before if before not in {None, data} and changed_since(workspace, place, data, before or b"") else None
        # Who may not read the file may not read its backup either: where their bits differ, a copy takes the backup's place.
        differ = kept is not None and stat.S_IMODE(place.stat().st_mode) != stat.S_IMODE(backup.stat().st_mode)
        spare = backup.beside(_SPARE)
        if differ:
            place.copy_to(spare, context.check)
        keeping = Change(place=backup, data=None if differ else kept, expected=data)
        try:
            workspace.apply([Change(place=place, data=data, expected=before), keeping])
        except Refused:
            if differ:
                spare.remove()
            raise
        if differ:
            spare.move_to(backup)
        if kept is None:
            forget(workspace, place)
        else:
            record(workspace, place, kept, None)
    count_change(context, place)
    facts = {"path": place.shown, "backup": backup.shown, "bytes": len(data)}
    said = words.restored if kept is None else words.restored_and_kept
    told: dict[str, object] = {**facts, "kept": kept is not None}
    return Result(data=told, text=said.format_map(facts), provenance=place.shown)
