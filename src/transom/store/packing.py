"""Texts that are stored compressed: gzip, with nothing in it but the text, so that equal texts give equal bytes.

Knows bytes. ``gunzip`` reads what ``pack`` makes.
"""

from __future__ import annotations

import zlib

from ..errors import IntegrityError

__all__ = ["MAX_UNPACKED", "is_packed", "pack", "unpack", "unpacked"]

MAX_UNPACKED = 64 * 1024 * 1024
"""Bytes that a packed entry may grow to. What is stored may come from elsewhere: a few kilobytes could ask for all memory."""

_GZIP = 31
_MAGIC = b"\x1f\x8b\x08"


def pack(data: bytes) -> bytes:
    """``data`` as gzip, without a file name and with the time 0."""
    packer = zlib.compressobj(9, zlib.DEFLATED, _GZIP)
    return packer.compress(data) + packer.flush()


def is_packed(data: bytes) -> bool:
    """Whether ``data`` begins as ``pack`` begins."""
    return data.startswith(_MAGIC)


def unpack(data: bytes) -> bytes:
    """What ``pack`` was given.

    Raises:
        IntegrityError: damaged, cut off, followed by something else, or larger than ``MAX_UNPACKED``.
    """
    unpacker = zlib.decompressobj(_GZIP)
    try:
        unpacked = unpacker.decompress(data, MAX_UNPACKED + 1)
    except zlib.error as error:
        raise IntegrityError(f"a packed entry is damaged: {error}", hint="restore it from a copy of the store") from None
    if len(unpacked) > MAX_UNPACKED:
        raise IntegrityError(f"a packed entry holds more than {MAX_UNPACKED:,} bytes", hint="nothing of ours is that large")
    if not unpacker.eof or unpacker.unused_data:
        raise IntegrityError("a packed entry is cut off or has a foreign end", hint="restore it from a copy of the store")
    return unpacked


def unpacked(data: bytes) -> bytes:
    """What a reader is shown of an entry that may be packed: what ``pack`` was given; the bytes themselves where they are not
    packed, or damaged.
    """
    try:
        return unpack(data) if is_packed(data) else data
    except IntegrityError:
        return data
