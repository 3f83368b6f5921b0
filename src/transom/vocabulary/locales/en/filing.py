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
    others="There is: {names}.",
    differing="It has {found} where you sent {sent}: copy the name exactly.",
    not_a_folder="{path} does not exist: {segment} is a file, not a folder.",
    folder_not_file="{path} is a folder, not a file. list_directory shows what is in it.",
    file_not_folder="{path} is a file, not a folder. read_file shows it.",
    special="{path} is {kind}, not a file. File tools do not open it.",
    fifo="a FIFO",
    device="a device",
    socket="a socket",
    special_kind="a special file",
    too_large=(
        "{path} has {size} bytes, more than the {limit} that are taken at once. Read it in parts: read_file with start_line, "
        "or read_file_chunked."
    ),
    stale="{path} was changed by somebody else meanwhile; nothing was written. Read it again, then repeat the change.",
    exists="{path} exists already; nothing was done. Choose another destination, or delete it first.",
    read_only="{path} is write-protected; nothing was written. Ask the user to allow writing to it.",
    root_itself="{path} is an allowed folder itself and stays where it is. Name something inside it.",
    into_itself="{path} lies inside what would be moved or copied there. Choose another destination.",
    protected_inside=(
        "{path} holds {segment}, which file tools do not change; nothing was done. Name what else is in it one by one."
    ),
    own="{path} belongs to this program itself and is not changed by file tools. Use another path.",
    other_device="{path} is on another file system, where a folder cannot be moved in one step. Copy what is in it instead.",
    refused="{path}: {reason}.",
    no_space="{path}: there is no room left on the disk; nothing was written. Free some space, then try again.",
    read_only_disk="{path}: the file system is read-only; nothing was written. Use another folder, or ask the user.",
    no_permission="{path}: the system allows no access. Use another path, or ask the user for access.",
    too_many_open="{path}: too many files are open; nothing was done. Let other calls end, then try again.",
    too_long="{path}: the name is too long for this file system. Use a shorter one.",
    binary="{path} is binary, not text. get_file_metadata describes it.",
    odd_encoding="{path} is in an encoding that is not compared (UTF-32, or damaged UTF-16). read_file shows it.",
    too_wide="{path} has {size} bytes of {encoding}, too many to count its lines. Read it with read_file_chunked.",
    no_such_line="{path} has {count} lines; there is no line {line}. Choose a start_line from 1 to {count}.",
    no_such_range="Lines {first} to {last} are no range. Lines are counted from 1, and end_line is not before start_line.",
    behind_end="{path} ends at byte {size}; offset {offset} is behind it. Choose a smaller one.",
    no_such_entry="{path} has {count} entries; offset {offset} is behind them. Choose a smaller one.",
    guessed_encoding="not valid UTF-8: shown as {encoding}, which is a guess",
    other_encoding="encoding: {encoding}",
    empty="the file is empty",
    empty_folder="the folder is empty",
    page="lines {first}-{last} of {total}",
    page_unknown="lines {first}-{last}",
    next_page="go on with start_line={next}",
    line_cut="the last line is longer than an answer, its rest: read_file_chunked with offset={offset}",
    piece="bytes {first}-{last} of {total}; go on with offset={last}",
    last_piece="bytes {first}-{last} of {total}, the end",
    listed="entries {first}-{last} of {total}",
    next_listed="go on with offset={offset}",
    partial="stopped after {seconds} seconds: this is only a part",
    excluded="not looked into",
    not_read="could not be read",
    more_inside="{count} more not shown",
    tree_counts="{folders} folders, {files} files shown",
    made_folder="Made the folder {path}.",
    had_folder="The folder {path} exists already.",
    moved="Moved {source} to {path}.",
    copied="Copied {source} to {path}, {size} bytes.",
    deleted="Deleted {path}.",
    deleted_folder="Deleted the folder {path} and {count} entries in it.",
    directory="Relative paths now start at {path}.",
    not_empty=(
        "{path} is a folder with {count} entries; nothing was deleted. Send recursive=true to delete it with all that is in it."
    ),
    stateless="This connection keeps no working directory between calls. Put {path}/ before the paths you send instead.",
    identical="{path} and {other} are identical.",
    same_text="{path} and {other} hold the same text in different encodings ({encodings}).",
    diff_cut="the diff is longer than an answer; read_file shows the rest of both files",
)
