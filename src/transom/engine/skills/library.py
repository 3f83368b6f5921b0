"""``SkillLibrary``: the skills in several directories, the first one that has a name winning.

Reads folders when it is made and when it is asked to; a skill is read again where its file has changed. What cannot be used is
reported, in ``unusable`` and in the log, and takes nothing else away.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ...errors import InputError, TransomError
from .folder import find_folders, read_beside, read_folder, stamp
from .skill import Skill

__all__ = ["Shadowed", "SkillLibrary", "Unusable"]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Shadowed:
    """A skill that another one of the same name stands in front of.

    Attributes:
        name: of both.
        directory: its folder.
        by: the folder of the one that is used.
    """

    name: str
    directory: Path
    by: Path


@dataclass(frozen=True, slots=True)
class Unusable:
    """A folder whose skill cannot be used, and why."""

    directory: Path
    reason: str


@dataclass(frozen=True, slots=True)
class _Read:
    stamp: tuple[object, ...]
    skill: Skill | None
    reason: str


class SkillLibrary:
    """The skills below some directories.

    Args:
        directories: where to look, the most important first: the project's own before the user's. One that does not exist has
            no skills yet.
        follow_links: take skills, and files of skills, through links that lead out of their directory; only for directories
            whose content you trust.

    Attributes:
        shadowed: skills that are not used because one of the same name comes first.
        unusable: folders whose skill cannot be read, and why.

    Raises:
        InputError: a directory that is a file.
    """

    def __init__(self, *directories: str | Path, follow_links: bool = False) -> None:
        self.directories = tuple(Path(directory).expanduser() for directory in directories)
        for directory in self.directories:
            if directory.exists() and not directory.is_dir():
                raise InputError(f"{directory} is no directory", hint="name the folder that holds the skills' folders")
        self._follow_links = follow_links
        self._read: dict[Path, _Read] = {}
        self._skills: dict[str, Skill] = {}
        self.shadowed: tuple[Shadowed, ...] = ()
        self.unusable: tuple[Unusable, ...] = ()
        self.refresh()

    @property
    def skills(self) -> tuple[Skill, ...]:
        """The skills in use, in the order of the directories and then of their paths."""
        return tuple(self._skills.values())

    def __iter__(self) -> Iterator[Skill]:
        return iter(self.skills)

    def __len__(self) -> int:
        return len(self._skills)

    def __contains__(self, name: object) -> bool:
        return name in self._skills

    def get(self, name: str) -> Skill:
        """The skill of a name, as its file says now.

        Raises:
            InputError: there is none; names those there are.
            FormatError: its file was changed and can no longer be read.
        """
        if not isinstance(name, str):
            raise InputError(f"the name of a skill is text, not {type(name).__name__}", hint="give one of the names in skills")
        skill = self._skills.get(name)
        if skill is None:
            self.refresh()
            skill = self._skills.get(name)
        if skill is None:
            known = ", ".join(sorted(self._skills)[:30]) or "none"
            broken = "".join(f"; {each.directory} cannot be used: {each.reason}" for each in self.unusable[:3])
            raise InputError(f"there is no skill {name!r}", hint=f"there are: {known}{broken}")
        assert skill.directory is not None
        now = stamp(skill.directory)
        if self._read[skill.directory].stamp == now:
            return skill
        fresh = read_folder(skill.directory)
        if fresh.name != name:
            # It goes by another name now, or another one comes to light.
            self.refresh()
            return self.get(name)
        self._read[skill.directory] = _Read(now, fresh, "")
        self._skills[name] = fresh
        return fresh

    def read(self, name: str, path: str) -> str:
        """The text of a file that belongs to a skill.

        Args:
            name: the skill.
            path: as in ``Skill.files``.

        Raises:
            InputError: there is no such skill, or no such file in its folder.
        """
        return read_beside(self.get(name), path)

    def refresh(self) -> bool:
        """Look through the directories again; whether anything changed."""
        before = (self._skills, self.shadowed, self.unusable)
        read: dict[Path, _Read] = {}
        found: dict[str, Skill] = {}
        shadowed: list[Shadowed] = []
        unusable: list[Unusable] = []
        for directory in self.directories:
            for folder, reason in find_folders(directory, follow_links=self._follow_links):
                if folder in read:
                    continue
                read[folder] = known = _Read((), None, reason) if reason else self._look(folder, self._read)
                if known.skill is None:
                    unusable.append(Unusable(folder, known.reason))
                elif known.skill.name in found:
                    first = found[known.skill.name].directory
                    assert first is not None
                    shadowed.append(Shadowed(known.skill.name, folder, first))
                else:
                    found[known.skill.name] = known.skill
        for each in unusable:
            if each not in self.unusable:
                log.warning("a skill cannot be used: %s: %s", each.directory, each.reason)
        self._read, self._skills = read, found
        self.shadowed, self.unusable = tuple(shadowed), tuple(unusable)
        return (found, self.shadowed, self.unusable) != before

    @staticmethod
    def _look(folder: Path, known: Mapping[Path, _Read]) -> _Read:
        now = stamp(folder)
        before = known.get(folder)
        if before is not None and before.stamp == now and now:
            return before
        try:
            return _Read(now, read_folder(folder), "")
        except TransomError as error:
            return _Read(now, None, str(error))
        except Exception as error:  # noqa: BLE001
            # One file must not take the others away, whatever it did to its reader.
            return _Read(now, None, f"it cannot be read: {type(error).__name__}: {error}")
