"""Small edits of lines in one tool: insert, delete, move, by number or beside a line that contains a text."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from ...editing.file import EditedFile
from ...editing.line_edits import checked_range, inserted, moved
from ...editing.verifying import REACH, Anchor, anchored, contains
from ...tool import Refused, Result, ToolContext, tool
from .deleting_lines import delete_lines

__all__ = ["LineRange", "line_operations"]

MOST_LINES = 5

Pattern = Annotated[str, Meta(max_length=500)]


class LineRange(msgspec.Struct, forbid_unknown_fields=True):
    """Lines, both ends included; without an end, one line."""

    start: int
    end: int | None = None


_BELONGS = {
    "insert": {"content", "target_line", "insert_after_pattern", "insert_before_pattern", "verify_before_insert"},
    "delete": {"target_line", "end_line", "lines", "verify_before_delete"},
    "move": {"move_from", "move_to"},
}


@tool(family="files", title="Insert, delete or move lines", visible=True, tier=4)
def line_operations(
    context: ToolContext,
    file_name: str,
    operation: Literal["insert", "delete", "move"],
    content: Annotated[str, Meta(max_length=5_000)] | None = None,
    target_line: int | None = None,
    end_line: int | None = None,
    lines: LineRange | None = None,
    insert_after_pattern: Pattern | None = None,
    insert_before_pattern: Pattern | None = None,
    verify_before_insert: Annotated[str, Meta(max_length=200)] | None = None,
    verify_before_delete: Pattern | None = None,
    move_from: int | None = None,
    move_to: int | None = None,
    backup: bool = False,
    dry_run: bool = False,
) -> Result:
    """Insert, delete or move up to five lines. For more use apply_patch or replace_text_in_file.

    Args:
        file_name: Path of the file.
        operation: What to do.
        content: insert: the lines.
        target_line: insert: the number the first new line gets (without it: at the end); delete: the first line.
        end_line: delete: the last line; without it, one line.
        lines: delete: the range, instead of both.
        insert_after_pattern, insert_before_pattern: insert: beside the first line that contains this text.
        verify_before_insert: insert: text that the line at target_line must contain.
        verify_before_delete: delete: text of the first line to delete.
        move_from: move: the line to move.
        move_to: move: the number it gets.
        backup: Keep the old content in a .bak file.
        dry_run: Only show the diff.
    """
    given = {
        "content": content,
        "target_line": target_line,
        "end_line": end_line,
        "lines": lines,
        "insert_after_pattern": insert_after_pattern or None,
        "insert_before_pattern": insert_before_pattern or None,
        "verify_before_insert": verify_before_insert or None,
        "verify_before_delete": verify_before_delete or None,
        "move_from": move_from,
        "move_to": move_to,
    }
    words = context.words.editing
    # An empty text is how some models leave an argument out.
    foreign = [name for name, value in given.items() if value not in (None, "") and name not in _BELONGS[operation]]
    if foreign:
        raise Refused("invalid_input", words.argument_foreign.format(operation=operation, argument=", ".join(foreign)))
    with EditedFile.opened(context, file_name) as file:
        match operation:
            case "insert":
                if content is None:
                    raise Refused("invalid_input", words.argument_needed.format(operation=operation, argument="content"))
                after, before = insert_after_pattern or "", insert_before_pattern or ""
                return _insert(
                    file, content, target_line, after, before, verify_before_insert or "", backup=backup, dry=dry_run
                )
            case "delete":
                asked = None if target_line is None and end_line is None else LineRange(target_line or 0, end_line)
                return _delete(file, asked, lines, verify_before_delete or "", backup=backup, dry=dry_run)
            case _:
                if move_from is None or move_to is None:
                    raise Refused(
                        "invalid_input", words.argument_needed.format(operation=operation, argument="move_from, move_to")
                    )
                return _move(file, move_from, move_to, backup=backup, dry=dry_run)


def _few(file: EditedFile, count: int) -> None:
    if count > MOST_LINES:
        raise file.refuse("too_many_lines", "too_many_lines", count=count, most=MOST_LINES)


def _insert(
    file: EditedFile, content: str, target: int | None, after: str, before: str, verify: str, *, backup: bool, dry: bool
) -> Result:
    words, document = file.context.words.editing, file.document
    if after and before:
        raise Refused("invalid_input", words.both_patterns)
    with file.refusing():
        data = document.encoded(content, "content")
        _few(file, len(document.lines.split(data)))
        anchor = _anchor(file, after or before) if after or before else None
        if anchor is not None:
            number = anchor.last + 1 if after else anchor.first
            verified = anchor.last if after else anchor.first
        else:
            number = verified = document.lines.count + 1 if target is None else target
        if verify:
            _verify(file, verified, verify)
        edit = inserted(document, number, data)
    written = file.write(edit.splices, backup=backup, dry=dry)
    template = words.inserted if edit.first == edit.last else words.inserted_several
    said = template.format(path=file.place.shown, first=edit.first, last=edit.last, count=written.after.lines.count)
    if anchor is not None:
        said += " " + words.anchor_line(anchor.first, anchor.places - 1)
    return written.result(said, around=[(edit.first, edit.last)], first_line=edit.first, last_line=edit.last)


def _verify(file: EditedFile, line: int, text: str) -> None:
    """Refuse if a line does not hold a text; what stands there is shown, and where the text is."""
    words, document = file.context.words.editing, file.document
    wanted = document.encoded(text, "verify_before_insert")
    if contains(document, line, wanted):
        return
    said = words.not_on_line.format(path=file.place.shown, line=line)
    data: dict[str, object] = {"path": file.place.shown, "lines": document.lines.count}
    elsewhere = anchored(document, wanted)
    if elsewhere is not None and elsewhere.places == 1:
        said += " " + words.stands_at.format(lines=elsewhere.first)
        data["stands_at"] = elsewhere.first
    if shown := file.actual(line, REACH):
        said += f"\n{words.actual}\n{shown}"
    raise Refused("drift", said, data=data)


def _anchor(file: EditedFile, pattern: str) -> Anchor:
    text = file.document.encoded(pattern, "pattern")
    anchor = anchored(file.document, text)
    if anchor is None:
        raise file.refuse("not_found", "pattern_not_found", near_to=pattern, pattern=pattern)
    return anchor


def _delete(
    file: EditedFile, numbers: LineRange | None, lines: LineRange | None, verify: str, *, backup: bool, dry: bool
) -> Result:
    words = file.context.words.editing
    asked = numbers or lines
    if asked is None or not asked.start:
        raise Refused("invalid_input", words.argument_needed.format(operation="delete", argument="target_line"))
    if numbers is not None and lines is not None:
        raise Refused("invalid_input", words.one_of.format(operation="delete", argument="target_line, lines"))
    if asked.end is not None and asked.end < asked.start:
        with file.refusing():
            checked_range(file.document.lines, asked.start, asked.end)
    _few(file, (asked.end or asked.start) - asked.start + 1)
    return delete_lines(file, asked.start, asked.end, verify, backup=backup, dry=dry)


def _move(file: EditedFile, origin: int, target: int, *, backup: bool, dry: bool) -> Result:
    with file.refusing():
        edit = moved(file.document, origin, target)
    written = file.write(edit.splices, backup=backup, dry=dry)
    said = file.context.words.editing.moved.format(path=file.place.shown, first=origin, last=target)
    return written.result(said, around=[(target, target)], first_line=target, last_line=target)
