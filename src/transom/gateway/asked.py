"""What a request asks for, as far as the gateway cares: its head, and what its body tells of model and stream.

Pure. Knows ASGI's scope; judges nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from ..errors import JSONError
from ..jsontext import loads, raw_object
from .access import Admitted
from .endpoint import Endpoint
from .headers import Header

__all__ = ["Asked", "members_of", "raw_path", "raw_query", "told"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A request's head.

    Attributes:
        method, path, query, headers: as they came.
        admitted: why it is served.
        port: where it came to.
    """

    method: str
    path: str
    query: str
    headers: list[Header]
    admitted: Admitted
    port: int | None


def members_of(plain: bytes) -> Mapping[str, bytes] | None:
    """The members of a body; ``None`` for what is no JSON object: that goes on, and the upstream says what it thinks of it."""
    try:
        return raw_object(plain) if plain else None
    except JSONError:
        return None


def told(members: Mapping[str, bytes] | None, point: Endpoint | None) -> tuple[str, bool]:
    """The model that a request names, and whether it wants a stream."""
    model, wanted = ((members or {}).get(name, b"").strip() for name in ("model", "stream"))
    stream = wanted == b"true"
    if point is not None and point.stream is not None:
        stream = point.stream
    elif point is not None and point.protocol == "ollama":
        # Its answers are streams unless a request says otherwise.
        stream = members is not None and wanted != b"false"
    named = point.model if point is not None else ""
    return named or (str(loads(model)) if model.startswith(b'"') else ""), stream


def raw_path(scope: MutableMapping[str, Any]) -> str:
    """The path as it came."""
    raw: bytes | None = scope.get("raw_path")
    if raw is not None:
        return _ascii(raw.partition(b"?")[0])
    return quote(scope["path"])


def raw_query(scope: MutableMapping[str, Any]) -> str:
    """The query as it came."""
    return _ascii(scope.get("query_string", b""))


def _ascii(raw: bytes) -> str:
    """A part of a URL as it came; bytes that none may hold are spelled as URLs spell them."""
    return raw.decode() if raw.isascii() else "".join(chr(byte) if byte < 0x80 else f"%{byte:02X}" for byte in raw)
