"""A search for a pattern that a model wrote: judged first, then made in a process of its own, under a wall clock."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ....errors import JSONError
from ....jsontext import dumps, loads
from ....safety import regexes
from ....store.blobs import encode_text
from ...sandbox import Limits, run_process
from ...sandbox.environment import child_environment
from ...tool import Refused, ToolContext

__all__ = ["SECONDS", "Matches", "search"]

SECONDS = 3.0
"""How long a search may take."""
_WORKER = Path(__file__).parent / "regex_worker.py"


@dataclass(frozen=True, slots=True)
class Matches:
    """What was found.

    Attributes:
        found: the first matches, in order.
        groups: the groups of each; ``None`` for one that took no part. Empty where the pattern has none.
        count: how many there are.
        literal: why the pattern was searched for as literal text; empty where it was not.
        complete: the search came to its end.
    """

    found: tuple[str, ...]
    groups: tuple[tuple[str | None, ...], ...]
    count: int
    literal: str = ""
    complete: bool = True


async def search(context: ToolContext, text: str, pattern: str, limit: int, *, ignore_case: bool) -> Matches:
    """Search for a pattern; one that is invalid or unsafe is searched for as literal text.

    Raises:
        Refused: the process broke.
    """
    flags = re.MULTILINE | (re.IGNORECASE if ignore_case else re.NOFLAG)
    verdict = regexes.judge(pattern, int(flags))
    literal = "" if verdict else Refused.by(verdict, context.words).text
    asked = re.escape(pattern) if literal else pattern
    head = dumps({"pattern": asked, "flags": int(flags)})
    ended = await run_process(
        [sys.executable, "-I", "-S", str(_WORKER), str(limit)],
        cwd=_WORKER.parent,
        environment=child_environment({}),
        limits=Limits(seconds=SECONDS, memory=1 << 30, processes=1, output=64 << 20),
        stdin=head + b"\n" + encode_text(text),
    )
    lines = _lines(ended.stdout.text())
    found = [line for line in lines if isinstance(line, list) and line]
    total = next((line["count"] for line in lines if isinstance(line, dict)), None)
    if total is None and ended.killed is None:
        raise Refused("runtime_error", context.words.shaping.engine_failed)
    return Matches(
        tuple(str(line[0]) for line in found),
        tuple(tuple(None if group is None else str(group) for group in line[1:]) for line in found if len(line) > 1),
        total if isinstance(total, int) else len(found),
        literal,
        total is not None,
    )


def _lines(written: str) -> Sequence[object]:
    """What the process wrote; a last line that was cut off says nothing."""
    lines: list[object] = []
    for line in written.splitlines():
        try:
            lines.append(loads(line))
        except JSONError:
            continue
    return lines
