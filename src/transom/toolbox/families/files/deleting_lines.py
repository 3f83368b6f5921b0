"""Deleting lines by number, verified against what should stand there."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from ...editing.file import EditedFile, Written, near_words
from ...editing.line_edits import checked_range, deleted
from ...editing.nearmiss import nearest
from ...editing.refusal import EditRefused
from ...editing.verifying import REACH, Stand, block_lines, drift, standing
from ...tool import Refused, Result, ToolContext, tool

__all__ = ["delete_lines", "delete_lines_in_file"]


@tool(family="files", title="Delete lines", visible=True, tier=3)
def delete_lines_in_file(
    context: ToolContext,
    file_name: str,
    start_line: int,
    end_line: int | None = None,
    verify_before_delete: Annotated[str, Meta(max_length=10_000)] | None = None,
    backup: bool = True,
    dry_run: bool = False,
) -> Result:
    """Delete a line or a range of lines. Give verify_before_delete: if the file changed, the range moves or nothing is deleted.

    Args:
        file_name: Path of the file.
        start_line: First line to delete, counted from 1.
        end_line: Last line to delete; without it, one line.
        verify_before_delete: Text of the first line (or of several lines) to delete.
        backup: Keep the old content in a .bak file.
        dry_run: Only show the diff.
    """
    with EditedFile.opened(context, file_name) as file:
        return delete_lines(file, start_line, end_line, verify_before_delete or "", backup=backup, dry=dry_run)


def delete_lines(file: EditedFile, first: int, last: int | None, verify: str, *, backup: bool, dry: bool) -> Result:
    """Delete lines that hold what they should.

    Args:
        file: where.
        first, last: which; without ``last`` one.
        verify: what stands on the first of them, and perhaps on those below, or on others of them; empty: anything.
        backup, dry: as ``EditedFile.write``.

    Raises:
        Refused: ``out_of_range``, ``drift``, ``ambiguous``, or as ``EditedFile.write``.
    """
    stand = _stand(file, first, last, verify) if verify else Stand(0, first)
    step = stand.step
    with file.refusing():
        edit = deleted(file.document, first + step, None if last is None else last + step)
    written: Written = file.write(edit.splices, backup=backup, dry=dry)
    words, count = file.context.words.editing, written.after.lines.count
    template = words.deleted if edit.first == edit.last else words.deleted_several
    said = template.format(path=file.place.shown, first=edit.first, last=edit.last, count=count)
    if step:
        said += " " + words.found_at.format(step=f"{step:+d}", first=edit.first)
    elif stand.line != first:
        said += " " + words.found_inside.format(line=stand.line, first=edit.first)
    return written.result(
        said, around=[(edit.first, edit.first - 1)], first_line=edit.first, last_line=edit.last, moved_by=step
    )


def _stand(file: EditedFile, first: int, last: int | None, verify: str) -> Stand:
    """Where the text stands; the refusal shows what stands there instead, and where the text is now."""
    document, words = file.document, file.context.words.editing
    if last is not None and last < first:
        with file.refusing():
            checked_range(document.lines, first, last)
    try:
        return drift(document, first, first if last is None else last, verify)
    except EditRefused as refusal:
        if first > document.lines.count + REACH or first < 1:
            with file.refusing():
                checked_range(document.lines, first, last)
        text = words.sentence(refusal.reason, {"path": file.place.shown, **refusal.facts})
        data: dict[str, object] = {"path": file.place.shown, "lines": document.lines.count}
        places = list(standing(document, block_lines(verify)))
        if refusal.error == "drift" and len(places) == 1:
            text += " " + words.stands_at.format(lines=places[0])
            data["stands_at"] = places[0]
        near = nearest(document, verify) if refusal.error == "drift" and not places else None
        if near is not None and near.likeness == 1.0:  # it may well be there, and only look the same
            said, data["near"] = near_words(file.context, near)
            text += f"\n{said}"
        elif shown := file.actual(first, REACH):
            text += f"\n{words.actual}\n{shown}"
        raise Refused(refusal.error, text, data=data) from None
