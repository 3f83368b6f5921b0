"""A client's connection: HTTP/1.1 as it is meant, with heads that end and answers that old clients can read.

Knows uvicorn and its parser, which bounds nothing; nothing of what is served. What a client may make us hold before anybody has
looked at who it is, is bounded here.
"""

from __future__ import annotations

import asyncio
import http
import sys

import httptools
from uvicorn._types import ASGI3Application, ASGIReceiveCallable, ASGISendCallable, ASGISendEvent, Scope
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

__all__ = ["Connection"]

_LINGERING = 1.0
"""Seconds that a client may go on sending what is not read any more."""
_MOST_IGNORED = 1 << 20
"""Bytes of it."""


class Connection(HttpToolsProtocol):
    """A client's connection that stays HTTP/1.1: another protocol that is offered is not taken (RFC 9110, 7.8).

    The parser stops where the other protocol would begin, which is before the body of the request. So such a request is read
    once more, without its offer. A WebSocket is no offer, and refused elsewhere.

    Attributes:
        longest_head: bytes of a request line and its fields together, and of what may stand between the pieces of a body.
        longest_url: bytes of what is asked for.
        patience: seconds that a head may take from its first byte to its last.
    """

    longest_head = 64 << 10
    longest_url = 48 << 10
    patience = 30.0

    _offered = False
    _headed = False
    _is_begun = False
    _is_refused = False
    _unread = 0
    _refusal: tuple[int, str] | None = None
    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client is there. One that says nothing does not stay."""
        super().connection_made(transport)
        self._await_next()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone."""
        self._unset_keepalive_if_required()
        self._wait_no_more()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        """A request begins."""
        self._headed = False
        self._is_begun = True
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """A field of the head. What comes after the body is none, and would be taken for one (RFC 9110, 6.5.1)."""
        if not self._headed:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Begin with a request, save one that is read once more, or too large."""
        self._bound()
        upgrade = self._get_upgrade()
        self._offered = upgrade is not None and upgrade.strip() != b"websocket" and self.parser.should_upgrade()
        if not self._offered:
            self._headed = True
            self._is_begun = False
            self._unread = 0
            self._wait_no_more()
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A piece of the body."""
        self._unread = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """A request has come whole."""
        if not self._offered:
            super().on_message_complete()

    def data_received(self, data: bytes) -> None:
        """Read what has come."""
        self._unset_keepalive_if_required()
        self._unread += len(data)
        if self._is_refused:
            if self._unread > _MOST_IGNORED:
                self.transport.close()
            return
        while True:
            try:
                self.parser.feed_data(data)
            except httptools.HttpParserUpgrade as stopped:
                if not self._offered:
                    return
                data = self._without_offer() + data[stopped.args[0] :]
            except httptools.HttpParserError:
                self._refuse(*(self._refusal or (400, "Invalid HTTP request received.")))
                return
            else:
                break
        if self._unread > self.longest_head:
            # The parser holds a field until it is whole, however long it is.
            self._refuse(*self._too_large())
        elif self._is_begun:
            if self._waiting is None:
                self._waiting = self.loop.call_later(self.patience, self._too_slow)
        elif self._is_idle():
            self._await_next()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        super()._start_asgi_task(cycle, _unchunked(app, cycle) if cycle.scope["http_version"] == "1.0" else app)

    def _last(self) -> RequestResponseCycle | None:
        """What was asked last; ``None`` before anything was."""
        return self.cycle

    def _is_idle(self) -> bool:
        last = self._last()
        return last is None or last.response_complete

    def _await_next(self) -> None:
        """Close the connection if nothing more comes."""
        self.timeout_keep_alive_task = self.loop.call_later(self.timeout_keep_alive, self.timeout_keep_alive_handler)

    def _wait_no_more(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _too_slow(self) -> None:
        self._waiting = None
        if self._is_idle():
            self._refuse(408, "the head of the request took too long")
        else:
            # It came early: the request before it is still being answered.
            self._waiting = self.loop.call_later(self.patience, self._too_slow)

    def _bound(self) -> None:
        """Raise for a head that is whole, and too large."""
        # Counted only where more has come than a head may have.
        size = (
            len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
            if self._unread > self.longest_head
            else 0
        )
        if size > self.longest_head or len(self.url) > self.longest_url:
            self._refusal = self._too_large()
            raise ValueError(self._refusal[1])

    def _too_large(self) -> tuple[int, str]:
        if len(self.url) > self.longest_url:
            return 414, f"what is asked for is longer than {self.longest_url:,} bytes"
        return 431, f"the head of the request is longer than {self.longest_head:,} bytes"

    def _refuse(self, status: int, message: str) -> None:
        """Say what is wrong, where no answer is under way that it would become a part of, and hang up."""
        last = self._last()
        if last is None or last.response_complete or not last.response_started:
            head = (
                f"HTTP/1.1 {status} {http.HTTPStatus(status).phrase}\r\n"
                f"content-type: text/plain; charset=utf-8\r\ncontent-length: {len(message)}\r\nconnection: close\r\n\r\n"
            )
            self.transport.write(f"{head}{message}".encode("ascii"))
        self._wait_no_more()
        if not self._is_idle():
            self.transport.close()
            return
        # Closed with something unread, the connection would be reset, and the client might never read what is wrong.
        self._is_refused = True
        self._unread = 0
        self.transport.write_eof()
        self._waiting = self.loop.call_later(_LINGERING, self.transport.close)

    def _without_offer(self) -> bytes:
        method, version = self.parser.get_method(), self.parser.get_http_version().encode()
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
        self._offered = False
        kept = [b"%b: %b\r\n" % pair for pair in self.headers if pair[0] not in {b"upgrade", b"http2-settings"}]
        return b"%b %b HTTP/%b\r\n%b\r\n" % (method, self.url, version, b"".join(kept))


def _unchunked(app: ASGI3Application, cycle: RequestResponseCycle) -> ASGI3Application:
    """An application whose answers go out without chunks, which HTTP/1.0 does not know: the end of one without a length is the
    end of the connection (RFC 9112, 6.1 and 6.3)."""

    async def asked(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        is_open = False

        async def plain(message: ASGISendEvent) -> None:
            nonlocal is_open
            if message["type"] == "http.response.start":
                is_open = all(name.lower() != b"content-length" for name, _ in message.get("headers", ()))
                if is_open:
                    cycle.chunked_encoding, cycle.expected_content_length = False, sys.maxsize
            elif is_open and message["type"] == "http.response.body" and not message.get("more_body", False):
                cycle.expected_content_length = len(message.get("body", b""))
            await send(message)

        await app(scope, receive, plain)

    return asked
