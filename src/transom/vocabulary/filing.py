"""What tools say of files and folders: what they found, why they could not, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
        other_device: a folder cannot be moved to another file system.
        refused: the system's own reason (``{reason}``).
        no_space, no_permission, too_long: the same for the common ones.
    """

    outside_root: str
    no_roots: str
    link_loop: str
    unstable: str
    not_found: str
    nearest: str
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
    other_device: str
    refused: str
    no_space: str
    no_permission: str
    too_long: str

    def missing(self, path: str, name: str = "", found: str = "", sent: str = "") -> str:
        """That nothing is there, and which name comes nearest."""
        text = self.not_found.format(path=path)
        if name:
            text += " " + self.nearest.format(name=name)
            if found:
                text += " " + self.differing.format(found=found, sent=sent)
        return text

    def outside(self, path: str, roots: Sequence[str]) -> str:
        """That a path leaves the allowed folders."""
        return self.outside_root.format(path=path, roots=", ".join(roots))
