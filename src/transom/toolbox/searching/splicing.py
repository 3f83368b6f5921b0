"""What a regular expression replaces in some bodies, worked out in a process of its own under a wall clock."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from ...errors import JSONError
from ...jsontext import dumps, loads
from ..sandbox import Limits, child_environment
from ..tool import Refused, ToolContext
from .running import run

__all__ = ["TooSlow", "changes"]

_WORKER = Path(__file__).parent / "splicing_worker.py"
_MOST = 200_000


class TooSlow(Exception):
    """The time was up."""


def changes(
    context: ToolContext,
    pattern: str,
    parts: Sequence[str | int],
    bodies: Sequence[bytes],
    *,
    flags: re.RegexFlag,
    seconds: float,
) -> list[list[tuple[int, int, bytes]]]:
    """Offsets and new bytes, for each body. A match lies within one line.

    Args:
        context: on whose behalf.
        pattern: a regular expression that ``safety.regexes`` allows.
        parts: the new text; a number is a group.
        bodies: bytes in which ASCII is ASCII; a line ends with LF, or with CR where there is no LF.
        flags: of ``re``.
        seconds: how long.

    Raises:
        TooSlow: longer, or there are more than 200,000.
        Refused: ``runtime_error``: the process broke.
    """
    head = {
        "pattern": pattern, "flags": int(flags), "parts": list(parts), "most": _MOST, "sizes": [len(body) for body in bodies],
    }  # fmt: skip
    ended = run(
        context,
        [sys.executable, "-I", "-S", "-W", "ignore", str(_WORKER)],
        cwd=_WORKER.parent,
        environment=child_environment({}),
        limits=Limits(seconds=seconds, memory=1 << 30, processes=8, output=256 << 20),
        stdin=b"\n".join((dumps(head), b"".join(bodies))),
    )
    if ended.killed or ended.stdout.omitted:
        raise TooSlow
    if ended.exit_code:
        raise Refused("runtime_error", context.words.seeking.broke)
    found: list[list[tuple[int, int, bytes]]] = []
    for line in ended.stdout.head.splitlines():
        try:
            changed = loads(line)
        except JSONError:
            break
        assert isinstance(changed, list)
        found.append([(int(start), int(end), str(text).encode("latin-1")) for start, end, text in changed])
    if len(found) < len(bodies):
        raise TooSlow
    return found
