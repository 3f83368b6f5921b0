"""Keeping files: folders made, files moved, copied and deleted, the working directory changed. Nothing is ever overwritten."""

from __future__ import annotations

from ...access.workspace import Workspace
from ...tool import Refused, Result, ToolContext, tool

__all__ = ["change_directory", "copy_file", "delete_path", "make_directory", "move_file"]

_COUNTED = 1_000
"""Entries of a folder that are counted before one asks whether all of it is meant."""


@tool(family="files", title="Make a folder", destructive=False, idempotent=True, visible=True, tier=3)
def make_directory(context: ToolContext, directory_name: str) -> Result:
    """Make a folder, and those above it that are missing. It is fine if it exists.

    Args:
        directory_name: the folder.
    """
    words = context.words.filing
    place = context.use(Workspace).place(directory_name)
    made = place.make_folder()
    text = (words.made_folder if made else words.had_folder).format(path=place.shown)
    return Result(data={"path": place.shown, "created": made}, text=text, provenance=place.shown)


@tool(family="files", title="Move or rename", destructive=True, visible=True, tier=2)
def move_file(context: ToolContext, source: str, destination: str) -> Result:
    """Move or rename a file or folder. Fails if the destination exists; its folder must exist.

    Args:
        source: what to move.
        destination: its new path, name included.
    """
    workspace = context.use(Workspace)
    origin, target = workspace.place(source), workspace.place(destination)
    origin.move_to(target, context.check)
    text = context.words.filing.moved.format(source=origin.shown, path=target.shown)
    return Result(data={"source": origin.shown, "path": target.shown}, text=text, provenance=target.shown)


@tool(family="files", title="Copy a file", destructive=False, visible=True, tier=3)
def copy_file(context: ToolContext, source: str, destination: str) -> Result:
    """Copy a file with its permissions. Fails if the destination exists; its folder must exist.

    Args:
        source: the file.
        destination: path of the copy, name included.
    """
    workspace = context.use(Workspace)
    origin, target = workspace.place(source), workspace.place(destination)
    size = origin.copy_to(target, context.check)
    text = context.words.filing.copied.format(source=origin.shown, path=target.shown, size=size)
    return Result(data={"source": origin.shown, "path": target.shown, "size": size}, text=text, provenance=target.shown)


@tool(family="files", title="Delete a file or folder", destructive=True, visible=True, tier=2)
def delete_path(context: ToolContext, path: str, recursive: bool = False) -> Result:
    """Delete a file, a link (never what it leads to) or an empty folder; with recursive a folder and all that is in it.

    Args:
        path: what to delete.
        recursive: delete a folder that is not empty.
    """
    words = context.words.filing
    place = context.use(Workspace).place(path)
    held = place.held(_COUNTED)
    if held and not recursive:
        shown = f"{held}" if held < _COUNTED else f"{_COUNTED}+"
        raise Refused("invalid_input", words.not_empty.format(path=place.shown, count=shown), data={"entries": held})
    folder = held is not None
    gone = place.remove_all(context.check)
    text = (words.deleted_folder if folder else words.deleted).format(path=place.shown, count=gone - 1)
    return Result(data={"path": place.shown, "deleted": gone}, text=text, provenance=place.shown)


@tool(family="files", title="Change the working directory", destructive=False, idempotent=True, tier=3)
def change_directory(context: ToolContext, directory: str) -> Result:
    """Change the folder that relative paths start from. The allowed folders stay the same.

    Args:
        directory: the folder.
    """
    workspace = context.use(Workspace)
    words = context.words.filing
    if not context.stateful:
        # Judged all the same, so that a path that would be refused is refused for what it is.
        workspace.for_session().change_directory(directory)
        raise Refused("unavailable", words.stateless.format(path=directory))
    workspace.change_directory(directory)
    return Result(data={"cwd": workspace.cwd}, text=words.directory.format(path=workspace.cwd))
