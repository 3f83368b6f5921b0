"""What answers teach: how a model counts, and that a server left something out.

Knows contexts by what is reported to them, calibrations, and where windows are known from. Nothing that was sent changes by it.
"""

from __future__ import annotations

import logging

from ..engine.context import Context
from ..tokens.calibration import Calibration
from .calibrations import Calibrations
from .exchange import Exchange
from .overflows import absurd, cut
from .turns import Turns
from .window_source import WindowSource

__all__ = ["Learning"]

_STEP = "guard"
_TAUGHT, _SURE = 3, 0.1
"""Reports of a model, and the error of our count after them, from which a small lack shows that something was cut too."""

_log = logging.getLogger(__name__)


class Learning:
    """Learns from what upstreams count.

    Args:
        turns: contexts of conversations.
        windows: is told of what was read.
        calibrations: what is known of how each model counts; without any, each conversation learns it for itself.
    """

    def __init__(self, turns: Turns, windows: WindowSource, calibrations: Calibrations | None) -> None:
        self._turns = turns
        self._windows = windows
        self._calibrations = calibrations
        self._absurd: set[str] = set()

    async def after(self, exchange: Exchange) -> None:
        """Take what the upstream counted as what the request weighs."""
        reported = exchange.reported
        if reported is None or reported.input_tokens <= 0 or not exchange.session:
            return
        read = reported.input_tokens
        if absurd(exchange, reported):
            exchange.decide(_STEP, "ignored", f"no request of {len(exchange.sent)} bytes has {read} tokens")
            if exchange.upstream.name not in self._absurd:
                self._absurd.add(exchange.upstream.name)
                _log.warning("request %s: %s counts more tokens than can be: %s", exchange.id, exchange.upstream.name, read)
            return
        if exchange.window is None or exchange.dry or exchange.tokens_after is None:
            # Nothing was compiled, or not what was sent.
            await self._noted(exchange, read + reported.output_tokens, was_cut=cut(exchange, reported))
            return
        async with self._turns.of(exchange) as context:
            known = context.calibration
            last = self._turns.last(context)
            is_last = last is not None and last.exchange == exchange.id
            expected = context.usage.tokens if is_last and len(known) >= _TAUGHT and (known.error or 0.0) <= _SURE else None
            was_cut, is_odd = cut(exchange, reported), False
            if not was_cut:
                if expected is not None and exchange.upstream.local and cut(exchange, reported, expected=expected):
                    # Ollama may cut little. Or something else did: providers drop reasoning by themselves.
                    self._windows.doubt(exchange.upstream, exchange.model)
                is_odd = not await self.report(exchange, context, read, exchange.tokens_after)
        await self._noted(exchange, 0 if is_odd else read + reported.output_tokens, was_cut=was_cut)

    async def _noted(self, exchange: Exchange, counted: int, *, was_cut: bool) -> None:
        upstream, model = exchange.upstream, exchange.model
        if not was_cut:
            self._windows.answered(upstream, model, counted)
            return
        assert exchange.reported is not None
        read = exchange.reported.input_tokens
        exchange.decide(_STEP, "noticed", f"the upstream read {read} tokens, and left out the rest without a word")
        _log.warning("request %s: %s left out what was too long for it; %s tokens were read", exchange.id, upstream.name, read)
        await self._windows.dropped(upstream, model, read)

    async def report(
        self,
        exchange: Exchange,
        context: Context,
        tokens: int,
        estimated: int | None,
        *,
        is_told: bool = True,
        is_refused: bool = False,
    ) -> bool:
        """Take a figure as what was estimated weighs; false for one that cannot be believed, which then counts for nothing.

        Another request of the conversation may have been compiled since. A refusal counts in any case, for the request that it
        refused.
        """
        before, thought = context.calibration, context.usage.tokens
        context.report_usage(tokens, estimated=estimated or 0)
        pairs = context.calibration.pairs
        if context.calibration is before or not pairs:
            return True
        is_believed = True
        if is_told and self._calibrations is not None:
            is_believed = await self._calibrations.learn(exchange.upstream, exchange.model, *pairs[-1])
        if is_refused:
            # What earlier requests weighed is no help: the next try has to fit by what this one did.
            alone = Calibration(pairs[-1:])
            context.calibrate(alone if alone.ratio > before.ratio else before)
        elif not is_believed:
            context.report_usage(thought)
            context.calibrate(before)
        return is_believed
