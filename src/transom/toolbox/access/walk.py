"""From a root to a name, segment by segment, with every folder on the way held open.

Knows folders and roots, no tools. A link is read and its text walked by hand, so that it is judged like any other path: one
that leaves the roots ends the walk, whatever it was a moment ago. ``..`` goes back to the folder the walk came from, not to the
one the file system has above, which may have been moved.
"""

from __future__ import annotations

import errno
import os
import stat
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, Self

from .folder import Folder
from .roots import Root, Roots, segments_of

__all__ = ["Astray", "Spot", "walk"]

LINKS = 40
"""Links on one walk: as many as Linux follows."""
RETRIES = 16
"""Times that a segment may turn from a link to none and back between two calls before the walk gives up."""

_NO_FOLDER = frozenset({errno.ENOTDIR, errno.ELOOP, getattr(errno, "EMLINK", errno.ELOOP)})


class Astray(Exception):
    """A walk that may not go on.

    Args:
        reason: it left the roots, met too many links, met a file for a folder, or found a segment that kept changing.
        segment: where.
    """

    def __init__(self, reason: Literal["outside", "loop", "not_a_folder", "unstable"], segment: str) -> None:
        super().__init__(reason, segment)
        self.reason = reason
        self.segment = segment


@dataclass(kw_only=True)
class Spot:
    """Where a walk ended: a name in an open folder. Close it, or use it in a ``with`` statement.

    Attributes:
        root: the root it lies in.
        folders: the open folders from the root down to the one that holds the name.
        names: their names below the root.
        name: the name; empty for the root itself.
        status: of what stands there, a link followed unless the walk was told not to; ``None`` where nothing does.
        beyond: segments after a name that does not exist.
    """

    root: Root
    folders: list[Folder]
    names: list[str]
    name: str
    status: os.stat_result | None
    beyond: tuple[str, ...] = ()

    @property
    def folder(self) -> Folder:
        """The folder that holds the name."""
        return self.folders[-1]

    @property
    def segments(self) -> tuple[str, ...]:
        """The real path below the root."""
        return (*self.names, *((self.name,) if self.name else ()), *self.beyond)

    @property
    def path(self) -> str:
        """The real absolute path."""
        return os.path.join(self.root.real, *self.segments)  # noqa: PTH118 - names as the system has them

    def is_kind(self, kind: int) -> bool:
        """Whether something of a kind (``stat.S_IFREG`` …) stands there."""
        return self.status is not None and stat.S_IFMT(self.status.st_mode) == kind

    def entered(self) -> Folder:
        """The folder that the name is, open; closed with the spot."""
        if not self.name:
            return self.folder
        inner = self.folder.enter(self.name)
        self.folders.append(inner)
        self.names.append(self.name)
        self.name = ""
        return inner

    def close(self) -> None:
        """Close the folders."""
        for folder in self.folders:
            folder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def walk(roots: Roots, root: Root, segments: Sequence[str], *, follow: bool = True) -> Spot:
    """Go from a root to a name.

    Args:
        roots: where links may lead.
        root, segments: the path; segments may be ``..``.
        follow: whether a link that is the last segment is followed.

    Raises:
        Astray: it may not go on.
        OSError: the file system refuses, other than because something does not exist.
    """
    walker = _Walker(roots, root, segments, follow)
    try:
        return walker.spot()
    except BaseException:
        walker.leave()
        raise


class _Walker:
    def __init__(self, roots: Roots, root: Root, segments: Sequence[str], follow: bool) -> None:
        self._roots = roots
        self._follow = follow
        self._pending = deque(segments)
        self._links = 0
        self._retries = 0
        self._folders: list[Folder] = []
        self._names: list[str] = []
        self._start(root)

    def leave(self) -> None:
        while self._folders:
            self._folders.pop().close()

    def _start(self, root: Root) -> None:
        self.leave()
        self._root = root
        self._names.clear()
        self._folders.append(Folder.at(root.real))

    def spot(self) -> Spot:
        while self._pending:
            segment = self._pending.popleft()
            if segment == "..":
                self._back()
            elif not self._pending:
                if (spot := self._last(segment)) is not None:
                    return spot
            elif (spot := self._through(segment)) is not None:
                return spot
        if not self._names:
            return self._at("", os.stat(self._root.real))  # noqa: PTH116
        name = self._names.pop()
        self._folders.pop().close()
        return self._at(name, self._folders[-1].status(name))

    def _at(self, name: str, status: os.stat_result | None, beyond: tuple[str, ...] = ()) -> Spot:
        return Spot(root=self._root, folders=self._folders, names=self._names, name=name, status=status, beyond=beyond)

    def _back(self) -> None:
        if not self._names:
            raise Astray("outside", "..")
        self._names.pop()
        self._folders.pop().close()

    def _through(self, segment: str) -> Spot | None:
        """Enter a folder on the way; a spot where it does not exist."""
        here = self._folders[-1]
        try:
            inner = here.enter(segment)
        except FileNotFoundError:
            if ".." in self._pending:
                self._must_stay()
                raise
            return self._at(segment, None, tuple(self._pending))
        except OSError as error:
            if error.errno not in _NO_FOLDER:
                raise
            self._turn(segment)
            return None
        self._folders.append(inner)
        self._names.append(segment)
        return None

    def _must_stay(self) -> None:
        """Refuse what would leave the root, were everything that is pending a folder."""
        depth = len(self._names) + 1
        for segment in self._pending:
            depth += -1 if segment == ".." else 1
            if depth < 0:
                raise Astray("outside", "..")

    def _last(self, segment: str) -> Spot | None:
        here = self._folders[-1]
        try:
            status = here.status(segment)
        except FileNotFoundError:
            return self._at(segment, None)
        if not stat.S_ISLNK(status.st_mode) or not self._follow:
            return self._at(segment, status)
        self._turn(segment)
        return None

    def _turn(self, segment: str) -> None:
        """Put what a link says in its place."""
        here = self._folders[-1]
        try:
            target = here.target(segment)
        except FileNotFoundError:
            self._again(segment)
            return
        except OSError as error:
            if error.errno != errno.EINVAL:
                raise
            # No link. A file, or a folder by now.
            if stat.S_ISDIR(here.status(segment).st_mode):
                self._again(segment)
                return
            raise Astray("not_a_folder", segment) from None
        self._links += 1
        if self._links > LINKS:
            raise Astray("loop", segment)
        # What Windows says of a junction begins so.
        target = target.removeprefix("\\\\?\\") if os.name == "nt" else target
        if os.path.isabs(target):  # noqa: PTH117
            found = self._roots.find(target)
            if found is None:
                raise Astray("outside", segment)
            self._start(found[0])
            self._pending.extendleft(reversed(found[1]))
        else:
            self._pending.extendleft(reversed(segments_of(target)))

    def _again(self, segment: str) -> None:
        self._retries += 1
        if self._retries > RETRIES:
            raise Astray("unstable", segment)
        self._pending.appendleft(segment)
