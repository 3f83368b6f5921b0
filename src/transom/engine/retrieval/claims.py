"""Claims: who may write an entry now, decided between processes over any backend.

A backend has no compare-and-swap, so an edit would lose what another process wrote between its reading and its writing. Whoever
edits therefore first puts a claim beside those of others and then looks: every claim is put before its owner looks, so of two
that overlap at least one sees the other. The one that sorts first waits until it is alone, all others withdraw and try again.
A claim whose owner died counts for ``LEASE`` seconds.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from .host import Host
from .refusal import Refused

__all__ = ["LEASE", "claimed"]

LEASE = 30.0
"""Seconds; no edit takes as long."""

_NAMESPACE = "intents"
_TRIES = 60
_LONGEST_WAIT = 0.1
"""Seconds between two looks. Sixty of them, the first ones shorter, are five seconds."""


@asynccontextmanager
async def claimed(host: Host, uri: str) -> AsyncIterator[None]:
    """Nobody else who claims ``uri`` writes it until the block ends.

    Raises:
        Refused: others kept it busy for seconds.
    """
    folder = f"edits/{hashlib.sha256(uri.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}/"
    mine = folder + host.token()
    held = False
    try:
        for attempt in range(_TRIES):
            if not held:
                await host.store.put(_NAMESPACE, repr(host.clock() + LEASE), path=mine, index=False)
                held = True
            others = await _others(host, folder, mine)
            if not others:
                break
            if min(others) < mine:
                await host.store.delete(_NAMESPACE, mine)
                held = False
            await asyncio.sleep(min(_LONGEST_WAIT, 0.002 * 2 ** min(attempt, 10)))
        else:
            raise Refused("busy", uri=uri)
        yield
    finally:
        if held:
            await host.store.delete(_NAMESPACE, mine)


async def _others(host: Host, folder: str, mine: str) -> list[str]:
    """Claims of others that count. Those of the dead are cleared away."""
    counting = []
    for path in await host.store.list(_NAMESPACE, folder):
        if path == mine:
            continue
        entry = await host.store.read(_NAMESPACE, path)
        if entry is None:
            continue
        if _until(entry.data) < host.clock():
            await host.store.delete(_NAMESPACE, path)
        else:
            counting.append(path)
    return counting


def _until(data: bytes) -> float:
    """The time up to which a claim counts; one that cannot be read does not."""
    try:
        return float(data)
    except ValueError:
        return 0.0
