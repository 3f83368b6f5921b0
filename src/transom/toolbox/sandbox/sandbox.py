"""The sandbox as tools use it: run a program confined, and say by what and what stayed open.

The first confinement that works here is taken; which one that is gets found out once, by running a program in it. Where
there is none, nothing runs: a tool then takes an interpreter that is confined by itself, or says that it cannot.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import SandboxError
from .environment import child_environment
from .leavings import Leavings
from .nested import Nested
from .output import Output
from .process import Ended, Limits, run_process

if TYPE_CHECKING:
    from .confinement import Confinement

__all__ = ["Description", "Run", "Sandbox", "confinements"]

_PROBE_SECONDS = 10.0
_ALONE = Limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What came of a confined program.

    Attributes:
        exit_code: its status; 128 and the signal's number where a signal ended it.
        stdout, stderr: what it wrote.
        truncated: more was written than was kept.
        timed_out, out_of_memory, too_many_processes: it was ended for that.
        confined_by: the confinement.
        not_confined: what that leaves open.
        put_back: guarded files it had changed.
        not_put_back: those of them that are not as they were even now.
        seconds: how long it ran.
    """

    exit_code: int
    stdout: Output
    stderr: Output
    truncated: bool
    timed_out: bool
    out_of_memory: bool
    too_many_processes: bool
    confined_by: str
    not_confined: tuple[str, ...]
    put_back: tuple[Path, ...] = ()
    not_put_back: tuple[Path, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What the sandbox is on this machine.

    Attributes:
        confined_by: the confinement in use; ``None`` where nothing can be confined.
        not_confined: what it leaves open.
        reasons: why those before it are not in use, by name.
    """

    confined_by: str | None
    not_confined: tuple[str, ...]
    reasons: Mapping[str, str]


def confinements(environment: Mapping[str, str]) -> tuple[Confinement, ...]:
    """Those there are, best first."""
    # They are loaded when the first program runs, with all that they know of this system.
    from .bubblewrap import Bubblewrap
    from .landlocked import Landlock

    # The system's own first: a folder of PATH may be one that programs can write to.
    path = os.pathsep.join(("/usr/bin", "/usr/local/bin", "/bin", environment.get("PATH", "")))
    return (Bubblewrap(path), Landlock())


class Sandbox:
    """Runs programs confined.

    Args:
        environment: ours; programs get an allow-list of it.
        readable: what every program may read beside the system, for example a toolchain in the home folder.
        confined_by: confinements to choose from; without it, ``confinements``.
        store: what tools remember, which no program sees, nor what is called as it is with ``-`` and more.
        hidden: other files of ours, likewise.
        notes: a folder in which runs under way are noted, so that ``tidy`` can clear up after a killed process.
    """

    def __init__(
        self,
        environment: Mapping[str, str],
        *,
        readable: Iterable[Path] = (),
        confined_by: Sequence[Confinement] | None = None,
        store: Path | None = None,
        hidden: Iterable[Path] = (),
        notes: Path | None = None,
    ) -> None:
        self._store = store
        self._hidden = tuple(hidden)
        self._leavings = Leavings(notes)
        self._nested = Nested()
        self._environment = environment
        self._readable = tuple(readable)
        self._home = Path(home).resolve() if (home := environment.get("HOME")) else None
        self._choices = tuple(confined_by) if confined_by is not None else None
        self._found: Description | None = None
        self._chosen: Confinement | None = None
        self._probing = asyncio.Lock()

    def tidy(self, roots: Iterable[Path]) -> list[Path]:
        """Clear up in these folders after processes that were killed while something ran; says what was removed."""
        return self._leavings.tidy(roots)

    @property
    def environment(self) -> dict[str, str]:
        """What of our environment a child that is not confined gets."""
        return child_environment(self._environment)

    async def describe(self) -> Description:
        """What is in use here; found out once."""
        async with self._probing:
            if self._found is None:
                self._found = await self._probe()
        return self._found

    async def _probe(self) -> Description:
        reasons: dict[str, str] = {}
        choices = confinements(self._environment) if self._choices is None else self._choices
        for choice in choices:
            if reason := choice.missing() or await self._tried(choice):
                reasons[choice.name] = reason
            else:
                self._chosen = choice
                return Description(confined_by=choice.name, not_confined=choice.not_confined, reasons=reasons)
        return Description(confined_by=None, not_confined=(), reasons=reasons)

    async def _tried(self, choice: Confinement) -> str:
        from .layout import lay_out

        layout = lay_out(Path("/usr"), [], [])
        limits = Limits(seconds=_PROBE_SECONDS)
        try:
            with choice.start(["/bin/sh", "-c", "exit 7"], layout, limits) as start:
                environment = child_environment(self._environment, start.environment)
                ended = await run_process(
                    start.argv, cwd=layout.cwd, environment=environment, limits=limits, pass_fds=start.descriptors
                )
        except OSError as error:
            return str(error)
        return "" if ended.exit_code == 7 else choice.failure(ended) or ended.stderr.text().strip() or "it does not work here"

    async def run(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        roots: Sequence[Path],
        limits: Limits = _ALONE,
        stdin: bytes | None = None,
        environment: Mapping[str, str] | None = None,
        readable: Iterable[Path] = (),
    ) -> Run:
        """Run a program confined.

        Args:
            argv: the program and its arguments; no shell reads them.
            cwd: where it starts; outside the roots, the first root. Without roots, a folder of the system.
            roots: where it may write, beside its temporary files.
            limits: what it may use.
            stdin: what it reads; the null device without.
            environment: set on top of the allow-list.
            readable: what else it may read.

        Raises:
            SandboxError: nothing confines here, the confinement could not be set up, or a root lies in the store; the program
                has not run.
            OSError: a root does not exist.
            asyncio.CancelledError: the caller was cancelled; nothing of the program is left.
        """
        from .layout import lay_out, search_path
        from .remembered import Memory

        await self.describe()
        chosen = self._chosen
        if chosen is None:
            raise SandboxError("nothing on this machine can confine a program", hint="install bubblewrap")
        seen = (*self._readable, *readable)
        layout = lay_out(cwd, roots, seen, self._home, chosen.placeholders, self._store, self._hidden, self._nested)
        watched = layout.guarded.everything if "guarded_places" in chosen.not_confined else layout.guarded.watched
        memory = Memory(watched, layout.writable)
        inner = child_environment(self._environment)
        inner["PATH"] = search_path(inner["PATH"], layout)
        try:
            with chosen.start(argv, layout, limits) as start, self._leavings.noted(start.leaves):
                ended = await run_process(
                    start.argv,
                    cwd=layout.cwd,
                    environment=inner | dict(start.environment) | dict(environment or {}),
                    limits=limits,
                    stdin=stdin,
                    pass_fds=start.descriptors,
                )
        finally:
            put_back, not_put_back = memory.put_back()
        if reason := chosen.failure(ended):
            raise SandboxError(f"the program could not be confined: {reason}")
        return _run(ended, chosen, put_back, not_put_back)


def _run(ended: Ended, chosen: Confinement, put_back: Sequence[Path], not_put_back: Sequence[Path]) -> Run:
    return Run(
        exit_code=ended.exit_code,
        stdout=ended.stdout,
        stderr=ended.stderr,
        truncated=bool(ended.stdout.omitted or ended.stderr.omitted),
        timed_out=ended.killed == "time",
        out_of_memory=ended.killed == "memory",
        too_many_processes=ended.killed == "processes",
        confined_by=chosen.name,
        not_confined=chosen.not_confined,
        put_back=tuple(put_back),
        not_put_back=tuple(not_put_back),
        seconds=ended.seconds,
    )
