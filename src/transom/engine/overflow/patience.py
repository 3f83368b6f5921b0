"""Waiting for code that may be anybody's: it ends the waiting neither with an exit nor by not letting itself be cancelled.

Knows tasks only.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

__all__ = ["GRACE", "ended"]

T = TypeVar("T")

GRACE = 0.5
"""Seconds that work has to put things away when it is cancelled."""


async def ended(work: Awaitable[T]) -> tuple[T, None] | tuple[None, BaseException]:
    """What work gives, or what it raises, whatever that is; it runs in a task of its own.

    An exit that a task raises would end its event loop, so it comes back as any other error, for the caller to decide.

    Raises:
        asyncio.CancelledError: whoever waits is cancelled. The work is cancelled too; where it has not ended within ``GRACE``
            seconds, nobody waits for it any more.
    """
    task = asyncio.create_task(_outcome(work))
    try:
        await asyncio.wait({task})
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.wait({task}, timeout=GRACE)
        raise
    return task.result()


async def _outcome(work: Awaitable[T]) -> tuple[T, None] | tuple[None, BaseException]:
    try:
        return await work, None
    except BaseException as error:  # noqa: BLE001  # the caller decides
        return None, error
