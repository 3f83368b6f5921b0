"""Confines with bubblewrap: namespaces of its own, a file system made of what is shown, and a filter of system calls.

Files that are not shown do not exist; there is no network but a loopback of its own; no process outside can be seen. Everything
that the program starts ends with it.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from .confinement import Start
from .jail import seccomp
from .layout import Layout, System, system
from .process import Ended, Limits

__all__ = ["Bubblewrap"]

_NAMESPACES = ("--die-with-parent", "--new-session", "--unshare-all", "--cap-drop", "ALL")
_TMP = Path("/tmp")  # noqa: S108 - the one inside
_LIMITING = 'ulimit -c 0; {limits}exec "$@"'
_OWN_MESSAGE = b"bwrap: "
_PLACEHOLDER = "4096"
"""Bytes: a page, the least there is."""

Mount = tuple[int, tuple[str, ...]]


def _mount(path: Path, *options: str) -> Mount:
    """Deeper ones are mounted later, so that what is nearer to a file decides over it."""
    return len(path.parts), options


class Bubblewrap:
    """The program ``bwrap``.

    Args:
        path: directories to look for it in, as ``PATH`` has them.
    """

    name = "bubblewrap"
    not_confined = ("disk_space",)

    def __init__(self, path: str) -> None:
        self._program = shutil.which("bwrap", path=path)
        self._placeholders: Counter[Path] = Counter()

    @property
    def placeholders(self) -> Collection[Path]:
        """Empty folders where guarded files are missing, for as long as a run lasts."""
        return self._placeholders.keys()

    def missing(self) -> str:
        """Why it cannot be tried here."""
        if sys.platform != "linux":
            return "it is for Linux"
        if self._program is None:
            return "bwrap is not installed"
        if seccomp.program(os.uname().machine, bare=False) is None:
            return "this machine's system calls are not known"
        return ""

    def failure(self, ended: Ended) -> str:
        """Its own complaint, when it could not set up."""
        if ended.killed is None and ended.exit_code == 1 and ended.stderr.head.startswith(_OWN_MESSAGE):
            return ended.stderr.text().strip().splitlines()[0]
        return ""

    @contextmanager
    def start(self, argv: Sequence[str], layout: Layout, limits: Limits) -> Iterator[Start]:
        """Its command line; filter and small files come through descriptors."""
        assert self._program is not None
        places = _missing(layout)
        code = seccomp.program(os.uname().machine, bare=False)
        assert code is not None
        with ExitStack() as held_open:
            parts = system()
            opened = {path: held_open.enter_context(path.open("rb")).fileno() for path in parts.files if not path.is_symlink()}
            filtering = held_open.enter_context(tempfile.TemporaryFile())
            filtering.write(code)
            filtering.seek(0)
            covers = _covers(layout)
            mounts = [*_system_mounts(parts, opened, limits), *_own_mounts(layout, places)]
            mounts += [_mount(path, "--tmpfs", str(path)) for path in covers]
            ordered = [option for _, options in sorted(mounts, key=lambda mount: mount[0]) for option in options]
            ordered += [option for path in (*covers, "/") for option in ("--remount-ro", str(path))]
            seccomp_fd = filtering.fileno()
            self._placeholders.update(places)
            try:
                for place in places:
                    # Made here, not by bubblewrap: whoever clears up after a kill has to know which folders they were.
                    with suppress(FileExistsError):
                        place.mkdir()
                yield Start(
                    argv=(
                        self._program, *_NAMESPACES, *ordered, "--chdir", str(layout.cwd),
                        "--seccomp", str(seccomp_fd), "/bin/sh", "-c", _limiting(limits), "sh", *argv,
                    ),
                    environment={"HOME": str(_TMP), "TMPDIR": str(_TMP)},
                    descriptors=(seccomp_fd, *opened.values()),
                    leaves=places,
                )  # fmt: skip
            finally:
                self._release(places)

    def _release(self, places: Sequence[Path]) -> None:
        self._placeholders.subtract(places)
        for place in places:
            if self._placeholders[place] <= 0:
                del self._placeholders[place]
                # Removes an empty folder only: whatever somebody put there meanwhile is theirs.
                with suppress(OSError):
                    place.rmdir()


def _system_mounts(parts: System, opened: Mapping[Path, int], limits: Limits) -> list[Mount]:
    """Small files are copied: that costs a tenth of a mount."""
    mounts = [
        _mount(path, "--symlink", str(path.readlink()), str(path))
        if path.is_symlink()
        else _mount(path, "--ro-bind", str(path), str(path))
        for path in parts.trees
    ]
    mounts += [_mount(path, "--symlink", str(path.readlink()), str(path)) for path in parts.files if path.is_symlink()]
    mounts += [_mount(path, "--perms", "0444", "--file", str(number), str(path)) for path, number in opened.items()]
    size = ("--size", str(limits.memory)) if limits.memory else ()
    return [*mounts, (2, ("--proc", "/proc")), (2, ("--dev", "/dev")), (2, (*size, "--tmpfs", str(_TMP)))]


def _covers(layout: Layout) -> list[Path]:
    """Folders in ``/tmp`` that are there only because something shown lies in them: what is written beside it would be lost."""
    shown = (*layout.writable, *layout.readable)
    tops = {Path(*path.parts[:3]) for path in shown if path.is_relative_to(_TMP) and len(path.parts) > 3}
    return sorted(tops.difference(shown))


def _ways(layout: Layout) -> Iterator[Path]:
    """Folders between a root and what in it is to be read only: a folder that is mounted cannot be moved out of the way."""
    for path in (*layout.readable, *layout.hidden.all):
        for root in layout.writable:
            if path.is_relative_to(root) and path != root:
                yield from (parent for parent in path.parents if parent.is_relative_to(root) and parent != root)


def _missing(layout: Layout) -> tuple[Path, ...]:
    """Missing places, but for those on a file system that is read-only: nothing can come to stand there, and no placeholder."""
    return tuple(place for place in layout.guarded.missing if not os.statvfs(place.parent).f_flag & os.ST_RDONLY)


def _own_mounts(layout: Layout, missing: Sequence[Path]) -> list[Mount]:
    return [
        *(_mount(path, "--ro-bind", str(path), str(path)) for path in layout.readable),
        *(_mount(path, "--bind", str(path), str(path)) for path in layout.writable),
        *(_mount(path, "--bind", str(path), str(path)) for path in dict.fromkeys((*layout.guarded.parents, *_ways(layout)))),
        *(_mount(path, "--ro-bind", str(path), str(path)) for path in layout.guarded.fixed),
        # Not read-only too: that took 6 of 14 ms of a start. What a program that gives itself the right puts there goes with
        # the run.
        *(_mount(path, "--perms", "0555", "--size", _PLACEHOLDER, "--tmpfs", str(path)) for path in missing),
        *(_mount(path, "--perms", "0555", "--tmpfs", str(path), "--remount-ro", str(path)) for path in layout.hidden.folders),
        *(_mount(path, "--ro-bind", os.devnull, str(path)) for path in layout.hidden.files),
    ]


def _limiting(limits: Limits) -> str:
    """Limits for each process, set by the shell inside: bubblewrap has none. A stricter one that is there already stays."""
    parts = [("d", limits.memory, 1024), ("v", limits.address_space, 1024), ("f", limits.file_size, 512)]
    set_ = "".join(f"ulimit -{flag} {size // unit} 2>/dev/null; " for flag, size, unit in parts if size is not None)
    return _LIMITING.format(limits=set_)
