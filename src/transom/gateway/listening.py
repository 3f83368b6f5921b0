"""A server, and how it ends: asked once it takes nothing new and finishes what runs, asked twice it goes.

Knows uvicorn; nothing of what is served.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import socket
from collections.abc import Callable, Iterator
from typing import Any

import httptools
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from ..servers import asked_to_end

__all__ = ["Connection", "Listener"]

_IDLE = 75
"""Seconds that an unused connection of a client is kept: shorter than that, and clients meet one that is just being closed."""


def _is_fault(record: logging.LogRecord) -> bool:
    """Whether a record tells of anything but a task that was cancelled."""
    return record.exc_info is None or not isinstance(record.exc_info[1], asyncio.CancelledError)


class Connection(HttpToolsProtocol):
    """A client's connection that stays HTTP/1.1: another protocol that is offered is not taken (RFC 9110, 7.8).

    The parser stops where the other protocol would begin, which is before the body of the request. So such a request is read
    once more, without its offer. A WebSocket is no offer, and refused elsewhere.
    """

    _offered = False
    _headed = False

    def on_message_begin(self) -> None:
        """A request begins."""
        self._headed = False
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """A field of the head. What comes after the body is none, and would be taken for one (RFC 9110, 6.5.1)."""
        if not self._headed:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Begin with a request, save one that is read once more."""
        upgrade = self._get_upgrade()
        self._offered = upgrade is not None and upgrade.strip() != b"websocket" and self.parser.should_upgrade()
        if not self._offered:
            self._headed = True
            super().on_headers_complete()

    def on_message_complete(self) -> None:
        """A request has come whole."""
        if not self._offered:
            super().on_message_complete()

    def data_received(self, data: bytes) -> None:
        """Read what has come."""
        self._unset_keepalive_if_required()
        while True:
            try:
                self.parser.feed_data(data)
            except httptools.HttpParserUpgrade as stopped:
                if not self._offered:
                    return
                data = self._without_offer() + data[stopped.args[0] :]
            except httptools.HttpParserError:
                self.send_400_response("Invalid HTTP request received.")
                return
            else:
                return

    def _without_offer(self) -> bytes:
        method, version = self.parser.get_method(), self.parser.get_http_version().encode()
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
        self._offered = False
        kept = [b"%b: %b\r\n" % pair for pair in self.headers if pair[0] not in {b"upgrade", b"http2-settings"}]
        return b"%b %b HTTP/%b\r\n%b\r\n" % (method, self.url, version, b"".join(kept))


class Listener(uvicorn.Server):
    """A server that says when it is ready.

    Args:
        app: the ASGI application.
        ready: called once requests are taken.
        ending: called when it is asked to end while answers are being made, with their number.
    """

    def __init__(self, app: Any, ready: Callable[[], None], ending: Callable[[int], None] = lambda _: None) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=Connection,
                log_config=None,
                # It warns of every upgrade that a client would like; we answer that ourselves.
                log_level="error",
                access_log=False,
                server_header=False,
                ws="none",
                timeout_keep_alive=_IDLE,
                # What a client is being told may take minutes more; who cannot wait asks twice.
                timeout_graceful_shutdown=None,
            )
        )
        self._ready = ready
        self._ending = ending

    def end(self) -> None:
        """Take nothing new, and go when what runs is finished; asked again, go at once."""
        if self.should_exit:
            self.force_exit = True
            # An answer that is broken off because we were told to is no fault to show.
            logging.getLogger("uvicorn.error").addFilter(_is_fault)
            for task in tuple(self.server_state.tasks):
                task.cancel()
            return
        self.should_exit = True
        if running := len(self.server_state.tasks):
            self._ending(running)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve."""
        await super().startup(sockets)
        # What the program is made of stays: going over it again and again costs a tenth of a small request.
        gc.collect()
        gc.freeze()
        if self.started:
            self._ready()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Hear them here: heard by the base class, they would be raised once more in the end, and the status be theirs."""
        with asked_to_end(self.end, again=self.end):
            yield
