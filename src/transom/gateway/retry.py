"""The second try of a request that was too long: once, and before any of an answer went out.

Knows exchanges, the guard by what it promises, and how overflows show: in a refusal, in an error inside an answer, or in an
answer that says next to nothing.
"""

from __future__ import annotations

import logging

from .asking import Asking
from .exchange import Exchange, Reported
from .overflows import Overflow, likely, overflow, silent
from .parties import Guarding
from .streams import Fault, Reader

__all__ = ["Retry"]

_log = logging.getLogger(__name__)


class Retry:
    """Has a request made smaller where it was too long.

    Args:
        exchange: the request.
        asking: how it is asked.
        guard: makes it smaller.
    """

    def __init__(self, exchange: Exchange, asking: Asking, guard: Guarding) -> None:
        self._exchange = exchange
        self._asking = asking
        self._guard = guard
        self._is_free = True

    async def refused(self, status: int, body: bytes) -> bool:
        """Whether a refusal is to be answered with a smaller request, which the exchange then holds."""
        assert self._exchange.endpoint is not None
        return await self._smaller(likely(overflow(self._exchange.endpoint.protocol, status, body), self._exchange))

    async def failed(self, fault: Fault) -> bool:
        """The same of an error that stands inside an answer."""
        return await self.refused(fault.status or 200, fault.body)

    async def answered(self, reported: Reported | None, read: Reader) -> bool:
        """The same of an answer that says nothing because there was no room for it."""
        return silent(self._exchange, reported, read) and await self._smaller(Overflow(certain=False))

    async def _smaller(self, found: Overflow | None) -> bool:
        if found is None or not self._is_free or self._asking.stream is not None:
            return False
        self._is_free = False
        exchange = self._exchange
        asked = exchange.sent
        self._asking.unedited()
        try:
            smaller = await self._guard.overflowed(exchange, found.said, found.window, certain=found.certain)
        except Exception:  # noqa: BLE001 - a fault of the guard must not take the upstream's answer away
            _log.exception("request %s is not made smaller", exchange.id)
            exchange.decide("guard", "failed", "a fault of the guard; see the log")
            smaller = False
        if not smaller:
            exchange.sent = asked
        return smaller
