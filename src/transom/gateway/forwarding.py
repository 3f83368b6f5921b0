"""Asking the upstream: one client session with its pool, and what can go wrong in the words of a status.

Knows aiohttp and addresses; nothing of protocols. Redirects are not followed, since a key would go with them; no proxy is used.
An answer is read as it comes and never held.
"""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import aiohttp
from aiohttp.abc import AbstractStreamWriter
from aiohttp.base_protocol import BaseProtocol
from aiohttp.connector import Connection
from multidict import CIMultiDict
from yarl import URL

from .bodies import ClientGoneError
from .headers import spelled

if TYPE_CHECKING:
    from .upstreams import Upstream

__all__ = ["Answer", "FailedError", "Forwarder", "Limits", "target"]

_AUTOMATIC = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")
"""Headers that the client library would add on its own."""
_PIECE = 256 << 10
_LONGEST_HEADER = 64 << 10
_MOST_HEADERS = 4096
_MEND = "; start it, or check --upstream"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long and how much.

    Attributes:
        connect: seconds until a connection stands, TLS included.
        idle: seconds without anything but keep-alives from the upstream, after which it counts as dead. A local server reads a
            long prompt for minutes.
        quiet: seconds of silence after which the client gets a keep-alive.
        patience: seconds to wait for the upstream's status before the client is promised a stream.
        hold: seconds that the first events of a stream may be held where an overflow may follow them.
        risky: bytes of a request above which they are.
        most_read: bytes of a body that are looked into.
    """

    connect: float = 10.0
    idle: float = 600.0
    quiet: float = 15.0
    patience: float = 20.0
    hold: float = 0.25
    risky: int = 64 << 10
    most_read: int = 32 << 20


class FailedError(Exception):
    """The upstream gave no answer, or broke it off.

    Attributes:
        status: what a client is told: 502, 504, or 400 for a request that cannot be asked.
        message: what went wrong, and where.
        stale: a connection that had been used before was dropped, so that asking again on a new one makes sense.
    """

    def __init__(self, status: int, message: str, *, stale: bool = False) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.stale = stale


class Answer:
    """What an upstream answers, read piece by piece.

    Attributes:
        status: HTTP status.
        headers: as they came.
    """

    __slots__ = ("_place", "_response", "headers", "status")

    def __init__(self, response: aiohttp.ClientResponse, place: str) -> None:
        self._response = response
        self._place = place
        self.status = response.status
        self.headers: tuple[tuple[bytes, bytes], ...] = response.raw_headers

    def header(self, name: str) -> str:
        """A header's value; empty where it is not there."""
        return self._response.headers.get(name, "")

    def listed(self, name: str) -> str:
        """The value of a header that is a list, however many lines it has; empty where it is not there."""
        return ", ".join(self._response.headers.getall(name, ()))

    @property
    def length(self) -> int | None:
        """Bytes of the body, where the upstream says so."""
        told = self._response.headers.get("Content-Length", "")
        return int(told) if told.isdecimal() else None

    async def read(self) -> bytes:
        """What has come since; waits for at least a byte. Empty at the end.

        Raises:
            FailedError: the upstream broke off, or was silent for too long.
        """
        try:
            return await self._response.content.readany()
        except (aiohttp.ClientError, OSError) as error:
            # What came before the break lies in the reader still, which gives it to nobody once it knows of the break.
            if rest := self._response.content._read_nowait(-1):
                return rest
            raise _broken(error, self._place) from error

    def give_up(self, message: str) -> None:
        """End a read that waits, as one that took too long."""
        self._response.content.set_exception(aiohttp.SocketTimeoutError(message))

    def close(self) -> None:
        """End it. An answer that was not read to its end takes its connection along, so that the upstream stops working."""
        self._response.close()


class _Whole(aiohttp.Payload):
    """A body in memory, written in pieces: in one, a large one would hold up the loop."""

    _autoclose = True

    def __init__(self, value: bytes) -> None:
        super().__init__(value)
        self._size = len(value)

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        """As the base class wants it; only diagnostics ask."""
        return bytes(self._value).decode(encoding, errors)

    async def write(self, writer: AbstractStreamWriter) -> None:
        """Write all of it."""
        view = memoryview(self._value)
        for start in range(0, len(view), _PIECE):
            await writer.write(view[start : start + _PIECE])

    async def write_with_length(self, writer: AbstractStreamWriter, content_length: int | None) -> None:  # noqa: ARG002
        """Write all of it: its length is the one announced."""
        await self.write(writer)


class _Head:
    """A connection until the head of a request has gone over it, which the client library writes as UTF-8 and in one piece.

    Header values stand in it as Latin-1, a character for each of their bytes; as such they leave.
    """

    def __init__(self, protocol: BaseProtocol, transport: asyncio.Transport) -> None:
        self._protocol = protocol
        self._transport = transport

    def write(self, data: bytes) -> None:
        """Write the head, and what comes with it; what comes later is none of ours."""
        if self._protocol.transport is cast(object, self):
            self._protocol.transport = self._transport
        head, end, rest = data.partition(b"\r\n\r\n")
        self._transport.write(head.decode().encode("latin-1") + end + rest)

    def writelines(self, pieces: Iterable[bytes]) -> None:
        """See ``write``."""
        self.write(b"".join(pieces))

    def __getattr__(self, name: str) -> Any:  # all else is the connection's
        return getattr(self._transport, name)


class _Request(aiohttp.ClientRequest):
    """A request whose headers leave as the bytes that they are."""

    async def send(self, conn: Connection) -> aiohttp.ClientResponse:
        """Send it."""
        protocol = conn.protocol
        if protocol is not None and protocol.transport is not None and not all(map(str.isascii, self.headers.values())):
            protocol.transport = cast(asyncio.Transport, _Head(protocol, protocol.transport))
        return await super().send(conn)


class Forwarder:
    """Asks upstreams. Its sessions are made at the first request, in the loop that serves it.

    Args:
        limits: how long and how much.
        hop: what this gateway is called in ``Via``; empty to leave that out.
    """

    def __init__(self, limits: Limits | None = None, hop: str = "") -> None:
        self._limits = limits or Limits()
        self._hop = hop
        self._pooled: aiohttp.ClientSession | None = None
        self._fresh: aiohttp.ClientSession | None = None

    async def ask(
        self,
        upstream: Upstream,
        method: str,
        url: URL,
        headers: Iterable[tuple[str, str]],
        body: bytes | AsyncIterator[bytes] | None,
        length: int | None = None,
    ) -> Answer:
        """Send a request and wait for the status of its answer. Cancelled, it drops the connection.

        A connection of the pool may have been closed by the other side just now. Then, and only where the body can be sent
        again, a new one is tried once.

        Args:
            upstream: who is asked; for its address in errors.
            method: HTTP method.
            url: what is asked, encoded.
            headers: all that is sent, save those of the connection.
            body: what is sent, whole or as it comes; ``None`` for nothing.
            length: bytes of a body that comes piece by piece, where they are known.

        Raises:
            FailedError: no answer.
            ClientGoneError: the client went away while it sent its body.
        """
        if self._pooled is None:
            self._pooled = self._session(pooled=True)
        sent = CIMultiDict((name, spelled(value).decode("latin-1")) for name, value in headers)
        if self._hop and upstream.near:
            # The one header that we add, and to no provider: gateways that ask each other would never end (RFC 9110, 7.6.3).
            # Spelled as those that came: the client library keeps only the last of two spellings.
            sent.add("via", f"1.1 {self._hop}")
        if length is not None:
            sent["Content-Length"] = str(length)
        try:
            return await self._asked(self._pooled, upstream, method, url, sent, body)
        except FailedError as error:
            if not error.stale or not (body is None or isinstance(body, bytes)):
                raise
        if self._fresh is None:
            self._fresh = self._session(pooled=False)
        return await self._asked(self._fresh, upstream, method, url, sent, body)

    async def close(self) -> None:
        """Close every connection."""
        for session in (self._pooled, self._fresh):
            if session is not None:
                await session.close()
        self._pooled = self._fresh = None

    async def _asked(
        self,
        session: aiohttp.ClientSession,
        upstream: Upstream,
        method: str,
        url: URL,
        headers: CIMultiDict[str],
        body: bytes | AsyncIterator[bytes] | None,
    ) -> Answer:
        place = upstream.address.at(url.raw_path)
        used = SimpleNamespace(before=False)
        data = _Whole(body) if isinstance(body, bytes) and len(body) > _PIECE else body
        try:
            response = await session.request(
                method, url, headers=headers, data=data or None, allow_redirects=False, trace_request_ctx=used
            )
        except (aiohttp.ClientError, OSError, ValueError) as error:
            if isinstance(error.__cause__, ClientGoneError):
                raise error.__cause__ from None
            raise _failed(error, place, reused=used.before) from error
        if not 200 <= response.status <= 599:
            response.close()
            raise FailedError(502, f"{place} answered with status {response.status}, which ends no request")
        return Answer(response, place)

    def _session(self, *, pooled: bool) -> aiohttp.ClientSession:
        limits = self._limits
        tracing = aiohttp.TraceConfig()
        tracing.on_connection_reuseconn.append(_reused)
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, force_close=not pooled),
            timeout=aiohttp.ClientTimeout(
                total=None, connect=limits.connect, sock_connect=limits.connect, sock_read=limits.idle
            ),
            request_class=_Request,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            skip_auto_headers=_AUTOMATIC,
            trust_env=False,
            max_line_size=_LONGEST_HEADER,
            max_field_size=_LONGEST_HEADER,
            max_headers=_MOST_HEADERS,
            trace_configs=[tracing] if pooled else [],
        )


def target(upstream: Upstream, path: str, query: str) -> URL:
    """The URL of a path at an upstream, byte for byte.

    An upstream whose base is not ``/v1`` (``/v1beta/openai``, ``/api/paas/v4``) is asked there for what clients ask ``/v1``
    for.
    """
    address = upstream.address
    conventional = f"{address.root}/v1"
    single = "/" + path.lstrip("/")
    if address.base != conventional and (single == "/v1" or single.startswith("/v1/")):
        path = address.base + single.removeprefix("/v1")
    else:
        path = address.root + path
    query = "&".join(filter(None, (address.query, query)))
    return URL(address.at(path) + (f"?{query}" if query else ""), encoded=True)


async def _reused(session: aiohttp.ClientSession, context: SimpleNamespace, parameters: object) -> None:  # noqa: ARG001
    context.trace_request_ctx.before = True


def _failed(error: Exception, place: str, *, reused: bool) -> FailedError:
    match error:
        case aiohttp.ConnectionTimeoutError():
            return FailedError(504, f"{place} could not be connected to in time{_MEND}")
        case TimeoutError():
            return FailedError(504, f"{place} gave no answer in time")
        case aiohttp.ClientConnectorDNSError():
            return FailedError(502, f"the host of {place} is not known; check --upstream")
        case aiohttp.ClientConnectorCertificateError() | ssl.SSLError() | aiohttp.ClientSSLError():
            return FailedError(502, f"no secure connection to {place}: {_why(error)}")
        case aiohttp.ClientConnectorError():
            return FailedError(502, f"nothing answers at {place} ({_why(error)}){_MEND}")
        case aiohttp.ServerDisconnectedError() | ConnectionError() | aiohttp.ClientOSError():
            return FailedError(502, f"{place} closed the connection without an answer", stale=reused)
        case aiohttp.ClientResponseError() | aiohttp.ClientPayloadError():
            return FailedError(502, f"{place} broke off its answer, or does not speak HTTP")
        case aiohttp.InvalidURL():
            return FailedError(400, "the path of the request cannot be asked")
        case ValueError():
            return FailedError(400, "the request holds a header that cannot be sent")
        case _:
            return FailedError(502, f"{place} cannot be reached ({_why(error)}){_MEND}")


def _broken(error: Exception, place: str) -> FailedError:
    if isinstance(error, TimeoutError):
        return FailedError(504, f"{place} was silent for too long")
    return FailedError(502, f"{place} broke off its answer")


def _why(error: Exception) -> str:
    inner = getattr(error, "os_error", None) or getattr(error, "certificate_error", None) or error
    if isinstance(inner, OSError) and not isinstance(inner, ssl.SSLError) and inner.errno:
        # What asyncio says of a connection names its own call and repeats the address.
        return os.strerror(inner.errno).lower()
    return str(getattr(inner, "verify_message", "") or getattr(inner, "strerror", "") or inner)
