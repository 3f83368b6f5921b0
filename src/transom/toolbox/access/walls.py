"""A wall clock around calls to the file system, which may hang: cloud folders, network mounts, FIFOs.

Knows no paths. A system call that hangs cannot be called off, so the work runs in a thread of its own, which is left behind
when the time is up; what it found until then is the answer, and said to be a part.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

__all__ = ["Gathered", "gather"]

Item = TypeVar("Item")

_GLANCE = 0.05
"""Seconds between two looks at whether the caller still waits."""


class _Over(Exception):
    """Nobody waits for the rest."""


@dataclass(frozen=True, slots=True)
class Gathered(Generic[Item]):
    """What was found.

    Attributes:
        items: in the order they were found.
        complete: that is all; otherwise the time was up.
    """

    items: list[Item]
    complete: bool


def gather(
    find: Callable[[Callable[[], None]], Iterable[Item]], *, seconds: float, go_on: Callable[[], None] = lambda: None
) -> Gathered[Item]:
    """Find things for so long.

    Args:
        find: gives what it finds one by one; gets a function to call between them, which ends it when the time is up.
        seconds: how long, at most.
        go_on: asked while waiting; what it raises ends the work and is raised.

    Raises:
        Exception: what ``find`` or ``go_on`` raises.
    """
    items: list[Item] = []
    failure: list[BaseException] = []
    over, done = threading.Event(), threading.Event()

    def halt() -> None:
        if over.is_set():
            raise _Over

    def run() -> None:
        try:
            for item in find(halt):
                halt()
                items.append(item)
        except _Over:
            pass
        except BaseException as error:  # noqa: BLE001 - raised again by whoever waits
            failure.append(error)
        finally:
            done.set()

    end = time.monotonic() + seconds
    threading.Thread(target=run, name="transom-wall", daemon=True).start()
    try:
        while not done.wait(max(0.0, min(_GLANCE, end - time.monotonic()))):
            go_on()
            if time.monotonic() >= end:
                return Gathered(list(items), complete=False)
    finally:
        over.set()
    if failure:
        raise failure[0]
    return Gathered(items, complete=True)
