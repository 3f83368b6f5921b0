"""What the tools for backups say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["BackupWords"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BackupWords:
    """What the tools for backups say. ``{name}`` is a backup's.

    Attributes:
        created: a backup was made (``{files}``, ``{bytes}`` of them, ``{packed}`` of the archive).
        left_out: what is not in it (``{what}``).
        excluded, link, special, protected, unreadable, odd_name: how many of each kind (``{count}``), with examples
            (``{names}``).
        examples: puts examples behind that.
        listing, none: above a list (``{count}``, ``{folder}``); where there are none.
        line, damaged_line: one of a list (``{files}``, ``{bytes}``, ``{ago}``); one that cannot be read.
        restored, would_restore: what became, or would become, of a restored one (``{changed}``, ``{new}``, ``{same}``).
        nothing_to_restore: all files are as they were in the backup (``{same}``).
        deleted, cleaned, nothing_to_clean: what was deleted (``{count}``, ``{names}``; ``{kept}``, how many stay).

    Refusals:

    Attributes:
        bad_name: no name of a backup (``{name}``).
        unknown: there is none of this name (``{known}``: those there are).
        broken: the archive cannot be read (``{why}``).
        unsupported: a member is packed in a way that is not read (``{member}``).
        empty: nothing to back up below a path (``{path}``).
        other_root: a path that lies in another of the allowed folders (``{path}``).
        too_large, too_many: more than a backup takes (``{limit}``).
        too_much_at_once: more bytes than are restored at once (``{limit}``).
        no_such_member: nothing in the backup matches (``{paths}``; ``{some}``, some that it holds).
    """

    created: str
    left_out: str
    excluded: str
    link: str
    special: str
    protected: str
    unreadable: str
    odd_name: str
    examples: str
    listing: str
    none: str
    line: str
    damaged_line: str
    restored: str
    would_restore: str
    nothing_to_restore: str
    deleted: str
    cleaned: str
    nothing_to_clean: str
    bad_name: str
    unknown: str
    broken: str
    unsupported: str
    empty: str
    other_root: str
    too_large: str
    too_many: str
    too_much_at_once: str
    no_such_member: str

    def missing_line(self, left: Mapping[str, Sequence[str]]) -> str:
        """What is not in a backup: by kind, how many and some of them; empty where nothing is missing."""
        parts = [
            str(getattr(self, kind)).format(count=len(names)) + self.examples.format(names=", ".join(names[:3]))
            for kind, names in left.items()
            if names
        ]
        return self.left_out.format(what="; ".join(parts)) if parts else ""
