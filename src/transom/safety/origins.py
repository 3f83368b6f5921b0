"""Whether a request to a local server comes from who it seems to: its Host and Origin, and its token.

A page in a browser can make its own name resolve to this machine and then talk to a local server as if that were its own
(DNS rebinding). Its requests still carry the page's name in Host and Origin. Whoever has no browser sends no Origin. Neither
does a page for what it only shows or leads to; whose that is, the browser says in Sec-Fetch-Site then (W3C, Fetch Metadata).
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Collection

from .verdict import ALLOWED, Verdict, refuse

__all__ = ["LOOPBACK_HOSTS", "is_loopback", "judge", "judge_bearer"]

LOOPBACK_HOSTS = frozenset({"127.0.0.1", "localhost", "[::1]"})
"""What a client on this machine calls it."""

_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?")
_ORIGIN = re.compile(r"(https?)://(.+)", re.IGNORECASE)
_FOREIGN_SITES = frozenset({"cross-site", "same-site"})
"""Another site, and another port or name of this one. What a user typed is ``none``, and its own pages are ``same-origin``."""
_BEARER = re.compile(r"bearer +([^\s,]+) *", re.IGNORECASE)
_IPV4_LOOPBACK = re.compile(r"127(?:\.(?:[0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])){3}")


def judge(
    host_header: str | None,
    origin_header: str | None,
    *,
    fetch_site: str = "",
    allowed_hosts: Collection[str] = LOOPBACK_HOSTS,
    allowed_origins: Collection[str] = (),
) -> Verdict:
    """Whether a request may be served.

    Args:
        host_header: the value of ``Host``; None when there is none.
        origin_header: the value of ``Origin``; None when there is none, as with clients that are no browsers.
        fetch_site: the value of ``Sec-Fetch-Site``, with which browsers tell whose page asks where they send no ``Origin``: an
            image, a script or a link that leads here. Empty when there is none, as with clients that are no browsers.
        allowed_hosts: names and addresses; one without a port stands for any port, IPv6 addresses in brackets.
        allowed_origins: ``scheme://host:port``, beside those of the allowed hosts over http and https.

    Returns:
        ``forbidden`` when refused: the rule ``origin_host`` (answer 421) or ``origin_foreign`` (403).
    """
    hosts = {name.lower() for name in allowed_hosts}
    if host_header is None or not _named(host_header, hosts):
        return refuse("forbidden", "origin_host", shown=host_header or "")
    if origin_header is None:
        if fetch_site.strip().lower() in _FOREIGN_SITES:
            return refuse("forbidden", "origin_foreign", shown=fetch_site)
        return ALLOWED
    origin = origin_header.lower()
    found = _ORIGIN.fullmatch(origin)
    if origin in {name.lower().rstrip("/") for name in allowed_origins} or (found and _named(found.group(2), hosts)):
        return ALLOWED
    return refuse("forbidden", "origin_foreign", shown=origin_header)


def judge_bearer(authorization: str | None, token: str) -> Verdict:
    """Whether a request carries the token. Takes the same time wherever the two differ.

    Args:
        authorization: the value of ``Authorization``; None when there is none.
        token: the secret that was agreed on; an empty one lets nobody in.

    Returns:
        ``unauthorized`` when refused (answer 401).
    """
    found = _BEARER.fullmatch(authorization or "")
    given = found.group(1) if found else ""
    same = hmac.compare_digest(given.encode("utf-8", "surrogatepass"), token.encode("utf-8", "surrogatepass"))
    return ALLOWED if same and token else refuse("unauthorized", "origin_bearer")


def is_loopback(host: str) -> bool:
    """Whether a server that listens at an address is reachable from this machine alone.

    Args:
        host: an address or name without a port, as it is given to listen at. Names other than localhost are not looked up.
    """
    return host.lower() in {"localhost", "::1", "[::1]"} or _IPV4_LOOPBACK.fullmatch(host) is not None


def _named(text: str, hosts: Collection[str]) -> bool:
    found = _HOST.fullmatch(text)
    if found is None or (found.group(2) and int(found.group(2)) > 65535):
        return False
    return text.lower() in hosts or found.group(1).lower() in hosts
