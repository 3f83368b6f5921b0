"""How far our count of tokens is from each model's own: what its answers taught, for every conversation with it.

Knows the store, where it outlives a restart, and calibrations. A conversation takes it over when it begins and when a window
closes, never in between; so nothing that was sent changes by what other conversations teach.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping

from ..errors import JSONError, TransomError
from ..jsontext import dumps, loads
from ..store.store import Store
from ..tokens import Calibration
from ..tokens.calibration import HISTORY
from .model_key import model_key
from .upstreams import Upstream

__all__ = ["Calibrations"]

_log = logging.getLogger(__name__)

_MOST = 1_000
"""Models that are held in memory."""
_LEAST = 500
"""Tokens from which a report teaches: in smaller ones what servers add of their own outweighs the rest."""


class Calibrations:
    """One calibration a model.

    Args:
        store: keeps them, in its namespace ``models``.
    """

    def __init__(self, store: Store) -> None:
        self._kept = store.namespace("models")
        self._all: dict[str, Calibration] = {}

    async def of(self, upstream: Upstream, model: str) -> Calibration:
        """What is known of a model's way to count; empty where nothing is."""
        key = model_key(upstream, model)
        if key not in self._all:
            self._hold(key, await self._recall(key))
        return self._all[key]

    async def learn(self, upstream: Upstream, model: str, estimated: int, reported: int) -> None:
        """Take a report.

        Args:
            upstream, model: whose.
            estimated: our own, uncorrected count of what was sent.
            reported: input tokens that the upstream counted, cached ones included.
        """
        if min(estimated, reported) < _LEAST:
            return
        before = await self.of(upstream, model)
        now = before.observe(estimated, reported)
        key = model_key(upstream, model)
        self._hold(key, now)
        # Every report of a young one counts; later the median moves little, and the store need not be written each turn.
        if len(before) < HISTORY or abs(now.ratio - before.ratio) > before.ratio / 100:
            try:
                await self._kept.put(dumps({"model": model, "pairs": [list(pair) for pair in now.pairs]}), path=f"ratios/{key}")
            except TransomError as error:
                _log.warning("what %s teaches about its tokens is not kept: %s", model, error.message)

    def _hold(self, key: str, calibration: Calibration) -> None:
        self._all.pop(key, None)
        self._all[key] = calibration
        if len(self._all) > _MOST:
            del self._all[next(iter(self._all))]

    async def _recall(self, key: str) -> Calibration:
        try:
            entry = await self._kept.read(f"ratios/{key}")
            value = loads(entry.data) if entry is not None else None
        except (TransomError, JSONError) as error:
            _log.warning("what a model taught about its tokens cannot be read: %s", error.message)
            return Calibration()
        pairs = value.get("pairs") if isinstance(value, Mapping) else None
        found = Calibration()
        for pair in pairs if isinstance(pairs, list) else []:
            match pair:
                case [int(estimated), int(reported)]:
                    found = found.observe(estimated, reported)
                case _:
                    continue
        return found
