"""A process of a search, for a plain tool to wait for: it ends when the call is called off, and nothing of it is left."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ..sandbox import Ended, Limits, run_process
from ..tool import ToolContext

__all__ = ["run"]

_GLANCE = 0.05
"""Seconds between two looks at whether the caller still waits."""


def run(
    context: ToolContext,
    argv: Sequence[str],
    *,
    cwd: Path,
    environment: Mapping[str, str],
    limits: Limits,
    stdin: bytes | None = None,
    take: Callable[[bytes], bool] | None = None,
) -> Ended:
    """Run a program to its end; the arguments are those of ``run_process``.

    Raises:
        OSError: it could not be started.
        CallCancelled: the caller gave up.
    """

    async def watched() -> Ended:
        running = asyncio.create_task(
            run_process(argv, cwd=cwd, environment=environment, limits=limits, stdin=stdin, take=take)
        )
        try:
            while not (await asyncio.wait({running}, timeout=_GLANCE))[0]:
                context.check()
            return running.result()
        finally:
            if not running.done():
                running.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await running

    return context.wait(watched())
