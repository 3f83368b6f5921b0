"""English. See ``vocabulary.editing``."""

from __future__ import annotations

from ...editing import EditingWords

__all__ = ["EDITING"]

EDITING = EditingWords(
    utf_32="{path} is UTF-32, which is not edited here. Convert it to UTF-8 first, or use save_file to replace it.",
    half_unit="{path} begins as {encoding} and ends in the middle of a character: it is damaged or no text, and is not edited.",
    binary="{path} is a binary file (there is a NUL in its first 8 KB) and is not edited.",
    surrogate="{argument} holds {code} at character {position}, half of a surrogate pair. Send the whole character.",
    not_utf_8=(
        "{path} is not UTF-8 (an older encoding, such as Latin-1), so {letter} ({code}) in {argument} is not what the file "
        "would hold. Only ASCII is looked for and written there; the file's other bytes stay as they are. Quote a part of the "
        "line that is ASCII only."
    ),
    reversed_range="The range ends before it begins ({first}-{last}). Give the smaller number first.",
    no_lines="{path} is empty: it has no line {line}. Insert at line 1, or use save_file.",
    no_such_line="{path} has {count} lines; there is no line {line}. Read the file and give a line from 1 to {count}.",
    no_place="{path} has {count} lines; lines can be inserted at 1 to {most}, not at {line}.",
    two_places=(
        "The text is not on line {line}, but equally near on lines {above} and {below}, so nothing was deleted. "
        "Give the line that you mean."
    ),
    inside_and_outside=(
        "The text is not on line {line}, but on line {inside} of the range and on line {outside} outside it, so nothing was "
        "deleted. Verify with the text of the first line to delete."
    ),
    drifted="The text to verify is not on line {line} of {path}, nor within {reach} lines of it: nothing was deleted.",
    stands_at="It stands at line {lines}: call again with that line.",
    not_on_line="Line {line} of {path} does not contain the text to verify: nothing was inserted.",
    actual="These lines are there:",
    no_patch=(
        "This is no patch. Send a unified diff (--- a/file, +++ b/file, @@ …) or *** Begin Patch with *** Update File: lines."
    ),
    odd_patch_line="Line {line} of the patch cannot be read: {text}\nLines of a hunk begin with a blank, + or -.",
    not_added="A new file's lines all begin with +; line {line} of the patch does not: {text}",
    empty_patch="The patch names {path} and changes nothing in it. Add lines that begin with + or -.",
    binary_patch="Line {line} begins a binary patch, which is not applied here.",
    hunk_without_file="Line {line} begins a hunk, but no file was named before. Put --- a/file and +++ b/file above it.",
    empty_hunk="The hunk before line {line} of the patch is empty.",
    hunk_places=(
        "Hunk {hunk} fits {count} places in {path} (lines {lines}). Add lines of context above or below, "
        "or correct its line number."
    ),
    hunk_not_found="Hunk {hunk}: its lines, from {first_line!r} on, do not stand in {path}. Hunks are looked for in order.",
    heading_not_found="Hunk {hunk}: the line after @@, {first_line!r}, does not stand in {path}.",
    hunk_indented=(
        "Hunk {hunk} of {path} matches only with blanks around lines left out of account, and does not show how the line "
        "{text!r} is indented there. Copy the file's indentation (tabs or blanks) into the patch."
    ),
    patch_file_exists="{path} exists already. Use *** Update File to change it, or delete it first.",
    patch_nothing="{path}: the patch changes nothing.",
    patch_stopped="No file was changed.",
    empty_text="old_string is empty. Give the text to replace; to add text use insert_at_line or append_file.",
    text_not_found="The text to replace does not stand in {path}: nothing was changed.",
    unlike="Nothing in the file is like it. Read the file and copy the text from there.",
    wrong_count=(
        "The text stands in {path} {found} times (lines: {lines}), not {expected}: nothing was changed. Quote more of the "
        "lines around the place that you mean; or send expected_replacements={found} for all, or global=false without it for "
        "the first only."
    ),
    pattern_not_found="No line of {path} contains the pattern {pattern!r}: nothing was inserted.",
    both_patterns="Give insert_after_pattern or insert_before_pattern, not both.",
    pattern_empty="The pattern is empty. Give text that the line contains.",
    too_many_lines=(
        "{count} lines are more than line_operations takes at once ({most}). "
        "Use insert_at_line, replace_text_in_file or apply_patch."
    ),
    argument_needed="The operation {operation} needs {argument}.",
    argument_foreign="{argument} does not belong to the operation {operation}. Leave it out.",
    one_of="The operation {operation} takes one of {argument}, not both.",
    nothing_to_append="content is empty: there is nothing to append.",
    no_backup="There is no backup of {path} ({backup} does not exist).",
    backups="Backups in that folder: {names}.",
    too_large_after="{path} would hold {size} bytes; files are edited up to {limit}. Split it.",
    too_many_backups="There are too many backups of {path} ({backup}, {backup}.1 and so on): nothing was changed. Remove some.",
    changed_after="Written; somebody else has changed {path} since. Read it before you go on.",
    read_back="{path} does not hold what was written: something else writes to it. Read it before you go on.",
    near="The nearest place is lines {first}-{last}:",
    near_line="The nearest place is line {first}:",
    differs="It differs:",
    difference="line {line}: you sent {wanted}, the file has {actual}.",
    trailing_blanks="(blanks at the end of the line count)",
    blanks="(white space counts)",
    form="(the same character in another Unicode form; copy the file's)",
    case="(upper and lower case count)",
    escaped_break="(you sent a backslash and a letter, the file has a line break; send a real line break)",
    real_break="(you sent a line break, the file has a backslash and a letter; send those two characters)",
    escape="(a backslash too many)",
    nothing="nothing",
    saved="Wrote {path} ({bytes} bytes, {lines} lines).",
    created="Created {path} ({bytes} bytes, {lines} lines).",
    unchanged="{path} holds that already; nothing was written.",
    appended="Appended to {path}: lines {first}-{last} of {count}.",
    inserted="Inserted line {first} in {path}, which has {count} lines now.",
    inserted_several="Inserted lines {first}-{last} in {path}, which has {count} lines now.",
    deleted="Deleted line {first} of {path}, which has {count} lines now.",
    deleted_several="Deleted lines {first}-{last} of {path}, which has {count} lines now.",
    moved="Moved line {first} of {path}; it is line {last} now.",
    replaced="Replaced {replacements} in {path} (lines: {lines}).",
    restored="Restored {path} from {backup} ({bytes} bytes) and removed the backup.",
    restored_and_kept=(
        "Restored {path} from {backup} ({bytes} bytes). The file had been changed since that backup was made, so what it held "
        "is in {backup} now: restore_from_bak again brings that back."
    ),
    would_change="Dry run, nothing was written. This would change:",
    found_at="The text had moved by {step} to line {first}; the whole range moved with it.",
    found_inside="The text stood on line {line}, within the range, so the range was deleted as asked.",
    anchor="The pattern stood on line {line}.",
    anchor_more="It stands on {more} more; the first was taken.",
    backed_up="The previous content is in {backup}; restore_from_bak puts it back.",
    dry="Dry run, nothing was written.",
    now="Around it now:",
    patched_file="Changed {path} (lines {lines}).",
    added_file="Created {path}.",
    deleted_file="Deleted {path}.",
    renamed_file="Renamed {path} to {target}{lines}.",
    hunk_moved="Hunk {hunk} of {path} stood at line {line}, not {said}.",
    renamed_lines=" and changed it (lines {lines})",
    hunk_loose="Hunk {hunk} of {path} matched at line {line} only with {what} left out of account: check the result.",
    hunk_reindented="Its added lines were given the file's indentation.",
    trailing_only="blanks at line ends",
    around="blanks around lines",
    again="This is the second change of the file in this session: line numbers that you read before may have shifted.",
    many_times="Change {times} of this file in this session: read it again before you use line numbers, or use apply_patch.",
)
