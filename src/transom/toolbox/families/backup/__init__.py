"""Backups: a folder packed as it is, kept inside the root, given back all or nothing."""

from __future__ import annotations

import math
from typing import Annotated

from msgspec import Meta

from ...tool import Family, Result, ToolContext, tool
from .shelf import Shelf

__all__ = ["FAMILY"]

LONG = 600.0
"""Seconds that packing and restoring may take."""
_DAY = 86_400.0


@tool(family="backup", title="Create a backup", destructive=False, visible=True, confirm=True, seconds=LONG, tier=4)
def create_backup(
    context: ToolContext, path: str = ".", exclude: list[str] | None = None, label: str = "", confirm: bool = False
) -> Result:
    """Pack a folder into a backup that restore_backup gives back. Version control, links and what installers made are left out.

    Args:
        path: what to back up.
        exclude: patterns of names or paths to leave out, for example *.log.
        label: goes into the backup's name.
        confirm: must be true.
    """
    # Archives and their rules are loaded by who packs or unpacks one.
    from .packing import pack

    shelf = Shelf(context)
    made = pack(context, shelf, shelf.workspace.place(path), exclude or (), label)
    words = context.words.backing_up
    place = shelf.folder.child(made.name)
    said = words.created.format(name=made.name, files=made.files, bytes=made.written, packed=made.packed)
    return Result(
        data={
            "backupFile": made.name,
            "path": place.shown,
            "files": made.files,
            "bytes": made.written,
            "packed": made.packed,
            "left_out": {kind: names for kind, names in made.left.items() if names},
        },
        text="\n".join(filter(None, (said, words.missing_line(made.left)))),
        provenance=place.shown,
    )


@tool(family="backup", title="List backups", read_only=True, idempotent=True, tier=5)
def list_backups(context: ToolContext) -> Result:
    """List the backups there are, the newest first."""
    shelf = Shelf(context)
    found = shelf.backups(context.check)
    words, dossier = context.words.backing_up, context.words.remembering.dossier
    lines = [
        words.damaged_line.format(name=backup.name)
        if backup.files is None
        else words.line.format(
            name=backup.name,
            files=backup.files,
            bytes=backup.unpacked,
            ago=dossier.ago(max(0.0, context.clock() - backup.made)),
        )
        for backup in found
    ]
    template = words.listing if found else words.none
    return Result(
        data={
            "backups": [
                {
                    "backupFile": backup.name,
                    "size": backup.size,
                    "created": backup.made,
                    "files": backup.files,
                    "bytes": backup.unpacked,
                }
                for backup in found
            ]
        },
        text="\n".join([template.format(count=len(found), folder=shelf.folder.shown), *lines]),
    )


@tool(
    family="backup",
    title="Restore a backup",
    idempotent=True,
    visible=True,
    confirm=lambda arguments: arguments.get("dry_run") is not True,
    seconds=LONG,
    tier=4,
)
def restore_backup(
    context: ToolContext,
    backupFile: str,  # noqa: N803  # the seed's name
    paths: list[str] | None = None,
    dry_run: bool = False,
    confirm: bool = False,
) -> Result:
    """Give files the bytes they had in a backup, all of them or none. Files that are not in it stay.

    Args:
        backupFile: its name, as list_backups shows it.
        paths: only these files or folders, or patterns.
        dry_run: only say what would change.
        confirm: must be true, except for a dry run.
    """
    from .unpacking import restore

    report = restore(context, Shelf(context), backupFile, paths or (), dry_run=dry_run)
    words = context.words.backing_up
    changes = bool(report.changed or report.new)
    template = words.nothing_to_restore if not changes else words.would_restore if dry_run else words.restored
    text = template.format(name=backupFile, changed=len(report.changed), new=len(report.new), same=report.same)
    return Result(data={"changed": report.changed, "new": report.new, "same": report.same, "dry_run": dry_run}, text=text)


@tool(family="backup", title="Delete a backup", idempotent=True, confirm=True, tier=5)
def delete_backup(
    context: ToolContext,
    backupFile: str,  # noqa: N803  # the seed's name
    confirm: bool = False,
) -> Result:
    """Delete one backup.

    Args:
        backupFile: its name, as list_backups shows it.
        confirm: must be true.
    """
    Shelf(context).place(backupFile).remove()
    return Result(data={"deleted": [backupFile]}, text=context.words.backing_up.deleted.format(name=backupFile))


@tool(family="backup", title="Delete old backups", idempotent=True, confirm=True, tier=5)
def cleanup_backups(
    context: ToolContext,
    keep: Annotated[int, Meta(ge=0)] = 5,
    older_than_days: Annotated[float, Meta(ge=0)] | None = None,
    confirm: bool = False,
) -> Result:
    """Delete all backups but the newest.

    Args:
        keep: how many stay.
        older_than_days: of the others, delete only those that are older.
        confirm: must be true.
    """
    shelf, words = Shelf(context), context.words.backing_up
    names = shelf.names()
    latest = context.clock() - older_than_days * _DAY if older_than_days is not None else math.inf
    gone = []
    for name in names[keep:]:
        context.check()
        place = shelf.folder.child(name)
        status = place.status(follow=False)
        if status is not None and status.st_mtime <= latest:
            place.remove()
            gone.append(name)
    kept = len(names) - len(gone)
    template = words.cleaned if gone else words.nothing_to_clean
    return Result(
        data={"deleted": gone, "kept": kept},
        text=template.format(count=len(gone), names=", ".join(gone[:10]), kept=kept),
    )


FAMILY = Family(
    name="backup",
    title="Backups",
    tools=(create_backup, list_backups, restore_backup, delete_backup, cleanup_backups),
)
