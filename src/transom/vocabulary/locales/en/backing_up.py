"""English. See ``vocabulary.backing_up``."""

from __future__ import annotations

from ...backing_up import BackupWords

__all__ = ["BACKING_UP"]

BACKING_UP = BackupWords(
    created="Created {name}: {files:,} files, {bytes:,} bytes, packed into {packed:,}.",
    left_out="Not in it: {what}.",
    excluded="{count} excluded",
    link="{count} links",
    special="{count} that are neither file nor folder",
    protected="{count} that file tools do not write",
    unreadable="{count} that could not be read",
    odd_name="{count} with names that no archive may hold",
    examples=" ({names})",
    listing="{count} backups in {folder}, the newest first.",
    none="There is no backup in {folder}. create_backup makes one.",
    line="- {name}: {files:,} files, {bytes:,} bytes, {ago}",
    damaged_line="- {name}: cannot be read",
    restored="Restored {name}: {changed} files changed back, {new} made anew, {same} were the same. What is not in it was left "
    "as it is.",
    would_restore="{name} would change {changed} files back and make {new} anew; {same} are the same. Nothing was done.",
    nothing_to_restore="All {same} files are as they are in {name}; nothing was done.",
    deleted="Deleted {name}.",
    cleaned="Deleted {count} backups ({names}); {kept} stay.",
    nothing_to_clean="Nothing to delete; {kept} backups stay.",
    bad_name="{name} is no name of a backup. Give a name as list_backups shows it, without a folder.",
    unknown="There is no backup {name}. There are: {known}.",
    broken="{name} cannot be read as a backup: {why}. Nothing was done; use another one.",
    unsupported="{name} packs {member} in a way that is not read here. Nothing was done; unpack it outside of this tool.",
    empty="There is nothing to back up below {path}. Give another path, or exclude less.",
    other_root="{path} lies in another allowed folder. change_directory goes there; backups are kept in each by itself.",
    too_large="That is more than {limit} bytes, too much for a backup. Give a smaller path, or exclude what can be made anew.",
    too_many="That is more than {limit} files, too much for a backup. Give a smaller path, or exclude what can be made anew.",
    too_much_at_once="More than {limit} bytes would have to change at once. Restore a part with paths.",
    no_such_member="The backup holds nothing below {paths}. It holds, for example: {some}.",
)
