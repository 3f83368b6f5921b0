"""Content addressing: what a text or a file is called after the SHA-256 of its bytes.

Knows digests, no storage. Text is encoded as UTF-8 with lone surrogates passed through, so that every string a JSON
document can hold survives, and equal texts share one blob.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from ..errors import IntegrityError
from ..jsontext import EMPTY
from .backend import Write

__all__ = ["blob_digest", "blob_text", "blob_uri", "blob_write", "check_digest", "encode_text", "is_digest"]

_DIGEST = re.compile(r"[0-9a-f]{64}")


def encode_text(text: str) -> bytes:
    """UTF-8, lone surrogates passed through."""
    return text.encode("utf-8", "surrogatepass")


def blob_text(data: bytes) -> str:
    """The inverse of ``encode_text``.

    Raises:
        UnicodeDecodeError: these bytes were no text.
    """
    return data.decode("utf-8", "surrogatepass")


def blob_digest(data: bytes | str) -> str:
    """SHA-256 of the bytes, in hexadecimal."""
    return hashlib.sha256(encode_text(data) if isinstance(data, str) else data).hexdigest()


def blob_uri(data: bytes | str) -> str:
    """Where these bytes are or would be stored. Pure: nothing is written."""
    return f"context://vfs/{blob_digest(data)}"


def is_digest(path: str) -> bool:
    """Whether a path is spelt as ``blob_digest`` spells it."""
    return _DIGEST.fullmatch(path) is not None


def blob_write(data: bytes | str, text: str | None = None, *, index: bool = True, meta: Mapping[str, object] = EMPTY) -> Write:
    """The write that stores these bytes unless they are stored already.

    Args:
        data: exact bytes, or text. Text is found by full-text search as it stands.
        text: what full-text search sees instead; bytes without it are not indexed.
        index: ``False`` keeps a text out of the index (base64, for one).
        meta: small JSON values to keep beside it.
    """
    if isinstance(data, str):
        text = data if text is None else text
        data = encode_text(data)
    return Write("vfs", blob_digest(data), data, meta, text=text if index else None, if_absent=True)


def check_digest(path: str, data: bytes) -> None:
    """Make sure that bytes are what their address says.

    Raises:
        IntegrityError: they are not.
    """
    if blob_digest(data) != path:
        raise IntegrityError(
            f"the bytes under context://vfs/{path} are not the ones it was made from",
            hint="run `transom store verify` to see what else is damaged, and restore the store from a copy",
        )
