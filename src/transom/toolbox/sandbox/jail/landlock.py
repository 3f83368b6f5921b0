"""Landlock: which files this process, and all it starts, may open, run, make and remove.

Three system calls, the same numbers on every machine. What a kernel does not know yet (its ABI is older) is left out of the
rules; who calls says so. See ``Documentation/userspace-api/landlock.rst`` of the kernel.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterable

__all__ = ["abi", "restrict"]

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_BENEATH = 1
_EXECUTE, _WRITE, _READ, _LIST = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_MAKE_DEVICES = (1 << 6) | (1 << 11)
_TRUNCATE, _DEVICE_CONTROL = 1 << 14, 1 << 15
_FILES_BY_ABI = {1: 13, 2: 14, 3: 15, 4: 15}
_NETWORK = 0b11
_SCOPES = 0b11
"""Sockets without a name in the file system, and signals, only within (from ABI 6)."""


def _syscall(number: int, *arguments: object) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    result = int(libc.syscall(number, *arguments))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def abi() -> int:
    """The version the kernel offers; 0 where it has none, or has it switched off."""
    try:
        return _syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    except (OSError, AttributeError):
        return 0


def _allow(ruleset: int, path: str, access: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            access &= _EXECUTE | _WRITE | _READ | _TRUNCATE | _DEVICE_CONTROL
        _syscall(_ADD, ruleset, _BENEATH, struct.pack("=Qi", access, descriptor), ctypes.c_uint32(0))
    finally:
        os.close(descriptor)


def restrict(version: int, *, writable: Iterable[str], readable: Iterable[str], listed: Iterable[str] = ()) -> None:
    """Confine this process for good. It must have given up new privileges before.

    Args:
        version: what ``abi`` said.
        writable: below these, everything but devices may be made, changed and removed.
        readable: these, and what lies below, may be read and run. What does not exist is passed over.
        listed: names in these folders, and in those below, may be read.

    Raises:
        OSError: the kernel refused; nothing is confined.
    """
    handled = (1 << _FILES_BY_ABI.get(version, 16)) - 1
    network, scoped = (_NETWORK if version >= 4 else 0), (_SCOPES if version >= 6 else 0)
    attributes = struct.pack("=QQQ", handled, network, scoped)[: 8 if version < 4 else 16 if version < 6 else 24]
    ruleset = _syscall(_CREATE, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint32(0))
    for path in readable:
        _allow(ruleset, path, _EXECUTE | _READ | _LIST)
    for path in listed:
        _allow(ruleset, path, _LIST)
    for path in writable:
        _allow(ruleset, path, handled & ~_MAKE_DEVICES)
    _syscall(_RESTRICT, ruleset, ctypes.c_uint32(0))
    os.close(ruleset)
