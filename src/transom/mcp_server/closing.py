"""An application whose open answers can be brought to their end: a stream that a client keeps open does not end by itself."""

from __future__ import annotations

import anyio
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Closing"]


class Closing:
    """What stands around an application.

    Args:
        app: the application.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._open: dict[anyio.CancelScope, str] = {}

    def close(self, *, all_: bool) -> None:
        """End the streams of clients that only listen.

        Args:
            all_: also answers that are still being made.
        """
        for scope, method in tuple(self._open.items()):
            if all_ or method == "GET":
                scope.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = finished = False

        async def watched(message: Message) -> None:
            nonlocal begun, finished
            begun = True
            await send(message)
            finished = message["type"] == "http.response.body" and not message.get("more_body", False)

        with anyio.CancelScope() as within:
            self._open[within] = scope["method"]
            try:
                await self._app(scope, receive, watched)
            finally:
                del self._open[within]
        if within.cancelled_caught and not begun:
            await PlainTextResponse("The server is ending.", 503)(scope, receive, send)
        elif within.cancelled_caught and not finished:
            await send({"type": "http.response.body", "body": b"", "more_body": False})
