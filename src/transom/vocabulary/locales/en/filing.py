"""English. See ``vocabulary.filing``."""

from __future__ import annotations

from ...filing import FilingWords

__all__ = ["FILING"]

FILING = FilingWords(
    outside_root="{path} is outside the allowed folders ({roots}). Use a path inside them.",
    no_roots="There is no allowed folder to work in{missing}. Ask the user to name one that exists.",
    link_loop="{path} runs through too many links. Use the path they end at.",
    unstable="{path} keeps changing while it is looked at. Try again when nothing else writes there.",
    not_found="{path} does not exist.",
    nearest="The nearest name is {name}.",
    differing="It has {found} where you sent {sent}: copy the name exactly.",
    not_a_folder="{path} does not exist: {segment} is a file, not a folder.",
    folder_not_file="{path} is a folder, not a file. list_directory shows what is in it.",
    file_not_folder="{path} is a file, not a folder. read_file shows it.",
    special="{path} is {kind}, not a file. File tools do not open it.",
    fifo="a FIFO",
    device="a device",
    socket="a socket",
    special_kind="a special file",
    too_large="{path} has {size} bytes, more than the {limit} that are taken at once. Read it in parts: read_file with start_line, or "
    "read_file_chunked.",
    stale="{path} was changed by somebody else meanwhile; nothing was written. Read it again, then repeat the change.",
    exists="{path} exists already; nothing was done. Choose another destination, or delete it first.",
    read_only="{path} is write-protected; nothing was written. Ask the user to allow writing to it.",
    root_itself="{path} is an allowed folder itself and stays where it is. Name something inside it.",
    into_itself="{path} lies inside what would be moved or copied there. Choose another destination.",
    protected_inside="{path} holds {segment}, which file tools do not change; nothing was done. Name what else is in it one by one.",
    other_device="{path} is on another file system, where a folder cannot be moved in one step. Copy what is in it instead.",
    refused="{path}: {reason}.",
    no_space="{path}: there is no room left on the disk; nothing was written. Free some space, then try again.",
    no_permission="{path}: the system allows no access. Use another path, or ask the user for access.",
    too_long="{path}: the name is too long for this file system. Use a shorter one.",
)
