"""What the jail does, in order: limits, no new privileges, Landlock, seccomp, and then the program.

Its arguments: ``KEY=VALUE`` (``rw``, ``ro`` and ``ls`` a path each, ``data``, ``space``, ``file`` a number of bytes), ``--``,
the program and its arguments. It ends with 125 and a line that begins with ``MARK`` when it could not confine: the program
has then not run.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import struct
import sys

from . import MARK, NOT_CONFINED, landlock, seccomp

__all__ = ["main"]

_NOT_FOUND = 127
_SET_PARENT_DEATH, _SET_SECCOMP, _DROP_BOUND, _NO_NEW_PRIVILEGES = 1, 22, 24, 38
_FILTER = 2
_CAPABILITIES_3 = 0x20080522


def _control(option: int, *arguments: object) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    padded = [*arguments, *[ctypes.c_ulong(0)] * (4 - len(arguments))]
    if libc.prctl(option, *padded) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def _drop_capabilities() -> None:
    """Root without its powers: what it owns is still its own, the rest of the machine is not."""
    for number in range(64):
        try:
            _control(_DROP_BOUND, ctypes.c_ulong(number))
        except OSError:
            break
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.capset(struct.pack("=Ii", _CAPABILITIES_3, 0), bytes(24)) != 0:
        raise OSError(ctypes.get_errno(), "capabilities are not given up")


def _filter(code: bytes) -> None:
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("HP", len(code) // 8, ctypes.addressof(buffer))
    _control(_SET_SECCOMP, ctypes.c_ulong(_FILTER), header)


def _limit(kind: int, size: int) -> None:
    hard = resource.getrlimit(kind)[1]
    bound = size if hard == resource.RLIM_INFINITY else min(size, hard)
    resource.setrlimit(kind, (bound, bound))


def _confine(options: list[str]) -> None:
    paths: dict[str, list[str]] = {"rw": [], "ro": [], "ls": []}
    kinds = {"data": resource.RLIMIT_DATA, "space": resource.RLIMIT_AS, "file": resource.RLIMIT_FSIZE}
    root = os.geteuid() == 0
    version = landlock.abi()
    code = seccomp.program(os.uname().machine, bare=True, truncates=version >= 3, root=root)
    if not version or code is None:
        raise OSError("this kernel or machine is not known")
    _control(_SET_PARENT_DEATH, ctypes.c_ulong(signal.SIGKILL))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    limits: list[tuple[int, int]] = []
    for option in options:
        key, _, value = option.partition("=")
        if key in paths:
            paths[key].append(value)
        else:
            limits.append((kinds[key], int(value)))
    if root:
        _drop_capabilities()
    _control(_NO_NEW_PRIVILEGES, ctypes.c_ulong(1))
    landlock.restrict(version, writable=paths["rw"], readable=[*paths["ro"], "/proc/self"], listed=paths["ls"])
    for kind, size in limits:
        _limit(kind, size)
    _filter(code)


def _candidates(program: str) -> list[str]:
    """Where it may be. Asked before anything is confined: the answer imports a module."""
    return [program] if "/" in program else [f"{directory}/{program}" for directory in os.get_exec_path() if directory]


def main(arguments: list[str]) -> None:
    """Confine this process and become the program; returns only by ending."""
    cut = arguments.index("--")
    command = arguments[cut + 1 :]
    candidates = _candidates(command[0])
    try:
        _confine(arguments[:cut])
    except (OSError, ValueError, KeyError) as error:
        sys.stderr.write(f"{MARK}{error}\n")
        sys.stderr.flush()
        os._exit(NOT_CONFINED)
    reason = "not found"
    for candidate in candidates:
        try:
            os.execv(candidate, command)  # noqa: S606 - the point of it
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            reason = error.strerror or reason
    sys.stderr.write(f"{command[0]}: {reason}\n")
    sys.stderr.flush()
    os._exit(_NOT_FOUND)
