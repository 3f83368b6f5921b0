"""Putting back what a file held before its last change with a backup."""

from __future__ import annotations

from ...access.place import READ_LIMIT
from ...access.workspace import Change, Workspace
from ...editing.file import BACKUP_SUFFIX, alone, count_change
from ...tool import Refused, Result, ToolContext, tool

__all__ = ["restore_from_bak"]

_NAMED = 20


@tool(family="files", title="Restore a file", visible=True, tier=4)
def restore_from_bak(context: ToolContext, file_name: str) -> Result:
    """Put back a file's content from its backup (the same name with .bak), byte for byte, and remove the backup.

    Args:
        file_name: Path of the file, without .bak.
    """
    words = context.words.editing
    workspace = context.use(Workspace)
    place = workspace.place(file_name)
    if place.name.endswith(BACKUP_SUFFIX) and not workspace.place(place.shown + BACKUP_SUFFIX).exists():
        place = workspace.place(place.shown.removesuffix(BACKUP_SUFFIX))
    backup = workspace.place(place.shown + BACKUP_SUFFIX)
    if not backup.is_file():
        text = words.no_backup.format(path=place.shown, backup=backup.shown)
        folder = workspace.place(place.shown.rpartition("/")[0] or ".")
        names = (
            sorted(entry.name for entry in folder.children() if entry.name.endswith(BACKUP_SUFFIX)) if folder.is_dir() else []
        )
        if names:
            text += " " + words.backups.format(names=", ".join(names[:_NAMED]))
        raise Refused("not_found", text, data={"path": place.shown, "backups": names[:_NAMED]})
    with alone(context, [place, backup]):
        data = backup.read()
        before = place.read(2 * READ_LIMIT) if place.exists() else None
        workspace.apply([Change(place=place, data=data, expected=before), Change(place=backup, data=None, expected=data)])
    count_change(context, place)
    facts = {"path": place.shown, "backup": backup.shown, "bytes": len(data)}
    return Result(data=facts, text=words.restored.format_map(facts), provenance=place.shown)
