"""What is about to be done to files, written down first, so that a process that is killed leaves nothing half done behind.

Knows names and folders, no tools. One file a process, in a folder beside the store; the process holds a lock on it for as
long as it lives, so that whoever finds one without a lock knows that its owner is gone and puts in order what it left: names
of temporary files are removed, changes of many files that were decided are finished, others are undone.

Every record is sealed with a key that no tool reaches. What was not sealed here, or seals what no tool of ours would do (write
a protected file, leave the roots, take another name for a temporary one), is not acted on: it stays where it is.

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

from ...errors import JSONError
from ...jsontext import dumps, loads, typed
from ...safety.paths import protected
from .folder import Folder
from .holding import Held
from .owned import is_own
from .roots import Roots, segments_of
from .seal import Seal, key_in
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

    @property
    def path(self) -> str:
        """It as an absolute path."""
        return os.path.join(self.root, *self.folder, self.name)  # noqa: PTH118

    def inside(self, roots: Roots, own: Sequence[str] = ()) -> bool:
        """Whether it is a name in one of some roots that a tool may write."""
        plain = all(segments_of(name) == [name] and name != ".." for name in (*self.folder, self.name))
        found = roots.find(self.path) if plain else None
        return found is not None and bool(protected(found[1])) and not is_own(self.path, own)

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

    def names(self) -> list[Named]:
        """All that it is about."""
        return [*((self.temporary,) if self.temporary is not None else ()), *(planned.target for planned in self.plan)]

    def is_ours(self) -> bool:
        """Whether every temporary name is one that we give."""
        names = [planned.temporary for planned in self.plan if planned.temporary]
        if self.temporary is not None:
            names.append(self.temporary.name)
        return all(TEMPORARY.fullmatch(name) for name in names)


class Intents:
    """The journal of this process.

    Args:
        folder: where journals lie; made when first needed. Nobody else writes there.
        key: the file that holds the key; made when first needed. By default it lies beside the folder, which is right only
            where no tool can reach that.
    """

    def __init__(self, folder: Path, key: Path | None = None) -> None:
        self.folder = folder
        self._key_file = key or folder.with_name(f"{folder.name}.key")
        self._key: bytes | None = None
        self._seal: Seal | None = None
        self._lock = threading.Lock()
        self._held: Held | None = None
        self._number = 0
        self._open: set[int] = set()

    def prepare(self) -> None:
        """Make the key now, so that nobody else can make one first."""
        self._known_key()

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
                self._seal = self._sealing(self._held)

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
            self._seal = self._sealing(self._held)
        assert self._seal is not None
        self._held.append(self._seal.close(_written(record)) + b"\n", synced=synced)

    def _sealing(self, held: Held) -> Seal:
        return Seal(self._known_key(), held.path.name)

    def _known_key(self) -> bytes:
        if self._key is None:
            try:
                self._key = key_in(self._key_file)
            except OSError:
                # Nothing to keep a key in: what this process leaves waits for a person.
                self._key = secrets.token_bytes(32)
        return self._key

    def recover(self, roots: Roots, own: Sequence[str] = ()) -> list[str]:
        """Put in order what processes that are gone have left.

        Args:
            roots: where anything may be changed. What lies elsewhere waits for somebody who may work there: a journal is a
                file, and whoever could write it must not reach further than this program does.
            own: real paths of files and folders of this program, which are not changed.

        Returns:
            the files of a decided change that could not be finished, because somebody changed them meanwhile.
        """
        stuck: list[str] = []
        for held in Held.abandoned(self.folder, SUFFIX):
            left, whole = _left(held.read(), self._sealing(held))
            here = [one for one in left if one.is_ours() and all(named.inside(roots, own) for named in one.names())]
            for one in here:
                stuck += _Order(roots).put(one)
            held.close(remove=whole and len(here) == len(left))
        return stuck


def _written(record: _Record) -> bytes:
    try:
        return msgspec.json.encode(record)
    except UnicodeError:
        # A name that is no UTF-8.
        return dumps(msgspec.to_builtins(record))


def _read(line: bytes) -> _Record:
    try:
        return msgspec.json.decode(line, type=_Record)
    except (msgspec.MsgspecError, UnicodeError):
        return typed(loads(line), _Record)


def _left(journal: bytes, seal: Seal) -> tuple[list[_Left], bool]:
    """What was begun and not ended, and whether that is all. A last line that was cut off was not acted on."""
    found: dict[int, _Left] = {}
    lines = journal.split(b"\n")
    for sealed in lines[:-1]:
        line = seal.open(sealed)
        if line is None:
            return list(found.values()), False
        try:
            record = _read(line)
        except (msgspec.MsgspecError, JSONError):
            return list(found.values()), False
        if record.done:
            found.pop(record.number, None)
        elif record.decided:
            if record.number in found:
                found[record.number].decided = True
        else:
            found[record.number] = _Left(record.temporary, record.plan)
    return list(found.values()), True


class _Order:
    """Puts in order what was left.

    Args:
        roots: where that may be done.
    """

    def __init__(self, roots: Roots) -> None:
        self._roots = roots

    def put(self, left: _Left) -> list[str]:
        if left.temporary is not None:
            self._discard(left.temporary, left.temporary.name)
        stuck = []
        for planned in left.plan:
            if left.decided:
                try:
                    finished = self._finish(planned)
                except OSError:
                    finished = False
                if not finished:
                    stuck.append(planned.target.path)
            self._discard(planned.target, planned.temporary)
        return stuck

    @contextlib.contextmanager
    def _folder(self, named: Named) -> Iterator[Folder | None]:
        """The folder that holds a name, if it is still the one that was meant: no link has come into its path."""
        found = self._roots.find(named.path)
        if found is None:
            yield None
            return
        root, segments = found
        try:
            spot = walk(self._roots, root, segments, follow=False)
        except (OSError, Astray):
            yield None
            return
        with spot:
            yield spot.folder if list(spot.segments) == segments and not spot.beyond else None

    def _discard(self, named: Named, name: str) -> None:
        if not TEMPORARY.fullmatch(name):
            return
        with self._folder(named) as folder:
            if folder is not None:
                with contextlib.suppress(OSError):
                    folder.unlink(name)

    def _finish(self, planned: Planned) -> bool:
        with self._folder(planned.target) as folder:
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
