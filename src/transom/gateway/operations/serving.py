"""What is answered under ``/_transom/``. Pure ASGI; who may ask was decided before."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qs

from ...jsontext import dumps
from ..upstreams import Routes
from .book import Book
from .health import health
from .keeping import Keeping

__all__ = ["build_operations"]

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Answer = tuple[int, str, bytes]

_JSON = "application/json"
_PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"
_LISTED = 100
_MOST_DIGITS = 9


def build_operations(
    routes: Routes, book: Book, keeping: Keeping | None = None
) -> Callable[[Message, Receive, Send], Awaitable[None]]:
    """The application that answers ``healthz``, ``metrics``, ``requests`` and ``requests/ID``.

    Args:
        routes: whose upstreams are asked for their health.
        book: what the gateway told of its requests; give it to ``build_app`` as ``journal`` too.
        keeping: where the store is.
    """

    async def application(scope: Message, receive: Receive, send: Send) -> None:  # noqa: ARG001 - nothing here reads a body
        if scope["method"] not in {"GET", "HEAD"}:
            status, kind, body = 405, _JSON, _error("only GET is answered here")
        else:
            status, kind, body = await _answer(scope, routes, book, keeping)
        headers = [(b"content-type", kind.encode()), (b"cache-control", b"no-store"), (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})

    return application


async def _answer(scope: Message, routes: Routes, book: Book, keeping: Keeping | None) -> Answer:
    match scope["path"].strip("/").split("/"):
        case ["_transom", "healthz"]:
            well, account = await health(routes.upstreams)
            if keeping is not None:
                state, said = await keeping.state()
                account["store"] = {"path": str(keeping.path), "ok": state == "ok", "state": state, "message": said}
                if said:
                    well, account["status"] = False, "unavailable"
            return 200 if well else 503, _JSON, dumps(account)
        case ["_transom", "metrics"]:
            return 200, _PROMETHEUS, book.metrics.text().encode()
        case ["_transom", "requests"]:
            asked = parse_qs(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
            wanted = asked.get("limit", [str(_LISTED)])[-1]
            if not (wanted.isascii() and wanted.isdecimal() and len(wanted) < _MOST_DIGITS):
                return 400, _JSON, _error("limit is a whole number in digits, such as ?limit=10", "invalid_request_error")
            most = int(wanted)
            return 200, _JSON, dumps({"requests": [seen.summary() for seen in book.recent.last(most)]})
        case ["_transom", "requests", id]:
            seen = book.recent.get(id)
            if seen is None:
                return 404, _JSON, _error("there is no such request, or it is no longer held")
            # Masking reads every byte of what may be megabytes.
            return 200, _JSON, await asyncio.to_thread(seen.whole)
        case _:
            return 404, _JSON, _error("there are healthz, metrics, requests and requests/ID")


def _error(message: str, kind: str = "not_found_error") -> bytes:
    return dumps({"error": {"message": message, "type": kind}})
