"""Addresses as a model writes them, and as they are shown to it.

``context://notes/plan.md``, ``notes/plan.md`` and ``/notes/plan.md`` are one address; a namespace alone, or a path that ends in
a slash, is a folder. Whatever could step out of its namespace is refused, spelt with escapes or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from ...errors import URIError
from ...store.uri import SCHEME, format_uri, parse_uri
from .refusal import Refused

__all__ = ["Address", "address", "check_steps", "shortened"]

_SHOWN = 120


@dataclass(frozen=True, slots=True)
class Address:
    """A place in a namespace.

    Attributes:
        namespace: one that the model sees.
        path: an entry or a folder; empty for the namespace itself.
        folder: written with a slash at its end.
    """

    namespace: str
    path: str
    folder: bool = False

    @property
    def uri(self) -> str:
        """As it is shown."""
        return format_uri(self.namespace, self.path) if self.path else f"{SCHEME}{self.namespace}"

    @property
    def prefix(self) -> str:
        """What the paths below it begin with."""
        return f"{self.path}/" if self.path else ""


def address(written: str, namespaces: Sequence[str]) -> Address:
    """Where a model points.

    Args:
        written: what it wrote.
        namespaces: those it sees.

    Raises:
        Refused: no address, or of a namespace that it does not see.
    """
    text = written.strip()
    rest = text.removeprefix(SCHEME) if text.startswith(SCHEME) else text.removeprefix("/")
    namespace, _, path = rest.partition("/")
    if namespace not in namespaces:
        shown = namespace[:_SHOWN] or repr(text[:_SHOWN])
        raise Refused("unknown_namespace", namespace=shown, namespaces=", ".join(namespaces))
    if not path:
        return Address(namespace, "", folder=True)
    check_steps(path, text)
    folder = path.endswith("/")
    try:
        found = parse_uri(f"{SCHEME}{namespace}/{path.removesuffix('/')}")
    except URIError:
        raise Refused("bad_path", path=text[:_SHOWN]) from None
    return Address(namespace, found.path, folder)


def check_steps(path: str, written: str) -> None:
    """Refuse what steps upwards once its escapes are read, however often they were written over each other."""
    seen = path
    for _ in range(8):
        if "\\" in seen or any(segment in {".", ".."} for segment in seen.split("/")):
            raise Refused("bad_path", path=written[:_SHOWN])
        decoded = unquote(seen, errors="replace")
        if decoded == seen:
            return
        seen = decoded
    raise Refused("bad_path", path=written[:_SHOWN])


def shortened(uri: str, *, brief: bool) -> str:
    """An address for a heading: whole, or its two ends where it is longer than a heading should be."""
    most = 40 if brief else 160
    return uri if len(uri) <= most else f"{uri[: most // 2]}…{uri[-(most // 2 - 1) :]}"
