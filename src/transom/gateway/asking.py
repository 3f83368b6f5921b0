"""The request as it goes to the upstream: the client's own bytes, unless there was a reason to edit them.

Knows exchanges and headers. OpenAI's chat tells usage in a stream only to who asks for it, so that is asked for, and what comes
of it is taken out of the answer again. Source: OpenAI API reference, ``stream_options.include_usage``.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from .exchange import Exchange, header
from .forwarding import Answer, Forwarder, target
from .headers import onward, without_key
from .streams.usage_chunk import UsageChunkFilter

__all__ = ["Asking"]

_USAGE = b',"stream_options":{"include_usage":true}}'


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
        usage: ask OpenAI's chat for usage where the client did not.
        refusing: names of upstreams that have refused to be asked for it; those that do are added.
    """

    exchange: Exchange
    path: str
    raw: bytes
    stream: AsyncIterator[bytes] | None
    length: int | None
    forwarder: Forwarder
    usage: bool = True
    refusing: set[str] = field(default_factory=set)
    _unasked: bytes | None = None

    async def ask(self) -> Answer:
        """The upstream's answer, once its status is known.

        Raises:
            FailedError: there is none.
            ClientGoneError: the client went away while it sent its body.
        """
        exchange = self.exchange
        upstream = exchange.upstream
        self._ask_usage()
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

    def unasked(self) -> None:
        """Take what was added for usage out again: what a guard makes smaller is the conversation."""
        if self._unasked is not None:
            self.exchange.sent, self._unasked = self._unasked, None

    def refused_usage(self, said: bytes) -> bool:
        """Whether the upstream refused what was added for usage; it is taken out then, and not added again."""
        if self._unasked is None or b"stream_options" not in said:
            return False
        self.unasked()
        self.refusing.add(self.exchange.upstream.name)
        self.exchange.decide("usage", "left out", "the upstream refuses stream_options")
        return True

    def filter(self) -> UsageChunkFilter | None:
        """What keeps from the client what it did not ask for; ``None`` where nothing was added."""
        return UsageChunkFilter() if self._unasked is not None else None

    def _ask_usage(self) -> None:
        exchange = self.exchange
        if not self.usage or exchange.upstream.name in self.refusing or self._unasked is not None or not _lacks_usage(exchange):
            return
        self._unasked = exchange.sent
        exchange.sent = exchange.sent.rstrip()[:-1] + _USAGE
        if not any(decision.step == "usage" for decision in exchange.decisions):
            exchange.decide("usage", "asked", "the client did not ask for it")


def _lacks_usage(exchange: Exchange) -> bool:
    point = exchange.endpoint
    return (
        point is not None
        and point.protocol == "openai"
        and point.kind == "generate"
        and exchange.stream
        and not exchange.dry
        and not header(exchange.headers, "x-transom-bypass")
        and b'"stream_options"' not in exchange.sent
        and exchange.sent.rstrip().endswith(b"}")
    )
