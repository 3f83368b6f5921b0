"""Who may speak to the server over HTTP: no page of a browser that was led here, and nobody without the token, if there is one.

Judges nothing itself, ``safety.origins`` does; here a verdict becomes an answer.
"""

from __future__ import annotations

from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from ..safety import origins

__all__ = ["Guard"]

_ANSWERS = {
    "origin_host": (421, "This host name is not ours."),
    "origin_foreign": (403, "This origin may not ask."),
    "origin_bearer": (401, "A bearer token is needed."),
}


class Guard:
    """What stands before the application.

    Args:
        app: what is guarded.
        hosts: names and addresses that the server is called by, beside those of loopback and the address a request came to.
        token: what a client must send as its bearer token; ``None`` for none.
    """

    def __init__(self, app: ASGIApp, *, hosts: Collection[str], token: str | None) -> None:
        self._app = app
        self._hosts = origins.LOOPBACK_HOSTS | {_as_host(name) for name in hosts}
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it."""
        refusal = self._refusal(scope) if scope["type"] == "http" else None
        await (self._app if refusal is None else refusal)(scope, receive, send)

    def _refusal(self, scope: Scope) -> ASGIApp | None:
        headers = Headers(scope=scope)
        # Only a name can be made to lead elsewhere: the address that a request came to is no name.
        reached = {_as_host(scope["server"][0])} if scope.get("server") else set()
        verdict = origins.judge(
            headers.get("host"),
            headers.get("origin"),
            fetch_site=headers.get("sec-fetch-site", ""),
            allowed_hosts=self._hosts | reached,
        )
        if verdict and self._token is not None:
            verdict = origins.judge_bearer(headers.get("authorization"), self._token)
        if verdict:
            return None
        status, text = _ANSWERS[verdict.reason]
        return PlainTextResponse(text, status, {"WWW-Authenticate": "Bearer"} if status == 401 else None)


def _as_host(name: str) -> str:
    return f"[{name}]" if ":" in name and not name.startswith("[") else name
