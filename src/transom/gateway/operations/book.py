"""What is told of every request, and to whom: the last requests, the metrics, a line in the log."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence

from ...safety.masking import beginning
from ..decisions import Decision
from ..exchange import Exchange
from ..keys import keys_of, without_keys
from ..parties import Ended
from .metrics import Metrics
from .recent import Recent
from .responding import response_headers

__all__ = ["Book"]

_LONGEST = 200
"""Characters of an error that a line repeats."""

_log = logging.getLogger("transom.gateway")


class Book:
    """The gateway's journal.

    Args:
        recent: holds the last requests.
        metrics: counts.
        clock: seconds since the epoch.
    """

    def __init__(
        self, recent: Recent | None = None, metrics: Metrics | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self.recent = recent if recent is not None else Recent()
        self.metrics = metrics if metrics is not None else Metrics()
        self._clock = clock

    def began(self, exchange: Exchange) -> None:
        """The guard has seen it; now it is asked."""
        self.metrics.began()
        self.recent.began(exchange, self._clock())

    def headers(self, exchange: Exchange) -> Sequence[tuple[str, str]]:
        """What the answer's headers say of it."""
        return response_headers(exchange)

    def ended(self, exchange: Exchange, ended: Ended) -> None:
        """It is over: one line, a warning where it did not go well."""
        self.metrics.ended(exchange, ended)
        self.recent.ended(exchange, ended)
        level = logging.INFO if ended.how in {"answered", "aborted"} else logging.WARNING
        if _log.isEnabledFor(level):
            _log.log(level, "%s", _line(exchange, ended))

    def noted(self, exchange: Exchange, decisions: Sequence[Decision]) -> None:
        """What the guard saw in the answer."""
        self.metrics.decided(decisions, dry=exchange.dry)


def _line(exchange: Exchange, ended: Ended) -> str:
    parts = [
        f"{exchange.id} {exchange.method} {exchange.path} {exchange.upstream.name}",
        f"{exchange.model or '-'} {ended.how} {ended.status}",
    ]
    if exchange.tokens_before is not None:
        went = exchange.tokens_before if exchange.dry else exchange.tokens_after
        parts.append(f"tokens {exchange.tokens_before}>{went}/{exchange.window}")
    if (reported := exchange.reported) is not None:
        parts.append(f"counted {reported.input_tokens}+{reported.output_tokens} ({reported.cached_tokens} cached)")
    if exchange.dry:
        parts.append("dry run:")
    parts += [f"{each.step}={each.action}" for each in exchange.decisions]
    parts.append(f"{ended.ended - ended.began:.3f}s")
    if ended.message:
        keys = keys_of(exchange.headers, exchange.query, exchange.upstream.key)
        parts.append(f"said: {beginning(without_keys(' '.join(ended.message.split()), keys), _LONGEST)}")
    return " ".join(" ".join(parts).split())
