"""Confines with Landlock and seccomp, for a Linux without bubblewrap: a small process restricts itself and becomes the program.

Files outside cannot be opened, made or removed, but that they are there can be seen. There are no sockets at all, and no
signals to processes outside (from ABI 6). Guarded places within a root cannot be held: they are put back after the run.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from .confinement import Start
from .jail import MARK, NOT_CONFINED, landlock, seccomp
from .layout import Layout, system
from .leavings import PRIVATE
from .process import Ended, Limits

__all__ = ["Landlock"]

_BOOT = "import sys; sys.path.append(sys.argv[1]); from jail.confine import main; main(sys.argv[2:])"
_DEVICES = ("null", "zero", "full", "random", "urandom")
_PROC = ("cpuinfo", "meminfo", "stat", "uptime", "loadavg", "version", "filesystems")
_SIGNALS_FROM = 6


def _around(top: Path, kept: Sequence[Path], listed: list[Path]) -> list[Path]:
    """A folder, or what it is made of without what is to be read only or not seen, for example the interpreter or the store.

    Landlock knows no exception below a folder. In a folder with something to keep, new files can be made in its folders only.

    Args:
        top: the folder.
        kept: what is left out.
        listed: takes the folders that are shown in parts.
    """
    inside = [path for path in kept if path.is_relative_to(top)]
    if not inside:
        return [top]
    if top in inside:
        return []
    listed.append(top)
    return [path for child in sorted(top.iterdir()) if not child.is_symlink() for path in _around(child, inside, listed)]


class Landlock:
    """The kernel's own confinement."""

    name = "landlock"
    placeholders: Collection[Path] = ()

    def __init__(self) -> None:
        self._abi = landlock.abi() if sys.platform == "linux" else 0

    @property
    def not_confined(self) -> tuple[str, ...]:
        """What it leaves open; an old kernel leaves more."""
        signals = () if self._abi >= _SIGNALS_FROM else ("signals",)
        return ("disk_space", "file_metadata", "guarded_places", "orphans", *signals)

    def missing(self) -> str:
        """Why it cannot be tried here."""
        if sys.platform != "linux":
            return "it is for Linux"
        if not self._abi:
            return "this kernel offers no Landlock"
        if seccomp.program(os.uname().machine, bare=True) is None:
            return "this machine's system calls are not known"
        return ""

    def failure(self, ended: Ended) -> str:
        """What the jail said, when it could not confine itself."""
        if ended.killed is None and ended.exit_code == NOT_CONFINED and ended.stderr.head.startswith(MARK.encode()):
            return ended.stderr.text().strip().removeprefix(MARK)
        return ""

    @contextmanager
    def start(self, argv: Sequence[str], layout: Layout, limits: Limits) -> Iterator[Start]:
        """The jail's command line, and a folder for temporary files that goes with the run."""
        private = Path(tempfile.mkdtemp(prefix=PRIVATE))
        try:
            listed: list[Path] = []
            hidden = layout.hidden.all
            roots = [path for root in layout.writable for path in _around(root, (*layout.readable, *hidden), listed)]
            seen = [path for top in layout.readable for path in _around(top, hidden, listed)]
            writable = [*roots, private, *(Path("/dev", name) for name in _DEVICES)]
            parts = system()
            readable = [*parts.trees, *parts.files, *seen, *(Path("/proc", name) for name in _PROC)]
            sizes = {"data": limits.memory, "space": limits.address_space, "file": limits.file_size}
            options = [
                *(f"rw={path}" for path in writable),
                *(f"ro={path}" for path in readable),
                *(f"ls={path}" for path in listed),
                *(f"{name}={size}" for name, size in sizes.items() if size is not None),
            ]
            yield Start(
                argv=(sys.executable, "-I", "-S", "-c", _BOOT, str(Path(__file__).parent), *options, "--", *argv),
                environment={"HOME": str(private), "TMPDIR": str(private)},
                leaves=(private,),
            )
        finally:
            shutil.rmtree(private, ignore_errors=True)
