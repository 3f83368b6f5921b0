"""One path that a model named: what a tool can do with it, every time resolved anew and by descriptor.

Knows the file system through walks, no tool. Nothing that was seen of a path once is believed later: a check and the act it
guards happen in the same open folder. All failures are refusals that a model can act on.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import stat
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from ...safety.binary import FILE_BYTES
from ...vocabulary import Vocabulary
from ...vocabulary.filing import FilingWords
from ..tool import Refused
from .atomic import Stale, Whatever, put
from .folder import Entry
from .intents import TEMPORARY, Intents
from .reasons import Reasons
from .renaming import rename_new
from .roots import Root, Roots
from .trees import Found, below, emptied, is_above, make_folders
from .walk import Astray, Spot, walk

__all__ = ["READ_LIMIT", "Place", "Reach"]

READ_LIMIT = FILE_BYTES
"""Bytes of a file that are taken into memory at once."""
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class Reach:
    """What every path of a session is judged by.

    Attributes:
        roots: where it may lead.
        intents: where work on files is written down before it is done, if anywhere.
        words: in which words refusals are made.
        own: real paths of files and folders of this program, which no tool writes.
    """

    roots: Roots
    intents: Intents | None
    words: Vocabulary
    own: tuple[str, ...] = ()


@dataclass(frozen=True)
class Place:
    """A path inside the allowed folders, whether something is there or not.

    Attributes:
        reach: what it is judged by.
        root, given: the root it begins at, and the segments below it, ``..`` included.
        shown: it as a model sees it: relative to the working directory where that is shorter, with ``/``.
    """

    reach: Reach
    root: Root
    given: tuple[str, ...]
    shown: str

    @property
    def name(self) -> str:
        """The last segment; empty for a root."""
        return self.given[-1] if self.given else ""

    def child(self, name: str) -> Place:
        """What is called so in this folder. The name is one that the file system gave."""
        shown = name if self.shown == "." else f"{self.shown.rstrip('/')}/{name}"
        return Place(self.reach, self.root, (*self.given, name), shown)

    def beside(self, suffix: str) -> Place:
        """What is called as this is, with something behind it, in the same folder."""
        return Place(self.reach, self.root, (*self.given[:-1], self.name + suffix), self.shown + suffix)

    # ── looking ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def exists(self) -> bool:
        """Whether something is there; a link that leads nowhere is nothing."""
        return self.status() is not None

    def is_dir(self) -> bool:
        """Whether it is a folder."""
        status = self.status()
        return status is not None and stat.S_ISDIR(status.st_mode)

    def is_file(self) -> bool:
        """Whether it is a regular file."""
        status = self.status()
        return status is not None and stat.S_ISREG(status.st_mode)

    def status(self, *, follow: bool = True) -> os.stat_result | None:
        """What the system says of it; ``None`` when nothing is there.

        Args:
            follow: of what a link leads to, not of the link.

        Raises:
            Refused: ``outside_root``, ``io_error``.
        """
        try:
            with self._reach(follow=follow) as spot:
                return None if spot.beyond else spot.status
        except Refused as refusal:
            if refusal.error == "not_found":
                return None
            raise

    def stat(self) -> os.stat_result:
        """What the system says of it.

        Raises:
            Refused: ``not_found`` with the nearest name there is, ``outside_root``, ``io_error``.
        """
        with self.there() as spot:
            assert spot.status is not None
            return spot.status

    def real(self) -> str:
        """Its absolute path with all links resolved, for programs that are given one. May be outrun: use it last."""
        with self._reach() as spot:
            return spot.path

    def is_same(self, other: Place) -> bool:
        """Whether both are one file or folder."""
        mine, theirs = self.status(), other.status()
        return mine is not None and theirs is not None and os.path.samestat(mine, theirs)

    def read(self, limit: int = READ_LIMIT) -> bytes:
        """A file's bytes.

        Args:
            limit: most bytes of a file that may be read.

        Raises:
            Refused: ``not_found``, ``not_a_file``, ``too_large``, ``outside_root``, ``io_error``.
        """
        with self.open() as file:
            data = file.read(limit + 1)
            if len(data) > limit:
                size = os.fstat(file.fileno()).st_size
                raise Refused(
                    "too_large", self._words.too_large.format(path=self.shown, size=max(size, len(data)), limit=limit)
                )
            return data

    @contextlib.contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """A file, open for reading. Only regular files are ever opened.

        Raises:
            Refused: ``not_found``, ``not_a_file``, ``outside_root``, ``io_error``.
        """
        with self.there() as spot:
            self._reasons.must_be_file(spot)
            descriptor = spot.folder.open(spot.name)
        with self._reasons.explained(), open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor
            yield file

    def children(self) -> Iterator[Entry]:
        """What is in a folder, in no order, links not followed; temporary files of ours left out.

        Raises:
            Refused: ``not_found``, ``not_a_file`` (it is no folder), ``outside_root``, ``io_error``.
        """
        with self.there() as spot:
            self._reasons.must_be_folder(spot)
            for entry in spot.entered().entries():
                if not TEMPORARY.fullmatch(entry.name):
                    yield entry

    def below(self, go_on: Callable[[], None], excluded: Container[str] = ()) -> Iterator[Found]:
        """Everything in a folder at every depth, links not followed; see ``trees.below``. Temporary files of ours are left out.

        Raises:
            Refused: as ``children``.
        """
        with self.there() as spot:
            self._reasons.must_be_folder(spot)
            for found in below(spot.entered(), go_on, excluded):
                if not TEMPORARY.fullmatch(found.entry.name):
                    yield found

    # ── changing ────────────────────────────────────────────────────────────────────────────────────────────────────

    def replace(self, data: bytes, *, expected: bytes | type[Whatever] | None = Whatever) -> None:
        """Put a file's bytes in place of what is there, or make the file; all of them or none. The folder must exist.

        Args:
            data: the whole file.
            expected: what must be there still: the bytes that were read, or ``None`` for no file. Without it whatever is there
                is replaced.

        Raises:
            Refused: ``drift`` (something else is there by now), ``not_found`` (no such folder), ``not_a_file``,
                ``protected_path``, ``outside_root``, ``io_error``.
        """
        with self.written() as spot:
            self._reasons.must_be_writable(spot)
            try:
                put(spot, data, expected, self.reach.intents)
            except Stale:
                raise self._reasons.stale() from None

    def create_parents(self) -> None:
        """Make the folders above it that do not exist.

        Raises:
            Refused: ``protected_path``, ``outside_root``, ``not_found`` (a file is in the way), ``io_error``.
        """
        with self._reach() as spot:
            self._reasons.must_not_be_protected(spot)
            if spot.beyond:
                make_folders(spot, (spot.name, *spot.beyond[:-1]))

    def make_folder(self) -> bool:
        """Make it as a folder, and those above it; whether it was not there before.

        Raises:
            Refused: ``not_a_file`` (a file is there), ``protected_path``, ``outside_root``, ``io_error``.
        """
        with self._reach() as spot:
            if spot.status is not None and not spot.beyond:
                self._reasons.must_be_folder(spot)
                return False
            self._reasons.must_not_be_protected(spot)
            make_folders(spot, (spot.name, *spot.beyond))
            return True

    def remove(self) -> None:
        """Remove a file, or a link without what it leads to.

        Raises:
            Refused: ``not_found``, ``not_a_file`` (a folder), ``protected_path``, ``outside_root``, ``io_error``.
        """
        with self.written(follow=False) as spot:
            self._reasons.must_be_there(spot)
            self._reasons.must_be_no_root(spot)
            if spot.is_kind(stat.S_IFDIR):
                raise self._reasons.of_kind(spot.status)
            spot.folder.unlink(spot.name)

    def held(self, most: int) -> int | None:
        """How many names there are in a folder that may be removed, counted up to ``most``; ``None`` for what is no folder.

        Raises:
            Refused: as ``remove``, but for a folder.
        """
        with self.written(follow=False) as spot:
            self._reasons.must_be_there(spot)
            self._reasons.must_be_no_root(spot)
            if not spot.is_kind(stat.S_IFDIR):
                return None
            return sum(1 for _ in itertools.islice(spot.entered().entries(), most))

    def remove_all(self, go_on: Callable[[], None]) -> int:
        """Remove a folder with all that is in it, links without what they lead to; or a file.

        Args:
            go_on: called for every name; what it raises ends the work.

        Returns:
            how many files, links and folders are gone.

        Raises:
            Refused: as ``remove``; ``protected_path`` also where something inside is protected: nothing is removed then.
        """
        with self.written(follow=False) as spot:
            self._reasons.must_be_there(spot)
            self._reasons.must_be_no_root(spot)
            if not spot.is_kind(stat.S_IFDIR):
                spot.folder.unlink(spot.name)
                return 1
            self._reasons.must_hold_nothing_protected(spot, go_on)
            return emptied(spot.folder, spot.name, go_on)

    def move_to(self, destination: Place, go_on: Callable[[], None] = lambda: None) -> None:
        """Give it another name, in one step. A link moves as one.

        Args:
            destination: a name that is free.
            go_on: called for every piece where a file has to be copied to another file system.

        Raises:
            Refused: ``not_found``, ``invalid_input`` (the destination is taken, or lies inside this), ``protected_path``,
                ``outside_root``, ``io_error``.
        """
        with self.written(follow=False) as source, destination.written(follow=False) as target:
            self._reasons.must_be_there(source)
            self._reasons.must_be_no_root(source)
            self._reasons.must_not_hold_own(source)
            destination._reasons.must_have_folder(target)
            if target.status is not None:
                raise destination._reasons.taken()
            if source.is_kind(stat.S_IFDIR) and is_above(source, target):
                raise Refused("invalid_input", self._words.into_itself.format(path=destination.shown))
            try:
                rename_new(source.folder, source.name, target.folder, target.name)
            except FileExistsError:
                raise destination._reasons.taken() from None
            except OSError as error:
                if error.errno != errno.EXDEV:
                    raise
                self._carry(source, target, go_on)
            source.folder.sync()
            target.folder.sync()

    def copy_to(self, destination: Place, go_on: Callable[[], None]) -> int:
        """Make a new file with the same bytes and permissions, of any size.

        Args:
            destination: a name that is free.
            go_on: called for every piece; what it raises ends the work, and nothing is left of it.

        Returns:
            its size.

        Raises:
            Refused: as ``move_to`` and ``open``.
        """
        with self.open() as file, destination.written() as target:
            destination._reasons.must_have_folder(target)
            if target.status is not None:
                raise destination._reasons.taken()
            status = os.fstat(file.fileno())
            try:
                put(target, _pieces(file, go_on), None, self.reach.intents, mode=stat.S_IMODE(status.st_mode))
            except Stale:
                raise destination._reasons.taken() from None
            return file.tell()

    def _carry(self, source: Spot, target: Spot, go_on: Callable[[], None]) -> None:
        """Move a file to another file system: a copy first, so that a kill in between leaves both."""
        if not source.is_kind(stat.S_IFREG) or source.status is None:
            raise Refused("io_error", self._words.other_device.format(path=self.shown))
        with open(source.folder.open(source.name), "rb") as file:  # noqa: PTH123 - a descriptor
            before = os.fstat(file.fileno())
            put(target, _pieces(file, go_on), None, self.reach.intents, mode=stat.S_IMODE(before.st_mode))
            after = os.fstat(file.fileno())
        if (before.st_mtime_ns, before.st_size) != (after.st_mtime_ns, after.st_size):
            target.folder.unlink(target.name)
            raise self._reasons.stale()
        source.folder.unlink(source.name)

    # ── walking ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @contextlib.contextmanager
    def there(self) -> Iterator[Spot]:
        """The spot of something that exists, open as long as the ``with`` statement runs; what fails in it is explained.

        Raises:
            Refused: ``not_found`` with the nearest name there is, ``outside_root``, ``io_error``.
        """
        with self._reach() as spot:
            self._reasons.must_be_there(spot)
            yield spot

    @contextlib.contextmanager
    def written(self, *, follow: bool = True) -> Iterator[Spot]:
        """The spot of something that will be changed, whether it exists or not.

        Raises:
            Refused: ``protected_path``, ``outside_root``, ``io_error``.
        """
        with self._reach(follow=follow) as spot:
            self._reasons.must_not_be_protected(spot)
            yield spot

    def stale(self) -> Refused:
        """The refusal that says that somebody else has changed it."""
        return self._reasons.stale()

    @contextlib.contextmanager
    def to_change(self, *, removing: bool) -> Iterator[Spot]:
        """The spot of a file that will be replaced, made or removed as part of a change of many."""
        with self.written() as spot:
            self._reasons.must_be_writable(spot)
            if removing:
                self._reasons.must_be_there(spot)
            yield spot

    @contextlib.contextmanager
    def _reach(self, *, follow: bool = True) -> Iterator[Spot]:
        with self._reasons.explained():
            try:
                spot = walk(self.reach.roots, self.root, self.given, follow=follow)
            except Astray as astray:
                raise self._reasons.astray(astray) from None
            with spot:
                yield spot

    @property
    def _words(self) -> FilingWords:
        return self.reach.words.filing

    @property
    def _reasons(self) -> Reasons:
        return Reasons(self.reach.words, self.shown, [root.given for root in self.reach.roots.all], self.reach.own)


def _pieces(file: BinaryIO, go_on: Callable[[], None]) -> Iterator[bytes]:
    while piece := file.read(_PIECE):
        go_on()
        yield piece
