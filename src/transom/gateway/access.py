"""Who may ask: clients of this machine and pages that are allowed to, and elsewhere only who has the token.

Judges nothing itself, ``safety.origins`` does; here a verdict becomes an answer. A page in the user's browser must not be able
to spend the user's key, so a page that is not allowed is refused before anything is read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from ..errors import UsageError
from ..safety import origins
from ..safety.verdict import Verdict
from .headers import Header, credentials, named, texts

__all__ = ["TOKEN", "Access", "Admitted", "Refusal", "preflight"]

TOKEN = "x-transom-token"  # noqa: S105 - the header's name
"""Where a client may send our token when its other headers carry a key for the upstream."""

_REFUSALS = {
    "origin_hosts": (400, "one Host header is needed, and no more"),
    "origin_host": (421, "this host name is not ours"),
    "origin_foreign": (403, "this origin may not ask"),
    "origin_bearer": (401, f"a token is needed: send it as the key, or in {TOKEN}"),
}
_DAY = b"86400"
_MOST_JUDGED, _LONGEST_JUDGED = 256, 512
"""Verdicts that are remembered, and characters of what each is about."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not served.

    Attributes:
        status: HTTP status.
        message: in a few words.
    """

    status: int
    message: str


@dataclass(frozen=True, slots=True)
class Admitted:
    """A request that may be served.

    Attributes:
        spent: headers whose credential was meant for us, and goes no further; ``key`` for that of the query.
        origin: the page that asks; empty where none does.
    """

    spent: frozenset[str] = frozenset()
    origin: bytes = b""

    def sharing(self, headers: list[Header]) -> list[Header]:
        """The answer's headers, with the page's leave to read it. What an upstream says of origins is about its own clients."""
        if not self.origin:
            return headers
        kept = [(name, value) for name, value in headers if not name.startswith(b"access-control-")]
        return [
            *kept,
            (b"access-control-allow-origin", self.origin),
            (b"access-control-expose-headers", b"*"),
            (b"vary", b"origin"),
        ]


class Access:
    """What stands before everything else.

    Args:
        host: where the server listens.
        hosts: further names it is called by, beside those of loopback and the address that a request came to.
        allowed_origins: pages, ``scheme://host:port``, beside those that this machine serves.
        token: what clients must send; ``None`` for none.

    Raises:
        UsageError: others could reach the server, and there is no token.
    """

    def __init__(
        self,
        host: str = "127.0.0.1",
        *,
        hosts: Collection[str] = (),
        allowed_origins: Collection[str] = (),
        token: str | None = None,
    ) -> None:
        if token is None and not origins.is_loopback(host):
            raise UsageError(f"{host} can be reached by others, and there is no token", hint="give a token, or use 127.0.0.1")
        self._hosts = origins.LOOPBACK_HOSTS | {_as_host(name) for name in (host, *hosts)}
        self._origins = tuple(allowed_origins)
        self._token = token
        # Clients say the same in every request, and judging it anew takes 10 µs.
        self._judged: dict[tuple[bytes, bytes, bytes, str], Verdict] = {}

    def judge(self, headers: Iterable[Header], query: str, server: tuple[str, int | None] | None) -> Admitted | Refusal:
        """Whether a request may be served.

        Args:
            headers: the request's.
            query: its query.
            server: the address it came to.
        """
        headers = list(headers)
        hosts, origin, site = _asking(headers)
        if len(hosts) > 1:
            # Who stands before us may have gone by the other one (RFC 9112, 3.2).
            return Refusal(*_REFUSALS["origin_hosts"])
        verdict = self._whence(hosts[0] if hosts else b"", origin, site, server[0] if server else "")
        if not verdict:
            return Refusal(*_REFUSALS[verdict.reason])
        if self._token is None:
            return Admitted(origin=origin)
        if named(headers, b"access-control-request-method"):
            # A browser asks beforehand without any credential, and learns nothing but that it may ask.
            return Admitted(origin=origin)
        return self._known(headers, query, origin)

    def _whence(self, host: bytes, origin: bytes, site: bytes, reached: str) -> Verdict:
        """Whether a request comes from where it may."""
        asked = host, origin, site, reached
        found = self._judged.get(asked)
        if found is None:
            found = origins.judge(
                host.decode("latin-1") or None,
                origin.decode("latin-1") or None,
                fetch_site=site.decode("latin-1"),
                # Only a name can be made to lead elsewhere: the address that a request came to is no name.
                allowed_hosts=self._hosts | ({_as_host(reached)} if reached else set()),
                allowed_origins=self._origins,
            )
            if len(self._judged) < _MOST_JUDGED and sum(map(len, asked)) < _LONGEST_JUDGED:
                self._judged[asked] = found
        return found

    def _known(self, headers: list[Header], query: str, origin: bytes) -> Admitted | Refusal:
        assert self._token is not None
        own = named(headers, TOKEN.encode()).decode("latin-1")
        if own and origins.judge_bearer(f"Bearer {own}", self._token):
            return Admitted(origin=origin)
        spent = set()
        for name, value in credentials(texts(headers), query).items():
            if origins.judge_bearer(value if name == "authorization" else f"Bearer {value}", self._token):
                spent.add(name)
        return Admitted(frozenset(spent), origin) if spent else Refusal(*_REFUSALS["origin_bearer"])


def preflight(origin: bytes, headers: Iterable[Header]) -> list[Header]:
    """What a browser is told that asks beforehand whether its page may ask."""
    headers = list(headers)
    told = [
        (b"access-control-allow-origin", origin),
        (b"access-control-allow-methods", named(headers, b"access-control-request-method")),
        (b"access-control-max-age", _DAY),
        (b"vary", b"origin, access-control-request-method, access-control-request-headers"),
    ]
    wanted = named(headers, b"access-control-request-headers")
    return [*told, (b"access-control-allow-headers", wanted)] if wanted else told


def _asking(headers: list[Header]) -> tuple[list[bytes], bytes, bytes]:
    """Every ``Host``, the ``Origin`` and the ``Sec-Fetch-Site`` of a request, in one go: it is asked of every one."""
    hosts: list[bytes] = []
    origin = site = b""
    for name, value in headers:
        match name.lower():
            case b"host":
                hosts.append(value)
            case b"origin":
                origin = origin or value
            case b"sec-fetch-site":
                site = site or value
    return hosts, origin, site


def _as_host(name: str) -> str:
    return f"[{name}]" if ":" in name and not name.startswith("[") else name
