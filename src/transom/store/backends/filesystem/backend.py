"""The file backend: one file an entry, under ``<root>/<namespace>/<path>``, spelt so that a person recognises it.

Knows files and one lock; no index (search reads everything). Writers take the lock, so processes may share a directory; those
of one process queue up for it. A
write of several files is made whole by a journal: new contents are written aside and synced, the list of renames is put in
place by one rename, and only then are the files moved; who finds a journal (after a kill) finishes it first. Small meta values
and the entry's seal lie in a file of the same name under ``.store/meta``.
"""

from __future__ import annotations

import asyncio
import builtins
import contextlib
import fcntl
import logging
import os
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from ....errors import IntegrityError, JSONError, NotFoundError, StoreError, URIError
from ....jsontext import EMPTY, dumps, loads, typed
from ...backend import Stat, StoredEntry, Write
from ...filenames import decode_names, encode_path
from ...sealing import damaged, opened, sealed
from ...uri import check_backend_namespace, check_path, check_prefix
from .confined import Confined, explain
from .journal import Journal
from .orphans import orphans
from .turns import Turn, turn_of

__all__ = ["FilesystemBackend"]

T = TypeVar("T")
_log = logging.getLogger(__name__)
_CONTROL = ".store"
_MARK = (_CONTROL, "version")
_SEALED = (_CONTROL, "sealed")
"""There from the start where no earlier release wrote an entry: one without a seal has lost it."""
_JOURNAL = (_CONTROL, "journal")
_USES = (_CONTROL, "uses.json")
_ASIDE = (_CONTROL, "aside")
_SEALS = (_CONTROL, "meta")
_VERSION = b"1\n"
_STILL = 0.1
"""Seconds to wait for a lock that has been waited for in vain. Others who write hold it for milliseconds."""
_NAMED = 10
"""Files that are named one by one."""
_OWN = 30.0
"""Seconds to wait for others of this process, on top of what one of them may wait for another process."""


class FilesystemBackend:
    """A directory of plain files.

    Args:
        root: the directory; made by the first write.
        busy_timeout: seconds to wait for another process that writes.
        create: ``False`` refuses to make one that is not there.

    Every method raises ``StoreError`` with the way out when the directory is read-only, locked, full, no store, or has a link.
    """

    def __init__(self, root: str | os.PathLike[str], *, busy_timeout: float = 10.0, create: bool = True) -> None:
        self.root = Path(root)
        self._busy_timeout = busy_timeout
        self._create = create
        self._files = Confined(self.root)
        self._ready = False
        self._is_sealed = False

    async def read(self, namespace: str, path: str) -> StoredEntry | None:
        """See ``StorageBackend``."""
        _names(namespace, path)

        def read() -> StoredEntry | None:
            try:
                return self._entry(namespace, path)
            except IntegrityError:
                # Somebody may have written between the looks at the two files. In a folder that is read-only nobody did.
                with contextlib.suppress(OSError), self._locked():
                    return self._entry(namespace, path)
                raise

        return await self._do(read, None)

    async def write(
        self,
        namespace: str,
        path: str,
        data: bytes,
        meta: Mapping[str, object] = EMPTY,
        *,
        text: str | tuple[str, ...] | None = None,
    ) -> None:
        """See ``StorageBackend``."""
        await self.batch([Write(namespace, path, data, meta, text)])

    async def delete(self, namespace: str, path: str) -> bool:
        """See ``StorageBackend``."""
        names = _names(namespace, path)

        def delete() -> bool:
            there = self._files.status(names) is not None
            self._replace([], [found for found in (names, _beside(names)) if self._files.status(found) is not None])
            return there

        return await self._alone(delete)

    async def list(self, namespace: str, prefix: str = "") -> Sequence[str]:
        """See ``StorageBackend``."""
        return [path for path, _ in await self._walk(namespace, prefix)]

    async def namespaces(self) -> Sequence[str]:
        """See ``Namespaces``."""
        return await self._do(self._namespaces, [])

    async def put_if_absent(
        self,
        namespace: str,
        path: str,
        data: bytes,
        meta: Mapping[str, object] = EMPTY,
        *,
        text: str | tuple[str, ...] | None = None,
    ) -> StoredEntry | None:
        """See ``PutIfAbsent``."""
        if (await self.batch([Write(namespace, path, data, meta, text, if_absent=True)]))[0]:
            return None
        return await self.read(namespace, path)

    async def append(
        self, namespace: str, path: str, data: bytes, meta: Mapping[str, object] = EMPTY, *, text: str | None = None
    ) -> None:
        """See ``Append``. Rewrites the file: a torn end would be worse."""
        _names(namespace, path)

        def append() -> None:
            there = self._entry(namespace, path)
            self._apply([Write(namespace, path, (there.data if there else b"") + data, meta, text)])

        await self._alone(append)

    async def batch(self, writes: Iterable[Write]) -> Sequence[bool]:
        """See ``Batch``."""
        checked = list(writes)
        for write in checked:
            _names(write.namespace, write.path)
        return await self._alone(lambda: self._apply(checked)) if checked else []

    async def stats(self, namespace: str, prefix: str = "") -> Sequence[Stat]:
        """See ``AccessIndex``."""
        found = await self._walk(namespace, prefix)
        nothing: dict[str, tuple[float, int]] = {}
        uses = await self._do(self._uses, nothing)
        result = []
        for path, status in found:
            when, count = uses.get(f"{namespace}/{path}", (0.0, 0))
            result.append(Stat(path, status.st_size, status.st_mtime, max(when, status.st_mtime), count))
        return result

    async def touch(self, uses: Mapping[tuple[str, str], tuple[float, int]]) -> None:
        """See ``AccessIndex``."""

        def touch() -> None:
            known = self._uses()
            for (namespace, path), (when, count) in uses.items():
                if self._files.status(_names(namespace, path)) is not None:
                    old = known.get(f"{namespace}/{path}", (0.0, 0))
                    known[f"{namespace}/{path}"] = (max(old[0], when), old[1] + count)
            self._replace([(list(_USES), dumps(known))], [])

        await self._alone(touch)

    async def recover(self) -> Mapping[str, int]:
        """See ``Recover``. Finishes a journal; removes what was written aside and never used, and the seal before it."""

        def sweep() -> int:
            for names in orphans(self._files, _SEALS, _ASIDE)[1]:
                self._files.remove(names)
            return sum(self._files.remove(names) for names, _ in list(self._files.walk(_ASIDE)))

        return {"swept": await self._alone(sweep)}

    async def check(self) -> str:
        """See ``Check``. Looks for entries that are gone while their seals remain."""

        def look() -> builtins.list[builtins.list[str]]:
            found = orphans(self._files, _SEALS, _ASIDE)[0]
            if found:
                # Somebody may be writing them. In a folder that is read-only nobody is.
                with contextlib.suppress(OSError), self._locked():
                    return orphans(self._files, _SEALS, _ASIDE)[0]
            return found

        nothing: builtins.list[builtins.list[str]] = []
        lost = await self._do(look, nothing)
        if not lost:
            return "ok"
        named = ", ".join("/".join(names) for names in lost[:_NAMED])
        more = f" and {len(lost) - _NAMED:,} more" if len(lost) > _NAMED else ""
        return f"files of entries are gone from {self.root}, whose seals are there: {named}{more}"

    def physical_path(self, namespace: str, path: str) -> Path | None:
        """See ``PhysicalPath``."""
        return self.root.joinpath(*_names(namespace, path))

    async def _walk(self, namespace: str, prefix: str) -> builtins.list[tuple[str, os.stat_result]]:
        check_backend_namespace(namespace)
        check_prefix(prefix)

        def walk() -> builtins.list[tuple[str, os.stat_result]]:
            found = ((decode_names(names[1:]), status) for names, status in self._files.walk([namespace]))
            return sorted((item for item in found if item[0].startswith(prefix)), key=lambda item: item[0])

        return await self._do(walk, [])

    def _entry(self, namespace: str, path: str) -> StoredEntry | None:
        names = _names(namespace, path)
        data = self._files.read(names)
        if data is None:
            return None
        entry = opened(namespace, path, data, self._files.read(_beside(names)))
        if self._is_sealed and not entry.checked:
            raise damaged(namespace, path)
        return entry

    def _uses(self) -> dict[str, tuple[float, int]]:
        raw = self._files.read(_USES)
        try:
            return typed(loads(raw), dict[str, tuple[float, int]]) if raw is not None else {}
        except JSONError:
            # Whether entries were used is no part of them; a count that starts anew is better than a store that cannot be read.
            _log.warning("%s cannot be read: when entries were last used is not known", self.root.joinpath(*_USES))
            return {}

    def _apply(self, writes: Sequence[Write]) -> builtins.list[bool]:
        """Decide and store a batch; the lock is held."""
        stored: builtins.list[bool] = []
        files: dict[tuple[str, ...], bytes] = {}
        gone: set[tuple[str, ...]] = set()
        new = len(writes) == 1
        for write in writes:
            names = tuple(_names(write.namespace, write.path))
            there = names in files or self._files.status(names) is not None
            stored.append(not (write.if_absent and there))
            if not stored[-1]:
                if names not in files:
                    self._files.touch(names)
                continue
            # What stands beside it comes first: where an entry is new, it is not there before its own file is.
            beside = tuple(_beside(names))
            kept = sealed(write.namespace, write.path, write.data, write.meta)
            if kept is not None:
                files[beside] = kept
                gone.discard(beside)
            else:
                files.pop(beside, None)
                if self._files.status(beside) is not None:
                    gone.add(beside)
            files[names] = write.data
            new = new and not there
        self._replace(list(files.items()), list(gone), one_by_one=new)
        return stored

    def _replace(
        self, files: Sequence[tuple[Sequence[str], bytes]], gone: Sequence[Sequence[str]], *, one_by_one: bool = False
    ) -> None:
        """Put new contents in place, all or none; the lock is held.

        Args:
            files: names and contents.
            gone: what is removed.
            one_by_one: nothing is to be seen of them before the last is in place: they need no journal.
        """
        moves = []
        try:
            for names, data in files:
                aside = [*_ASIDE, uuid.uuid4().hex]
                moves.append((aside, list(names)))
                self._files.create(aside, data)
            journaled = bool(gone) or (len(moves) > 1 and not one_by_one)
            if journaled:
                journal = [*_ASIDE, uuid.uuid4().hex]
                moves.append((journal, list(_JOURNAL)))
                self._files.create(journal, Journal(moves[:-1], gone).spelled())
                self._files.move(journal, _JOURNAL)
        except BaseException:
            for aside, _ in moves:
                with contextlib.suppress(OSError):
                    self._files.remove(aside)
            raise
        if journaled:
            self._finish()
            return
        for aside, names in moves:
            self._files.move(aside, names)

    def _finish(self) -> None:
        """Carry out the journal, if there is one; the lock is held."""
        raw = self._files.read(_JOURNAL)
        if raw is None:
            return
        try:
            journal = Journal.read(raw)
        except JSONError:
            self._discard_journal()
            return
        for aside, names in journal.moves:
            if self._files.status(aside) is not None:
                self._files.move(aside, names)
        for names in journal.gone:
            self._files.remove(names)
        self._files.remove(_JOURNAL)

    def _discard_journal(self) -> None:
        """Remove a journal that cannot be read, if nothing waits for it; the lock is held.

        Who wrote it was told nothing yet, for a journal is gone before a write returns. Contents that still lie aside may be
        half of what it would have put in place.
        """
        place = self.root.joinpath(*_JOURNAL)
        if any(self._files.walk(_ASIDE)):
            raise IntegrityError(
                f"{place} is damaged: the write that it finishes may be half done",
                hint="restore the store from a copy, or move that file away and run `transom store verify`",
            )
        self._files.remove(_JOURNAL)
        _log.warning("%s was damaged and is removed: nothing waited for it", place)

    def _prepare(self, *, writing: bool) -> bool:
        """Make sure that the root is a store; whether there is one to read."""
        if self._ready:
            return True
        if not self.root.exists():
            if not self._create:
                raise NotFoundError(
                    f"there is no store at {self.root}", hint="check the path; a store is made by what writes to it"
                )
            if not writing:
                return False
            # Another task may make it at this moment.
            self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not self.root.is_dir():
            raise StoreError(f"{self.root} is no directory", hint="name a directory, or a file for a store in SQLite")
        if not self._is_marked():
            if not writing:
                return False
            self._replace([(_SEALED, b""), (_MARK, _VERSION)], [], one_by_one=True)
        self._is_sealed = self._files.status(_SEALED) is not None
        self._ready = True
        return True

    def _is_marked(self) -> bool:
        """Whether the root is a store; ``False`` where it is empty, or was left by one who had only begun to make one."""
        if not (self._files.read(_MARK) or b"").strip():
            # In this order: another may be making it.
            if any(self.root.iterdir()) and not (self.root / _CONTROL).is_dir():
                hint = "name an empty or a new directory; if it was a store, put its folder .store back from a copy"
                raise StoreError(f"{self.root} is a directory, but not a store", hint=hint)
            # The mark comes before all entries: whoever writes the first at this moment has put it there.
            if not any(True for name in self._namespaces() for _ in self._files.walk([name])):
                return False
        mark = (self._files.read(_MARK) or b"").strip()
        place = self.root.joinpath(*_MARK)
        if mark.isdigit() and mark != _VERSION.strip():
            raise StoreError(f"{self.root} was made by a newer release", hint="upgrade transom")
        if mark != _VERSION.strip():
            raise IntegrityError(
                f"{place} is {'damaged' if mark else 'lost or empty'}: nobody knows how the entries beside it are to be read",
                hint=f"restore it from a copy, or write the line {_VERSION.decode().strip()} into it if this release made it, "
                "then run `transom store verify`",
            )
        return True

    def _namespaces(self) -> builtins.list[str]:
        return sorted(place.name for place in self.root.iterdir() if _is_namespace(place) and any(place.iterdir()))

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        with self._files.directory([_CONTROL], create=True) as directory:
            lock = os.open("lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=directory)
        try:
            status = os.fstat(lock)
            turn = turn_of(os.getpid(), status.st_dev, status.st_ino)
            before = turn.vain
            with turn.taken(_OWN + self._busy_timeout) as came:
                if not came:
                    raise StoreError(
                        f"{self.root} is busy: writes of this process do not end",
                        hint="check the disk; nothing was written",
                    )
                self._wait_for(lock, turn, before)
                try:
                    self._finish()
                    yield
                finally:
                    # Before the turn passes on.
                    fcntl.flock(lock, fcntl.LOCK_UN)
        finally:
            os.close(lock)

    def _wait_for(self, lock: int, turn: Turn, before: int) -> None:
        """Take the lock. One that was waited for in vain is waited for but a moment until somebody has got it again.

        Args:
            lock: the open lock file.
            turn: what this thread has.
            before: how often one had waited in vain when this thread began to. Who saw another do so does not wait again.
        """
        patience = min(_STILL, self._busy_timeout) if turn.is_locked else self._busy_timeout
        deadline = time.monotonic() + (patience if turn.vain == before else 0.0)
        pause = 0.0005
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    turn.is_locked = True
                    turn.vain += 1
                    raise StoreError(
                        f"{self.root} is locked by another process",
                        hint="let it finish or end it, then try again; nothing was written",
                    ) from None
                time.sleep(pause)
                pause = min(0.02, pause * 1.5)
            else:
                turn.is_locked = False
                return

    async def _alone(self, run: Callable[[], T]) -> T:
        def work() -> T:
            self._prepare(writing=True)
            with self._locked():
                return run()

        return await self._thread(work)

    async def _do(self, run: Callable[[], T], nothing: T) -> T:
        def work() -> T:
            if not self._prepare(writing=False):
                return nothing
            if self._files.status(_JOURNAL) is not None:
                with self._locked():
                    pass
            return run()

        return await self._thread(work)

    async def _thread(self, work: Callable[[], T]) -> T:
        def explained() -> T:
            try:
                return work()
            except OSError as error:
                raise explain(error, self.root) from error

        return await asyncio.to_thread(explained)


def _names(namespace: str, path: str) -> list[str]:
    return [check_backend_namespace(namespace), *encode_path(check_path(path))]


def _beside(names: Sequence[str]) -> list[str]:
    return [*_SEALS, *names]


def _is_namespace(place: Path) -> bool:
    try:
        check_backend_namespace(place.name)
    except URIError:
        return False
    return place.is_dir() and not place.is_symlink()
