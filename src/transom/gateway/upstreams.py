"""Who answers: the configured upstreams, and which of them a request is for.

Knows names, ports, prefixes and models; sends nothing. A key belongs to one upstream and goes nowhere else. A path alone never
decides: several upstreams speak the same protocols.
"""

from __future__ import annotations

import fnmatch
import ipaddress
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from ..errors import SettingError
from ..upstream.address import Address
from ..upstream.windows import host_kind

__all__ = ["Edit", "Routes", "Upstream"]

Edit = Literal["usage", "billing", "ttl"]
"""What is edited for an upstream's sake; see ``edits``."""


_NEAR = (".local", ".localhost", ".lan", ".home.arpa", ".internal")
"""How names end that no public server has (RFC 6761, 6762, 8375)."""


@dataclass(frozen=True, kw_only=True)
class Upstream:
    """One server that answers.

    Attributes:
        name: for people, and the prefix of its paths: ``/NAME/v1/messages`` goes to its ``/v1/messages``.
        url: its root, for example ``http://127.0.0.1:1234``.
        key: what is sent as its credential in place of the client's; ``None`` hands the client's own through.
        models: patterns of the models it serves, for example ``claude-*``.
        window: tokens its models take, where the user says so.
        port: what comes to this port is for it, whatever else it names; 0 for one that is free, ``None`` for none.
        chosen: the edits made for it; ``None`` for those that its kind needs.
    """

    name: str
    url: str
    key: str | None = None
    models: tuple[str, ...] = ()
    window: int | None = None
    port: int | None = None
    chosen: frozenset[Edit] | None = None

    @cached_property
    def address(self) -> Address:
        """Its root and base, parsed."""
        return Address.parse(self.url)

    @property
    def local(self) -> bool:
        """It runs on this machine."""
        return self.address.host in {"localhost", "127.0.0.1", "::1"}

    @cached_property
    def near(self) -> bool:
        """It runs on this machine or in its network, where another gateway may be that asks us in turn."""
        host = self.address.host
        try:
            return not ipaddress.ip_address(host).is_global
        except ValueError:
            return "." not in host or host.endswith(_NEAR)

    @cached_property
    def is_anthropic(self) -> bool:
        """It is Anthropic's own API, which wants all that its clients send."""
        return host_kind(self.address.host) == "anthropic"

    @cached_property
    def edits(self) -> frozenset[Edit]:
        """What is edited of what it is asked."""
        if self.chosen is not None:
            return self.chosen
        return frozenset({"usage"} if self.is_anthropic else {"usage", "billing"})

    def serves(self, model: str) -> bool:
        """Whether a pattern of its models matches."""
        return bool(model) and any(fnmatch.fnmatchcase(model, pattern) for pattern in self.models)

    def __repr__(self) -> str:
        return f"Upstream(name={self.name!r}, url={self.address.shown!r})"


class Routes:
    """The upstreams in order; the first is the default.

    Args:
        upstreams: who answers.
        ports: names of those that have a port to themselves, by that port.

    Raises:
        SettingError: none, or two of one name.
    """

    def __init__(self, upstreams: Sequence[Upstream], ports: Mapping[int, str] | None = None) -> None:
        names = [upstream.name for upstream in upstreams]
        if not names:
            raise SettingError("no upstream", hint="--upstream URL, for example http://localhost:1234")
        if len(set(names)) != len(names):
            raise SettingError("two upstreams of one name", hint="name each: --upstream NAME=URL")
        self.upstreams = tuple(upstreams)
        named = dict(zip(names, self.upstreams, strict=True))
        self._by_port = {port: named[name] for port, name in (ports or {}).items()}

    def named(self, path: str, port: int | None = None) -> tuple[Upstream, str] | None:
        """The upstream that a request names by where it came to, and the path to ask there.

        Args:
            path: what is asked for.
            port: where it came to. A port that belongs to an upstream decides, and all of the path is then that upstream's;
                else the first part of the path may be an upstream's name.
        """
        if port in self._by_port:
            return self._by_port[port], path
        # A base URL that ends with a slash makes two of it; what goes on keeps those that are left.
        first, slash, rest = path.lstrip("/").partition("/")
        for upstream in self.upstreams:
            if first == upstream.name:
                return upstream, f"/{rest}" if slash else "/"
        return None

    def choose(self, path: str, model: str, port: int | None = None) -> tuple[Upstream, str]:
        """Who answers a request, and the path to ask there: by port, else prefix, else model, else the first there is."""
        named = self.named(path, port)
        if named is not None:
            return named
        for upstream in self.upstreams:
            if upstream.serves(model):
                return upstream, path
        return self.upstreams[0], path
