"""What the tools for skills say. How a skill itself is framed is said in ``skills``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["LoadingWords"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LoadingWords:
    """What the tools for skills say.

    Attributes:
        none: there are no skills (``{directories}``, where was looked).
        nowhere: there is no folder to look in.
        unusable: one whose file cannot be used (``{directory}``, ``{reason}``).
        page: above a part of a file (``{path}``, ``{skill}``, ``{first}``, ``{last}``, ``{total}``: characters).
        more: where the rest is (``{offset}``).

    Refusals:

    Attributes:
        unknown: there is no such skill (``{name}``; ``{known}``).
        not_for_model: only the user may call it (``{name}``).
        no_file: a skill has no such file (``{skill}``, ``{path}``; ``{files}``).
        no_files: it has no further files at all (``{skill}``, ``{path}``).
        beyond: an offset behind the end (``{offset}``, ``{total}``).
    """

    none: str
    nowhere: str
    unusable: str
    page: str
    more: str
    unknown: str
    not_for_model: str
    no_file: str
    no_files: str
    beyond: str

    def nothing(self, directories: Sequence[str]) -> str:
        """There are no skills, and where was looked."""
        return self.none.format(directories=", ".join(directories)) if directories else self.nowhere

    def missing_file(self, skill: str, path: str, files: Sequence[str]) -> str:
        """A skill has no such file, and which it has."""
        template = self.no_file if files else self.no_files
        return template.format(skill=skill, path=path, files=", ".join(files))
