"""JSON to a model's server and back.

Knows what servers answer instead of JSON; nothing of what is asked. Redirects are not followed, since a key would go with them.
No error shows a key.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from copy import copy

from ..errors import InputError, JSONError, UpstreamError
from ..jsontext import dumps, loads
from .address import Address
from .complaints import complaint
from .exchange import SLOW, Answer, Exchange, Limits, in_thread

__all__ = ["Client", "Limits"]


class Client:
    """Talks to one server. Holds no connection between calls, so that it needs no closing and any loop may use it.

    Args:
        url: the server: a host, a base with or without ``/v1``, or the address of its chat endpoint.
        key: sent as a bearer token; never shown.
        limits: how long and how much.
        key_header: where the key is sent instead, as it is, by hosts that take no bearer.
        headers: what goes with every request beside it.

    Raises:
        InputError: an address or a key that cannot be used.
    """

    __slots__ = ("_further", "_key", "_key_header", "address", "limits")

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        limits: Limits | None = None,
        key_header: str = "Authorization",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.address = Address.parse(url)
        self._key_header = key_header
        self._further = dict(headers or {})
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
        exchange = Exchange(self.address, self.limits)
        target = path + "?" * bool(query or self.address.query) + "&".join(filter(None, [self.address.query, query]))
        try:
            async with asyncio.timeout(self.limits.total):
                headers = self._headers(body)
                answer = await in_thread(lambda: exchange.run(method, target, body, headers, place))
        except TimeoutError:
            raise UpstreamError(f"{place} gave no answer within {self.limits.total:g} seconds", hint=SLOW) from None
        except UpstreamError as error:
            raise self._without_key(error) from error.__cause__
        finally:
            exchange.cut()
        return self._value(answer, place)

    def _headers(self, body: bytes | None) -> dict[str, str]:
        headers = {"Accept": "application/json", "Connection": "close", "User-Agent": "transom", **self._further}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if self._key is not None:
            bearer = "Bearer " if self._key_header == "Authorization" else ""
            headers[self._key_header] = bearer + self._key
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
