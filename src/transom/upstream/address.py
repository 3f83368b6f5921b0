"""Where a model's server is: what users write as its URL, and the addresses that follow from it.

Pure. People write a host, a base with ``/v1``, or the whole address of the chat endpoint; all three mean the same server.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from ..errors import InputError

__all__ = ["Address"]

_VERSION = re.compile(r"v\d+([a-z]\w*)?")
_CHAT = "/chat/completions"
_SCHEMES = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Address:
    """A server and the base of its API.

    Attributes:
        scheme: ``http`` or ``https``.
        host, port: without brackets around an IPv6 address.
        root: the path before the API's version, without a slash at its end; hosts keep their own endpoints there.
        base: the path of the OpenAI-compatible API, for example ``/v1`` or ``/openai/v1``.
        query: what goes with every request, such as ``api-version=…``; never shown, since some hosts want a key there.
    """

    scheme: str
    host: str
    port: int
    root: str
    base: str
    query: str = ""

    @classmethod
    def parse(cls, url: str) -> Address:
        """Read what a user wrote: a host, a base with or without ``/v1``, or the address of the chat endpoint.

        Raises:
            InputError: not http or https, no host, or a password in it.
        """
        try:
            parts = urlsplit(url.strip())
            host, port = parts.hostname, parts.port
        except ValueError:
            raise InputError("the address of the model's server cannot be read", hint=_EXAMPLE) from None
        if parts.scheme not in _SCHEMES or not host or re.search(r"[\s\x00-\x1f\x7f]", url.strip()):
            raise InputError("the address of the model's server is no http or https address", hint=_EXAMPLE)
        if parts.username is not None or parts.password is not None:
            raise InputError("the address of the model's server holds a user or a password", hint="give the key apart from it")
        root, base = _bases(parts.path.rstrip("/"))
        return cls(parts.scheme, host, port if port is not None else _SCHEMES[parts.scheme], root, base, parts.query)

    @property
    def chat(self) -> str:
        """The path of the chat endpoint."""
        return self.base + _CHAT

    @property
    def shown(self) -> str:
        """The address as errors show it: no query."""
        return self.at(self.base)

    def at(self, path: str) -> str:
        """A path on this server, as errors show it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == _SCHEMES[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}{path}"


_EXAMPLE = "write it as http://127.0.0.1:1234/v1"


def _bases(path: str) -> tuple[str, str]:
    """The path before the version, and the one of the API."""
    whole = path.endswith(_CHAT)
    path = path.removesuffix(_CHAT)
    pieces = path.split("/")
    versions = [index for index, piece in enumerate(pieces) if _VERSION.fullmatch(piece)]
    if versions:
        return "/".join(pieces[: versions[0]]), path
    # A few hosts have no version at all; who writes the whole address of the endpoint means it.
    return path, path if whole else f"{path}/v1"
