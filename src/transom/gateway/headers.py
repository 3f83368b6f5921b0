"""Which headers go on, in both directions: everything, save what belongs to one connection or to us.

Pure. Names that come twice stay twice, in their order. What is dropped is named here and nowhere else, so that answers with an
error lose no more than others do. Sources: RFC 9110, 7.6.1 (connections), 8.4 (codings); the providers' API references.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from urllib.parse import unquote_plus

from .endpoint import Endpoint
from .upstreams import Upstream

__all__ = ["OWN", "back", "credentials", "named", "onward", "spelled", "texts", "without_key"]

Header = tuple[bytes, bytes]

OWN = "x-transom-"
"""What our own headers begin with: none goes to an upstream, and none of an upstream's comes back."""

_CONNECTION = frozenset({
    "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer",
    "transfer-encoding", "upgrade",
})  # fmt: skip
"""Those that a connection has to itself."""

_ASKED = _CONNECTION | {"content-length", "expect", "host"}
_ANSWERED = frozenset(name.encode() for name in _CONNECTION) | {b"content-length", b"date", b"server"}

_CONTENT = frozenset({"content-encoding", "content-digest", "content-md5", "digest"})
"""What a coding and the sums over it say of a body that does not go on in it."""

_CONTROLS = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
"""What no value may hold, and a blank stands for (RFC 9110, 5.5): an answer is not lost over it."""

_CREDENTIALS = ("authorization", "x-api-key", "x-goog-api-key", "api-key")
"""Headers that clients carry a key in."""


class _Latin(str):
    """A value whose bytes are no UTF-8, read as Latin-1. It leaves as the bytes that came."""

    __slots__ = ()


def texts(headers: Iterable[Header]) -> list[tuple[str, str]]:
    """Headers as text to be read, names in lower case. ``spelled`` tells the bytes of a value again."""
    return [(name.decode("latin-1").lower(), _text(value)) for name, value in headers]


def spelled(value: str) -> bytes:
    """A header's value as it goes over the wire: the bytes that ``texts`` read, and UTF-8 where it is our own."""
    return value.encode("latin-1" if isinstance(value, _Latin) else "utf-8")


def named(headers: Iterable[Header], name: bytes) -> bytes:
    """A header's value, whatever the case of its name; empty where it is not there."""
    return next((value for key, value in headers if key.lower() == name), b"")


def credentials(headers: Iterable[tuple[str, str]], query: str) -> dict[str, str]:
    """The keys that a request carries, by the header they came in; ``key`` for that of the query."""
    found = {name: value.strip() for name, value in headers if name in _CREDENTIALS and value.strip()}
    for pair in query.split("&"):
        name, _, value = pair.partition("=")
        if name == "key" and value:
            found["key"] = unquote_plus(value)
    return found


def without_key(query: str) -> str:
    """A query without the key in it; every other byte of it stays."""
    return "&".join(pair for pair in query.split("&") if pair.partition("=")[0] != "key")


def onward(
    headers: Iterable[tuple[str, str]],
    upstream: Upstream,
    endpoint: Endpoint | None,
    *,
    recoded: bool = False,
    read: bool = True,
    spent: Collection[str] = (),
    query: str = "",
) -> list[tuple[str, str]]:
    """What an upstream is sent.

    Args:
        headers: the client's, names in lower case.
        upstream: who is asked. Its key takes the place of the client's.
        endpoint: what is asked for; says how a key is sent where the client sent none.
        recoded: the body was edited, and goes on without the coding it came in.
        read: the answer is looked at on its way back, so it should come uncoded.
        spent: credentials that were meant for us.
        query: the client's; a key may be in it.
    """
    headers = list(headers)
    dropped = _ASKED | {name for key, value in headers if key == "connection" for name in _listed(value)} | set(spent)
    if recoded:
        dropped |= _CONTENT
    if read:
        dropped |= {"accept-encoding"}
    if upstream.key is not None:
        dropped |= set(_CREDENTIALS)
    kept = [(name, value) for name, value in headers if name not in dropped and not name.startswith(OWN)]
    if read:
        kept.append(("accept-encoding", "identity"))
    if upstream.key is not None:
        carried = credentials(headers, query)
        kept.append(_credential(upstream.key, {name: value for name, value in carried.items() if name not in spent}, endpoint))
    return kept


def back(headers: Iterable[Header], *, decoded: bool = False, length: int | None = None) -> list[Header]:
    """What the client is answered.

    Args:
        headers: the upstream's.
        decoded: the body goes back without the coding it came in.
        length: bytes of the body, where they are known and all of them go back as they are.
    """
    headers = list(headers)
    named_ones = {name for key, value in headers if key.lower() == b"connection" for name in _listed(value.decode("latin-1"))}
    dropped = _ANSWERED | {name.encode("latin-1") for name in named_ones | (_CONTENT if decoded else set())}
    lowered = [(name.lower(), _CONTROLS.sub(b" ", value)) for name, value in headers]
    # What another gateway says of itself behind us would be taken for our word.
    kept = [(name, value) for name, value in lowered if name not in dropped and not name.startswith(OWN.encode())]
    if length is not None:
        kept.append((b"content-length", b"%d" % length))
    return kept


def _credential(key: str, carried: Mapping[str, str], endpoint: Endpoint | None) -> tuple[str, str]:
    """A key in the header that the upstream looks for: the one the client used, save where the key itself says better."""
    protocol = endpoint.protocol if endpoint is not None else ""
    if protocol == "anthropic" and key.startswith("sk-ant-"):
        # Anthropic takes an API key in x-api-key only, and a login's token as a bearer only.
        name = "authorization" if key.startswith("sk-ant-oat") else "x-api-key"
    elif carried:
        name = next(iter(carried)).replace("key", "x-goog-api-key") if "key" in carried else next(iter(carried))
    else:
        name = {"anthropic": "x-api-key", "gemini": "x-goog-api-key"}.get(protocol, "authorization")
    return name, f"Bearer {key}" if name == "authorization" else key


def _listed(value: str) -> list[str]:
    return [name.strip().lower() for name in value.split(",") if name.strip()]


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return _Latin(value, "latin-1")
