"""Renaming that never takes another's place: the one call that Python lacks.

Knows folders, nothing above. Linux and macOS have it as a system call; elsewhere the name is looked at first, which somebody
who creates it in that moment can outrun. (On Windows a plain rename refuses by itself.)
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from collections.abc import Callable
from functools import cache

from .folder import Folder

__all__ = ["rename_new"]

_NO_REPLACE = 1
"""``RENAME_NOREPLACE`` of Linux."""
_EXCLUSIVE = 4
"""``RENAME_EXCL`` of macOS."""
_UNKNOWN = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP})


@cache
def _system_call() -> tuple[Callable[..., int], int] | None:
    name, flag = {"linux": ("renameat2", _NO_REPLACE), "darwin": ("renameatx_np", _EXCLUSIVE)}.get(sys.platform, ("", 0))
    if not name:
        return None
    try:
        call = getattr(ctypes.CDLL(None, use_errno=True), name)
    except (OSError, AttributeError):
        return None
    call.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    call.restype = ctypes.c_int
    return call, flag


def rename_new(folder: Folder, name: str, other: Folder, new: str) -> None:
    """Give a name in one folder a new one in another.

    Raises:
        FileExistsError: the new name is taken.
        OSError: as ``os.rename``; ``EXDEV`` between file systems.
    """
    call = _system_call()
    if call is not None and folder.descriptor is not None and other.descriptor is not None:
        renamed, flag = call
        if renamed(folder.descriptor, os.fsencode(name), other.descriptor, os.fsencode(new), flag) == 0:
            return
        code = ctypes.get_errno()
        if code not in _UNKNOWN:
            raise OSError(code, os.strerror(code), name, None, new)
    try:
        other.status(new)
    except FileNotFoundError:
        folder.replace(name, other, new)
    else:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new)
