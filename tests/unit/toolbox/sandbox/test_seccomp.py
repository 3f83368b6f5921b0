"""The filter of system calls, run by an interpreter of its own: what each profile answers, on both machines."""

from __future__ import annotations

import errno
import struct

import pytest

from transom.toolbox.sandbox.jail.seccomp import program
from transom.toolbox.sandbox.jail.syscalls import ARCHITECTURES, NUMBERS

ALLOWED, KILLED = 0x7FFF0000, 0x80000000


def answer(code: bytes, architecture: int, number: int, arguments: tuple[int, ...] = ()) -> int:
    """What the kernel would answer: classic BPF over ``struct seccomp_data``."""
    padded = (*arguments, *[0] * (6 - len(arguments)))
    data = struct.pack("=IIQ6Q", number, architecture, 0, *(value & (2**64 - 1) for value in padded))
    steps = [struct.unpack_from("=HBBI", code, at) for at in range(0, len(code), 8)]
    at = held = 0
    while True:
        operation, yes, no, value = steps[at]
        at += 1
        match operation:
            case 0x20:
                held = struct.unpack_from("=I", data, value)[0]
            case 0x54:
                held &= value
            case 0x15:
                at += yes if held == value else no
            case 0x35:
                at += yes if held >= value else no
            case 0x45:
                at += yes if held & value else no
            case 0x06:
                return int(value)
            case _:
                raise AssertionError(f"operation {operation:#x}")


class Filter:
    def __init__(self, machine: str, **options: bool) -> None:
        code = program(machine, **options)
        assert code is not None
        self.code = code
        self.architecture, self.column = ARCHITECTURES[machine]

    def __call__(self, name: str, *arguments: int) -> str:
        number = NUMBERS[name][self.column]
        assert number is not None
        found = answer(self.code, self.architecture, number, arguments)
        if found == ALLOWED:
            return "allowed"
        return errno.errorcode.get(found & 0xFFFF, "pretended") if found & 0xFFFF0000 == 0x00050000 else f"{found:#x}"


@pytest.fixture(params=list(ARCHITECTURES))
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_the_kernels_doors_are_closed_in_both_profiles(machine: str) -> None:
    for bare in (True, False):
        judged = Filter(machine, bare=bare)
        for name in (
            "ptrace",
            "mount",
            "bpf",
            "keyctl",
            "unshare",
            "setns",
            "perf_event_open",
            "userfaultfd",
            "open_by_handle_at",
        ):
            assert judged(name) == "EPERM", name
        assert judged("clone3") == "ENOSYS"
        assert judged("io_uring_setup") == "ENOSYS"
        assert judged("clone", 17) == "allowed"
        assert judged("clone", 0x10000000 | 17) == "EPERM"
        assert judged("ioctl", 1, 0x5401) == "allowed"
        assert judged("ioctl", 1, 0x5412) == "EPERM"
        assert judged("ioctl", 1, 0x100005412) == "EPERM"


def test_behind_namespaces_only_sockets_that_they_hold_are_left(machine: str) -> None:
    judged = Filter(machine, bare=False)
    assert [judged("socket", family) for family in (1, 2, 10, 16)] == ["allowed"] * 4
    assert [judged("socket", family) for family in (17, 31, 38, 40)] == ["EAFNOSUPPORT"] * 4
    assert [judged(name) for name in ("chmod",) if NUMBERS[name][judged.column] is not None] in ([], ["allowed"])
    assert (judged("connect"), judged("setsid"), judged("shmget")) == ("allowed",) * 3


def test_beside_landlock_nothing_is_changed_that_was_not_opened(machine: str) -> None:
    judged = Filter(machine, bare=True)
    for name in ("socket", "connect", "bind", "fchmodat", "fchownat", "setxattr", "shmat", "shmget", "mq_open"):
        assert judged(name) == "EPERM", name
    assert judged("fchmod") == "allowed"
    assert Filter(machine, bare=True, root=True)("fchmod") == "EPERM"
    assert (judged("truncate"), Filter(machine, bare=True, truncates=False)("truncate")) == ("allowed", "EPERM")
    assert [judged("utimensat", 3, path) for path in (0, 0x1000, 0x100000000)] == ["allowed", "EPERM", "EPERM"]
    assert [judged("socketpair", 1, kind) for kind in (1, 5, 0x80001, 2)] == ["allowed", "allowed", "allowed", "EPERM"]
    assert [judged("sendto", 3, 0, 0, 0, where) for where in (0, 0x1000)] == ["allowed", "EPERM"]
    assert [judged("prlimit64", pid) for pid in (0, 5)] == ["allowed", "EPERM"]
    assert [judged("kill", pid) for pid in (5, 0, -1)] == ["allowed", "allowed", "EPERM"]
    assert (judged("setsid"), judged("setpgid")) == ("pretended", "pretended")


def test_no_file_is_made_that_lends_its_owner_and_no_device(machine: str) -> None:
    for bare in (True, False):
        judged = Filter(machine, bare=bare)
        for bit in (0o4000, 0o2000, 0o6000):
            assert judged("openat", 3, 0, 0o101, bit | 0o755) == "EPERM"
            assert judged("openat", 3, 0, 0o20200002, bit | 0o755) == "EPERM"
            assert judged("mkdirat", 3, 0, bit | 0o755) == "EPERM"
            assert judged("mknodat", 3, 0, 0o100000 | bit) == "EPERM"
            assert (judged("fchmod", 3, bit), judged("fchmodat2", 3, 0, bit)) == ("EPERM", "EPERM")
            if machine == "x86_64":
                assert judged("open", 0, 0o101, bit) == judged("creat", 0, bit) == judged("chmod", 0, bit) == "EPERM"
                assert judged("mkdir", 0, bit) == judged("mknod", 0, bit) == "EPERM"
        assert [judged("mknodat", 3, 0, kind | 0o600) for kind in (0o20000, 0o60000)] == ["EPERM", "EPERM"]
        assert [judged("mknodat", 3, 0, kind | 0o600) for kind in (0, 0o100000, 0o10000, 0o140000)] == ["allowed"] * 4
        assert judged("openat", 3, 0, 0, 0o6000) == "allowed"
        assert (
            judged("openat", 3, 0, 0o101, 0o1777) == judged("mkdirat", 3, 0, 0o1777) == judged("fchmod", 3, 0o755) == "allowed"
        )
        assert judged("openat2", 3) == "ENOSYS"


def test_another_machines_calls_end_the_process(machine: str) -> None:
    for bare in (True, False):
        assert answer(Filter(machine, bare=bare).code, 0x40000003, 1) == KILLED


def test_numbers_of_the_other_table_are_unknown_on_x86() -> None:
    judged = Filter("x86_64", bare=True)
    assert answer(judged.code, judged.architecture, 0x40000000 + 1) == 0x00050000 | errno.ENOSYS


def test_a_machine_whose_numbers_are_not_known_gets_no_filter() -> None:
    assert program("riscv64", bare=True) is None
