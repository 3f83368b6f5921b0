"""What tools that edit files say: what was changed, why it was not, and the nearest place to what was meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["EditingWords"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EditingWords:
    """Texts of edits. ``{path}`` is a file as the model sees it; numbers of lines count from 1.

    Attributes:
        utf_32, half_unit, binary: files that are not edited (``{path}``, ``{encoding}``).
        surrogate: an argument that holds half a surrogate pair (``{argument}``, ``{code}``, ``{position}``).
        not_utf_8: text that a file of unknown encoding neither has nor can take (``{argument}``, ``{letter}``, ``{code}``).
        reversed_range, no_lines, no_such_line, no_place: numbers that name no lines (``{first}``, ``{last}``; ``{line}``,
            ``{count}``; ``{most}``: the last number to insert at).
        two_places, inside_and_outside, drifted: a text that was to be verified stands at two lines, in the range and near it,
            or nowhere near (``{line}``, ``{above}``, ``{below}``; ``{inside}``, ``{outside}``; ``{reach}``).
        stands_at: where else it stands (``{lines}``).
        not_on_line: a line does not hold what it was to hold (``{line}``, ``{text}``).
        actual: the lines that are there instead, before them.
        no_patch, odd_patch_line, not_added, empty_patch, binary_patch, hunk_without_file, empty_hunk: what cannot be read as a
            patch (``{line}`` of the patch, its ``{text}``).
        hunk_places, hunk_not_found, heading_not_found: a hunk that fits several places or none (``{hunk}``, ``{lines}``,
            ``{count}``, ``{first_line}``).
        hunk_indented: a hunk with a line whose indentation in the file cannot be told (``{hunk}``, ``{text}``).
        patch_file_exists, patch_nothing: a patch that adds a file that is there; one that ends as it began.
        patch_stopped: says of the whole patch that nothing was done, before what is wrong.
        empty_text, text_not_found, unlike: replacing: nothing to look for; it does not stand there; nothing is like it.
        wrong_count: another number of places than expected (``{expected}``, ``{found}``, ``{lines}``).
        pattern_not_found, both_patterns, pattern_empty: anchors (``{pattern}``).
        too_many_lines: more lines than ``line_operations`` takes (``{count}``, ``{most}``).
        argument_needed, argument_foreign, one_of: arguments of an operation (``{operation}``, ``{argument}``).
        nothing_to_append, no_backup, backups, too_large_after, too_many_backups, read_back: other refusals (``{names}``,
            ``{size}``, ``{limit}``, ``{backup}``).
        changed_after: somebody else wrote to the file at once (``{path}``).
        near: the nearest place (``{first}``, ``{last}``), before its text.
        near_line: the same of one line.
        differs: how it differs, before the differences.
        difference: one of them (``{line}``, ``{wanted}``, ``{actual}``).
        trailing_blanks, blanks, form, case, escaped_break, real_break, escape: remarks on it by kind.
        nothing: no characters at all.
        saved, created, unchanged, appended, inserted, inserted_several, deleted, deleted_several, moved, replaced, restored,
            restored_and_kept, would_change: what was done (``{path}``, ``{first}``, ``{last}``, ``{count}``, ``{bytes}``).
        found_at: it stood elsewhere than said (``{step}`` with its sign, ``{first}``).
        found_inside: it stood on another line of the range than the first (``{line}``, ``{first}``).
        anchor, anchor_more: which line the pattern was found on (``{line}``), and on how many more (``{more}``).
        backed_up: where the previous bytes are (``{backup}``).
        dry: that nothing was written.
        now: the lines around the place, before them.
        patched_file, added_file, deleted_file, renamed_file, renamed_lines: one file of a patch (``{path}``, ``{target}``,
            ``{lines}``).
        hunk_moved, hunk_loose: a hunk that went elsewhere than said; that matched only but for blanks (``{hunk}``, ``{line}``,
            ``{said}``).
        hunk_reindented: its added lines were indented as the file is.
        trailing_only, around: which blanks were left out of account.
        again, many_times: the file was changed before in this session (``{times}``).
    """

    utf_32: str
    half_unit: str
    binary: str
    surrogate: str
    not_utf_8: str
    reversed_range: str
    no_lines: str
    no_such_line: str
    no_place: str
    two_places: str
    inside_and_outside: str
    drifted: str
    stands_at: str
    not_on_line: str
    actual: str
    no_patch: str
    odd_patch_line: str
    not_added: str
    empty_patch: str
    binary_patch: str
    hunk_without_file: str
    empty_hunk: str
    hunk_places: str
    hunk_not_found: str
    heading_not_found: str
    hunk_indented: str
    patch_file_exists: str
    patch_nothing: str
    patch_stopped: str
    empty_text: str
    text_not_found: str
    unlike: str
    wrong_count: str
    pattern_not_found: str
    both_patterns: str
    pattern_empty: str
    too_many_lines: str
    argument_needed: str
    argument_foreign: str
    one_of: str
    nothing_to_append: str
    no_backup: str
    backups: str
    too_large_after: str
    too_many_backups: str
    changed_after: str
    read_back: str
    near: str
    near_line: str
    differs: str
    difference: str
    trailing_blanks: str
    blanks: str
    form: str
    case: str
    escaped_break: str
    real_break: str
    escape: str
    nothing: str
    saved: str
    created: str
    unchanged: str
    appended: str
    inserted: str
    inserted_several: str
    deleted: str
    deleted_several: str
    moved: str
    replaced: str
    restored: str
    restored_and_kept: str
    would_change: str
    found_at: str
    found_inside: str
    anchor: str
    anchor_more: str
    backed_up: str
    dry: str
    now: str
    patched_file: str
    added_file: str
    deleted_file: str
    renamed_file: str
    renamed_lines: str
    hunk_moved: str
    hunk_loose: str
    hunk_reindented: str
    trailing_only: str
    around: str
    again: str
    many_times: str

    def sentence(self, reason: str, facts: Mapping[str, object]) -> str:
        """The words of a reason, a field's name, filled with its facts.

        Raises:
            AttributeError: there is no such reason.
        """
        template: str = getattr(self, reason)
        return template.format_map(facts)

    def near_place(self, first: int, last: int, text: str, differences: Sequence[tuple[str, int, str, str]]) -> str:
        """The nearest place, with its exact text and how it differs.

        Args:
            first, last: its lines.
            text: what stands there.
            differences: kind (a field's name, or ``characters``), line, and what was wanted and is there, spelled out.
        """
        head = self.near_line if first == last else self.near
        parts = [head.format(first=first, last=last), text]
        if differences:
            parts.append(self.differs)
            for kind, line, wanted, actual in differences:
                said = self.difference.format(line=line, wanted=wanted or self.nothing, actual=actual or self.nothing)
                remark = "" if kind == "characters" else f" {getattr(self, kind)}"
                parts.append(said + remark)
        return "\n".join(parts)

    def anchor_line(self, line: int, more: int) -> str:
        """Which line a pattern was found on, and on how many more it would have been."""
        return self.anchor.format(line=line) + (" " + self.anchor_more.format(more=more) if more else "")

    def changed_before(self, times: int) -> str:
        """A note from the second change of a file on; empty before."""
        if times < 2:
            return ""
        return (self.again if times == 2 else self.many_times).format(times=times)
