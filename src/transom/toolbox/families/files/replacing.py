"""Replacing text in one file."""

from __future__ import annotations

from itertools import islice
from typing import Annotated

from msgspec import Meta

from ...editing.file import EditedFile
from ...editing.replacing import lines_of, replaced
from ...tool import Refused, Result, ToolContext, tool

__all__ = ["replace_text_in_file"]

_LINES_NAMED = 12
_PLACES_SHOWN = 3


@tool(family="files", title="Replace text", visible=True, tier=1)
def replace_text_in_file(
    context: ToolContext,
    file_name: str,
    old_string: Annotated[str, Meta(max_length=100_000)],
    new_string: Annotated[str, Meta(max_length=1_000_000)] = "",
    global_: bool = True,
    expected_replacements: Annotated[int, Meta(ge=1)] | None = None,
    normalize_line_endings: bool = True,
    backup: bool = False,
    dry_run: bool = False,
) -> Result:
    """Replace text in a file, in all places, literally: blanks, tabs, quotes and case count. A near miss is shown.

    Args:
        file_name: Path of the file.
        old_string: The text to replace; it may span lines.
        new_string: What takes its place; without it the text is deleted.
        global_: Replace all occurrences, the default; false: the first.
        expected_replacements: Change nothing unless the text stands there exactly so often.
        normalize_line_endings: Let a newline match any line ending of the file and become one.
        backup: Keep the old content in a .bak file.
        dry_run: Only show the diff.
    """
    words = context.words.editing
    if not old_string:
        raise Refused("invalid_input", words.empty_text)
    with EditedFile.opened(context, file_name) as file:
        with file.refusing():
            old = file.document.encoded(old_string, "old_string")
            new = file.document.encoded(new_string, "new_string")
        everywhere = global_ or expected_replacements is not None
        done = replaced(file.document, old, new, everywhere=everywhere, normalise=normalize_line_endings)
        if not done.matches:
            raise file.refuse("not_found", "text_not_found", near_to=old_string)
        lines = list(dict.fromkeys(done.lines))
        named = ", ".join(map(str, lines[:_LINES_NAMED])) + (", …" if len(lines) > _LINES_NAMED else "")
        if expected_replacements not in {None, len(done.matches)}:
            raise file.refuse("ambiguous", "wrong_count", found=len(done.matches), expected=expected_replacements, lines=named)
        splices = done.splices if everywhere and global_ else done.splices[:1]
        written = file.write(splices, backup=backup, dry=dry_run)
        number = len(done.matches) if global_ else 1
        said = words.replaced.format(path=file.place.shown, replacements=number, lines=named)
        if not written.changed or dry_run:
            return written.result(said, replacements=number, at_lines=lines[:100])
        shown = list(islice(lines_of(written.after, splices), _PLACES_SHOWN + 1))
        return written.result(
            said, around=shown[:_PLACES_SHOWN], more=len(shown) > _PLACES_SHOWN, replacements=number, at_lines=lines[:100]
        )
