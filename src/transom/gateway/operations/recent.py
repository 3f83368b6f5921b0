"""The last requests, as they came and as they went on, with every decision: what can be looked at afterwards.

Holds a bounded number of them, and of bytes, in memory; writes nothing. No credential is shown, wherever it stands: the keys of
a request are masked to the letter, and all else that has the form of one.
"""

from __future__ import annotations

import datetime as dt
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from ...errors import JSONError
from ...jsontext import dumps, join_object, loads
from ...safety.secrets import masked
from ..decisions import Decision
from ..exchange import Exchange, Headers, Reported
from ..keys import is_harmless, keys_of, shown_query, without_keys
from ..parties import Ended

__all__ = ["Recent", "Seen"]

_HIDDEN = "…"
_LARGEST = 8 << 20
"""Bytes of a body above which it is not held."""


@dataclass(slots=True, kw_only=True)
class Seen:
    """One request.

    Attributes:
        at: seconds since the epoch when it was asked.
        query, headers: as they came; what of them is shown is told apart when it is asked for.
        key: what was sent to the upstream in place of the client's; never shown.
        came, went: bodies; ``went`` is ``None`` where it went on as it came, both are where they are too large, or held no
            longer.
        edited: what went on is not what came.
        decisions: the exchange's own list: what is decided late is in it.
        ended: how it ended; ``None`` while it runs.
    """

    id: str
    at: float
    method: str
    path: str
    query: str
    protocol: str
    kind: str
    upstream: str
    model: str
    stream: bool
    dry: bool
    session: str
    scope: str
    headers: Headers
    decisions: list[Decision]
    key: str | None = field(default=None, repr=False)
    came: bytes | None = None
    went: bytes | None = None
    edited: bool = False
    window: int | None = None
    tokens_before: int | None = None
    tokens_after: int | None = None
    reported: Reported | None = None
    ended: Ended | None = field(default=None)

    @property
    def held(self) -> int:
        """Bytes of bodies."""
        return len(self.came or b"") + len(self.went or b"")

    def summary(self) -> dict[str, object]:
        """All but headers and bodies, as JSON."""
        return self._summary(keys_of(self.headers, self.query, self.key))

    def whole(self) -> bytes:
        """All of it as JSON: ``came`` and ``went`` as they were written, secrets masked."""
        keys = keys_of(self.headers, self.query, self.key)
        members = {name: dumps(value) for name, value in self._summary(keys).items()}
        headers = ((name, value if is_harmless(name.lower()) else _HIDDEN) for name, value in self.headers)
        members["headers"] = dumps([[name, _masked(value, keys)] for name, value in headers])
        members["came"] = _shown(self.came, keys)
        members["went"] = _shown(self.went, keys) if self.edited else members["came"]
        return join_object(members)

    def _summary(self, keys: Sequence[str]) -> dict[str, object]:
        reported, ended = self.reported, self.ended
        return {
            "id": self.id,
            "at": dt.datetime.fromtimestamp(self.at, dt.UTC).isoformat(timespec="milliseconds"),
            "method": self.method,
            "path": _masked(self.path, keys),
            "query": _masked(shown_query(self.query), keys),
            "protocol": self.protocol,
            "kind": self.kind,
            "upstream": self.upstream,
            "model": _masked(self.model, keys),
            "stream": self.stream,
            "dry_run": self.dry,
            "edited": self.edited,
            "session": self.session,
            "scope": self.scope,
            "window": self.window,
            "tokens": {
                "before": self.tokens_before,
                "after": self.tokens_before if self.dry else self.tokens_after,
                "would": self.tokens_after if self.dry else None,
                "input": reported.input_tokens if reported is not None else None,
                "cached": reported.cached_tokens if reported is not None else None,
                "output": reported.output_tokens if reported is not None else None,
            },
            "decisions": [
                {
                    "step": each.step,
                    "action": each.action,
                    "reason": _masked(each.reason, keys),
                    "uris": list(each.uris),
                    "dry_run": self.dry,
                }
                for each in self.decisions
            ],
            "outcome": ended.how if ended is not None else "running",
            "status": ended.status if ended is not None else None,
            "message": _masked(ended.message, keys) if ended is not None else "",
            "answered_by": _masked(ended.model, keys) if ended is not None else "",
            "finish": _masked(ended.finish, keys) if ended is not None else "",
            "answer_bytes": ended.size if ended is not None else None,
            "seconds": {
                "first_byte": round(ended.first - ended.began, 6) if ended is not None and ended.first is not None else None,
                "total": round(ended.ended - ended.began, 6) if ended is not None else None,
            },
        }


class Recent:
    """The last requests.

    Args:
        most: how many.
        most_bytes: of bodies, all together; of the oldest they are given up first.
    """

    def __init__(self, *, most: int = 100, most_bytes: int = 64 << 20) -> None:
        self._most, self._most_bytes = most, most_bytes
        self._seen: OrderedDict[str, Seen] = OrderedDict()
        self._held = 0

    def began(self, exchange: Exchange, at: float) -> None:
        """A request is on its way."""
        point = exchange.endpoint
        seen = self._seen[exchange.id] = Seen(
            id=exchange.id,
            at=at,
            method=exchange.method,
            path=exchange.path,
            query=exchange.query,
            protocol=point.protocol if point is not None else "",
            kind=point.kind if point is not None else "",
            upstream=exchange.upstream.name,
            model=exchange.model,
            stream=exchange.stream,
            dry=exchange.dry,
            session=exchange.session,
            scope=exchange.scope,
            headers=exchange.headers,
            decisions=exchange.decisions,
            key=exchange.upstream.key,
        )
        self._take(seen, exchange)
        while len(self._seen) > self._most:
            self._held -= self._seen.popitem(last=False)[1].held

    def ended(self, exchange: Exchange, ended: Ended) -> None:
        """It is over."""
        seen = self._seen.get(exchange.id)
        if seen is not None:
            self._held -= seen.held
            self._take(seen, exchange)
            seen.ended = ended

    def last(self, most: int) -> list[Seen]:
        """The last ones, newest first."""
        return list(self._seen.values())[: -most - 1 : -1]

    def get(self, id: str) -> Seen | None:  # noqa: A002 - what it is called everywhere
        """One of them."""
        return self._seen.get(id)

    def _take(self, seen: Seen, exchange: Exchange) -> None:
        seen.window, seen.reported = exchange.window, exchange.reported
        seen.tokens_before, seen.tokens_after = exchange.tokens_before, exchange.tokens_after
        seen.edited = exchange.edited
        seen.came = exchange.body if len(exchange.body) <= _LARGEST else None
        seen.went = exchange.sent if exchange.edited and len(exchange.sent) <= _LARGEST else None
        self._held += seen.held
        for old in self._seen.values():
            if self._held <= self._most_bytes:
                break
            self._held -= old.held
            old.came = old.went = None


def _masked(text: str, keys: Sequence[str]) -> str:
    return masked(without_keys(text, keys)) if text else ""


def _shown(body: bytes | None, keys: Sequence[str]) -> bytes:
    if body is None:
        return b"null"
    text = _masked(body.decode(errors="replace"), keys)
    data = text.encode(errors="replace")
    try:
        loads(data)
    except JSONError:
        return dumps(text)
    return data
