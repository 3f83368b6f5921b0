"""The request as it goes to the upstream: the client's own bytes, unless there was a reason to edit them.

Knows exchanges and headers, and when which of the ``edits`` is made. They come after all that the guard does, and are made
anew on whatever it makes of the request. OpenAI's chat tells usage in a stream only to who asks for it: what comes of asking is
taken out of the answer again.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from .edits import with_usage, without_billing, without_ttl
from .endpoint import Protocol
from .exchange import BYPASS, Exchange
from .forwarding import Answer, Forwarder, target
from .headers import onward, without_key
from .streams.usage_chunk import UsageChunkFilter
from .upstreams import Edit

__all__ = ["Asking"]

_NAMES_TTL = re.compile(rb"\bttl\b")
_REFUSED = frozenset({400, 422})


@dataclass(slots=True, kw_only=True)
class Asking:
    """How one request is asked, as often as it is.

    Attributes:
        exchange: what is asked.
        path: where, at the upstream.
        raw: the body as it came, its coding on it; what goes on where nobody edited it.
        stream: the body as it comes, where it was not read.
        length: bytes of ``stream``, where they are known.
        forwarder: asks.
        refusing: names of upstreams with what each has refused: to be asked for usage, or a ``ttl``; those that do are added.
    """

    exchange: Exchange
    path: str
    raw: bytes
    stream: AsyncIterator[bytes] | None
    length: int | None
    forwarder: Forwarder
    refusing: set[tuple[str, Edit]] = field(default_factory=set)
    _unedited: bytes | None = None
    _has_asked_usage: bool = False

    async def ask(self) -> Answer:
        """The upstream's answer, once its status is known.

        Raises:
            FailedError: there is none.
            ClientGoneError: the client went away while it sent its body.
        """
        exchange = self.exchange
        upstream = exchange.upstream
        self._edit()
        query = without_key(exchange.query) if upstream.key is not None or "key" in exchange.spent else exchange.query
        headers = onward(
            exchange.headers,
            upstream,
            exchange.endpoint,
            recoded=exchange.edited,
            read=exchange.endpoint is not None and exchange.endpoint.kind == "generate",
            spent=exchange.spent,
            query=exchange.query,
        )
        url = target(upstream, self.path, query)
        if self.stream is not None:
            return await self.forwarder.ask(upstream, exchange.method, url, headers, self.stream, self.length)
        body = exchange.sent if exchange.edited else self.raw
        return await self.forwarder.ask(upstream, exchange.method, url, headers, body)

    def unedited(self) -> None:
        """Take the edits back: what a guard makes smaller is the conversation."""
        if self._unedited is not None:
            self.exchange.sent, self._unedited = self._unedited, None
            self._has_asked_usage = False

    def refused(self, status: int, said: bytes) -> bool:
        """Whether the upstream refused what an edit adds, or what one takes out; it is asked otherwise then, now and later.

        Args:
            status: of its answer.
            said: the answer.
        """
        name = self.exchange.upstream.name
        if self._has_asked_usage and b"stream_options" in said:
            self.refusing.add((name, "usage"))
            self.exchange.decide("usage", "left out", "the upstream refuses stream_options")
        elif self._may_drop_ttl(status, said):
            self.refusing.add((name, "ttl"))
        else:
            return False
        self.unedited()
        return True

    def filter(self) -> UsageChunkFilter | None:
        """What keeps from the client what it did not ask for; ``None`` where nothing was added."""
        return UsageChunkFilter() if self._has_asked_usage else None

    def _may_drop_ttl(self, status: int, said: bytes) -> bool:
        exchange = self.exchange
        upstream = exchange.upstream
        return (
            status in _REFUSED
            and upstream.chosen is None
            and not upstream.is_anthropic
            and self._speaks("anthropic")
            and _NAMES_TTL.search(said) is not None
            and without_ttl(exchange.sent) is not exchange.sent
        )

    def _edit(self) -> None:
        exchange = self.exchange
        if self._unedited is not None or not exchange.sent:
            return
        came, edits, name = exchange.sent, exchange.upstream.edits, exchange.upstream.name
        if self._speaks("openai"):
            if "usage" in edits and exchange.stream and (name, "usage") not in self.refusing:
                exchange.sent = with_usage(came)
                self._has_asked_usage = exchange.sent is not came
                self._decide("usage", "asked", "the client did not ask for it", came)
        elif self._speaks("anthropic"):
            if "billing" in edits:
                exchange.sent = without_billing(came)
                self._decide("billing", "taken out", "it changes, and every prefix cache begins with it", came)
            if "ttl" in edits or (name, "ttl") in self.refusing:
                before = exchange.sent
                exchange.sent = without_ttl(before)
                self._decide("ttl", "taken out", "the upstream takes no lifetime of a cache", before)
        if exchange.sent is not came:
            self._unedited = came

    def _decide(self, step: Edit, action: str, reason: str, before: bytes) -> None:
        """Write down an edit, once for however often it is made."""
        exchange = self.exchange
        if exchange.sent is not before and not any(decision.step == step for decision in exchange.decisions):
            exchange.decide(step, action, reason)

    def _speaks(self, protocol: Protocol) -> bool:
        """Whether it is a request of this protocol that a model answers or counts, and that may be edited."""
        point, exchange = self.exchange.endpoint, self.exchange
        return (
            point is not None
            and point.protocol == protocol
            and (point.kind == "generate" or (point.kind == "count" and protocol == "anthropic"))
            and not exchange.dry
            and not exchange.asks(BYPASS)
        )
