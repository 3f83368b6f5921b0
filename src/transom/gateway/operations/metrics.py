"""Counts of what passed, in the text format of Prometheus.

Pure. Sources: Prometheus exposition formats, version 0.0.4. Labels hold only what the configuration or the code names, so that
no client can make them grow.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator

from ..decisions import Decision
from ..exchange import Exchange
from ..parties import Ended

__all__ = ["Metrics"]

_BOUNDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)
_COUNTERS = {
    "transom_requests_total": "Requests to models, by how they ended.",
    "transom_decisions_total": "What was decided about requests; in a dry run only told.",
    "transom_tokens_removed_total": "Tokens that requests did not carry on, estimated.",
    "transom_tokens_reported_total": "Tokens that upstreams counted; cached ones are part of the input.",
}


class Metrics:
    """What is counted."""

    def __init__(self) -> None:
        self._active = 0
        self._counts: dict[tuple[str, str], int] = {}
        self._waits: dict[str, tuple[list[int], float]] = {}

    def began(self) -> None:
        """A request is on its way."""
        self._active += 1

    def ended(self, exchange: Exchange, ended: Ended) -> None:
        """It is over."""
        self._active -= 1
        upstream = f'upstream="{_escaped(exchange.upstream.name)}"'
        protocol = exchange.endpoint.protocol if exchange.endpoint is not None else ""
        self._count("transom_requests_total", f'{upstream},protocol="{protocol}",outcome="{ended.how}"')
        self.decided(exchange.decisions, dry=exchange.dry)
        if exchange.edited and exchange.tokens_before is not None and exchange.tokens_after is not None:
            self._count("transom_tokens_removed_total", upstream, max(0, exchange.tokens_before - exchange.tokens_after))
        if (reported := exchange.reported) is not None:
            for kind, tokens in (
                ("input", reported.input_tokens),
                ("cached", reported.cached_tokens),
                ("output", reported.output_tokens),
            ):
                self._count("transom_tokens_reported_total", f'{upstream},kind="{kind}"', tokens)
        if ended.first is not None:
            buckets, seconds = self._waits.get(upstream, ([0] * (len(_BOUNDS) + 1), 0.0))
            waited = max(0.0, ended.first - ended.began)
            buckets[bisect.bisect_left(_BOUNDS, waited)] += 1
            self._waits[upstream] = buckets, seconds + waited

    def decided(self, decisions: Iterable[Decision], *, dry: bool) -> None:
        """Decisions were taken; in a dry run only told."""
        for each in decisions:
            labels = f'step="{_escaped(each.step)}",action="{_escaped(each.action)}",dry_run="{"true" if dry else "false"}"'
            self._count("transom_decisions_total", labels)

    def text(self) -> str:
        """All of it, as Prometheus reads it."""
        return "\n".join(self._lines()) + "\n"

    def _count(self, name: str, labels: str, by: int = 1) -> None:
        self._counts[name, labels] = self._counts.get((name, labels), 0) + by

    def _lines(self) -> Iterator[str]:
        yield from ("# HELP transom_requests_active Requests on their way.", "# TYPE transom_requests_active gauge")
        yield f"transom_requests_active {self._active}"
        for name, meaning in _COUNTERS.items():
            yield from (f"# HELP {name} {meaning}", f"# TYPE {name} counter")
            yield from (f"{name}{{{labels}}} {count}" for (of, labels), count in sorted(self._counts.items()) if of == name)
        name = "transom_first_byte_seconds"
        yield from (f"# HELP {name} Seconds until the first byte of an answer went out.", f"# TYPE {name} histogram")
        for labels, (buckets, seconds) in sorted(self._waits.items()):
            below = 0
            for bound, count in zip((*map(str, _BOUNDS), "+Inf"), buckets, strict=True):
                below += count
                yield f'{name}_bucket{{{labels},le="{bound}"}} {below}'
            yield f"{name}_sum{{{labels}}} {seconds:.6f}"
            yield f"{name}_count{{{labels}}} {below}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
