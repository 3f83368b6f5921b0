"""Who answers: the configured upstreams, and which of them a request is for.

Knows names, prefixes and models; sends nothing. A key belongs to one upstream and goes nowhere else. A path alone never
decides: several upstreams speak the same protocols.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ..errors import SettingError
from ..upstream.address import Address

__all__ = ["Routes", "Upstream"]


@dataclass(frozen=True, kw_only=True)
class Upstream:
    """One server that answers.

    Attributes:
        name: for people, and the prefix of its paths: ``/NAME/v1/messages`` goes to its ``/v1/messages``.
        url: its root, for example ``http://127.0.0.1:1234``.
        key: what is sent as its credential in place of the client's; ``None`` hands the client's own through.
        models: patterns of the models it serves, for example ``claude-*``.
        window: tokens its models take, where the user says so.
    """

    name: str
    url: str
    key: str | None = None
    models: tuple[str, ...] = ()
    window: int | None = None

    @cached_property
    def address(self) -> Address:
        """Its root and base, parsed."""
        return Address.parse(self.url)

    @property
    def local(self) -> bool:
        """It runs on this machine."""
        return self.address.host in {"localhost", "127.0.0.1", "::1"}

    def serves(self, model: str) -> bool:
        """Whether a pattern of its models matches."""
        return bool(model) and any(fnmatch.fnmatchcase(model, pattern) for pattern in self.models)

    def __repr__(self) -> str:
        return f"Upstream(name={self.name!r}, url={self.address.shown!r})"


class Routes:
    """The upstreams in order; the first is the default.

    Raises:
        SettingError: none, or two of one name.
    """

    def __init__(self, upstreams: Sequence[Upstream]) -> None:
        names = [upstream.name for upstream in upstreams]
        if not names:
            raise SettingError("no upstream", hint="--upstream URL, for example http://localhost:1234")
        if len(set(names)) != len(names):
            raise SettingError("two upstreams of one name", hint="name each: --upstream NAME=URL")
        self.upstreams = tuple(upstreams)

    def by_prefix(self, path: str) -> tuple[Upstream, str] | None:
        """The upstream that a path names first, and the rest of the path."""
        first, slash, rest = path.removeprefix("/").partition("/")
        for upstream in self.upstreams:
            if first == upstream.name:
                return upstream, f"/{rest}" if slash else "/"
        return None

    def choose(self, path: str, model: str) -> tuple[Upstream, str]:
        """Who answers a request, and the path to ask there: by prefix, else by model, else the first there is."""
        named = self.by_prefix(path)
        if named is not None:
            return named
        for upstream in self.upstreams:
            if upstream.serves(model):
                return upstream, path
        return self.upstreams[0], path
