"""Lines of a file that only this program can have written: each carries a code made with a key, of itself and all before it.

Knows no contents. A journal is acted on by the next start; whoever could write one without the key could have files written
for him. The key is a file that no tool reaches.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from pathlib import Path

from ..sandbox.ownership import is_ours

__all__ = ["Seal", "key_in"]

_BYTES = 32
_BLANK = b" "


def key_in(path: Path) -> bytes:
    """The key that a file holds; it is made if need be.

    Raises:
        OSError: it can neither be read nor made, or somebody else can write it.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.exists():
        # Two may make it at once: the first name counts, and is never seen half written.
        made = path.with_name(f"{path.name}-{secrets.token_hex(4)}")
        descriptor = os.open(made, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o600)
        try:
            os.write(descriptor, secrets.token_bytes(_BYTES))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        try:
            if hasattr(os, "link"):
                os.link(made, path)
            else:  # pragma: no cover - other platforms
                made.rename(path)
        except FileExistsError:
            pass
        finally:
            made.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
    with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor
        if not is_ours(os.fstat(descriptor)):
            raise PermissionError(f"{path} belongs to somebody else, or others may write it")
        key = file.read(2 * _BYTES)
    if len(key) != _BYTES:
        raise OSError(f"{path} holds no key")
    return key


class Seal:
    """Seals the lines of one file, or opens them, in order.

    Args:
        key: the key.
        name: the file's name: its lines mean nothing in another.
    """

    def __init__(self, key: bytes, name: str) -> None:
        self._key = key
        self._before = name.encode("utf-8", "surrogateescape")

    def close(self, line: bytes) -> bytes:
        """The line with its code before it."""
        return self._code(line) + _BLANK + line

    def open(self, sealed: bytes) -> bytes | None:
        """The line without its code; ``None`` when it was not sealed here, and then nothing after it counts."""
        code, _, line = sealed.partition(_BLANK)
        return line if hmac.compare_digest(code, self._code(line)) else None

    def _code(self, line: bytes) -> bytes:
        code = hmac.new(self._key, self._before + b"\n" + line, hashlib.sha256).hexdigest().encode()
        self._before = code
        return code
