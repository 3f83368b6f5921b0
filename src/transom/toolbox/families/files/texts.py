"""A file's bytes as text to be shown, in whatever encoding they are, without a character that the file does not hold.

Knows bytes, no paths. What is not UTF-8 and not marked is shown as Windows-1252, byte by byte where it fails to be UTF-8, and
the name of the encoding says so: a replacement character would be written back by whoever edits what is shown.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable
from dataclasses import dataclass

from ....safety.binary import BINARY_PROBE, is_binary
from ....vocabulary.filing import FilingWords
from ...tool import Refused

__all__ = ["CP1252", "MIXED", "PROBE", "UTF_8", "Coding", "coding_of", "decoded", "merged", "text_coding"]

UTF_8, CP1252, MIXED = "utf-8", "cp1252", "utf-8 and cp1252"
PROBE = BINARY_PROBE
_CP1252 = {byte: bytes((byte,)).decode("cp1252", "ignore") or chr(byte) for byte in range(128, 256)}
_MARKS = (
    (codecs.BOM_UTF8, UTF_8, 1),
    # UTF-32 first: its little-endian mark begins with that of UTF-16.
    (codecs.BOM_UTF32_LE, "utf-32-le", 4),
    (codecs.BOM_UTF32_BE, "utf-32-be", 4),
    (codecs.BOM_UTF16_LE, "utf-16-le", 2),
    (codecs.BOM_UTF16_BE, "utf-16-be", 2),
)


@dataclass(frozen=True, slots=True)
class Coding:
    """How a file is written, as far as its beginning tells.

    Attributes:
        name: as Python's codecs have it; ``utf-8`` where there is no mark.
        mark: the byte order mark that the file begins with.
        unit: bytes of a unit.
    """

    name: str
    mark: bytes
    unit: int

    @property
    def wide(self) -> bool:
        """ASCII is not written as ASCII."""
        return self.unit > 1

    def decoder(self) -> Callable[[bytes, bool], tuple[str, int]]:
        """Decodes bytes that begin at a character: gives text and how many bytes it took; told whether they are the last."""
        kind = {"utf-16-le": codecs.utf_16_le_decode, "utf-16-be": codecs.utf_16_be_decode}.get(self.name)
        if kind is None:
            kind = {"utf-32-le": codecs.utf_32_le_decode, "utf-32-be": codecs.utf_32_be_decode}[self.name]
        return lambda data, final: kind(data, "replace", final)


def coding_of(head: bytes) -> Coding | None:
    """How a file is written.

    Args:
        head: its first 8 KB.

    Returns:
        ``None`` for a file that is no text: it has a NUL there and no mark.
    """
    if is_binary(head):
        return None
    for mark, name, unit in _MARKS:
        if head.startswith(mark):
            return Coding(name, mark, unit)
    return Coding(UTF_8, b"", 1)


def text_coding(head: bytes, path: str, words: FilingWords) -> Coding:
    """As ``coding_of``.

    Raises:
        Refused: ``binary``.
    """
    coding = coding_of(head)
    if coding is None:
        raise Refused("binary", words.binary.format(path=path))
    return coding


def decoded(data: bytes, *, final: bool = True) -> tuple[str, int, str]:
    """Bytes of a file that holds ASCII as ASCII.

    Args:
        data: they; begin at a character.
        final: nothing follows them, so that half a character at their end is none.

    Returns:
        the text, how many bytes it took (fewer than given only where they end within a character), and the encoding's name.
    """
    pieces: list[str] = []
    at, odd, several = 0, False, False
    while True:
        try:
            text, took = codecs.utf_8_decode(data[at:] if at else data, "strict", final)
        except UnicodeDecodeError as error:
            good = error.object[: error.start].decode()
            several = several or not good.isascii()
            pieces += (good, *(_CP1252[byte] for byte in error.object[error.start : error.end]))
            at += error.end
            odd = True
        else:
            several = several or not text.isascii()
            pieces.append(text)
            return "".join(pieces), at + took, (MIXED if several else CP1252) if odd else UTF_8


def merged(names: set[str]) -> str:
    """The encoding of several pieces of one file; pieces of ASCII alone say nothing and are left out."""
    if MIXED in names or {UTF_8, CP1252} <= names:
        return MIXED
    return CP1252 if CP1252 in names else UTF_8
