"""Archives in memory: what is in one, its files one after the other, and new ones. Zip, tar (plain, gzip, bzip2, xz), gzip.

Knows bytes, no files, no tools. Names and sizes are for ``safety.archives`` to judge before a caller takes the first byte; an
outer compression is judged while it is taken off. The same files give the same archive.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Literal

from ....safety.archives import Kind, Limits, Member, judge_written
from ....safety.verdict import Verdict
from ...access import zipping

__all__ = ["Archive", "Held", "NotAnArchive", "Packed", "TooMuch", "opened", "packed_files"]

CHUNK = 1 << 18
"""Bytes that are unpacked between two looks at how many there are."""

Packed = Literal["zip", "tar", "tar.gz"]

_OUTER = ((b"\x1f\x8b", gzip.open), (b"BZh", bz2.open), (b"\xfd7zXZ\x00", lzma.open))
"""First bytes of compressed files, and what reads them."""


class NotAnArchive(Exception):
    """The bytes are no archive that can be read; ``known`` tells whether they begin like one."""

    def __init__(self, *, known: bool) -> None:
        super().__init__(known)
        self.known = known


class TooMuch(Exception):
    """Taking off the outer compression gives too much."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict)
        self.verdict = verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """An archive that was opened.

    Attributes:
        members: what is in it, in its order; of a single compressed file one without a name.
        executable: which members are programs, by their place.
        packed: bytes of the archive.
        single: it is one compressed file, whose name is whatever the caller calls it.
        open: opens a member by its place.
    """

    members: Sequence[Member]
    executable: frozenset[int]
    packed: int
    open: Callable[[int], IO[bytes]]
    single: bool = False

    def chunks(self, place: int) -> Iterator[bytes]:
        """The bytes of a file, piece by piece.

        Raises:
            NotAnArchive: it is damaged there.
        """
        with _damage(), self.open(place) as file:
            while piece := file.read(CHUNK):
                yield piece


@contextlib.contextmanager
def _damage() -> Iterator[None]:
    """What libraries raise over damaged archives, as one exception."""
    try:
        yield
    except (NotAnArchive, TooMuch):
        raise
    except Exception as error:
        # zipfile and tarfile raise whatever their parts do: struct.error, NotImplementedError, RuntimeError, EOFError …
        raise NotAnArchive(known=True) from error


def opened(data: bytes, limits: Limits) -> Archive:
    """What is in an archive, told by its bytes and never by its name.

    Args:
        data: the archive.
        limits: what taking off an outer compression may give.

    Raises:
        NotAnArchive: it is none, or damaged.
        TooMuch: the outer compression hides too much.
    """
    with _damage():
        if data.startswith(b"PK") or zipfile.is_zipfile(io.BytesIO(data)):
            return _zip(data)
        for mark, reader in _OUTER:
            if data.startswith(mark):
                inner = _taken_off(reader(io.BytesIO(data)), len(data), limits)
                return _tar(inner, len(data)) if _is_tar(inner) else _single(inner, len(data))
        if _is_tar(data):
            return _tar(data, len(data))
    raise NotAnArchive(known=False)


def _taken_off(file: gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile, size: int, limits: Limits) -> bytes:
    made = bytearray()
    with file:
        while piece := file.read(CHUNK):
            made += piece
            verdict = judge_written(len(made), packed=size, limits=limits)
            if not verdict:
                raise TooMuch(verdict)
    return bytes(made)


def _single(data: bytes, size: int) -> Archive:
    member = Member(name="", size=len(data))
    return Archive(members=(member,), executable=frozenset(), packed=size, open=lambda _: io.BytesIO(data), single=True)


def _zip(data: bytes) -> Archive:
    archive = zipfile.ZipFile(io.BytesIO(data))
    found = archive.infolist()
    modes = [info.external_attr >> 16 if info.create_system == 3 else 0 for info in found]
    return Archive(
        members=[zipping.member(info) for info in found],
        executable=frozenset(place for place, mode in enumerate(modes) if mode & 0o100),
        packed=len(data),
        open=lambda place: archive.open(found[place]),
    )


def _is_tar(data: bytes) -> bool:
    try:
        tarfile.TarInfo.frombuf(data[:512], "utf-8", "surrogateescape")
    except tarfile.TarError:
        # An empty one is nothing but zeros.
        return len(data) >= 1024 and not data.strip(b"\0")
    return True


def _tar(data: bytes, size: int) -> Archive:
    archive = tarfile.open(fileobj=io.BytesIO(data), mode="r:")  # noqa: SIM115 - it lives as long as what reads from it
    found = archive.getmembers()

    def read(place: int) -> IO[bytes]:
        file = archive.extractfile(found[place])
        if file is None:
            raise NotAnArchive(known=True)
        return file

    return Archive(
        members=[Member(name=item.name, kind=_tar_kind(item), size=item.size) for item in found],
        executable=frozenset(place for place, item in enumerate(found) if item.mode & 0o100),
        packed=size,
        open=read,
    )


def _tar_kind(item: tarfile.TarInfo) -> Kind:
    if item.issym() or item.islnk():
        return "link"
    return "folder" if item.isdir() else "file" if item.isreg() else "other"


# ── packing ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A file that is packed: its path in the archive, its bytes, when it was changed, whether it is a program."""

    name: str
    data: bytes
    changed: float
    executable: bool = False


def packed_files(files: Iterator[Held], kind: Packed) -> bytes:
    """An archive of files, in their order."""
    made = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in files:
                archive.writestr(zipping.described(file.name, file.changed, _mode(file)), file.data)
        return made.getvalue()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for file in files:
            item = tarfile.TarInfo(file.name)
            item.size, item.mtime, item.mode = len(file.data), int(file.changed), _mode(file)
            tar.addfile(item, io.BytesIO(file.data))
    return made.getvalue() if kind == "tar" else gzip.compress(made.getvalue(), mtime=0)


def _mode(file: Held) -> int:
    return 0o755 if file.executable else 0o644
