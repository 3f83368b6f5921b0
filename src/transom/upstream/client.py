"""JSON to a model's server and back, with the standard library alone.

Knows HTTP and what servers answer instead of JSON; nothing of what is asked. An exchange runs in a thread, since the standard
library's client blocks, and is cut off from outside when its time is over or its caller is cancelled: the socket is shut down,
so that no thread outlives its caller. Redirects are not followed, since a key would go with them, and no proxy is used. Errors
show no key.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Mapping
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, IncompleteRead, RemoteDisconnected
from ssl import SSLCertVerificationError, SSLError

from ..errors import InputError, JSONError, UpstreamError
from ..jsontext import dumps, loads
from .address import Address
from .complaints import complaint

__all__ = ["Answer", "Client", "Limits"]

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


class Client:
    """Talks to one server. Holds no connection between calls, so that it needs no closing and any loop may use it.

    Args:
        url: the server: a host, a base with or without ``/v1``, or the address of its chat endpoint.
        key: sent as a bearer token; never shown.
        limits: how long and how much.

    Raises:
        InputError: an address or a key that cannot be used.
    """

    __slots__ = ("_key", "address", "limits")

    def __init__(self, url: str, *, key: str | None = None, limits: Limits | None = None) -> None:
        self.address = Address.parse(url)
        self.limits = limits if limits is not None else Limits()
        if key is not None and not (key.isascii() and key.isprintable() and key.strip()):
            raise InputError("the key holds characters that no header may hold", hint="check it for line ends and blanks")
        self._key = key.strip() if key is not None else None

    def within(self, limits: Limits) -> Client:
        """The same server, under other limits."""
        other = copy(self)
        other.limits = limits
        return other

    def __repr__(self) -> str:
        return f"Client({self.address.shown!r})"

    async def post(self, path: str, body: object) -> object:
        """Post a JSON value (or JSON text as bytes) and give back the JSON value answered.

        Raises:
            UpstreamError: the server cannot be reached, takes too long, refuses, or answers anything but JSON.
            JSONError: the body cannot be JSON.
        """
        return await self._ask("POST", path, body if isinstance(body, bytes) else dumps(body))

    async def get(self, path: str, query: str = "") -> object:
        """The JSON value at a path.

        Raises:
            UpstreamError: as ``post``.
        """
        return await self._ask("GET", path, None, query)

    async def _ask(self, method: str, path: str, body: bytes | None, query: str = "") -> object:
        place = self.address.at(path)
        exchange = _Exchange(self.address, self.limits)
        target = path + "?" * bool(query or self.address.query) + "&".join(filter(None, [self.address.query, query]))
        try:
            async with asyncio.timeout(self.limits.total):
                answer = await asyncio.to_thread(exchange.run, method, target, body, self._headers(body), place)
        except TimeoutError:
            raise UpstreamError(f"{place} gave no answer within {self.limits.total:g} seconds", hint=_SLOW) from None
        except UpstreamError as error:
            raise self._without_key(error) from error.__cause__
        finally:
            exchange.cut()
        return self._value(answer, place)

    def _headers(self, body: bytes | None) -> dict[str, str]:
        headers = {"Accept": "application/json", "Connection": "close", "User-Agent": "transom"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"
        return headers

    def _value(self, answer: Answer, place: str) -> object:
        try:
            value = loads(answer.body)
        except JSONError:
            value = None
        if value is None or not 200 <= answer.status < 300 or complaint(answer.status, value) is not None:
            raise self._without_key(_refusal(answer, value, place))
        return value

    def _without_key(self, error: UpstreamError) -> UpstreamError:
        """The same, should a server have repeated the key in what it said."""
        if self._key is None or self._key not in str(error):
            return error
        return UpstreamError(
            error.message.replace(self._key, "…"), hint=error.hint.replace(self._key, "…"), status=error.status, kind=error.kind
        )


_SLOW = "a local model may need minutes for a long text: give it more time, or a smaller window"


def _refusal(answer: Answer, value: object, place: str) -> UpstreamError:
    """What is wrong with an answer that is no result."""
    if 300 <= answer.status < 400:
        hint = f"give the address it points to: {answer.location}" if answer.location else "check the address"
        return UpstreamError(f"{place} points elsewhere ({answer.status})", hint=hint, status=answer.status)
    found = complaint(answer.status, value)
    if found is not None and (found.message or answer.status >= 400):
        said = f": {found.message}" if found.message else ""
        return UpstreamError(f"{place} answered {answer.status}{said}", hint=found.hint, status=answer.status, kind=found.kind)
    if not answer.body.strip():
        return UpstreamError(f"{place} answered {answer.status} and nothing", status=answer.status)
    if answer.kind == "text/html" or answer.body.lstrip()[:1] == b"<":
        hint = "is it the address of the API? it often ends in /v1"
        return UpstreamError(f"{place} answered {answer.status} with a web page", hint=hint, status=answer.status)
    if answer.kind == "text/event-stream":
        return UpstreamError(f"{place} answered with a stream, though none was asked for", status=answer.status)
    return UpstreamError(f"{place} answered {answer.status} with something that is not JSON", status=answer.status)


@dataclass(slots=True)
class _Exchange:
    """One request and its answer, run in a thread and cut off from another."""

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
            response = connection.getresponse()
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
            return UpstreamError(f"{place} {did}", hint=_SLOW if connected else "check the address")
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
