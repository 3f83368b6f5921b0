"""How a server ends: asked to, it takes nothing new, lets what runs come to its end for a while, and goes."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Iterator

__all__ = ["GRACE", "asked_to_end"]

GRACE = 5.0
"""Seconds that running calls are given. Clients kill a server that takes much longer."""


@contextlib.contextmanager
def asked_to_end(end: Callable[[], None]) -> Iterator[None]:
    """Call ``end`` when the process is asked to go, as long as this is open. Asked again, it goes at once.

    Args:
        end: called in the event loop.
    """
    loop = asyncio.get_running_loop()
    signals = (signal.SIGINT, signal.SIGTERM)

    def asked() -> None:
        for number in signals:
            loop.remove_signal_handler(number)
        end()

    try:
        for number in signals:
            loop.add_signal_handler(number, asked)
    except NotImplementedError:
        # Windows has no signal handlers in the loop; there the end of the input is what ends a server.
        yield
        return
    try:
        yield
    finally:
        for number in signals:
            loop.remove_signal_handler(number)
