"""Inserting lines by number."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from ...editing.file import EditedFile
from ...editing.line_edits import inserted
from ...tool import Result, ToolContext, tool

__all__ = ["insert_at_line"]


@tool(family="files", title="Insert lines", destructive=False, visible=True, tier=3)
def insert_at_line(
    context: ToolContext,
    file_name: str,
    line_number: int,
    content_to_insert: Annotated[str, Meta(max_length=1_000_000)],
    backup: bool = False,
    dry_run: bool = False,
) -> Result:
    """Insert one or more lines in front of a line. Line endings become those of the file.

    Args:
        file_name: Path of the file.
        line_number: The number the first new line gets: 1 to one more than the file has lines.
        content_to_insert: The lines, without a final newline.
        backup: Keep the old content in a .bak file.
        dry_run: Only show the diff.
    """
    with EditedFile.opened(context, file_name) as file:
        with file.refusing():
            edit = inserted(file.document, line_number, file.document.encoded(content_to_insert, "content_to_insert"))
        written = file.write(edit.splices, backup=backup, dry=dry_run)
        words, count = context.words.editing, written.after.lines.count
        template = words.inserted if edit.first == edit.last else words.inserted_several
        said = template.format(path=file.place.shown, first=edit.first, last=edit.last, count=count)
        return written.result(said, around=[(edit.first, edit.last)], first_line=edit.first, last_line=edit.last)
