"""What takes in everything that happens: a flight recorder, a tracer, a log.

Pure: a protocol. Sinks live above the engine; the runtime joins them to its bus.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

__all__ = ["Sink"]


@runtime_checkable
class Sink(Protocol):
    """Takes every event of a bus, in order."""

    def accept(self, event: object) -> None:
        """Take one event, quickly: the compile waits for it. What it raises is reported and goes no further."""
        ...

    def close(self) -> None:
        """Write out what is held back. No event follows."""
        ...
