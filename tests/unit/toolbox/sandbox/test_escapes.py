"""Attempts to get out, one a function of Python that the sandbox runs; each is judged from outside, by what it reached.

Files outside, processes of the same user, sockets in the file system and out of it, the kernel's own doors. An attempt may fail
in any way; none may succeed.
"""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import stat
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.unit.toolbox.sandbox.conftest import Python

from transom.toolbox.sandbox import Limits, child_environment, run_process

pytestmark = [pytest.mark.feature("Z4"), pytest.mark.skipif(sys.platform != "linux", reason="confinements of Linux")]

MARK = "MARK-7f3a"


@dataclass
class Outside:
    """What lies outside, and how it was."""

    base: Path
    victim: subprocess.Popen[bytes]
    sockets: list[socket.socket] = field(default_factory=list)
    port: int = 0
    segment: int = -1

    @property
    def secret(self) -> Path:
        return self.base / "outside" / "secret.txt"

    def untouched(self) -> None:
        assert self.secret.read_text() == f"{MARK} secret\n"
        status = self.secret.stat()
        assert (stat.S_IMODE(status.st_mode), status.st_nlink, status.st_mtime) == (0o640, 1, 1_000_000)
        assert os.listxattr(self.secret) == []
        assert sorted(path.name for path in self.base.iterdir()) == ["door", "outside", "ws"]
        assert [path.name for path in (self.base / "outside").iterdir()] == ["secret.txt"]
        assert self.victim.poll() is None
        assert os.getpriority(os.PRIO_PROCESS, self.victim.pid) == os.getpriority(os.PRIO_PROCESS, 0)
        limits = Path(f"/proc/{self.victim.pid}/limits").read_text()
        assert "1234" not in limits
        assert not [door for door in self.sockets if heard(door)]


def heard(door: socket.socket) -> bool:
    door.setblocking(False)
    try:
        if door.type == socket.SOCK_STREAM:
            door.accept()[0].close()
        else:
            door.recv(1)
    except BlockingIOError:
        return False
    return True


@pytest.fixture
def outside(root: Path) -> Iterator[Outside]:
    folder = root.parent / "outside"
    folder.mkdir()
    secret = folder / "secret.txt"
    secret.write_text(f"{MARK} secret\n")
    secret.chmod(0o640)
    os.utime(secret, (1_000_000, 1_000_000))
    environment = {**os.environ, "VICTIM_TOKEN": f"{MARK}-environment"}
    victim = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(120)"], env=environment)
    made = Outside(root.parent, victim)
    tcp = socket.create_server(("127.0.0.1", 0))
    made.port = tcp.getsockname()[1]
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind(("127.0.0.1", made.port))
    named, abstract = (socket.socket(socket.AF_UNIX, kind) for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM))
    # The path of a socket is short; a test's folder is not.
    here = Path.cwd()
    os.chdir(root.parent)
    named.bind("door")
    os.chdir(here)
    named.listen()
    abstract.bind(f"\0transom-test-{os.getpid()}")
    made.sockets = [tcp, udp, named, abstract]
    libc = ctypes.CDLL(None)
    made.segment = libc.shmget(0x7A7A, 4096, 0o1666)
    libc.shmat.restype = ctypes.c_void_p
    address = libc.shmat(made.segment, None, 0)
    ctypes.memmove(address, f"{MARK}-shared".encode(), len(MARK) + 7)
    try:
        yield made
    finally:
        libc.shmdt(ctypes.c_void_p(address))
        libc.shmctl(made.segment, 0, None)
        for door in made.sockets:
            door.close()
        victim.kill()
        victim.wait()


START = """
import contextlib, ctypes, os, signal, socket, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    result = libc.syscall(number, *arguments)
    return result if result >= 0 else -ctypes.get_errno()
def tried(attempt):
    with contextlib.suppress(Exception):
        print(attempt())
BASE, SECRET, VICTIM, PORT, SERVER = {base!r}, {secret!r}, {victim}, {port}, {server}
"""

ATTEMPTS = {
    "through a link in the folder": """
        os.symlink(SECRET, "link")
        os.symlink("../outside", "folder")
        tried(lambda: open("link").read())
        tried(lambda: open("folder/secret.txt").read())
        tried(lambda: open("link", "a").write("x"))
        tried(lambda: open("folder/PWNED", "w").write("x"))
    """,
    "another name for the same file": """
        tried(lambda: os.link(SECRET, "same"))
        tried(lambda: open("same").read())
        tried(lambda: open("same", "a").write("x"))
        tried(lambda: os.link("../ws", "../outside/ws"))
    """,
    "moving files in and out": """
        open("mine", "w").write("x")
        tried(lambda: os.rename(SECRET, "theirs"))
        tried(lambda: open("theirs").read())
        tried(lambda: os.rename("mine", SECRET))
        tried(lambda: os.replace("mine", BASE + "/PWNED"))
        tried(lambda: os.rename(BASE + "/outside", BASE + "/ws/outside"))
        tried(lambda: os.truncate(SECRET, 0))
        tried(lambda: os.unlink(SECRET))
        tried(lambda: os.rmdir(BASE + "/outside"))
    """,
    "modes, owners, times and attributes": """
        tried(lambda: os.chmod(SECRET, 0o777))
        tried(lambda: os.chown(SECRET, 65534, 65534))
        tried(lambda: os.utime(SECRET, (1, 1)))
        tried(lambda: os.setxattr(SECRET, "user.pwned", b"x"))
        with contextlib.suppress(OSError):
            number = os.open(SECRET, os.O_PATH)
            call(452, number, b"", 0o777, 0x1000)
            tried(lambda: os.chmod(f"/proc/self/fd/{number}", 0o777))
    """,
    "what processes show of themselves": """
        for pid in (1, VICTIM, SERVER, os.getppid(), "self"):
            for name in ("environ", "root" + SECRET, "cwd/../outside/secret.txt", "fd/0", "mem", "maps"):
                tried(lambda: open(f"/proc/{pid}/{name}", "rb").read(100_000))
        tried(lambda: os.listdir("/proc"))
    """,
    "descriptors that were left open": """
        for number in range(3, 256):
            tried(lambda: os.read(number, 4096))
            tried(lambda: open(os.open("../outside/secret.txt", os.O_RDONLY, dir_fd=number)).read())
            tried(lambda: os.fchdir(number))
        tried(lambda: os.readlink("/proc/self/fd/3"))
    """,
    "signals and powers over other processes": """
        import resource
        for pid in (VICTIM, SERVER):
            for number in (signal.SIGSTOP, signal.SIGKILL):
                tried(lambda: os.kill(pid, number))
                tried(lambda: os.killpg(os.getpgid(pid), number))
            tried(lambda: signal.pidfd_send_signal(os.pidfd_open(pid), signal.SIGKILL))
            call(200, pid, 9)
            call(234, pid, pid, 9)
            tried(lambda: os.setpriority(os.PRIO_PROCESS, pid, 10))
            tried(lambda: os.sched_setaffinity(pid, {0}))
            tried(lambda: resource.prlimit(pid, resource.RLIMIT_NOFILE, (1234, 1234)))
    """,
    "looking into another process": """
        for pid in (VICTIM, SERVER, os.getppid()):
            print(call(101, 16, pid, 0, 0), call(101, 0x4206, pid, 0, 0))
            into, piece = ctypes.create_string_buffer(4096), ctypes.create_string_buffer(4096)
            here = struct.pack("=QQ", ctypes.addressof(into), 4096)
            for address in (0x400000, 0x7FFFFFFFE000):
                print(call(310, pid, here, 1, struct.pack("=QQ", address, 4096), 1, 0))
            print(into.raw.strip(b"\\0"))
            print(call(438, call(434, pid, 0), 0, 0))
    """,
    "namespaces, mounts and other roots": """
        print(call(272, 0x10000000 | 0x00020000), call(272, 0x00020000))
        print(call(435, struct.pack("=11Q", 0x10000000, *[0] * 10), 88))
        print(call(56, 0x10000000 | 17, 0, 0, 0, 0))
        for folder in ("ws", "."):
            call(165, b"/", folder.encode(), b"", 0x1000, 0)
            call(165, b"proc", folder.encode(), b"proc", 0, 0)
        call(161, b"/"), call(155, b".", b"."), call(428, -100, b"/", 1), call(430, b"tmpfs", 0)
        for kind in ("mnt", "user", "pid", "net"):
            with contextlib.suppress(OSError):
                call(308, os.open(f"/proc/{VICTIM}/ns/{kind}", os.O_RDONLY), 0)
        tried(lambda: open(SECRET).read())
        tried(lambda: os.listdir("/proc/1/root/root"))
        handle = struct.pack("=II", 8, 1) + struct.pack("=Q", 2) + bytes(120)
        print(call(304, os.open(".", os.O_RDONLY), handle, 0))
    """,
    "sockets of this machine": """
        for family, kind, place in (
            (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", PORT)), (socket.AF_INET, socket.SOCK_STREAM, ("0.0.0.0", PORT)),
            (socket.AF_UNIX, socket.SOCK_STREAM, "../door"), (socket.AF_UNIX, socket.SOCK_STREAM, BASE + "/door"),
            (socket.AF_INET6, socket.SOCK_STREAM, ("::ffff:127.0.0.1", PORT)),
        ):
            with contextlib.suppress(OSError):
                door = socket.socket(family, kind)
                door.settimeout(2)
                door.connect(place)
                door.send(b"hi")
        with contextlib.suppress(OSError):
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"hi", ("127.0.0.1", PORT))
        for pair in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
            with contextlib.suppress(OSError):
                one, other = socket.socketpair(socket.AF_UNIX, pair)
                for name in (f"\\0transom-test-{SERVER}", BASE + "/door"):
                    with contextlib.suppress(OSError):
                        one.sendmsg([b"hi"], [], 0, name)
                    with contextlib.suppress(OSError):
                        one.connect(name)
                        one.send(b"hi")
        for family in (socket.AF_PACKET, 40, 38, 31):
            with contextlib.suppress(OSError):
                socket.socket(family, socket.SOCK_RAW if family == socket.AF_PACKET else socket.SOCK_STREAM)
                print("MARK-7f3a: a socket of family", family)
        if call(425, 8, ctypes.create_string_buffer(256)) >= 0:
            print("MARK-7f3a: io_uring")
    """,
    "doors of the kernel": """
        for number, arguments in {
            321: (0, ctypes.create_string_buffer(128), 128), 298: (ctypes.create_string_buffer(128), 0, -1, -1, 0), 323: (1,),
            250: (0, -3, 1), 248: (b"user", b"x", b"x", 1, -3), 175: (b"", 0, b""), 246: (0, 0, 0, 0), 169: (0, 0, 0, 0),
            103: (3, ctypes.create_string_buffer(4096), 4096), 172: (3,), 312: (os.getpid(), os.getpid(), 0, 0, 0),
        }.items():
            if call(number, *arguments) >= 0:
                print("MARK-7f3a: call", number)
        for number in (0x40000000 + 2, 0x40000000 + 101):
            if call(number, SECRET.encode(), 0, 0) >= 0:
                print("MARK-7f3a: call", number)
        devices = ("mem", "kmsg", "sda", "vda", "tty", "kvm", "fuse")
        for path in (*(f"/dev/{name}" for name in devices), "/proc/kcore", "/proc/sysrq-trigger", "/sys/kernel"):
            tried(lambda: ("MARK-7f3a", os.open(path, os.O_RDWR)))
        for device in (os.makedev(8, 0), os.makedev(254, 0), os.makedev(1, 1)):
            tried(lambda: os.mknod("device", 0o600 | 0o060000, device))
            tried(lambda: ("MARK-7f3a", os.open("device", os.O_RDONLY)))
        tried(lambda: open("/proc/sys/kernel/core_pattern", "w").write("|/bin/false"))
    """,
    "memory that is shared by key": """
        number = libc.shmget(0x7A7A, 0, 0)
        libc.shmat.restype = ctypes.c_void_p
        if number >= 0:
            address = libc.shmat(number, None, 0)
            print(ctypes.string_at(address, 64))
        for number in range(0, 64):
            with contextlib.suppress(Exception):
                address = libc.shmat(number, None, 0o10000)
                if address not in (None, ctypes.c_void_p(-1).value):
                    print(ctypes.string_at(address, 64))
    """,
    "other people's temporary files and logs": """
        for folder in ("/tmp", "/var/tmp", "/var/log", "/run", "/home", "/etc/ssh", "/etc/shadow", "/dev/shm"):
            for place, folders, files in os.walk(folder):
                for name in files[:50]:
                    path = os.path.join(place, name)
                    if not path.startswith(os.getcwd()):
                        tried(lambda: b"MARK-7f3a" in open(path, "rb").read(4096) and "MARK-7f3a")
        tried(lambda: "MARK-7f3a" + open("/etc/shadow").read())
    """,
    "powers that come with a program": """
        import shutil, subprocess
        for program in (["sudo", "-n", "id"], ["su", "-c", "id"], ["mount", "-t", "tmpfs", "x", "."], ["passwd", "-d", "root"]):
            if shutil.which(program[0]):
                tried(lambda: subprocess.run(program, capture_output=True, timeout=5).returncode)
        os.system("cp /bin/sh mine; chmod 4755 mine; ./mine -p -c 'cat " + SECRET + "; id -u'")
        print(call(157, 23, 21, 0, 0, 0), open("/proc/self/status").read().split("NoNewPrivs:")[1][:3])
        if "CapEff:\\t0000000000000000" not in open("/proc/self/status").read():
            print("MARK-7f3a: capabilities")
    """,
}


@pytest.mark.parametrize("name", ATTEMPTS)
async def test_no_attempt_gets_out(name: str, python: Python, outside: Outside, root: Path) -> None:
    start = START.format(
        base=str(outside.base), secret=str(outside.secret), victim=outside.victim.pid, port=outside.port, server=os.getpid()
    )
    run = await python(start + textwrap.dedent(ATTEMPTS[name]))
    said = run.stdout.text() + run.stderr.text()
    assert MARK not in said, said
    assert "SyntaxError" not in run.stderr.text()
    assert "NameError" not in run.stderr.text()
    assert not run.timed_out
    outside.untouched()


REACHING = (
    "through a link in the folder",
    "another name for the same file",
    "moving files in and out",
    "modes, owners, times and attributes",
    "what processes show of themselves",
    "sockets of this machine",
    "memory that is shared by key",
)


@pytest.mark.parametrize("name", REACHING)
async def test_without_a_sandbox_the_same_attempts_succeed(name: str, outside: Outside, root: Path) -> None:
    start = START.format(
        base=str(outside.base), secret=str(outside.secret), victim=outside.victim.pid, port=outside.port, server=os.getpid()
    )
    source = (start + textwrap.dedent(ATTEMPTS[name])).encode()
    environment = child_environment(os.environ)
    argv = [sys.executable, "-I", "-B", "-"]
    ended = await run_process(argv, cwd=root, environment=environment, limits=Limits(seconds=30), stdin=source)
    reached = MARK in ended.stdout.text()
    try:
        outside.untouched()
    except (AssertionError, OSError):
        reached = True
    assert reached


async def test_no_signal_reaches_everybody(python: Python, outside: Outside) -> None:
    await python("import os, signal; os.kill(-1, signal.SIGUSR1)")
    outside.untouched()


def modes_in(folder: Path) -> list[int]:
    return [path.lstat().st_mode for path in folder.iterdir()]


async def test_a_confined_program_leaves_nothing_that_lends_its_owner_and_no_device(python: Python, root: Path) -> None:
    """Whoever runs such a file outside would act for its owner, which for a server of root is root."""
    await python(
        "import os, contextlib, shutil, stat\n"
        "tried = contextlib.suppress(OSError)\n"
        "shutil.copyfile('/bin/sh', 'sh')\n"
        "with tried: os.chmod('sh', 0o6755)\n"
        "with tried: os.fchmod(os.open('sh', os.O_RDONLY), 0o4755)\n"
        "with tried: os.chmod('sh', 0o2755, dir_fd=os.open('.', os.O_RDONLY))\n"
        "with tried: os.open('new', os.O_CREAT | os.O_WRONLY, 0o6755)\n"
        "with tried: os.mknod('node', 0o106755)\n"
        "with tried: os.mknod('device', stat.S_IFCHR | 0o666, os.makedev(1, 3))\n"
        "with tried: os.mkdir('folder', 0o6755)\n"
    )
    modes = modes_in(root)
    assert modes
    assert not any(mode & 0o6000 or stat.S_IFMT(mode) in {stat.S_IFCHR, stat.S_IFBLK} for mode in modes)


def test_signals_are_numbered_as_the_attempts_have_them() -> None:
    assert (signal.SIGKILL, signal.SIGSTOP) == (9, 19)
