"""How zip archives describe files: what a member would become, and the description of a file that is packed.

Knows descriptions only; reads no file and no archive.
"""

from __future__ import annotations

import stat
import zipfile
from datetime import UTC, datetime

from ...safety.archives import Kind, Member

__all__ = ["described", "member"]

_EARLIEST, _LATEST = (1980, 1, 1, 0, 0, 0), (2107, 12, 31, 23, 59, 58)
"""Moments that zip can write."""


def described(name: str, changed: float, mode: int, compression: int = zipfile.ZIP_DEFLATED) -> zipfile.ZipInfo:
    """The description of a file, the same on every system.

    Args:
        name: its path in the archive.
        changed: when it was changed, in seconds since the epoch; what zip cannot write becomes what is nearest.
        mode: its permission bits.
        compression: as ``zipfile`` names it.
    """
    info = zipfile.ZipInfo(name, _moment(changed))
    info.create_system = 3
    info.external_attr = (stat.S_IFREG | stat.S_IMODE(mode)) << 16
    info.compress_type = compression
    return info


def member(info: zipfile.ZipInfo) -> Member:
    """A member as it is judged. Its name is the one that stands there; ``filename`` ends at a NUL."""
    return Member(name=info.orig_filename, kind=_kind(info), size=info.file_size, encrypted=bool(info.flag_bits & 1))


def _kind(info: zipfile.ZipInfo) -> Kind:
    mode = stat.S_IFMT(info.external_attr >> 16)
    # A link is one whatever system is named: whoever unpacks by the mode makes one of it.
    if mode == stat.S_IFLNK:
        return "link"
    if info.is_dir() or mode == stat.S_IFDIR:
        return "folder"
    return "file" if mode in {0, stat.S_IFREG} or info.create_system != 3 else "other"


def _moment(seconds: float) -> tuple[int, int, int, int, int, int]:
    """A time as archives hold it, in UTC."""
    try:
        at = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return _LATEST if seconds > 0 else _EARLIEST
    return min(max((at.year, at.month, at.day, at.hour, at.minute, at.second), _EARLIEST), _LATEST)
