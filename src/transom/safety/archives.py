"""Whether an archive may be unpacked: all its members first, then the bytes as they come out.

Knows no archive format: whoever reads one lists its members here before the first byte is written, since one unsafe member
refuses the whole archive, and asks ``judge_written`` while it unpacks, since what a header says of sizes is a claim.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from .verdict import ALLOWED, Verdict, refuse

__all__ = ["LIMITS", "Kind", "Limits", "Member", "judge", "judge_written", "segments"]

Kind = Literal["file", "folder", "link", "other"]
"""``link`` is one of either sort; ``other`` a device, a pipe, a socket."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What unpacking may cost.

    Attributes:
        members: files and folders.
        written: bytes of all files.
        ratio, from_bytes: how many times the archive's size may be written once more than that many bytes are.
        segment, depth: bytes of one name, and names of one path.
    """

    members: int = 10_000
    written: int = 500_000_000
    ratio: int = 100
    from_bytes: int = 1_000_000
    segment: int = 255
    depth: int = 64


LIMITS = Limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One member, as the archive describes it.

    Attributes:
        name: its path, as it stands there.
        kind: what it would become.
        size: bytes that it unpacks to, as the archive claims.
        encrypted: it needs a password.
    """

    name: str
    kind: Kind = "file"
    size: int = 0
    encrypted: bool = False


def judge(members: Sequence[Member], *, packed: int, windows: bool = False, limits: Limits = LIMITS) -> Verdict:
    """Whether an archive may be unpacked into an empty place.

    Args:
        members: all of them.
        packed: bytes of the archive.
        windows: the files go where Windows decides what is a name.
        limits: what it may cost.

    Returns:
        ``unsafe_archive`` for a member that leads out, is a link or meets another, ``too_large`` for what unpacks to too much.
    """
    if len(members) > limits.members:
        return refuse("too_large", "archive_many", limit=f"{limits.members:,}")
    for member in members:
        verdict = _judge_member(member, windows, limits)
        if not verdict:
            return verdict
    verdict = _judge_names(members)
    if not verdict:
        return verdict
    return judge_written(sum(max(member.size, 0) for member in members), packed=packed, limits=limits)


def judge_written(written: int, *, packed: int, limits: Limits = LIMITS) -> Verdict:
    """Whether unpacking may go on.

    Args:
        written: bytes that came out until now, of all members together.
        packed: bytes of the archive.
        limits: what it may cost.
    """
    if written > limits.from_bytes and written > limits.ratio * packed:
        return refuse("too_large", "archive_ratio", limit=str(limits.ratio))
    if written > limits.written:
        return refuse("too_large", "archive_large", limit=f"{limits.written:,}")
    return ALLOWED


def segments(name: str) -> tuple[str, ...]:
    """A member's path as names, ``.`` and doubled slashes left out. Only of a name that ``judge`` allowed."""
    return tuple(part for part in name.split("/") if part not in {"", "."})


def _judge_member(member: Member, windows: bool, limits: Limits) -> Verdict:
    name = member.name
    if member.kind == "link":
        return refuse("unsafe_archive", "archive_link", name=name)
    if member.kind == "other":
        return refuse("unsafe_archive", "archive_device", name=name)
    if member.encrypted:
        return refuse("unsafe_archive", "archive_encrypted", name=name)
    if any(unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} for character in name):
        return refuse("unsafe_archive", "archive_character", name=name)
    if name.startswith(("/", "\\")) or (len(name) > 1 and name[1] == ":" and name[0].isascii() and name[0].isalpha()):
        return refuse("unsafe_archive", "archive_absolute", name=name)
    if ".." in name.replace("\\", "/").split("/"):
        return refuse("unsafe_archive", "archive_above", name=name)
    if "\\" in name:
        # A separator on Windows, a letter elsewhere: the same archive would become two different trees.
        return refuse("unsafe_archive", "archive_backslash", name=name)
    parts = segments(name)
    if not parts:
        # ``./`` stands at the head of many tar files.
        return ALLOWED if member.kind == "folder" else refuse("unsafe_archive", "archive_name")
    if len(parts) > limits.depth or any(len(part.encode()) > limits.segment for part in parts):
        return refuse("unsafe_archive", "archive_long", name=name, limit=str(limits.segment))
    if windows and any(_odd_on_windows(part) for part in parts):
        return refuse("unsafe_archive", "archive_windows", name=name)
    return ALLOWED


def _odd_on_windows(segment: str) -> bool:
    """https://learn.microsoft.com/windows/win32/fileio/naming-a-file."""
    return segment[-1] in ". " or any(character in '<>:"|?*' for character in segment) or _is_device(segment)


def _is_device(segment: str) -> bool:
    stem = segment.partition(".")[0].rstrip().upper().translate({0xB9: "1", 0xB2: "2", 0xB3: "3"})
    return stem in {"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"} or (
        len(stem) == 4 and stem[:3] in {"COM", "LPT"} and stem[3].isdigit() and stem[3] != "0"
    )


def _judge_names(members: Iterable[Member]) -> Verdict:
    """No two members at one place, also where case and Unicode form do not count, and none below a file."""
    spelled: dict[tuple[str, ...], tuple[str, ...]] = {}
    files: dict[tuple[str, ...], str] = {}
    folders: dict[tuple[str, ...], str] = {}
    for member in members:
        parts = segments(member.name)
        folded = tuple(_folded(part) for part in parts)
        for end in range(1, len(parts) + 1):
            before = spelled.setdefault(folded[:end], parts[:end])
            if before != parts[:end]:
                return refuse("unsafe_archive", "archive_alike", name=member.name, other="/".join(before))
        for end in range(1, len(parts) + (member.kind == "folder")):
            folders.setdefault(folded[:end], member.name)
        if member.kind == "file":
            if folded in files:
                return refuse("unsafe_archive", "archive_twice", name=member.name)
            files[folded] = member.name
    for place, name in files.items():
        if place in folders:
            return refuse("unsafe_archive", "archive_below_file", name=folders[place], other=name)
    return ALLOWED


def _folded(segment: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", segment).casefold())
