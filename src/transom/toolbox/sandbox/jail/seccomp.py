"""Which system calls a confined process may not make, as a filter for the kernel (classic BPF).

Two profiles. *Namespaces* stands behind bubblewrap, which has already hidden files, network and processes: it closes doors of
the kernel itself. *Bare* stands beside Landlock, which governs opening and naming of files only: it also closes the network,
shared memory, and whatever changes a file or a process that the program did not open or start.
"""

from __future__ import annotations

import errno
import struct

from .syscalls import ARCHITECTURES, NUMBERS

__all__ = ["program"]

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_ALLOW, _ERROR, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER, _ARCHITECTURE = 0, 4
_X32 = 0x40000000
_NEW_NAMESPACES = 0x7E020000
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_UNIX, _INET, _INET6, _NETLINK = 1, 2, 10, 16
_STREAM, _SEQPACKET, _TYPE = 1, 5, 0xF

_KERNEL = (
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "pidfd_getfd", "mount", "umount2",
    "pivot_root", "chroot", "move_mount", "open_tree", "open_tree_attr", "fsopen", "fsconfig", "fsmount", "fspick",
    "mount_setattr", "unshare", "setns", "keyctl", "add_key", "request_key", "bpf", "perf_event_open", "userfaultfd",
    "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "swapon", "swapoff", "acct",
    "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "syslog", "lookup_dcookie", "quotactl", "quotactl_fd",
    "name_to_handle_at", "open_by_handle_at", "iopl", "ioperm", "modify_ldt", "vhangup", "sethostname", "setdomainname",
    "fanotify_init", "mbind", "set_mempolicy", "set_mempolicy_home_node", "migrate_pages", "move_pages", "uselib",
    "nfsservctl",
)  # fmt: skip
_UNKNOWN = (
    "io_uring_setup", "io_uring_enter", "io_uring_register", "clone3", "openat2",
)  # fmt: skip
"""Answered as if the kernel did not have them: programs then take the older call, whose arguments a filter can read."""
_OUTSIDE = (
    "socket", "connect", "bind", "chmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat", "utime",
    "utimes", "futimesat", "setxattr", "lsetxattr", "fsetxattr", "setxattrat", "removexattr", "lremovexattr",
    "fremovexattr", "removexattrat", "file_setattr", "shmget", "msgget", "semget", "mq_open", "mq_unlink", "shmat",
    "shmctl", "semop", "semctl", "semtimedop", "msgsnd", "msgrcv", "msgctl",
)  # fmt: skip
_GROUP = ("setsid", "setpgid")
"""Answered with success and not done: all that a program starts stays in one process group, so that one kill ends it."""

_SET_ID = 0o6000
"""Bits that lend a file's owner or group to whoever runs it, also outside."""
_MODES = {
    "chmod": 1, "fchmod": 1, "fchmodat": 2, "fchmodat2": 2, "creat": 1, "mkdir": 1, "mkdirat": 2, "mknod": 1, "mknodat": 2,
}  # fmt: skip
"""Calls that set permission bits, and which argument those are."""
_OPENS = {"open": 1, "openat": 2}
"""Calls whose last argument is permission bits when the flags, this argument, say that a file is made."""
_MAKING = 0o100 | 0o20000000
_NODES = ("mknod", "mknodat")
_KIND, _CHARACTER_DEVICE, _BLOCK_DEVICE = 0o170000, 0o020000, 0o060000

Instruction = tuple[int, int, int, int]


def _answer(value: int) -> Instruction:
    return (_RETURN, 0, 0, value)


def _refuse(number: int) -> Instruction:
    return _answer(_ERROR | number)


def _argument(index: int, *, high: bool = False) -> Instruction:
    """Load half of an argument (both machines are little-endian)."""
    return (_LOAD, 0, 0, 16 + 8 * index + (4 if high else 0))


def _only(index: int, allowed: tuple[int, ...], error: int, mask: int = 0xFFFFFFFF) -> list[Instruction]:
    """Allow the call when an argument is one of these."""
    tests = [(_EQUAL, len(allowed) - place, 0, value) for place, value in enumerate(allowed)]
    return [_argument(index), (_AND, 0, 0, mask), *tests, _refuse(error), _answer(_ALLOW)]


def _zero(index: int) -> list[Instruction]:
    """Allow the call when an argument of 64 bits is nought."""
    return [
        _argument(index), (_EQUAL, 0, 2, 0), _argument(index, high=True), (_EQUAL, 1, 0, 0),
        _refuse(errno.EPERM), _answer(_ALLOW),
    ]  # fmt: skip


def _without_set_id(index: int) -> list[Instruction]:
    """Allow the call when the permission bits lend nobody."""
    return [_argument(index), (_ANY_BIT, 0, 1, _SET_ID), _refuse(errno.EPERM), _answer(_ALLOW)]


def _modes() -> dict[str, list[Instruction]]:
    rules = {name: _without_set_id(index) for name, index in _MODES.items()}
    rules |= {
        name: [_argument(index), (_ANY_BIT, 1, 0, _MAKING), _answer(_ALLOW), *_without_set_id(index + 1)]
        for name, index in _OPENS.items()
    }
    for name in _NODES:
        kinds = [(_EQUAL, 1, 0, _CHARACTER_DEVICE), (_EQUAL, 0, 1, _BLOCK_DEVICE), _refuse(errno.EPERM)]
        rules[name] = [_argument(_MODES[name]), (_AND, 0, 0, _KIND), *kinds, *rules[name]]
    return rules


def _rules(*, bare: bool, truncates: bool, root: bool) -> dict[str, list[Instruction]]:
    # First, because files are opened more often than anything else is done.
    rules = _modes()
    rules |= {name: [_refuse(errno.EPERM)] for name in _KERNEL}
    rules |= {name: [_refuse(errno.ENOSYS)] for name in _UNKNOWN}
    rules["clone"] = [_argument(0), (_ANY_BIT, 0, 1, _NEW_NAMESPACES), _refuse(errno.EPERM), _answer(_ALLOW)]
    rules["ioctl"] = [
        _argument(1), (_EQUAL, 1, 0, _TIOCSTI), (_EQUAL, 0, 1, _TIOCLINUX), _refuse(errno.EPERM), _answer(_ALLOW),
    ]  # fmt: skip
    if not bare:
        # Sockets of a virtual machine and its like are not held by a network namespace.
        rules["socket"] = _only(0, (_UNIX, _INET, _INET6, _NETLINK), errno.EAFNOSUPPORT)
        return rules
    rules |= {name: [_refuse(errno.EPERM)] for name in _OUTSIDE}
    rules |= {name: [_answer(_ERROR)] for name in _GROUP}
    # A pair of datagram sockets could be pointed at any socket file afterwards; a pair of streams cannot.
    rules["socketpair"] = _only(1, (_STREAM, _SEQPACKET), errno.EPERM, _TYPE)
    rules["sendto"] = _zero(4)
    rules["utimensat"] = _zero(1)
    # Every process of the user at once, where Landlock does not govern signals.
    rules["kill"] = [_argument(0), (_EQUAL, 0, 1, 0xFFFFFFFF), _refuse(errno.EPERM), _answer(_ALLOW)]
    rules |= {
        name: _zero(0) for name in ("prlimit64", "sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr")
    }
    rules |= {name: _zero(1) for name in ("setpriority", "ioprio_set")}
    if root:
        # The system's files belong to it, and it may open them for reading.
        rules["fchmod"] = [_refuse(errno.EPERM)]
    if not truncates:
        rules["truncate"] = [_refuse(errno.EPERM)]
    return rules


def program(machine: str, *, bare: bool, truncates: bool = True, root: bool = False) -> bytes | None:
    """The filter, as the kernel and ``bwrap --seccomp`` take it; ``None`` for a machine whose numbers are not known.

    Args:
        machine: as ``os.uname().machine`` names it.
        bare: no namespaces stand before it, only Landlock.
        truncates: Landlock governs ``truncate`` (from ABI 3).
        root: the process runs as the owner of the system's files.
    """
    if machine not in ARCHITECTURES:
        return None
    architecture, column = ARCHITECTURES[machine]
    code: list[Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE), (_EQUAL, 1, 0, architecture), _answer(_KILL), (_LOAD, 0, 0, _NUMBER),
    ]  # fmt: skip
    if machine == "x86_64":
        code += [(_AT_LEAST, 0, 1, _X32), _refuse(errno.ENOSYS)]
    for name, block in _rules(bare=bare, truncates=truncates, root=root).items():
        number = NUMBERS[name][column]
        if number is not None:
            code += [(_EQUAL, 0, len(block), number), *block]
    code.append(_answer(_ALLOW))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in code)
