"""What tools say of files and folders: what they found, why they could not, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .marks import MARK_CLOSE, MARK_OPEN

__all__ = ["FilingWords"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FilingWords:
    """Texts of paths, reading and keeping files. ``{path}`` is a path as the model sees it.

    Attributes:
        outside_root: a path that leaves the allowed folders (``{roots}``).
        no_roots: there is no allowed folder (``{missing}``: those that do not exist).
        link_loop, unstable: links that lead in a circle; a path that somebody keeps changing.
        not_found: nothing is there.
        nearest: the nearest name there is (``{name}``).
        others: some of those there are, where none is near (``{names}``).
        differing: how it differs where that cannot be seen (``{found}``, ``{sent}``: code points).
        not_a_folder: a segment that is a file (``{segment}``).
        folder_not_file, file_not_folder, special: the wrong kind (``{kind}``).
        fifo, device, socket, special_kind: what that is called.
        too_large: more bytes than can be taken at once (``{size}``, ``{limit}``).
        stale: the file was changed between reading and writing.
        exists: the destination is taken.
        read_only: the file is write-protected.
        root_itself: an allowed folder itself is not removed or moved.
        into_itself: a folder that would go into itself.
        protected_inside: a folder that holds what is not written (``{segment}``).
        own: a file of this program itself.
        other_device: a folder cannot be moved to another file system.
        refused: the system's own reason (``{reason}``).
        no_space, read_only_disk, no_permission, too_many_open, too_long: the same for the common ones.
        binary, odd_encoding: files that are not shown as text.
        too_wide: a large file whose lines cannot be counted (``{size}``, ``{encoding}``).
        no_such_line, no_such_range, behind_end, no_such_entry: numbers that name nothing (``{line}``, ``{count}``;
            ``{first}``, ``{last}``; ``{offset}``, ``{size}``).
        guessed_encoding, other_encoding: how what is shown was read (``{encoding}``).
        empty, empty_folder: that there is nothing to show.
        page, page_unknown: which lines are shown (``{first}``, ``{last}``, ``{total}``).
        next_page: where the next ones begin (``{next}``).
        line_cut: a line is longer than an answer (``{offset}``: where it goes on).
        piece, last_piece: which bytes are shown (``{first}``, ``{last}``, ``{total}``).
        listed, next_listed: which entries are shown; where the next ones begin (``{offset}``).
        partial: the time was up (``{seconds}``).
        excluded, not_read, more_inside: folders of a tree that are not, or not all, shown (``{count}``).
        tree_counts: what a tree shows (``{folders}``, ``{files}``).
        made_folder, had_folder, moved, copied, deleted, deleted_folder, directory: what was done (``{source}``, ``{size}``,
            ``{count}``).
        not_empty: a folder that is not deleted without being told so (``{count}``).
        stateless: a working directory that nobody would remember.
        identical, same_text, diff_cut: results of a comparison (``{other}``, ``{encodings}``).
    """

    outside_root: str
    no_roots: str
    link_loop: str
    unstable: str
    not_found: str
    nearest: str
    others: str
    differing: str
    not_a_folder: str
    folder_not_file: str
    file_not_folder: str
    special: str
    fifo: str
    device: str
    socket: str
    special_kind: str
    too_large: str
    stale: str
    exists: str
    read_only: str
    root_itself: str
    into_itself: str
    protected_inside: str
    own: str
    other_device: str
    refused: str
    no_space: str
    read_only_disk: str
    no_permission: str
    too_many_open: str
    too_long: str
    binary: str
    odd_encoding: str
    too_wide: str
    no_such_line: str
    no_such_range: str
    behind_end: str
    no_such_entry: str
    guessed_encoding: str
    other_encoding: str
    empty: str
    empty_folder: str
    page: str
    page_unknown: str
    next_page: str
    line_cut: str
    piece: str
    last_piece: str
    listed: str
    next_listed: str
    partial: str
    excluded: str
    not_read: str
    more_inside: str
    tree_counts: str
    made_folder: str
    had_folder: str
    moved: str
    copied: str
    deleted: str
    deleted_folder: str
    directory: str
    not_empty: str
    stateless: str
    identical: str
    same_text: str
    diff_cut: str

    def missing(self, path: str, name: str = "", found: str = "", sent: str = "", others: Sequence[str] = ()) -> str:
        """That nothing is there, and which name comes nearest, or which others there are."""
        text = self.not_found.format(path=path)
        if others:
            text += " " + self.others.format(names=", ".join(others))
        if name:
            text += " " + self.nearest.format(name=name)
            if found:
                text += " " + self.differing.format(found=found, sent=sent)
        return text

    def outside(self, path: str, roots: Sequence[str]) -> str:
        """That a path leaves the allowed folders."""
        return self.outside_root.format(path=path, roots=", ".join(roots))

    def mark(self, text: str) -> str:
        """A remark of ours among what is shown."""
        return f"{MARK_OPEN}{text}{MARK_CLOSE}"

    def page_note(self, first: int, last: int, total: int | None, following: int | None, cut_at: int | None) -> str:
        """Which lines are shown, and how to go on."""
        shown = self.page_unknown if total is None else self.page
        parts = [shown.format(first=first, last=last, total=total)]
        if cut_at is not None:
            parts.append(self.line_cut.format(offset=cut_at))
        if following is not None:
            parts.append(self.next_page.format(next=following))
        return self.mark("; ".join(parts))

    def piece_note(self, first: int, last: int, total: int, *, more: bool) -> str:
        """Which bytes are shown, and how to go on."""
        return self.mark((self.piece if more else self.last_piece).format(first=first, last=last, total=total))

    def list_note(self, first: int, last: int, total: int, following: int | None) -> str:
        """Which entries are shown, and how to go on."""
        parts = [self.listed.format(first=first, last=last, total=total)]
        if following is not None:
            parts.append(self.next_listed.format(offset=following))
        return self.mark("; ".join(parts))
