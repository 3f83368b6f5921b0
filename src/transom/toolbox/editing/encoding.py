"""In which encoding a file is, told from its bytes alone.

Knows no lines. Four answers matter to an edit: UTF-8, with or without a byte order mark; UTF-16, which always has one here; and
everything else that is text, of which only the ASCII part can be understood. Anything with a NUL early on is no text.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from .refusal import EditRefused

__all__ = ["BINARY_PROBE", "UNKNOWN", "UNKNOWN_BOM", "UTF_8", "UTF_8_BOM", "UTF_16_BE", "UTF_16_LE", "Encoding", "recognised"]

BINARY_PROBE = 8192
"""Bytes in which a NUL means that a file is not text."""


@dataclass(frozen=True, slots=True)
class Encoding:
    """One way of writing text.

    Attributes:
        name: as shown to a model and to Python's codecs; ``unknown`` where only ASCII can be read.
        mark: the byte order mark that the file begins with; belongs to the file, to none of its lines.
        wide: two bytes a unit.
    """

    name: str
    mark: bytes = b""
    wide: bool = False

    @property
    def known(self) -> bool:
        """Characters other than ASCII can be read and written."""
        return self.name != "unknown"


UTF_8 = Encoding("utf-8")
UTF_8_BOM = Encoding("utf-8-sig", codecs.BOM_UTF8)
UTF_16_LE = Encoding("utf-16-le", codecs.BOM_UTF16_LE, wide=True)
UTF_16_BE = Encoding("utf-16-be", codecs.BOM_UTF16_BE, wide=True)
UNKNOWN = Encoding("unknown")
UNKNOWN_BOM = Encoding("unknown", codecs.BOM_UTF8)
"""Begins with the mark of UTF-8 and is not UTF-8: it still stays first."""


def recognised(data: bytes) -> Encoding:
    """The encoding of a whole file.

    Raises:
        EditRefused: ``binary`` (a NUL in the first 8 KB), or ``encoding`` (UTF-32, or UTF-16 with half a unit at its end).
    """
    # UTF-32 first: its little-endian mark begins with that of UTF-16.
    if data.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        raise EditRefused("encoding", "utf_32")
    for wide in (UTF_16_LE, UTF_16_BE):
        if data.startswith(wide.mark):
            if len(data) % 2:
                raise EditRefused("encoding", "half_unit", encoding=wide.name)
            return wide
    if b"\0" in data[:BINARY_PROBE]:
        raise EditRefused("binary", "binary")
    marked = data.startswith(codecs.BOM_UTF8)
    if data.isascii():
        return UTF_8
    try:
        codecs.utf_8_decode(data, "strict", True)
    except UnicodeDecodeError:
        return UNKNOWN_BOM if marked else UNKNOWN
    return UTF_8_BOM if marked else UTF_8
