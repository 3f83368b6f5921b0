"""What a benchmark gives back, and the ways of measuring that more than one of them needs.

Times are processor time wherever work is done in one process: on a shared machine wall time says how busy it was. On a quiet
one the two are the same, since nothing measured here waits for anything but the disk, and what waits for the disk says so.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["HERE", "TRANSCRIPTS", "Figure", "Run", "median_ms", "resident_mb", "run_process", "timed"]

HERE = Path(__file__).resolve().parent
TRANSCRIPTS = HERE.parent / ".." / "shared" / "data" / "transcripts"
"""Recorded sessions beside the checkout; benchmarks say what they measured on where there are none."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number.

    Attributes:
        what, value, unit: the measurement.
        at_most, at_least: the bound that the project promises, in the same unit.
        note: what a reader must know to judge it, in a few words.
    """

    what: str
    value: float
    unit: str
    at_most: float | None = None
    at_least: float | None = None
    note: str = ""

    @property
    def kept(self) -> bool:
        """Whether the bound is kept; true where none is promised."""
        low = self.at_least is None or self.value >= self.at_least
        return low and (self.at_most is None or self.value <= self.at_most)

    @property
    def bound(self) -> str:
        """The bound in words."""
        if self.at_most is not None:
            return f"at most {self.at_most:g}"
        return "" if self.at_least is None else f"at least {self.at_least:g}"


@dataclass(frozen=True, slots=True)
class Run:
    """What one process took: wall and processor time in milliseconds, peak memory in MB."""

    wall: float
    processor: float
    peak: float


def timed(work: Callable[[], object]) -> float:
    """Processor time of ``work`` in milliseconds, all threads of this process together."""
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1000


def median_ms(work: Callable[[], object], *, repeat: int = 7) -> float:
    """Median processor time of ``work`` in milliseconds."""
    return statistics.median(timed(work) for _ in range(repeat))


def run_process(arguments: Sequence[str]) -> Run:
    """Run Python with these arguments.

    Raises:
        RuntimeError: it failed.
    """
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    elapsed = (time.perf_counter() - start) * 1000
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"python {' '.join(arguments)} ended with {process.returncode}")
    # Kilobytes on Linux, bytes on macOS: getrusage(2) of either.
    peak = usage.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
    return Run(elapsed, (usage.ru_utime + usage.ru_stime) * 1000, peak)


def resident_mb() -> float:
    """Memory of this process that is resident now, in MB of 2**20 bytes. Linux only.

    Raises:
        OSError: there is no ``/proc``.
    """
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)
