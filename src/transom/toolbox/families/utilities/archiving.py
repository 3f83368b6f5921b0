"""Packing files of the workspace, and unpacking into it: all of an archive or nothing, and never over what is there.

Knows places and archives in memory. An archive is read twice: to judge its members and count what comes out, and only then to
write.
"""

from __future__ import annotations

import gzip
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ....safety.archives import Limits, judge, judge_written, segments
from ...access.place import Place
from ...access.workspace import Change, Workspace
from ...tool import Refused, Result, ToolContext
from .packing import Archive, Held, NotAnArchive, Packed, TooMuch, opened, packed_files

__all__ = ["compress", "decompress"]

LIMITS = Limits(written=200_000_000)
MOST_PACKED = 100_000_000
"""Bytes: of an archive that is unpacked, and of files that are packed into one. All of them are in memory at once."""
BATCH = 32
"""Files that are written as one: each holds descriptors open."""
_ENDINGS = (".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar", ".zip", ".gz", ".bz2", ".xz")
_KINDS: dict[str, Packed] = {".zip": "zip", ".tar": "tar", ".tar.gz": "tar.gz", ".tgz": "tar.gz"}


# ── packing ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(slots=True)
class _Account:
    files: int = 0
    size: int = 0
    left_out: int = 0


def compress(context: ToolContext, given: str, wanted: str | None) -> Result:
    """Pack a file or folder; which archive it becomes, the output's ending says."""
    workspace, words = context.use(Workspace), context.words.converting
    source = workspace.place(given)
    if wanted is None and not source.name:
        raise Refused("invalid_input", words.no_output.format(action="compress"))
    output = workspace.place(wanted or f"{given.rstrip('/')}.zip")
    ending = _ending(output.name)
    account = _Account()
    folder = stat.S_ISDIR(source.stat().st_mode)
    if ending == ".gz":
        if folder:
            raise Refused("invalid_input", words.one_file_only.format(path=source.shown))
        data = source.read(MOST_PACKED)
        account.files, account.size = 1, len(data)
        made = gzip.compress(data, mtime=0)
    elif ending in _KINDS:
        found = _below(context, source, output, account) if folder else iter([(source.name, source)])
        made = packed_files(_held(context, source, found, account), _KINDS[ending])
    else:
        raise Refused("invalid_input", words.archive_ending.format(path=output.shown))
    output.create_parents()
    output.replace(made)
    what = words.packed.format(files=account.files, size=account.size)
    lines = [words.written.format(path=output.shown, what=what, size=len(made))]
    if account.left_out:
        lines.append(words.links_left_out.format(links=account.left_out))
    facts = {"output": output.shown, "files": account.files, "bytes": len(made), "left_out": account.left_out}
    return Result(data=facts, text="\n".join(lines), provenance=source.shown)


def _below(context: ToolContext, folder: Place, output: Place, account: _Account) -> Iterator[tuple[str, Place]]:
    """The files in a folder, sorted, with their names from there. Links are left out: they may lead anywhere."""
    waiting = [("", folder)]
    while waiting:
        prefix, place = waiting.pop()
        context.check()
        inner = []
        for entry in sorted(place.children(), key=lambda entry: entry.name):
            child, name = place.child(entry.name), prefix + entry.name
            if entry.is_folder:
                inner.append((f"{name}/", child))
            elif not entry.is_file:
                account.left_out += 1
            elif not child.is_same(output):
                yield name, child
        waiting += reversed(inner)


def _held(context: ToolContext, source: Place, found: Iterator[tuple[str, Place]], account: _Account) -> Iterator[Held]:
    for name, place in found:
        context.check()
        status, data = place.stat(), place.read(MOST_PACKED)
        account.files += 1
        account.size += len(data)
        if account.size > MOST_PACKED or account.files > LIMITS.members:
            words = context.words.converting
            raise Refused("too_large", words.too_much.format(path=source.shown, limit=MOST_PACKED, files=LIMITS.members))
        yield Held(name=name, data=data, changed=status.st_mtime, executable=bool(status.st_mode & stat.S_IXUSR))


def _ending(name: str) -> str:
    return next((ending for ending in _ENDINGS if name.lower().endswith(ending)), "")


# ── unpacking ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Target:
    """A file of an archive and where it goes."""

    number: int
    place: Place
    mode: int | None


def decompress(context: ToolContext, given: str, wanted: str | None) -> Result:
    """Unpack an archive into a folder, or a compressed file into a file."""
    workspace, words = context.use(Workspace), context.words.converting
    source = workspace.place(given)
    try:
        archive = opened(source.read(MOST_PACKED), LIMITS)
        if not archive.single:
            verdict = judge(archive.members, packed=archive.packed, windows=os.name == "nt", limits=LIMITS)
            if not verdict:
                raise Refused.by(verdict, context.words)
        _count(context, archive)
        output = workspace.place(wanted or _stem(source, given))
        return _unpacked(context, workspace, archive, source, output)
    except TooMuch as error:
        raise Refused.by(error.verdict, context.words) from None
    except NotAnArchive as error:
        reason = words.damaged if error.known else words.unknown_archive
        raise Refused("invalid_archive", words.not_an_archive.format(path=source.shown, reason=reason)) from None


def _stem(source: Place, given: str) -> str:
    ending = _ending(source.name)
    return given[: -len(ending)] if ending and len(ending) < len(source.name) else f"{given}.unpacked"


def _count(context: ToolContext, archive: Archive) -> None:
    """Read all of it without keeping it: what headers say of sizes is a claim, and damage shows before the first write."""
    written = 0
    for number, member in enumerate(archive.members):
        if member.kind == "file":
            for piece in archive.chunks(number):
                context.check()
                written += len(piece)
                verdict = judge_written(written, packed=archive.packed, limits=LIMITS)
                if not verdict:
                    raise TooMuch(verdict)


def _unpacked(context: ToolContext, workspace: Workspace, archive: Archive, source: Place, output: Place) -> Result:
    words = context.words.converting
    folders = 0
    if archive.single:
        place = output.child(_stem(source, source.name)) if output.is_dir() else output
        targets = [_Target(0, place, None)]
    else:
        targets = [
            _Target(number, _inside(output, member.name), 0o755 if number in archive.executable else None)
            for number, member in enumerate(archive.members)
            if member.kind == "file"
        ]
    for target in targets:
        context.check()
        with target.place.written() as spot:
            if spot.status is not None and not spot.beyond:
                raise Refused("invalid_input", words.in_the_way.format(path=target.place.shown))
    if not archive.single:
        output.make_folder()
        for member in archive.members:
            if member.kind == "folder" and segments(member.name):
                folders += _inside(output, member.name).make_folder()
    size = _write(context, workspace, archive, targets)
    names = ["/".join(segments(archive.members[target.number].name)) or target.place.name for target in targets]
    what = words.unpacked.format(path=output.shown, files=len(names), size=size, names=words.several(names) or "-")
    facts = {"output": output.shown, "files": names, "folders": folders, "bytes": size}
    return Result(data=facts, text=what, provenance=source.shown)


def _inside(output: Place, name: str) -> Place:
    place = output
    for part in segments(name):
        place = place.child(part)
    return place


def _write(context: ToolContext, workspace: Workspace, archive: Archive, targets: Sequence[_Target]) -> int:
    """Write all files, some at a time; if that fails, take back those that are written. Returns their bytes."""
    size, done = 0, 0
    try:
        for start in range(0, len(targets), BATCH):
            context.check()
            changes = []
            for target in targets[start : start + BATCH]:
                target.place.create_parents()
                data = b"".join(archive.chunks(target.number))
                size += len(data)
                changes.append(Change(place=target.place, data=data, expected=None, mode=target.mode))
            workspace.apply(changes)
            done = start + len(changes)
            context.report(done, len(targets))
    except BaseException:
        for target in targets[:done]:
            target.place.remove()
        raise
    return size
