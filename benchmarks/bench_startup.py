"""What it costs to start: the library's import, the command line's help."""

from __future__ import annotations

import statistics
from collections.abc import Iterable

from figures import Figure, run_process

REPEAT = 9


def measure() -> Iterable[Figure]:
    bare, _ = _median(["-c", "pass"])
    yield Figure("python -c pass", bare, "ms", note="included in the rows below")
    elapsed, memory = _median(["-c", "import transom"])
    yield Figure("import transom", elapsed, "ms", at_most=150)
    yield Figure("import transom, memory", memory, "MB", at_most=45)
    elapsed, memory = _median(["-c", "from transom import Context"])
    yield Figure("from transom import Context", elapsed, "ms")
    yield Figure("from transom import Context, memory", memory, "MB", at_most=45)
    elapsed, _ = _median(["-m", "transom", "--help"])
    yield Figure("transom --help", elapsed, "ms", at_most=300)


def _median(arguments: list[str]) -> tuple[float, float]:
    run_process(arguments)
    runs = [run_process(arguments) for _ in range(REPEAT)]
    return statistics.median(elapsed for elapsed, _ in runs), statistics.median(memory for _, memory in runs)
