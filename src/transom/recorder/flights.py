"""Flight records: one JSON object a compile, so that each can be explained later.

Knows the engine's events and the store. Records are collected while compiles run and written in batches by whoever owns the
store: what a record costs must not be paid inside a compile.
"""

from __future__ import annotations

from ..engine.events import CompileDone
from ..engine.explaining import account
from ..engine.payload import PayloadMeta
from ..jsontext import dumps
from ..store.backend import Write
from ..store.store import Store

__all__ = ["FlightRecorder", "flight"]


def flight(meta: PayloadMeta) -> dict[str, object]:
    """What a compile did, as JSON values: what each part cost, what moved where and why, how far the prefix held."""
    return account(meta)


class FlightRecorder:
    """Collects one record a compile for a session.

    Args:
        session: where the records lie in the namespace ``flights``: ``<session>/<number>``.
    """

    def __init__(self, session: str) -> None:
        self.session = session
        self.records: list[dict[str, object]] = []
        self._written = 0

    def accept(self, event: object) -> None:
        """Take an event; only finished compiles are recorded."""
        if isinstance(event, CompileDone):
            self.records.append(flight(event.meta))

    def close(self) -> None:
        """Nothing is held open."""

    async def flush(self, store: Store) -> None:
        """Write what was not written yet.

        Raises:
            StoreError: it could not be; the records are kept for the next try.
        """
        fresh = self.records[self._written :]
        if fresh:
            start = self._written + 1
            await store.commit(
                [
                    Write("flights", f"{self.session}/{number:06d}", dumps(record))
                    for number, record in enumerate(fresh, start=start)
                ]
            )
            self._written = len(self.records)
