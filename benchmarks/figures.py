"""What a benchmark gives back, and the ways of measuring that more than one of them needs."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["Figure", "median_ms", "run_process"]


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


def median_ms(work: Callable[[], object], *, repeat: int = 7) -> float:
    """Median wall time of ``work`` in milliseconds."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)


def run_process(arguments: Sequence[str]) -> tuple[float, float]:
    """Run Python with these arguments: wall time in milliseconds, peak memory in MB."""
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    elapsed = (time.perf_counter() - start) * 1000
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"python {' '.join(arguments)} ended with {process.returncode}")
    # Kilobytes on Linux, bytes on macOS: getrusage(2) of either.
    return elapsed, usage.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
