"""A guard that a request can switch off, or ask what it would do."""

from __future__ import annotations

from ..exchange import BYPASS, DRY_RUN, Exchange
from ..parties import Guarding
from .keeping import Keeping

__all__ = ["Switch"]


class Switch:
    """Stands before a guard.

    Args:
        guard: who decides where nobody asked for anything else.
        dry: every request goes on as it came, and only what would have been done is told.
        keeping: where the store is; without it, nothing leaves a window.
    """

    def __init__(self, guard: Guarding, *, dry: bool = False, keeping: Keeping | None = None) -> None:
        self._guard = guard
        self._dry = dry
        self._keeping = keeping

    async def before(self, exchange: Exchange) -> None:
        """Make a request fit, unless it says ``x-transom-bypass: 1``; with ``x-transom-dry-run: 1`` only say how."""
        if exchange.asks(BYPASS):
            exchange.decide("guard", "bypassed", "the request says so")
            return
        exchange.dry = exchange.dry or self._dry or exchange.asks(DRY_RUN)
        if self._is_lost(exchange):
            return
        await self._guard.before(exchange)
        # What was stored meanwhile may have gone with the file.
        if exchange.edited and self._is_lost(exchange):
            exchange.sent = exchange.body

    async def overflowed(self, exchange: Exchange, said: int | None, window: int | None, *, certain: bool = True) -> bool:
        """Make a refused request smaller, unless it is to stay as it is."""
        if exchange.dry or exchange.asks(BYPASS):
            return False
        if self._is_lost(exchange):
            return False
        return await self._guard.overflowed(exchange, said, window, certain=certain) and not self._is_lost(exchange)

    async def after(self, exchange: Exchange) -> None:
        """Pass on what the upstream counted, of requests that the guard has seen."""
        if not exchange.asks(BYPASS):
            await self._guard.after(exchange)

    def _is_lost(self, exchange: Exchange) -> bool:
        said = self._keeping.lost() if self._keeping is not None else ""
        if said:
            exchange.decide("guard", "failed", said)
        return bool(said)
