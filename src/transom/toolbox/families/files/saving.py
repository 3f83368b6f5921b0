"""Writing whole files, and adding at their ends."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from ...access.place import READ_LIMIT
from ...access.workspace import Workspace
from ...editing.document import Document, encoded
from ...editing.file import EditedFile, alone, count_change, read_back, refused
from ...editing.line_edits import appended
from ...tool import Refused, Result, ToolContext, tool

__all__ = ["append_file", "save_file"]

_TRIES = 20
"""How often a text is put at the end of a file that others write to meanwhile."""


@tool(family="files", title="Write a file", idempotent=True, visible=True, tier=1)
def save_file(context: ToolContext, file_name: str, content: str) -> Result:
    """Write a whole text file: exactly these characters, as UTF-8. Makes the file and its folders if needed.

    To change part of a file use replace_text_in_file or apply_patch.

    Args:
        file_name: Path of the file.
        content: The whole content.
    """
    words = context.words.editing
    place = context.use(Workspace).place(file_name)
    with refused(context, place.shown):
        data = encoded(content, "content")
    if len(data) > READ_LIMIT:
        facts = {"path": place.shown, "size": len(data), "limit": READ_LIMIT}
        raise Refused("too_large", words.too_large_after.format_map(facts))
    with alone(context, [place]):
        new = not place.exists()
        if new:
            place.create_parents()
        place.replace(data)
        later = read_back(context, place, data, lambda _: True)
    count_change(context, place)
    lines = Document(encoding=Document.empty().encoding, body=data).lines.count
    said = (words.created if new else words.saved).format(path=place.shown, bytes=len(data), lines=lines)
    said = "\n".join(filter(None, (said, later)))
    facts = {"path": place.shown, "bytes": len(data), "lines": lines, "created": new}
    return Result(data=facts, text=said, provenance=place.shown)


@tool(family="files", title="Append to a file", destructive=False, visible=True, tier=3)
def append_file(context: ToolContext, file_name: str, content: Annotated[str, Meta(max_length=1_000_000)]) -> Result:
    """Add text at the very end of a file, or make the file. Line breaks become those of the file.

    Args:
        file_name: Path of the file.
        content: The text; begin it with a newline if the file's last line has none.
    """
    words = context.words.editing
    if not content:
        raise Refused("invalid_input", words.nothing_to_append)
    for left in range(_TRIES, 0, -1):
        with EditedFile.opened(context, file_name, new=True) as file:
            with file.refusing():
                edit = appended(file.document, file.document.encoded(content, "content"))
            if file.data is None:
                file.place.create_parents()
            try:
                written = file.write(edit.splices)
                break
            except Refused as refusal:
                # Others append to it: its end has moved, or one of them was a moment later and did not see this text.
                if refusal.error != "drift" or left == 1:
                    raise
        context.check()
    last = written.after.lines.count
    said = words.appended.format(path=file.place.shown, first=edit.first, last=last, count=last)
    return written.result(said, first_line=edit.first, last_line=last)
