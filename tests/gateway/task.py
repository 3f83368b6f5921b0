"""A task of twelve steps, each with a large result, that no window of 36,000 tokens holds; and how it is judged afterwards."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from transom.gateway.exchange import by_name
from transom.gateway.identity import scope_of
from transom.runtime import open_store
from transom.testing.provider import Received, Reply, calls, says

STEPS = 12
WINDOW = 36_000
DONE = "All twelve parts are read."


def mark(step: int) -> str:
    """What only the result of one step says."""
    return f"MARK-{step:02d}-{(step * 7919) % 9973:04d}"


def result(step: int, size: int = 18_000) -> str:
    """The result of a step: lines that differ, with its mark in the first."""
    lines = [
        f"{step:02d}:{number:04d} worker {number % 7} took job {(number * 37 + step) % 1000}" for number in range(size // 34)
    ]
    # At its beginning: clients shorten what is long for them in the middle.
    lines[0] += f" {mark(step)}"
    return "\n".join(lines)


class Script:
    """Calls ``tool`` once a step, and says so when all is done. Requests without tools are side requests.

    Args:
        tool: the tool that gives results.
        arguments: what it is called with at a step.
        call: how it is called with them.
    """

    def __init__(self, tool: str, arguments: Callable[[int], Mapping[str, object]], call: Callable[..., Reply] = calls) -> None:
        self._tool = tool
        self._arguments = arguments
        self._call = call
        self._lock = threading.Lock()
        self.step = 0
        self.largest = 0

    def __call__(self, received: Received) -> Reply:
        if self._tool not in received.tools:
            return says("A title")
        with self._lock:
            self.largest = max(self.largest, received.tokens)
            if self.step == STEPS:
                return says(DONE)
            self.step += 1
            return self._call(self._tool, **self._arguments(self.step))


async def readable(store: Path, headers: Mapping[str, str], query: str = "") -> str:
    """All that the store holds for whoever sent these headers, read by its addresses."""
    scope = scope_of(by_name([*headers.items()]), query)
    found: list[bytes] = []
    async with open_store(store) as opened:
        kept = opened.scoped(scope) if scope else opened
        for namespace in ("vfs", "archive"):
            found += [await kept.get(kept.uri(namespace, path)) for path in await kept.list(namespace)]
    return b"\n".join(found).decode("utf-8", "replace")


def missing(*texts: str) -> list[str]:
    """The marks that none of the texts has."""
    whole = "\n".join(texts)
    return [mark(step) for step in range(1, STEPS + 1) if not re.search(re.escape(mark(step)), whole)]
