"""What the headers of an answer say of its request: what was decided and why, and how full the window is."""

from __future__ import annotations

import re

from ..exchange import Exchange

__all__ = ["response_headers"]

_LONGEST = 300
"""Characters of a reason."""
_UNPRINTABLE = re.compile("[^ -~]")


def response_headers(exchange: Exchange) -> list[tuple[str, str]]:
    """Headers of our own, all of them printable ASCII.

    ``x-transom-request`` names the request in logs and in ``/_transom/requests/ID``; ``x-transom-decision`` lists who decided
    what (``guard=closed``), ``x-transom-reason`` why, ``x-transom-strategy`` the step that closed a window. All that follows
    is estimated, in tokens: ``x-transom-window`` is the model's window, ``x-transom-tokens`` what the conversation weighs as
    it came and as it went on, ``x-transom-budget`` what that leaves. In a dry run all goes on as it came, and ``would`` is
    what it would have weighed.
    """
    found = [("x-transom-request", exchange.id)]
    if exchange.decisions:
        found.append(("x-transom-decision", ", ".join(f"{each.step}={each.action}" for each in exchange.decisions)))
        reasons = "; ".join(each.reason for each in exchange.decisions if each.reason)
        if reasons:
            found.append(("x-transom-reason", reasons))
    if exchange.strategy:
        found.append(("x-transom-strategy", exchange.strategy))
    if exchange.dry:
        found.append(("x-transom-dry-run", "1"))
    window, before, after = exchange.window, exchange.tokens_before, exchange.tokens_after
    if window is not None:
        found.append(("x-transom-window", str(window)))
    if before is not None and after is not None:
        went = f"after={before}, would={after}" if exchange.dry else f"after={after}"
        found.append(("x-transom-tokens", f"before={before}, {went}"))
        if window:
            used = before if exchange.dry else after
            found.append(("x-transom-budget", f"used={used}, left={max(0, window - used)}, share={used / window:.2f}"))
    return [(name, _printable(value)) for name, value in found]


def _printable(value: str) -> str:
    line = _UNPRINTABLE.sub("?", " ".join(value.split()))
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..."
