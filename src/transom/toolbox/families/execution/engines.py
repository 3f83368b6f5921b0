"""Interpreters that confine what they run by themselves, each in a process of its own, and where they are installed.

Where the operating system confines as well, their processes run in its sandbox too: two walls instead of one.
"""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from importlib import metadata
from pathlib import Path

from ....errors import JSONError
from ....jsontext import loads
from ....vocabulary.executing import ExecutingWords
from ...sandbox import Limits, Sandbox, interpreter, run_process
from ...tool import Refused
from .javascript_worker import SEPARATOR
from .outcome import Outcome, outcome_of, outcome_of_ended

__all__ = ["run_javascript_engine", "run_restricted_python"]

_HERE = Path(__file__).parent
_START_SECONDS = 5.0
"""What an engine may take to start, on top of what its program may take."""


def _place(module: str) -> Path | None:
    spec = importlib.util.find_spec(module)
    return Path(spec.origin).parent if spec is not None and spec.origin else None


async def run_javascript_engine(source: bytes, *, sandbox: Sandbox, limits: Limits, words: ExecutingWords) -> Outcome:
    """Run JavaScript. The engine touches no file, so its process is shown none but its own.

    Raises:
        Refused: ``unavailable``: the engine is not installed.
    """
    place = _place("_quickjs")
    try:
        # Its older namesake, the package "quickjs", crashes at the memory limit.
        metadata.version("quickjs-ng")
    except metadata.PackageNotFoundError:
        place = None
    if place is None:
        raise Refused("unavailable", words.missing_engine.format(engine="quickjs-ng", extra="mcp"))
    worker = _HERE / "javascript_worker.py"
    argv = [sys.executable, "-I", "-S", str(worker), str(limits.memory or 0), str(place)]
    # The engine's own bound goes first, and says what happened; that of its process leaves room for the interpreter.
    roomy = replace(limits, memory=(limits.memory or 0) + (256 << 20))
    cwd, seen = Path(sys.prefix), (*interpreter(), worker)
    if (await sandbox.describe()).confined_by is None:
        ended = await run_process(argv, cwd=cwd, environment=sandbox.environment, limits=roomy, stdin=source)
        return _with_value(outcome_of_ended(ended, "quickjs", words))
    engine = next(place.glob("_quickjs*"))
    run = await sandbox.run(argv, cwd=cwd, roots=(), limits=roomy, stdin=source, readable=(*seen, engine))
    outcome = _with_value(outcome_of(run, words))
    return replace(outcome, confined_by=f"quickjs in {run.confined_by}", not_confined=())


def _with_value(outcome: Outcome) -> Outcome:
    """What the worker wrote after its separator, taken out of what the program wrote."""
    written, separator, value = outcome.stdout.rpartition(SEPARATOR)
    if not separator:
        return outcome
    try:
        return replace(outcome, stdout=written, value=str(loads(value)))
    except JSONError:
        return outcome


async def run_restricted_python(
    source: bytes, *, sandbox: Sandbox, cwd: Path, limits: Limits, words: ExecutingWords
) -> Outcome:
    """Run Python in the restricted interpreter.

    Raises:
        Refused: ``unavailable``: it is not installed.
    """
    place = _place("pydantic_monty")
    if place is None:
        raise Refused("unavailable", words.missing_engine.format(engine="pydantic-monty", extra="sandbox"))
    argv = [
        sys.executable,
        "-I",
        str(_HERE / "restricted_worker.py"),
        str(limits.seconds),
        str(limits.memory or 0),
        str(place.parent),
    ]
    roomy = replace(limits, memory=(limits.memory or 0) + (256 << 20), seconds=limits.seconds + _START_SECONDS)
    ended = await run_process(argv, cwd=cwd, environment=sandbox.environment, limits=roomy, stdin=source)
    outcome = outcome_of_ended(ended, "the restricted interpreter", words)
    late = ended.exit_code == 1 and "TimeoutError: feed time limit exceeded" in outcome.stderr
    return replace(outcome, killed="time" if late else outcome.killed, note=words.restricted)
