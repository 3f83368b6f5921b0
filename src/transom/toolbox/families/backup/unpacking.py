"""Restoring a backup: every member is judged before the first byte is written, then all files change as one.

A backup is an archive like any other: who made it is not known, so it is judged as one from outside.
"""

from __future__ import annotations

import contextlib
import os
import stat
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from ....safety.archives import LIMITS, judge, judge_written, segments
from ...access import zipping
from ...access.place import Place
from ...access.workspace import Change
from ...tool import Refused, ToolContext
from .shelf import Shelf

__all__ = ["AT_ONCE", "Restored", "restore"]

AT_ONCE = 256_000_000
"""Bytes, old and new together, that one restore changes: they are held in memory until all are known to be right."""
_PIECE = 1 << 20
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, ValueError, OSError)


@dataclass(slots=True)
class Restored:
    """What became of a backup's files: paths below the root."""

    changed: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    same: int = 0


def restore(context: ToolContext, shelf: Shelf, name: str, paths: Sequence[str], *, dry_run: bool) -> Restored:
    """Give files the bytes they had, all of them or none. What is not in the backup stays as it is.

    Args:
        context: of the call; told of progress.
        shelf: where backups lie.
        name: which.
        paths: files, folders or patterns, below the root; all if there are none.
        dry_run: change nothing, only say what would change.

    Raises:
        Refused: ``invalid_path``, ``not_found``, ``invalid_archive``, ``unsafe_archive``, ``too_large``, ``protected_path``,
            ``not_a_file``, ``drift``, ``io_error``; nothing has changed then.
    """
    words, place = context.words.backing_up, shelf.place(name)
    with place.open() as file:
        size = place.stat().st_size
        try:
            archive = zipfile.ZipFile(file)
        except _BROKEN as error:
            raise Refused("invalid_archive", words.broken.format(name=name, why=error)) from None
        with archive:
            infos = archive.infolist()
            members = [zipping.member(info) for info in infos]
            verdict = judge(members, packed=size, windows=os.name == "nt")
            if not verdict:
                raise Refused.by(verdict, context.words)
            files = [info for info, member in zip(infos, members, strict=True) if member.kind == "file"]
            chosen = [info for info in files if _wanted(info.filename, paths)]
            if not chosen:
                some = ", ".join(info.filename for info in infos[:5])
                raise Refused("not_found", words.no_such_member.format(paths=", ".join(paths), some=some))
            report, changes = _compared(context, shelf, _Reading(context, archive, name, size), chosen)
    if changes and not dry_run:
        _carry_out(shelf, changes)
    return report


@dataclass
class _Reading:
    """Members read one by one, their bytes counted as they come out."""

    context: ToolContext
    archive: zipfile.ZipFile
    name: str
    packed: int
    written: int = 0

    def bytes_of(self, info: zipfile.ZipInfo) -> bytes:
        """All of a member.

        Raises:
            Refused: ``invalid_archive``, ``too_large``.
        """
        words, pieces = self.context.words.backing_up, []
        try:
            with self.archive.open(info) as member:
                while piece := member.read(_PIECE):
                    self.context.check()
                    self.written += len(piece)
                    verdict = judge_written(self.written, packed=self.packed)
                    if not verdict:
                        raise Refused.by(verdict, self.context.words)
                    pieces.append(piece)
        except (NotImplementedError, RuntimeError):
            text = words.unsupported.format(name=self.name, member=info.filename)
            raise Refused("invalid_archive", text) from None
        except _BROKEN as error:
            raise Refused("invalid_archive", words.broken.format(name=self.name, why=error)) from None
        return b"".join(pieces)


def _compared(
    context: ToolContext, shelf: Shelf, reading: _Reading, chosen: Sequence[zipfile.ZipInfo]
) -> tuple[Restored, list[Change]]:
    """What has to change, and what is the same already."""
    report, changes, held = Restored(), [], 0
    for number, info in enumerate(chosen):
        context.report(number, len(chosen), info.filename)
        data = reading.bytes_of(info)
        place = shelf.inside(*segments(info.filename))
        now = place.read(LIMITS.written) if place.exists() else None
        if now == data:
            report.same += 1
            continue
        held += len(data) + len(now or b"")
        if held > AT_ONCE:
            limit = f"{AT_ONCE:,}"
            raise Refused("too_large", context.words.backing_up.too_much_at_once.format(limit=limit))
        (report.new if now is None else report.changed).append(info.filename)
        mode = stat.S_IMODE(info.external_attr >> 16) & 0o777
        changes.append(Change(place=place, data=data, expected=now, mode=mode or None))
    return report, changes


def _carry_out(shelf: Shelf, changes: Sequence[Change]) -> None:
    """Make the folders that are missing, then change all files as one; folders go again where that fails."""
    made: list[Place] = []
    try:
        for change in changes:
            missing = list(_missing_folders(shelf, change.place))
            change.place.create_parents()
            made += missing
        shelf.workspace.apply(changes)
    except BaseException:
        for folder in reversed(made):
            # Only one that is empty goes: what somebody else put there meanwhile stays.
            with contextlib.suppress(Refused, OSError), folder.written(follow=False) as spot:
                spot.folder.remove_folder(spot.name)
        raise


def _missing_folders(shelf: Shelf, place: Place) -> Iterator[Place]:
    """The folders above a place that are not there, the uppermost first."""
    for depth in range(1, len(place.given)):
        folder = shelf.inside(*place.given[:depth])
        if not folder.exists():
            yield folder


def _wanted(name: str, paths: Sequence[str]) -> bool:
    """Whether a member is meant; all are where no path is given."""
    if not paths:
        return True
    plain = [path.removeprefix("./").rstrip("/") for path in paths]
    return any(path in {"", "."} or name == path or name.startswith(f"{path}/") or fnmatchcase(name, path) for path in plain)
