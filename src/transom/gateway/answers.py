"""Answers of the gateway's own, in the shape of the protocol that was asked for.

Knows ASGI's ``send`` and the shapes of errors.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from .bodies import Receive
from .endpoint import Endpoint, endpoint
from .headers import Header
from .relaying import Send
from .streams import error_body

__all__ = ["answer", "error_of", "refuse_upgrade", "refuse_websocket"]


def error_of(path: str, status: int, message: str, point: Endpoint | None = None) -> bytes:
    """An error's body, in the shape of the protocol that a path belongs to, prefix or not."""
    found = point or endpoint("POST", path, {}) or endpoint("POST", "/" + path.removeprefix("/").partition("/")[2], {})
    return error_body(found.protocol if found is not None else "openai", status, message)


async def answer(send: Send, status: int, body: bytes, headers: list[Header] | None = None) -> None:
    """Answer a request without an upstream.

    Args:
        send: ASGI's.
        status: HTTP status.
        body: JSON; empty for none.
        headers: beside those that the body needs.
    """
    told = list(headers or [])
    if body:
        told += [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    elif status != 204:
        told.append((b"content-length", b"0"))
    await send({"type": "http.response.start", "status": status, "headers": told})
    await send({"type": "http.response.body", "body": body, "more_body": False})


async def refuse_upgrade(send: Send) -> None:
    """Refuse an offer of WebSockets."""
    # Any other status costs Codex several tries, or ends its run.
    body = error_of("/v1/responses", 426, "WebSockets are not served here: use HTTP")
    await answer(send, 426, body, [(b"upgrade", b"HTTP/1.1"), (b"connection", b"close")])


async def refuse_websocket(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
    """Refuse a WebSocket that a server has taken already."""
    await receive()
    if "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": 1008})
        return
    body = error_of("/v1/responses", 426, "WebSockets are not served here: use HTTP")
    told = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body)), (b"upgrade", b"HTTP/1.1")]
    await send({"type": "websocket.http.response.start", "status": 426, "headers": told})
    await send({"type": "websocket.http.response.body", "body": body, "more_body": False})
