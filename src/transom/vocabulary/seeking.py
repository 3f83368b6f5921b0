"""What the tools that search files say beside what they found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .marks import MARK_CLOSE, MARK_OPEN

__all__ = ["SeekingWords"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SeekingWords:
    """Texts of searches. ``{path}`` is a file or folder as the model sees it.

    Attributes:
        nothing: no line matches (``{pattern}``).
        no_files: no file has such a name (``{pattern}``).
        summary: how much was found (``{hits}``, ``{files}``).
        demoted: the pattern was searched for as literal text (``{why}``).
        partial: the time was up (``{seconds}``).
        capped: there are more hits than are looked for (``{most}``).
        fuller: files with more hits than are shown of one (``{paths}``).
        skipped, skipped_least: what was left out (``{reasons}``); the same where not all of it was counted.
        size, binary, line_cap, unreadable, changed, excluded, backups: the reasons (``{count}``, ``{limit}``).
        locations, counts: too much for its lines, or even its places, to be shown.
        page: which part is shown (``{first}``, ``{last}``, ``{total}``); ``next_page``: where the next begins (``{how}``,
            ``{offset}``).
        behind: an offset behind the end (``{offset}``, ``{total}``).
        guessed, marked: files whose lines are shown in another encoding than UTF-8 (``{paths}``; ``{encoding}``).
        some_files: more names match than are looked for (``{most}``).
        bad_glob: a pattern of names that cannot be read (``{pattern}``).
        broke: the search itself failed.
        pattern_empty, odd_pattern: nothing to look for; what no line can hold.

    Replacing:

    Attributes:
        would_replace, replaced: how much (``{replacements}``, ``{files}``).
        to_write: how it is written after all.
        no_hits: the text is nowhere (``{pattern}``, ``{path}``).
        too_many_files: more than may change at once (``{limit}``).
        too_slow: the time was up before anything was written (``{seconds}``).
        bad_regex: a regular expression that cannot be used (``{why}``).
        bad_replacement: it names a group that there is none of (``{group}``).
        left_alone: files that were not changed (``{paths}``, ``{why}``); ``protected``, ``odd``, ``grown``: why.
        diff_cut: the differences are longer than an answer.

    Deleting:

    Attributes:
        would_delete, deleted: which files (``{count}``).
        none_to_delete: no name matches (``{pattern}``, ``{path}``).
        try_glob, try_regex: that it may have been meant as the other kind.
        unexpected: another number than expected (``{count}``, ``{expected}``).
        kept: files that could not be deleted (``{paths}``).

    Describing:

    Attributes:
        project: its size (``{files}``, ``{folders}``, ``{bytes}``).
        languages, builds, entries, tests, largest, other_folders: above what was found.
        language: one of them (``{name}``, ``{files}``, ``{bytes}``).
        no_code: none was recognised.
        partly: not everything was looked at (``{seconds}``).
    """

    nothing: str
    no_files: str
    summary: str
    demoted: str
    partial: str
    capped: str
    fuller: str
    skipped: str
    skipped_least: str
    size: str
    binary: str
    line_cap: str
    unreadable: str
    changed: str
    excluded: str
    backups: str
    locations: str
    counts: str
    page: str
    next_page: str
    behind: str
    guessed: str
    marked: str
    some_files: str
    bad_glob: str
    broke: str
    pattern_empty: str
    odd_pattern: str
    would_replace: str
    replaced: str
    to_write: str
    no_hits: str
    too_many_files: str
    too_slow: str
    bad_regex: str
    bad_replacement: str
    left_alone: str
    protected: str
    odd: str
    grown: str
    diff_cut: str
    would_delete: str
    deleted: str
    none_to_delete: str
    try_glob: str
    try_regex: str
    unexpected: str
    kept: str
    project: str
    languages: str
    builds: str
    entries: str
    tests: str
    largest: str
    other_folders: str
    language: str
    no_code: str
    partly: str

    def mark(self, text: str) -> str:
        """A remark of ours among what is shown."""
        return f"{MARK_OPEN}{text}{MARK_CLOSE}"

    def left_out(self, skipped: Mapping[str, int], *, counted: bool, limits: Mapping[str, int]) -> str:
        """What was not searched, by reason; empty for nothing.

        Args:
            skipped: how many, by the name of the reason.
            counted: that is all.
            limits: what the reasons compare with, by their names.
        """
        if not skipped:
            return ""
        reasons = ", ".join(
            str(getattr(self, name)).format(count=number, limit=f"{limits.get(name, 0):,}") for name, number in skipped.items()
        )
        return self.mark((self.skipped if counted else self.skipped_least).format(reasons=reasons))

    def page_note(self, first: int, last: int, total: int, following: int | None, how: str = "") -> str:
        """Which part is shown, and how to go on."""
        parts = [self.page.format(first=first, last=last, total=total)]
        if following is not None:
            parts.append(self.next_page.format(offset=following, how=how))
        return self.mark("; ".join(parts))

    def alone(self, paths: Sequence[str], why: str) -> str:
        """Files that were not changed, and why."""
        shown = ", ".join(paths[:10]) + (", …" if len(paths) > 10 else "")
        return self.mark(self.left_alone.format(paths=shown, why=why))
