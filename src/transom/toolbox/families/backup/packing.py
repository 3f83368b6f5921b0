"""Making a backup: what goes into it, and the archive as it is written, piece by piece.

Reads through places, so nothing outside the root gets in; links are not followed and not kept. What could not be restored later
(links, names an archive may not hold, what file tools do not write) is left out and told, so that every backup can be restored
whole.
"""

from __future__ import annotations

import stat
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from ....safety.archives import LIMITS, Member, judge
from ....safety.paths import protected
from ...access import zipping
from ...access.atomic import Stale, put
from ...access.excluded import REMADE
from ...access.folder import Entry
from ...access.place import Place
from ...tool import Refused, ToolContext
from .shelf import FOLDER, Shelf

__all__ = ["Packed", "pack"]

_EXCLUDED = REMADE | {FOLDER}
"""Version control is left out because file tools do not write there."""
_PIECE = 1 << 20
_DENSEST = LIMITS.ratio // 2
"""Bytes written a byte packed; a denser archive is stored unpacked, since restoring refuses what could fill a disk."""


@dataclass(frozen=True, slots=True)
class _File:
    name: str
    place: Place


@dataclass(slots=True)
class Packed:
    """A backup that was made.

    Attributes:
        name: what it is named by.
        files, written, packed: how many files, their bytes, the archive's bytes.
        left: what is not in it, by kind: paths.
    """

    name: str = ""
    files: int = 0
    written: int = 0
    packed: int = 0
    left: dict[str, list[str]] = field(
        default_factory=lambda: {kind: [] for kind in ("excluded", "link", "special", "protected", "unreadable", "odd_name")}
    )


class _TooDense(Exception):
    """The archive would be refused when it is restored."""


def pack(context: ToolContext, shelf: Shelf, start: Place, exclude: Sequence[str], label: str) -> Packed:
    """Make a backup of a file, or of a folder with all that is in it.

    Args:
        context: of the call; told of progress.
        shelf: where it goes.
        start: what to back up.
        exclude: patterns of names, or of paths below the root, to leave out.
        label: goes into the name.

    Raises:
        Refused: there is nothing, or too much, or it lies in another root; as ``Place.open``.
    """
    report = Packed()
    words = context.words.backing_up
    if start.root != shelf.root:
        raise Refused("outside_root", words.other_root.format(path=start.shown))
    files = list(_found(context, start, exclude, report))
    if not files:
        raise Refused("not_found", words.empty.format(path=start.shown))
    verdict = judge([Member(name=file.name) for file in files], packed=0)
    if not verdict:
        raise Refused.by(verdict, context.words)
    shelf.folder.make_folder()
    name = shelf.free(label, context.clock())
    taken, stored = 0, False
    while True:
        place = shelf.folder.child(name(taken))
        report.name, report.files, report.written, report.packed = place.name, 0, 0, 0
        kept = {kind: list(names) for kind, names in report.left.items()}
        try:
            with place.written() as target:
                put(target, _archive(context, files, report, stored=stored), None, place.reach.intents, mode=0o600)
        except Stale:
            taken += 1
        except _TooDense:
            stored = True
        else:
            return report
        report.left = kept


def _found(context: ToolContext, start: Place, exclude: Sequence[str], report: Packed) -> Iterator[_File]:
    """What there is to pack, in the order of names."""
    with start.there() as spot:
        segments, status = spot.segments, spot.status
    assert status is not None
    if not stat.S_ISDIR(status.st_mode):
        yield _File("/".join(segments), start)
        return
    waiting = [(start, segments)]
    count = 0
    while waiting:
        folder, above = waiting.pop()
        folders = []
        for entry in sorted(folder.children(), key=lambda entry: entry.name):
            context.check()
            path = (*above, entry.name)
            kind = _left_out(entry, path, exclude)
            if kind:
                report.left[kind].append("/".join(path))
            elif entry.is_folder:
                folders.append((folder.child(entry.name), path))
            else:
                count += 1
                if count > LIMITS.members:
                    raise Refused("too_large", context.words.backing_up.too_many.format(limit=f"{LIMITS.members:,}"))
                yield _File("/".join(path), folder.child(entry.name))
        waiting += reversed(folders)


def _left_out(entry: Entry, path: Sequence[str], exclude: Sequence[str]) -> str:
    """Why something is not packed; empty where it is."""
    whole = "/".join(path)
    if entry.name in _EXCLUDED or any(_matches(whole, entry.name, pattern) for pattern in exclude):
        return "excluded"
    if entry.is_link:
        return "link"
    if not entry.is_folder and not entry.is_file:
        return "special"
    if not protected(path):
        return "protected"
    return "" if judge([Member(name=whole)], packed=0) else "odd_name"


def _matches(path: str, name: str, pattern: str) -> bool:
    plain = pattern.removeprefix("./").rstrip("/")
    return fnmatchcase(name, plain) or fnmatchcase(path, plain)


class _Sink:
    """What an archive is written to: keeps the bytes until they are fetched. It cannot seek, and the archive knows that."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._pieces.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Nothing waits anywhere else."""

    def fetched(self) -> bytes:
        data = b"".join(self._pieces)
        self._pieces.clear()
        return data


def _archive(context: ToolContext, files: Sequence[_File], report: Packed, *, stored: bool) -> Iterator[bytes]:
    """The archive in pieces."""
    for piece in _pieces(context, files, report, stored=stored):
        report.packed += len(piece)
        if piece:
            yield piece
    if report.written > LIMITS.from_bytes and report.written > _DENSEST * report.packed and not stored:
        raise _TooDense


def _pieces(context: ToolContext, files: Sequence[_File], report: Packed, *, stored: bool) -> Iterator[bytes]:
    sink = _Sink()
    compression = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(sink, "w", compression) as archive:  # type: ignore[call-overload]
        for number, file in enumerate(files):
            context.report(number, len(files), file.name)
            try:
                yield from _member(context, archive, file, report, sink)
            except Refused as refusal:
                if refusal.error not in {"not_found", "not_a_file", "io_error"}:
                    raise
                report.left["unreadable"].append(file.name)
    yield sink.fetched()


def _member(context: ToolContext, archive: zipfile.ZipFile, file: _File, report: Packed, sink: _Sink) -> Iterator[bytes]:
    with file.place.open() as source:
        status = file.place.stat()
        info = zipping.described(file.name, status.st_mtime, status.st_mode, archive.compression)
        with archive.open(info, "w", force_zip64=status.st_size > 1 << 30) as member:
            while piece := source.read(_PIECE):
                context.check()
                report.written += len(piece)
                if report.written > LIMITS.written:
                    limit = f"{LIMITS.written:,}"
                    raise Refused("too_large", context.words.backing_up.too_large.format(limit=limit))
                member.write(piece)
                yield sink.fetched()
        report.files += 1
