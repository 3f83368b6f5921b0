"""A skill's folder: its ``SKILL.md`` and the files beside it, and nothing outside of it.

Reads files. A link that leads out of where it stands is refused, so that a folder from somewhere else cannot have a file of the
machine read into a prompt.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

from ...errors import FormatError, InputError
from .frontmatter import MOST_BYTES
from .parsing import parse_skill
from .skill import Skill

__all__ = ["FILE", "files_of", "find_folders", "read_beside", "read_folder", "skill_file", "stamp"]

FILE = "SKILL.md"
DEEPEST = 6
"""Folders between a directory of skills and a skill, and between a skill and one of its files."""
MOST_FOLDERS = 2_000
MOST_FILES = 500
_PASSED_OVER = frozenset({"__pycache__", "node_modules"})


def skill_file(folder: Path) -> Path | None:
    """The file that makes a folder a skill; some spell it in small letters."""
    try:
        names = {entry.name for entry in os.scandir(folder)}
    except OSError:
        return None
    found = sorted((name for name in names if name.lower() == "skill.md"), key=lambda name: (name != FILE, name))
    return folder / found[0] if found else None


def find_folders(directory: Path, *, follow_links: bool) -> Iterator[tuple[Path, str]]:
    """Every skill's folder below a directory, in the order of their paths, with what keeps it from being read.

    A folder that is a skill is not searched for others.
    """
    searched = 0
    waiting = [(directory, 0)]
    while waiting:
        folder, depth = waiting.pop()
        searched += 1
        if searched > MOST_FOLDERS:
            yield directory, f"it holds more than {MOST_FOLDERS:,} folders; what comes after them was not looked at"
            return
        file = skill_file(folder) if depth else None
        if file is not None:
            leads_out = not follow_links and not _is_inside(file, folder)
            yield folder, "its SKILL.md is a link that leads out of its folder" if leads_out else ""
            continue
        if depth > DEEPEST:
            continue
        for entry in sorted(_subfolders(folder), key=lambda entry: entry.name, reverse=True):
            if entry.is_symlink() and not follow_links and not _is_inside(Path(entry.path), directory):
                if skill_file(Path(entry.path)) is not None:
                    yield Path(entry.path), "it is a link that leads out of the directory"
            elif not entry.is_symlink() or follow_links or skill_file(Path(entry.path)) is not None:
                waiting.append((Path(entry.path), depth + 1))


def read_folder(folder: Path) -> Skill:
    """Read the skill in a folder.

    Raises:
        FormatError: its file is no skill, not UTF-8, or too large.
        InputError: it cannot be read, or is no regular file.
    """
    file = skill_file(folder)
    if file is None:
        raise InputError(f"there is no {FILE} in {folder}", hint="name the folder that holds it")
    skill = parse_skill(_text(file), name=folder.name)
    return replace(skill, directory=folder, files=tuple(files_of(folder)))


def files_of(folder: Path) -> list[str]:
    """The files beside a ``SKILL.md``, in order, 500 at most. Hidden ones and links that lead out are passed over."""
    found: list[str] = []
    waiting = [folder]
    while waiting and len(found) < MOST_FILES:
        current = waiting.pop()
        if current != folder and (skill_file(current) is not None or len(current.relative_to(folder).parts) > DEEPEST):
            continue
        try:
            entries = sorted(os.scandir(current), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            path = Path(entry.path)
            if (
                entry.name.startswith(".")
                or entry.name in _PASSED_OVER
                or (current == folder and entry.name.lower() == "skill.md")
            ):
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append(path)
            elif entry.is_file() and (not entry.is_symlink() or _is_inside(path, folder)):
                found.append(path.relative_to(folder).as_posix())
    return sorted(found)[:MOST_FILES]


def read_beside(skill: Skill, path: str) -> str:
    """The text of one of a skill's further files.

    Raises:
        InputError: there is no such file in the skill's folder, or it is no text.
    """
    if not isinstance(path, str):
        raise InputError(f"the path of a skill's file is text, not {type(path).__name__}", hint="give one of Skill.files")
    wanted = PurePosixPath(path)
    if skill.directory is None or wanted.as_posix() not in files_of(skill.directory):
        known = ", ".join(skill.files[:20]) or "none"
        raise InputError(f"the skill {skill.name} has no file {path!r}", hint=f"its files: {known}")
    return _text(skill.directory / wanted)


def stamp(folder: Path) -> tuple[object, ...]:
    """What changes when a skill does: the state of its file, and of the folder for the files beside it."""
    file = skill_file(folder)
    if file is None:
        return ()
    try:
        state, beside = file.stat(), folder.stat()
    except OSError:
        return ()
    return file.name, state.st_mtime_ns, state.st_size, state.st_ino, beside.st_mtime_ns


def _subfolders(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from [
                entry
                for entry in entries
                if entry.is_dir() and not entry.name.startswith(".") and entry.name not in _PASSED_OVER
            ]
    except OSError:
        return


def _is_inside(path: Path, folder: Path) -> bool:
    try:
        return path.resolve(strict=True).is_relative_to(folder.resolve(strict=True))
    except (OSError, RuntimeError):
        return False


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _text(file: Path) -> str:
    try:
        # A pipe blocks whoever opens it, a device may never end: neither is waited for, and what was opened is looked at.
        with open(file, "rb", opener=_without_waiting) as opened:
            regular = stat.S_ISREG(os.fstat(opened.fileno()).st_mode)
            data = opened.read(4 * MOST_BYTES + 1) if regular else b""
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}", hint="check that it is there and may be read") from None
    if not regular:
        raise InputError(f"{file} is no regular file", hint="put a file of text in its place")
    if len(data) > 4 * MOST_BYTES:
        raise FormatError(f"{file.name} has more than {4 * MOST_BYTES:,} bytes", hint="a skill's file is read into a prompt")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise FormatError(f"{file.name} is not UTF-8: byte {error.start}", hint="save it as UTF-8") from None
