"""Whether a URL may be fetched, and what of it goes where: read once, strictly, and never read again by another parser.

A URL that parsers read differently (backslashes, encoded hosts, credentials, blanks) is refused rather than mended. Names are
not resolved here: whoever connects judges every address a name has (``addresses.judge``), connects to one of those, and begins
again for each redirect.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from ipaddress import IPv6Address

from . import addresses
from .verdict import ALLOWED, Verdict, refuse

__all__ = ["LONGEST", "Target", "judge", "read"]

LONGEST = 8_192
"""Characters of a URL; servers take 8,000 octets at least (RFC 9110, 4.1)."""

_PORTS = {"http": 80, "https": 443}
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMERIC = re.compile(r"[0-9]+|0x[0-9a-f]*")
_LOCAL_NAMES = frozenset({"localhost", "localdomain", "ip6-localhost", "ip6-loopback", "broadcasthost"})
_LOCAL_ENDS = (".localhost", ".localdomain", ".local", ".internal", ".home.arpa", ".intranet", ".lan")
"""Names that never leave this machine or its network: RFC 6761, 6762, 8375, and what ICANN set aside for private use."""
_DEVIATING = frozenset("ßς\u200c\u200d")
"""The two versions of internationalised names spell these differently (UTS 46, 7)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A URL taken apart.

    Attributes:
        scheme: ``http`` or ``https``.
        host: in lower case and ASCII; an address in its usual form, without brackets.
        port: always a number.
        path: path and query as a request line holds them, at least ``/``. A fragment is left out.
        address: the address that the host spells, if it is one.
    """

    scheme: str
    host: str
    port: int
    path: str
    address: addresses.Address | None = None


def judge(url: str) -> Verdict:
    """Whether a URL may be fetched, as far as its text tells.

    Returns:
        ``bad_scheme``, ``invalid_input`` for what is no plain URL, ``ssrf_blocked`` for an address or name that is not public.
    """
    found = read(url)
    return ALLOWED if isinstance(found, Target) else found


def read(url: str) -> Target | Verdict:
    """A URL taken apart, or the verdict against it. The arguments are those of ``judge``."""
    if len(url) > LONGEST:
        return refuse("invalid_input", "url_long", limit=f"{LONGEST:,}")
    for character in url:
        if character <= " " or character == "\x7f" or 0xD800 <= ord(character) <= 0xDFFF or character.isspace():
            return refuse("invalid_input", "url_character", character=f"U+{ord(character):04X}")
    if "\\" in url:
        return refuse("invalid_input", "url_backslash")
    match = _SCHEME.match(url)
    if match is None:
        return refuse("invalid_input", "url_no_scheme")
    scheme = match[1].lower()
    if scheme not in _PORTS:
        return refuse("bad_scheme", "url_scheme", scheme=scheme)
    if not url.startswith("//", match.end()):
        return refuse("invalid_input", "url_no_host")
    rest = url[match.end() + 2 :]
    end = next((index for index, character in enumerate(rest) if character in "/?#"), len(rest))
    path = rest[end:].partition("#")[0]
    return _read_authority(scheme, rest[:end], _encoded(path if path.startswith("/") else f"/{path}"))


def _encoded(path: str) -> str:
    """Characters outside ASCII as RFC 3987, 3.1 has them."""
    return "".join(item if item.isascii() else "".join(f"%{byte:02X}" for byte in item.encode()) for item in path)


def _read_authority(scheme: str, authority: str, path: str) -> Target | Verdict:
    if "@" in authority:
        return refuse("invalid_input", "url_credentials")
    if authority.startswith("["):
        host, bracket, port = authority[1:].partition("]")
        if not bracket or (port and not port.startswith(":")):
            return refuse("invalid_input", "url_host", host=authority)
        port = port[1:]
    else:
        host, _, port = authority.partition(":")
    if not host:
        return refuse("invalid_input", "url_no_host")
    if port and not (port.isascii() and port.isdigit() and len(port) <= 5 and 1 <= int(port) <= 65_535):
        return refuse("invalid_input", "url_port", port=port)
    number = int(port) if port else _PORTS[scheme]
    return _bracketed(scheme, host, number, path) if authority.startswith("[") else _named(scheme, host, number, path)


def _bracketed(scheme: str, host: str, port: int, path: str) -> Target | Verdict:
    try:
        # A zone names an interface of this machine; the address before it decides.
        address = IPv6Address(host.partition("%")[0])
    except ValueError:
        return refuse("invalid_input", "url_host", host=f"[{host}]")
    verdict = addresses.judge(address)
    if not verdict:
        return verdict
    if "%" in host:
        return refuse("invalid_input", "url_host", host=f"[{host}]")
    return Target(scheme=scheme, host=str(address), port=port, path=path, address=address)


def _named(scheme: str, host: str, port: int, path: str) -> Target | Verdict:
    if "%" in host:
        return refuse("invalid_input", "url_encoded_host", host=host)
    plain = _ascii(host)
    if plain is None:
        return refuse("invalid_input", "url_host", host=host)
    labels = plain.removesuffix(".").split(".")
    if _NUMERIC.fullmatch(labels[-1]):
        address = addresses.spelled(plain)
        if address is None:
            return refuse("invalid_input", "url_host", host=host)
        verdict = addresses.judge(address)
        return Target(scheme=scheme, host=str(address), port=port, path=path, address=address) if verdict else verdict
    if len(plain) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        return refuse("invalid_input", "url_host", host=host)
    name = ".".join(labels)
    if name in _LOCAL_NAMES or name.endswith(_LOCAL_ENDS):
        return refuse("ssrf_blocked", "url_local_name", host=host)
    return Target(scheme=scheme, host=plain, port=port, path=path)


def _ascii(host: str) -> str | None:
    """A host in lower case as resolvers take it, ``None`` where it has no such form or more than one."""
    if host.isascii():
        return host.lower()
    if len(host) > 253:
        return None
    folded = unicodedata.normalize("NFKC", host).lower().replace("。", ".")
    if _DEVIATING & set(host) or (folded.isascii() and not addresses.spelled(folded)):
        # Letters that only look different from ASCII hide which host is meant.
        return None
    if folded.isascii():
        return folded
    try:
        return folded.encode("idna").decode("ascii").lower()
    except UnicodeError:
        return None
