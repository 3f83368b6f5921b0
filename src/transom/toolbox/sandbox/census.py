"""Which processes belong to one that we started, and what they weigh. Linux only: it reads ``/proc``.

A process belongs to it by descent or by process group: a daemon that left its parent is still in the group, or below the first
process of its PID namespace, which is a descendant.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Member", "available", "freeze", "kill", "members"]

_PROC = Path("/proc")
_ROUNDS = 20


def available() -> bool:
    """Whether there is something to read here."""
    return sys.platform == "linux" and (_PROC / "self" / "stat").exists()


@dataclass(frozen=True, slots=True)
class Member:
    """One process.

    Attributes:
        pid: its number.
        resident: bytes of memory it holds, shared ones included.
    """

    pid: int
    resident: int


def members(leader: int, known: Collection[int] = ()) -> list[Member]:
    """Everything alive that belongs to a process, itself included. What has ended and waits to be reaped does not count.

    Args:
        leader: the number of the process, which is also that of its group.
        known: further numbers that belong to it, from an earlier look: what they started is found when it is an orphan.
    """
    children: dict[int, list[int]] = {}
    rows: dict[int, tuple[bool, int]] = {}
    found: list[int] = []
    page = os.sysconf("SC_PAGE_SIZE")
    for entry in os.listdir(_PROC):  # noqa: PTH208 - a third of the time, and this is asked while a command runs
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", "rb") as file:  # noqa: PTH123
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue
        pid = int(entry)
        rows[pid] = (fields[0] not in {b"Z", b"X"}, int(fields[21]) * page)
        children.setdefault(int(fields[1]), []).append(pid)
        if pid == leader or int(fields[2]) == leader or pid in known:
            found.append(pid)
    seen = set(found)
    for pid in found:
        fresh = [child for child in children.get(pid, ()) if child not in seen]
        seen.update(fresh)
        found.extend(fresh)
    return [Member(pid, rows[pid][1]) for pid in found if rows[pid][0]]


def freeze(leader: int) -> set[int]:
    """Stop whatever belongs to it, until a look finds nothing new: what is stopped starts nothing more.

    Returns:
        The numbers of all of them.
    """
    known: set[int] = set()
    for _ in range(_ROUNDS):
        fresh = {member.pid for member in members(leader, known)} - known
        if not fresh:
            break
        _signal(fresh, signal.SIGSTOP)
        known |= fresh
    return known


def kill(leader: int, known: Collection[int]) -> bool:
    """Kill whatever belongs to it, or is known to. Says whether anything was left to kill."""
    alive = [member.pid for member in members(leader, known)]
    _signal(alive, signal.SIGKILL)
    return bool(alive)


def _signal(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
