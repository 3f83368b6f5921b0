"""A gateway that serves one client ends with it, however that ends.

Knows processes. Where the system says whose child we are, that is asked; on Windows our input ends with who started us.
"""

from __future__ import annotations

import asyncio
import os
import sys

__all__ = ["gone"]

_EVERY = 0.5
"""Seconds between looks."""


async def gone(parent: int) -> None:
    """Return once the process that started us is gone.

    Args:
        parent: its number, as it was when it started us.
    """
    if sys.platform == "win32":  # pragma: no cover - other platforms
        await asyncio.to_thread(sys.stdin.buffer.read)
        return
    while os.getppid() == parent:  # noqa: ASYNC110  # nothing tells of it
        await asyncio.sleep(_EVERY)
