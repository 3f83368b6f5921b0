"""One request over HTTP and its answer: run in a thread, since the standard library's client blocks, and cut off from outside.

Knows sockets and what can go wrong on them; nothing of JSON. When the time of an exchange is over, or its caller is cancelled,
the socket is shut down, so that no thread outlives its caller. No proxy is used.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, IncompleteRead, RemoteDisconnected
from ssl import SSLCertVerificationError, SSLError

from ..errors import UpstreamError
from .address import Address

__all__ = ["SLOW", "Answer", "Exchange", "Limits", "in_thread"]

_CHUNK = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long and how much.

    Attributes:
        connect: seconds until the connection stands, TLS included.
        read: seconds between two bytes. A server that does not stream is silent until its answer is complete.
        total: seconds for the whole exchange.
        answer_bytes: the largest answer that is read.
    """

    connect: float = 10.0
    read: float = 600.0
    total: float = 600.0
    answer_bytes: int = 8 << 20


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server answered.

    Attributes:
        status: HTTP status.
        kind: media type, lower case, without parameters.
        body: the bytes.
        location: where a redirect points, without its query.
    """

    status: int
    kind: str
    body: bytes
    location: str = ""


SLOW = "a local model may need minutes for a long text: give it more time, or a smaller window"


@dataclass(slots=True)
class Exchange:
    """One request and its answer.

    Attributes:
        address: the server.
        limits: how long and how much.
    """

    address: Address
    limits: Limits
    _sockets: list[socket.socket] = field(default_factory=list)
    _connection: HTTPConnection | None = None
    _is_cut: bool = False

    def run(self, method: str, target: str, body: bytes | None, headers: Mapping[str, str], place: str) -> Answer:
        """Send and read.

        Raises:
            UpstreamError: anything that goes wrong on the way.
        """
        kind = HTTPSConnection if self.address.scheme == "https" else HTTPConnection
        connection = self._connection = kind(self.address.host, self.address.port, timeout=self.limits.connect)
        try:
            connection.connect()
            # The connection lets go of its socket while the answer is still read.
            self._sockets.append(connection.sock)
            if self._is_cut:
                raise TimeoutError
            connection.sock.settimeout(self.limits.read)
            connection.request(method, target, body=body, headers=dict(headers))
            # The connection lets go of its socket once the answer has begun; cut off, that would never be closed.
            with connection.getresponse() as response:
                location = (response.getheader("Location") or "").partition("?")[0]
                kind_of = (response.getheader("Content-Type") or "").partition(";")[0].strip().lower()
                return Answer(response.status, kind_of, self._read(response, place), location)
        except (OSError, HTTPException, UnicodeError) as error:
            raise _unreachable(error, place, connected=bool(self._sockets)) from error
        finally:
            connection.close()

    def _read(self, response: HTTPResponse, place: str) -> bytes:
        pieces: list[bytes] = []
        room = self.limits.answer_bytes
        while piece := response.read(min(_CHUNK, room + 1)):
            room -= len(piece)
            if room < 0:
                raise UpstreamError(
                    f"{place} answered with more than {self.limits.answer_bytes:,} bytes", status=response.status
                )
            pieces.append(piece)
        if response.length:
            # The standard library says so only of an answer that is read in one piece.
            raise IncompleteRead(b"", response.length)
        return b"".join(pieces)

    def cut(self) -> None:
        """End it now, wherever it is. Does nothing once it is over."""
        self._is_cut = True
        open_now = self._connection.sock if self._connection is not None else None
        for opened in (*self._sockets, open_now):
            if opened is not None:
                with suppress(OSError):
                    # That of the base class: the one of a TLS socket drops state that the reading thread still uses.
                    socket.socket.shutdown(opened, socket.SHUT_RDWR)


def _unreachable(error: Exception, place: str, *, connected: bool) -> UpstreamError:
    match error:
        case ConnectionRefusedError():
            return UpstreamError(f"nothing listens at {place}", hint="is the server running, and is this its port?")
        case socket.gaierror() | UnicodeError():
            return UpstreamError(f"the host of {place} is not known", hint="check the address")
        case TimeoutError():
            did = "gave no answer in time" if connected else "could not be connected to in time"
            return UpstreamError(f"{place} {did}", hint=SLOW if connected else "check the address")
        case SSLError():
            hint = "is it https? a certificate of your own is trusted when SSL_CERT_FILE names it"
            why = error.verify_message if isinstance(error, SSLCertVerificationError) else (error.reason or "it failed").lower()
            return UpstreamError(f"no secure connection to {place}: {why}", hint=hint)
        case RemoteDisconnected():
            return UpstreamError(f"{place} closed the connection without an answer")
        case HTTPException():
            return UpstreamError(f"{place} broke off its answer, or does not speak HTTP")
        case _:
            return UpstreamError(f"{place} cannot be reached: {getattr(error, 'strerror', None) or error}")


async def in_thread(work: Callable[[], Answer]) -> Answer:
    """The work of an exchange, beside the event loop.

    In a daemon thread and not in the loop's pool: Python waits for the threads of a pool before it ends, and so would a user
    who interrupts a program whose model hangs.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Answer] = loop.create_future()

    def settle(answer: Answer | None, error: BaseException | None) -> None:
        if done.done():
            return
        if error is not None:
            done.set_exception(error)
        elif answer is not None:
            done.set_result(answer)

    def run() -> None:
        answer: Answer | None = None
        raised: BaseException | None = None
        try:
            answer = work()
        except BaseException as error:  # noqa: BLE001
            # It belongs to who waits; in this thread nobody sees it.
            raised = error
        # A loop that is closed has given up waiting.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(settle, answer, raised)

    threading.Thread(target=run, name="transom-client", daemon=True).start()
    return await done
