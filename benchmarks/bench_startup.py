"""What it costs to start: the library's import, the command line's help."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

from figures import Figure, run_process

REPEAT = 9


def measure() -> Iterable[Figure]:
    """Processor time of whole processes; the wall time of the same runs stands in the note."""
    yield from _rows("python -c pass", ["-c", "pass"], None, None, "included in the rows below; ")
    yield from _rows("import transom", ["-c", "import transom"], 150, 45)
    # What a user's first line really does: names are loaded when they are first asked for. The promise is on the line above.
    yield from _rows("from transom import Context", ["-c", "from transom import Context"], None, 45)
    yield from _rows("transom --help", ["-m", "transom", "--help"], 300, None)


def _rows(
    name: str, arguments: list[str], time_bound: float | None, memory_bound: float | None, note: str = ""
) -> Iterable[Figure]:
    run_process(arguments)
    runs = [run_process(arguments) for _ in range(REPEAT)]
    wall = median(run.wall for run in runs)
    yield Figure(name, median(run.processor for run in runs), "ms", at_most=time_bound, note=f"{note}wall {wall:.0f} ms")
    yield Figure(f"{name}, peak memory", median(run.peak for run in runs), "MB", at_most=memory_bound)
