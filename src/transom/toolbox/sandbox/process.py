"""Runs one program and always comes back: bounded in time, memory and output, with nothing of it left over.

The one place where the toolbox starts a process. Knows nothing of confinement: who confines hands over another argv. Standard
input is the null device unless bytes are given, so a child never eats the stream of a protocol; the environment is exactly what
is handed in. A program that leaves grandchildren behind does not keep the call: they hold its pipes for a moment at most.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal

from . import census
from .output import Keeper, Output

__all__ = ["Ended", "Limits", "run_process"]

Killed = Literal["time", "memory", "processes", "enough"]

_SAMPLE_SECONDS = 0.2
_DRAIN_SECONDS = 0.3
_GONE_SECONDS = 5.0
_PIECES = {1: 0, 2: 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a program may use.

    Attributes:
        seconds: of the clock on the wall.
        memory: bytes, of the program and all it starts together; ``None`` for no bound. Sampled five times a second where
            ``/proc`` is there; a sandbox also bounds each process by itself, at once.
        address_space: bytes of addresses each process may reserve; ``None`` for no bound.
        processes: how many it may be at once.
        output: bytes kept of each of its two streams.
        file_size: bytes of the largest file it may write; ``None`` for no bound.
    """

    seconds: float = 60.0
    memory: int | None = 2 << 30
    address_space: int | None = None
    processes: int = 512
    output: int = 4 << 20
    file_size: int | None = 2 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a program ended.

    Attributes:
        exit_code: its status; 128 and the signal's number where a signal ended it.
        stdout, stderr: what it wrote.
        killed: why we ended it, if we did; ``enough``: whoever takes its output wants no more.
        seconds: how long it ran.
    """

    exit_code: int
    stdout: Output
    stderr: Output
    killed: Killed | None = None
    seconds: float = 0.0


class _Watcher(asyncio.SubprocessProtocol):
    """Hears from the child; keeps what it writes, or hands it on."""

    def __init__(self, limit: int, take: Callable[[bytes], bool] | None) -> None:
        self.kept = (Keeper(limit), Keeper(limit))
        self.exited = asyncio.Event()
        self.enough = False
        self.over = asyncio.Event()
        self._take = take
        self.drained = asyncio.Event()
        self._open = 2

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd != 1 or self._take is None:
            self.kept[_PIECES[fd]].take(data)
        elif not self.enough and not self._take(data):
            self.enough = True
            self.over.set()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002 - the protocol's names
        self._open -= 1
        if not self._open:
            self.drained.set()

    def process_exited(self) -> None:
        self.exited.set()
        self.over.set()


def _group_kill(transport: asyncio.SubprocessTransport) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            transport.kill()
        else:
            # The group has the number of its first process and keeps it for as long as one of them lives.
            os.killpg(transport.get_pid(), signal.SIGKILL)


async def _sample(leader: int, limits: Limits) -> Literal["memory", "processes"]:
    """Returns when a bound is passed."""
    while True:
        await asyncio.sleep(_SAMPLE_SECONDS)
        alive = census.members(leader)
        if limits.memory is not None and sum(member.resident for member in alive) > limits.memory:
            return "memory"
        if len(alive) > limits.processes:
            return "processes"


async def _nothing_left(leader: int) -> None:
    """Kill until nothing is left. All are stopped first: what a process starts while it dies would be nobody's child."""
    pause = 0.002
    end = time.monotonic() + _GONE_SECONDS
    known = census.freeze(leader)
    while census.kill(leader, known) and time.monotonic() < end:
        await asyncio.sleep(pause)
        pause = min(pause * 2, 0.1)


async def _within(event: asyncio.Event, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return False
    return True


async def _watched(watcher: _Watcher, leader: int, limits: Limits) -> Killed | None:
    """Wait for its end, or for a reason to end it."""
    if not census.available():
        over = await _within(watcher.over, limits.seconds)
        return ("enough" if watcher.enough else None) if over else "time"
    sampling = asyncio.create_task(_sample(leader, limits))
    ending = asyncio.create_task(watcher.over.wait())
    try:
        await asyncio.wait({sampling, ending}, timeout=limits.seconds, return_when=asyncio.FIRST_COMPLETED)
        if ending.done():
            return "enough" if watcher.enough else None
        return sampling.result() if sampling.done() else "time"
    finally:
        sampling.cancel()
        ending.cancel()


async def _end(transport: asyncio.SubprocessTransport, watcher: _Watcher, *, killed: bool) -> None:
    """Leave nothing behind: the group first, then whoever left it, then the pipes."""
    leader = transport.get_pid()
    if killed and census.available():
        await _nothing_left(leader)
    _group_kill(transport)
    await _within(watcher.exited, _GONE_SECONDS)
    await _within(watcher.drained, _DRAIN_SECONDS)
    transport.close()
    # The transport tells of its end on a later turn of the loop; without it, it would complain of being forgotten.
    await asyncio.sleep(0)


def _input(stdin: bytes | None) -> IO[bytes] | int:
    """A file, not a pipe: nobody has to feed it while the program runs."""
    if stdin is None:
        return subprocess.DEVNULL
    file = tempfile.TemporaryFile()  # noqa: SIM115 - whoever starts the program closes it
    file.write(stdin)
    file.seek(0)
    return file


async def run_process(
    argv: Sequence[str],
    *,
    cwd: Path,
    environment: Mapping[str, str],
    limits: Limits,
    stdin: bytes | None = None,
    pass_fds: Sequence[int] = (),
    take: Callable[[bytes], bool] | None = None,
) -> Ended:
    """Run a program to its end.

    Args:
        argv: the program and its arguments; no shell reads them.
        cwd: where it starts.
        environment: all of it.
        limits: what it may use.
        stdin: what it reads; the null device without.
        pass_fds: descriptors it inherits (not on Windows).
        take: gets standard output in pieces as they come, instead of it being kept; says whether it wants more. When it does
            not, the program is ended. Called in the loop's thread; must not raise.

    Raises:
        OSError: it could not be started, for example because it does not exist.
        asyncio.CancelledError: the caller was cancelled; the program and all it started are gone by then.
    """
    loop = asyncio.get_running_loop()
    source = _input(stdin)
    started = time.monotonic()
    extra: dict[str, Any] = {} if sys.platform == "win32" else {"pass_fds": tuple(pass_fds), "start_new_session": True}
    try:
        transport, watcher = await loop.subprocess_exec(
            lambda: _Watcher(limits.output, take), *argv, stdin=source, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            cwd=str(cwd), env=dict(environment), **extra,
        )  # fmt: skip
    finally:
        if not isinstance(source, int):
            source.close()
    killed: Killed | None = None
    finished = False
    try:
        killed = await _watched(watcher, transport.get_pid(), limits)
        finished = killed is None
        if finished:
            await _within(watcher.drained, _DRAIN_SECONDS)
    finally:
        await _end(transport, watcher, killed=not finished)
    code = transport.get_returncode()
    stdout, stderr = (keeper.output() for keeper in watcher.kept)
    return Ended(exit_code=_status(code), stdout=stdout, stderr=stderr, killed=killed, seconds=time.monotonic() - started)


def _status(code: int | None) -> int:
    if code is None:
        return 128 + 9
    return 128 - code if code < 0 else code
