"""What is about to be done to files, written down first, so that a process that is killed leaves nothing half done behind.

Knows names and folders, no tools. One file a process, in a folder beside the store; the process holds a lock on it for as
long as it lives, so that whoever finds one without a lock knows that its owner is gone and puts in order what it left: names
of temporary files are removed, changes of many files that were decided are finished, others are undone.

A record is written before it is acted on. It need not be on disk for that: what a process has written outlives it. Only a
change of many files is synced, because half of one would outlive a power failure.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from .folder import Folder
from .holding import Held
from .roots import Root, Roots
from .walk import Astray, Spot, walk

__all__ = ["TEMPORARY", "Intents", "Named", "Planned", "digest_of", "temporary_name"]

TEMPORARY = re.compile(r"\.transom-[0-9a-f]{16}\.tmp")
"""What a temporary file of ours is called."""
FULL = 65_536
"""Bytes after which the journal begins anew while nothing is under way."""
SUFFIX = ".intents"


def temporary_name() -> str:
    """A name that nothing else has."""
    return f".transom-{secrets.token_hex(8)}.tmp"


def digest_of(data: bytes | None) -> str:
    """What tells contents apart; empty for no file."""
    return "" if data is None else hashlib.sha256(data).hexdigest()


class Named(msgspec.Struct, frozen=True, omit_defaults=True):
    """A name below a root, without links on the way.

    Attributes:
        root: the root's real path.
        folder: the folders below it.
        name: the name.
    """

    root: str
    folder: tuple[str, ...]
    name: str

    @classmethod
    def of(cls, spot: Spot, name: str) -> Named:
        """A name beside the one that a walk found."""
        return cls(spot.root.real, tuple(spot.names), name)


class Planned(msgspec.Struct, frozen=True, omit_defaults=True):
    """One file of a change of many.

    Attributes:
        target: the file.
        temporary: the name beside it that holds the new bytes; empty when the file is to be removed.
        before, after: digests of its bytes then and now; empty for no file.
    """

    target: Named
    temporary: str
    before: str
    after: str


class _Record(msgspec.Struct, omit_defaults=True):
    number: int
    temporary: Named | None = None
    plan: tuple[Planned, ...] = ()
    decided: bool = False
    done: bool = False


@dataclass
class _Left:
    """What a process that is gone was at."""

    temporary: Named | None = None
    plan: tuple[Planned, ...] = ()
    decided: bool = False


class Intents:
    """The journal of this process.

    Args:
        folder: where journals lie; made when first needed. Nobody else writes there.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._held: Held | None = None
        self._number = 0
        self._open: set[int] = set()

    def begin(self, temporary: Named) -> int:
        """Write down that a temporary file will be made; a number for ``end``."""
        return self._begun(_Record(0, temporary=temporary), synced=False)

    def begin_plan(self, plan: Sequence[Planned]) -> int:
        """Write down that many files will be changed as one; a number for ``decide`` and ``end``."""
        return self._begun(_Record(0, plan=tuple(plan)), synced=True)

    def decide(self, number: int) -> None:
        """All new bytes are on disk: from now on the change is finished, not undone."""
        with self._lock:
            self._write(_Record(number, decided=True), synced=True)

    def end(self, number: int) -> None:
        """Nothing of it is left."""
        with self._lock:
            self._write(_Record(number, done=True), synced=False)
            self._open.discard(number)
            if not self._open and self._held is not None and self._held.size > FULL:
                self._held.clear()

    def close(self) -> None:
        """Give the journal up; it is removed if nothing is under way."""
        with self._lock:
            if self._held is not None:
                self._held.close(remove=not self._open)
                self._held = None

    def _begun(self, record: _Record, *, synced: bool) -> int:
        with self._lock:
            self._number += 1
            record.number = self._number
            self._write(record, synced=synced)
            self._open.add(record.number)
            return record.number

    def _write(self, record: _Record, *, synced: bool) -> None:
        if self._held is None:
            self._held = Held.create(self.folder, SUFFIX)
        self._held.append(msgspec.json.encode(record) + b"\n", synced=synced)

    def recover(self) -> list[str]:
        """Put in order what processes that are gone have left.

        Returns:
            the files of a decided change that could not be finished, because somebody changed them meanwhile.
        """
        stuck: list[str] = []
        for held in Held.abandoned(self.folder, SUFFIX):
            for left in _left(held.read()):
                stuck += _put_in_order(left)
            held.close(remove=True)
        return stuck


def _left(journal: bytes) -> list[_Left]:
    """What was begun and not ended. A last line that was cut off was not acted on."""
    found: dict[int, _Left] = {}
    for line in journal.splitlines():
        try:
            record = msgspec.json.decode(line, type=_Record)
        except (msgspec.MsgspecError, UnicodeError):
            continue
        if record.done:
            found.pop(record.number, None)
        elif record.decided:
            if record.number in found:
                found[record.number].decided = True
        else:
            found[record.number] = _Left(record.temporary, record.plan)
    return list(found.values())


def _put_in_order(left: _Left) -> list[str]:
    if left.temporary is not None:
        _discard(left.temporary, left.temporary.name)
    stuck = []
    for planned in left.plan:
        try:
            if left.decided and not _finish(planned):
                stuck.append(os.path.join(planned.target.root, *planned.target.folder, planned.target.name))  # noqa: PTH118
        except OSError:
            stuck.append(os.path.join(planned.target.root, *planned.target.folder, planned.target.name))  # noqa: PTH118
        _discard(planned.target, planned.temporary)
    return stuck


@contextlib.contextmanager
def _folder(named: Named) -> Iterator[Folder | None]:
    """The folder that holds a name, if it is still the one that was meant."""
    root = Root(named.root, named.root)
    roots = Roots([named.root])
    try:
        spot = walk(roots, root, (*named.folder, named.name), follow=False)
    except (OSError, Astray):
        yield None
        return
    with spot:
        yield spot.folder if tuple(spot.names) == named.folder and not spot.beyond else None


def _discard(named: Named, name: str) -> None:
    if not TEMPORARY.fullmatch(name):
        return
    with _folder(named) as folder:
        if folder is not None:
            with contextlib.suppress(OSError):
                folder.unlink(name)


def _finish(planned: Planned) -> bool:
    with _folder(planned.target) as folder:
        if folder is None:
            return False
        name = planned.target.name
        now = _digest_in(folder, name)
        if now == planned.after:
            return True
        if now != planned.before:
            return False
        if not planned.temporary:
            folder.unlink(name)
        elif _digest_in(folder, planned.temporary) == planned.after:
            folder.replace(planned.temporary, folder, name)
        else:
            return False
        folder.sync()
        return True


def _digest_in(folder: Folder, name: str) -> str:
    try:
        descriptor = folder.open(name)
    except FileNotFoundError:
        return ""
    with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor
        return hashlib.file_digest(file, "sha256").hexdigest()
