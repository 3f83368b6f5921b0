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
_ODD = 2.5
"""How many times as much as thought, or as little, a report must tell to teach only once another confirms it. Estimates are a
third off, and by half for an odd tokenizer; beyond may be pictures, a prompt of the server's own, or a slip of its count.
What is no slip shows again."""
_ALIKE = 4 / 3
"""How far a report may be from what the one before makes of it, to confirm that."""
_CHANGED, _FAR = 4, 2.0
"""Reports in a row, and how far off each must be, after which a model counts otherwise than it did, and what was known is
forgotten. A median over many would take half as many to follow."""
_GROWN = 1 / 50
"""Share by which two requests differ so much that their counts must differ too."""

_Pair = tuple[int, int]
"""Our estimate, and what was reported."""


class Calibrations:
    """One calibration a model. No single report that cannot be believed moves it.

    Args:
        store: keeps them, in its namespace ``models``.
    """

    def __init__(self, store: Store) -> None:
        self._kept = store.namespace("models")
        self._all: dict[str, Calibration] = {}
        self._odd: dict[str, _Pair] = {}

    async def of(self, upstream: Upstream, model: str) -> Calibration:
        """What is known of a model's way to count; empty where nothing is."""
        key = model_key(upstream, model)
        if key not in self._all:
            self._hold(key, await self._recall(key))
        return self._all[key]

    async def learn(self, upstream: Upstream, model: str, estimated: int, reported: int) -> bool:
        """Take a report, unless it is far from all that is known and the first to be so.

        Args:
            upstream, model: whose.
            estimated: our own, uncorrected count of what was sent.
            reported: input tokens that the upstream counted, cached ones included.

        Returns:
            Whether it can be believed.
        """
        before = await self.of(upstream, model)
        key = model_key(upstream, model)
        waiting = self._odd.pop(key, None)
        pair, now = (estimated, reported), before
        if _is_odd(before, pair):
            believed = before.pairs[-1] if before.pairs and _is_odd(before, before.pairs[-1]) else None
            earlier = waiting or believed
            if earlier is None or not _confirms(earlier, pair, is_less=reported < before.correct(estimated)):
                self._odd[key] = pair
                return False
            if waiting is not None and min(waiting) >= _LEAST:
                now = now.observe(*waiting)
        if min(pair) >= _LEAST:
            now = now.observe(estimated, reported)
        if now is before:
            return True
        now = _changed(now)
        self._hold(key, now)
        # Every report of a young one counts; later the median moves little, and the store need not be written each turn.
        if len(before) < HISTORY or abs(now.ratio - before.ratio) > before.ratio / 100:
            try:
                await self._kept.put(dumps({"model": model, "pairs": [list(pair) for pair in now.pairs]}), path=f"ratios/{key}")
            except TransomError as error:
                _log.warning("what %s teaches about its tokens is not kept: %s", model, error.message)
        return True

    def _hold(self, key: str, calibration: Calibration) -> None:
        self._all.pop(key, None)
        self._all[key] = calibration
        if len(self._all) > _MOST:
            oldest = next(iter(self._all))
            del self._all[oldest]
            self._odd.pop(oldest, None)

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


def _is_odd(known: Calibration, pair: _Pair) -> bool:
    estimated, reported = pair
    return not 1 / _ODD <= reported / max(1, known.correct(estimated)) <= _ODD


def _changed(known: Calibration) -> Calibration:
    """Without what the model taught before it began to count otherwise."""
    last = known.pairs[-_CHANGED:]
    shares = [reported / max(1, known.correct(estimated)) for estimated, reported in last]
    is_far = min(shares) > _FAR or max(shares) < 1 / _FAR
    return Calibration(last) if is_far else known


def _confirms(odd: _Pair, now: _Pair, *, is_less: bool) -> bool:
    """Whether a report is as odd as the one before: in proportion, or by as many tokens (a prompt of the server's own).

    One that is less than thought, and stays what it was while requests grow, is none: a server cuts them to its window.
    """
    (then, told), (estimated, reported) = odd, now
    grown = estimated - then
    if is_less and abs(grown) > then * _GROWN and (reported - told) / grown < told / then / 2:
        return False
    return any(
        1 / _ALIKE <= reported / max(1, expected) <= _ALIKE for expected in (told * estimated // then, told + estimated - then)
    )
