"""Whether an IP address is a public host, whatever form it comes in.

Knows addresses and nothing of names, URLs or sockets: whoever connects asks about every address that a name resolved to, and
connects to one that was asked about. The table is written down from the registries of special-purpose addresses
(https://www.iana.org/assignments/iana-ipv4-special-registry and …/iana-ipv6-special-registry), since what ``ipaddress`` calls
global differs between patch releases of Python.
"""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from .verdict import ALLOWED, Verdict, refuse

__all__ = ["Address", "judge", "spelled"]

Address = IPv4Address | IPv6Address

_METADATA = frozenset(
    ip_address(text)
    for text in (
        *("169.254.169.254", "169.254.170.2", "169.254.170.23", "100.100.100.200", "192.0.0.192", "168.63.129.16"),
        *("fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254"),
    )
)
"""Where clouds answer for their machines. 168.63.129.16 is Azure's, and lies in public space."""

_SPECIAL: tuple[tuple[IPv4Network | IPv6Network, str], ...] = tuple(
    (ip_network(text), reason)
    for reason, texts in {
        "address_unspecified": ("0.0.0.0/8", "::/128"),
        "address_loopback": ("127.0.0.0/8", "::1/128"),
        "address_private": ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "fec0::/10"),
        "address_shared": ("100.64.0.0/10",),
        "address_link_local": ("169.254.0.0/16", "fe80::/10"),
        "address_multicast": ("224.0.0.0/4", "ff00::/8"),
        "address_reserved": (
            *("192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.175.48.0/24"),
            *("198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4"),
            *("::/96", "2001::/23", "2001:db8::/32", "3fff::/20", "2620:4f:8000::/48"),
        ),
    }.items()
    for text in texts
)
_UNICAST = ip_network("2000::/3")
"""The only IPv6 addresses that are assigned to hosts."""

_EMBEDDING: tuple[tuple[IPv6Network, int], ...] = tuple(
    (IPv6Network(text), shift)
    for text, shift in (
        ("::ffff:0:0/96", 0),  # IPv4-mapped, RFC 4291
        ("::ffff:0:0:0/96", 0),  # IPv4-translated, RFC 2765
        ("::/96", 0),  # IPv4-compatible, RFC 4291, deprecated
        ("64:ff9b::/96", 0),  # NAT64, RFC 6052
        ("2002::/16", 80),  # 6to4, RFC 3056
    )
)
"""Networks whose addresses carry an IPv4 address, and how many bits stand behind it."""
_TEREDO = IPv6Network("2001::/32")
_ISATAP = frozenset({0x00005EFE, 0x02005EFE})

_NUMBER = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")


def judge(address: str | Address) -> Verdict:
    """Whether an address may be reached.

    Args:
        address: parsed, or as text in its usual form; a zone (``%eth0``) is not looked at.

    Returns:
        ``ssrf_blocked`` for everything but public hosts, ``invalid_input`` for text that is no address. An IPv6 address that
        carries an IPv4 address (mapped, translated, NAT64, 6to4, Teredo, ISATAP) may be reached only if both may.
    """
    shown = str(address)
    if isinstance(address, str):
        try:
            address = ip_address(address.partition("%")[0])
        except ValueError:
            return refuse("invalid_input", "address_unreadable", address=shown)
    for carried in (*_carried(address), address):
        reason = _reason(carried)
        if reason:
            return refuse("ssrf_blocked", reason, address=shown if carried == address else f"{shown} ({carried})")
    return ALLOWED


def spelled(host: str) -> IPv4Address | None:
    """The IPv4 address that a host spells to resolvers of the C library: ``2130706433``, ``0x7f.1``, ``0177.0.0.1``, ``127.1``.

    Returns:
        ``None`` where the host is no such number; a name whose last part is a number is no host either (WHATWG URL, 3.5).
    """
    parts = host.removesuffix(".").split(".")
    if len(parts) > 4 or not all(_NUMBER.fullmatch(part) for part in parts):
        return None
    try:
        numbers = [_value(part) for part in parts]
    except ValueError:
        return None
    *first, last = numbers
    if any(number > 255 for number in first) or last >= 256 ** (5 - len(numbers)):
        return None
    return IPv4Address(sum(number << (24 - 8 * place) for place, number in enumerate(first)) + last)


def _value(part: str) -> int:
    if part[:2] in {"0x", "0X"}:
        return int(part[2:] or "0", 16)
    # More digits than any address has; the longest number Python reads is 4,300 of them.
    if len(part) > 64:
        raise ValueError(part)
    return int(part, 8) if part[0] == "0" else int(part)


def _reason(address: Address) -> str:
    if address in _METADATA:
        return "address_metadata"
    for network, reason in _SPECIAL:
        if address.version == network.version and address in network:
            return reason
    if address.version == 4 or address in _UNICAST or any(address in network for network, _ in _EMBEDDING):
        return ""
    return "address_reserved"


def _carried(address: Address) -> tuple[IPv4Address, ...]:
    if isinstance(address, IPv4Address) or address in _SPECIAL_IPV6_HOSTS:
        return ()
    number = int(address)
    found = [IPv4Address(number >> shift & 0xFFFFFFFF) for network, shift in _EMBEDDING if address in network]
    if address in _TEREDO:
        # Its server, and the client behind its translator with every bit turned (RFC 4380).
        found += [IPv4Address(number >> 64 & 0xFFFFFFFF), IPv4Address(~number & 0xFFFFFFFF)]
    if number >> 32 & 0xFFFFFFFF in _ISATAP:
        found.append(IPv4Address(number & 0xFFFFFFFF))
    return tuple(found)


_SPECIAL_IPV6_HOSTS = frozenset({IPv6Address("::"), IPv6Address("::1")})
"""Inside the network of IPv4-compatible addresses, and none."""
