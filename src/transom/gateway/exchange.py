"""One request while it passes through: what came, what goes on, and what was decided on the way.

Knows no transport. ``body`` is never changed; ``sent`` is the very same object for as long as nobody had a reason to edit it,
so that a request which needs nothing goes on as the client's own bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .decisions import Decision
from .endpoint import Endpoint
from .upstreams import Upstream

__all__ = ["BYPASS", "DRY_RUN", "Exchange", "Reported", "by_name", "header"]

Headers = Sequence[tuple[str, str]]

BYPASS, DRY_RUN = "x-transom-bypass", "x-transom-dry-run"
"""Headers that a client switches the guard off with, or asks what it would do."""
_OFF = frozenset({"", "0", "false", "no", "off"})


def header(headers: Headers, name: str) -> str:
    """A header's value, whatever the case of its name; empty where it is not there."""
    wanted = name.lower()
    return next((value for key, value in headers if key.lower() == wanted), "")


def by_name(headers: Headers) -> dict[str, str]:
    """Headers by their names in lower case; of one that comes twice the first."""
    return {key.lower(): value for key, value in reversed(headers)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """What the upstream counted.

    Attributes:
        input_tokens: all it read, cached tokens included.
        output_tokens: what it wrote.
        cached_tokens: how many of those read it had already.
    """

    input_tokens: int
    output_tokens: int = 0
    cached_tokens: int = 0


@dataclass(slots=True, kw_only=True)
class Exchange:
    """One request.

    Attributes:
        id: names it in logs and exports.
        method, path, query, headers: as the client sent them; the path without the prefix that chose the upstream.
        named: the headers by name.
        endpoint: what the path means; ``None`` for what is only handed through.
        upstream: who answers.
        body: what the client sent, its content encoding undone.
        members: the members of the body as they were written; ``None`` where it was not taken apart.
        sent: what goes on.
        model: as the request names it; empty where it does not.
        stream: the client wants the answer as it is made.
        session, scope: which conversation, and whose: nothing crosses scopes.
        window: tokens that the answer's model takes, and where that is known from; ``None`` where it is not known.
        tokens_before, tokens_after: what the conversation weighs, as it came and as it goes on, estimated.
        strategy: the step of the strategy that closed a window now, for example ``digest``; empty where none closed.
        decisions: what was decided, in order.
        reported: what the upstream counted.
        dry: decide, and send what came all the same.
        spent: headers whose credential was meant for us; ``key`` for that of the query.
    """

    id: str
    method: str
    path: str
    query: str
    headers: Headers
    endpoint: Endpoint | None
    upstream: Upstream
    body: bytes
    members: Mapping[str, bytes] | None = field(default=None, repr=False)
    sent: bytes = b""
    model: str = ""
    stream: bool = False
    session: str = ""
    scope: str = ""
    window: int | None = None
    tokens_before: int | None = None
    tokens_after: int | None = None
    strategy: str = ""
    decisions: list[Decision] = field(default_factory=list)
    reported: Reported | None = None
    dry: bool = False
    spent: frozenset[str] = frozenset()
    named: Mapping[str, str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.sent = self.sent or self.body
        self.named = by_name(self.headers)

    @property
    def edited(self) -> bool:
        """What goes on is not what came."""
        return self.sent is not self.body

    def asks(self, name: str) -> bool:
        """Whether a header of the client's, its name in lower case, switches something on.

        ``0``, ``false``, ``no`` and ``off`` do not.
        """
        return self.named.get(name, "").strip().lower() not in _OFF

    def decide(self, step: str, action: str, reason: str = "", uris: Sequence[str] = ()) -> None:
        """Write down what a step did, or why it did nothing."""
        self.decisions.append(Decision(step=step, action=action, reason=reason, uris=tuple(uris)))
