"""What the gateway itself says to a client: the head of an answer, a stream promised before there is one, an error of ours.

Knows exchanges, the shapes of the protocols, and where an answer goes; no upstream.
"""

from __future__ import annotations

from collections.abc import Callable

from .exchange import Exchange
from .headers import Header
from .parties import Journal
from .relaying import Outgoing
from .streams import Framing, awaited, content_type, error_body, error_event, keepalive

__all__ = ["Telling"]


class Telling:
    """Says it of one request.

    Args:
        exchange: the request.
        journal: knows what the headers tell.
        out: the answer to the client.
        share: what is done to the answer's headers for a page.

    Attributes:
        is_promised: the client was told that a stream comes, before the upstream said so.
    """

    def __init__(
        self, exchange: Exchange, journal: Journal, out: Outgoing, share: Callable[[list[Header]], list[Header]]
    ) -> None:
        self._exchange = exchange
        self._journal = journal
        self._out = out
        self._share = share
        self.is_promised = False

    @property
    def framing(self) -> Framing:
        """How a stream is cut that has not come yet."""
        assert self._exchange.endpoint is not None
        return awaited(self._exchange.endpoint.protocol, self._exchange.query)

    def plan(self, status: int, headers: list[Header]) -> None:
        """The head of the answer, with what is told of the request."""
        own = [(name.encode(), value.encode("ascii", "replace")) for name, value in self._journal.headers(self._exchange)]
        self._out.plan(status, self._share([*headers, *own]))

    async def promise(self) -> None:
        """A keep-alive before the status is known, which promises a stream."""
        assert self._exchange.endpoint is not None
        framing = self.framing
        if not self._out.status:
            self.is_promised = True
            self.plan(200, [(b"content-type", content_type(framing)), (b"cache-control", b"no-cache")])
        await self._out.piece(keepalive(self._exchange.endpoint.protocol, framing))

    def early(self, status: int, message: str) -> bytes:
        """An error inside a stream that was promised and has not come; empty where none was."""
        if not self.is_promised:
            return b""
        assert self._exchange.endpoint is not None
        return error_event(self._exchange.endpoint.protocol, status, message, framing=self.framing)

    def failed(self, status: int, message: str) -> bytes:
        """Plan an answer with an error of ours; its body."""
        point = self._exchange.endpoint
        said = error_body(point.protocol if point is not None else "openai", status, message)
        self.plan(status, [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(said))])
        return said
