"""Whether bytes are text, and how large a file may be: one threshold for all tools."""

from __future__ import annotations

__all__ = ["BINARY_PROBE", "FILE_BYTES", "is_binary"]

BINARY_PROBE = 8192
"""Bytes looked at from the start of a file."""
FILE_BYTES = 10_000_000
"""Bytes of the largest file that is read or written whole."""

_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
"""UTF-16 in both orders and UTF-32, whose little-endian mark begins as that of UTF-16."""


def is_binary(start: bytes) -> bool:
    """Whether a file is not text: a NUL among its first bytes, unless a mark says that it is UTF-16 or UTF-32.

    Args:
        start: the first ``BINARY_PROBE`` bytes; more are not looked at.
    """
    return not start.startswith(_WIDE_MARKS) and 0 in start[:BINARY_PROBE]
