"""A file's bytes replaced as one: whoever looks sees the old ones or the new ones, and so does whoever comes after a kill.

Knows spots, no tools. New bytes go into a file beside the old one, whose name is written down first, and take its place by one
rename. What the old file was beside its bytes is kept: permission bits, and owner and extended attributes where the system
lets us. Another name of the same file keeps the old bytes.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterable

from .exclusion import alone_in
from .folder import Folder
from .intents import Intents, Named, temporary_name
from .renaming import rename_new
from .walk import Spot

__all__ = ["Stale", "Whatever", "check", "discard", "land", "put", "read_from", "stage"]


class Stale(Exception):
    """The file is not what whoever writes it believes it to be."""


class Whatever:
    """Any bytes, or no file: nothing is compared."""


def stage(spot: Spot, name: str, data: bytes | Iterable[bytes], mode: int | None = None) -> None:
    """Put new bytes on disk beside a place, ready to take it; nothing is left of them when that fails.

    Args:
        spot: the place.
        name: the temporary name.
        data: the bytes, at once or in pieces.
        mode: permission bits of a file that is not there yet; what the system gives by default where there are none.
    """
    folder, old = spot.folder, spot.status
    descriptor = folder.create(name, 0o666 if old is None and mode is None else 0o600)
    try:
        try:
            for piece in (data,) if isinstance(data, bytes) else data:
                view = memoryview(piece)
                while view:
                    view = view[os.write(descriptor, view) :]
            if old is not None:
                _keep(spot, descriptor, old)
            elif mode is not None and hasattr(os, "fchmod"):
                os.fchmod(descriptor, mode)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except BaseException:
        discard(spot, name)
        raise


def land(spot: Spot, name: str, expected: bytes | type[Whatever] | None) -> None:
    """Let what was staged take its place.

    Args:
        spot: the place.
        name: the temporary name.
        expected: what must be there still; ``None`` for nothing.

    Raises:
        Stale: something else is there.
    """
    folder = spot.folder
    if expected is None:
        try:
            rename_new(folder, name, folder, spot.name)
        except FileExistsError:
            raise Stale from None
        return
    with alone_in(folder):
        if isinstance(expected, bytes):
            check(folder, spot.name, expected)
        else:
            _must_be_replaceable(folder, spot.name)
        folder.replace(name, folder, spot.name)


def discard(spot: Spot, name: str) -> None:
    """Take a temporary name away, if it is still there."""
    with contextlib.suppress(OSError):
        spot.folder.unlink(name)


def put(
    spot: Spot,
    data: bytes | Iterable[bytes],
    expected: bytes | type[Whatever] | None,
    intents: Intents | None,
    mode: int | None = None,
) -> None:
    """Replace one file's bytes, or make the file.

    Args:
        spot: where.
        data: the whole file, at once or in pieces.
        expected: what must be there still.
        intents: where the temporary name is written down.
        mode: permission bits of a file that is not there yet.

    Raises:
        Stale: what is there is not ``expected``.
        OSError: the file system refuses; nothing has changed then.
    """
    name = temporary_name()
    number = intents.begin(Named.of(spot, name)) if intents is not None else 0
    try:
        stage(spot, name, data, mode)
        try:
            land(spot, name, expected)
        except BaseException:
            discard(spot, name)
            raise
        spot.folder.sync()
    finally:
        if intents is not None:
            intents.end(number)


def check(folder: Folder, name: str, expected: bytes | None) -> None:
    """See whether a file still holds what is expected.

    Raises:
        Stale: it does not.
    """
    try:
        found = read_from(folder, name, None if expected is None else len(expected) + 1)
    except FileNotFoundError:
        found = None
    except OSError as error:
        if error.errno in {errno.EISDIR, errno.ELOOP, errno.ENXIO}:
            raise Stale from None
        raise
    if found != expected:
        raise Stale


def read_from(folder: Folder, name: str, limit: int | None) -> bytes:
    """A file's bytes, at most so many."""
    with open(folder.open(name), "rb") as file:  # noqa: PTH123 - a descriptor
        return file.read() if limit is None else file.read(limit)


def _must_be_replaceable(folder: Folder, name: str) -> None:
    """A rename would put a file in the place of a FIFO, or of a link that came meanwhile."""
    try:
        status = folder.status(name)
    except FileNotFoundError:
        return
    if not stat.S_ISREG(status.st_mode):
        raise Stale


def _keep(spot: Spot, descriptor: int, old: os.stat_result) -> None:
    """Give a new file what the old one is beside its bytes."""
    if not hasattr(os, "fchown"):
        return
    made = os.fstat(descriptor)
    if (made.st_uid, made.st_gid) != (old.st_uid, old.st_gid):
        with contextlib.suppress(OSError):
            os.fchown(descriptor, old.st_uid, old.st_gid)
    if hasattr(os, "listxattr"):
        with contextlib.suppress(OSError):
            source = spot.folder.open(spot.name)
            try:
                for attribute in os.listxattr(source):
                    with contextlib.suppress(OSError):
                        os.setxattr(descriptor, attribute, os.getxattr(source, attribute))
            finally:
                os.close(source)
    # After the owner: a change of owner takes the set-user-id bit away.
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))
