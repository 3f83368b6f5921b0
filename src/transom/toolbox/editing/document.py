"""A file's bytes as an edit sees them: a mark, an encoding and a body; and the bytes that go back to disk.

The body holds ASCII as ASCII in every case: UTF-16 is edited as UTF-8 and written back, which is exact in both directions,
unpaired surrogates included. Of an unknown encoding only the ASCII part is understood; the rest is carried.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from .encoding import UTF_8, Encoding, recognised
from .lines import Lines
from .refusal import EditRefused

__all__ = ["Document", "Splice", "decoded", "encoded", "spliced"]


class Splice(NamedTuple):
    """One change: the bytes from ``start`` to before ``end`` become ``data``. A tuple: there may be a million of them."""

    start: int
    end: int
    data: bytes


def spliced(body: bytes, splices: Iterable[Splice]) -> bytes:
    """A body with changes made; those that are given in order and do not overlap. All other bytes are as they were."""
    parts: list[bytes] = []
    at = 0
    for start, end, data in splices:
        assert start >= at
        parts += (body[at:start], data)
        at = end
    parts.append(body[at:])
    return b"".join(parts)


def encoded(text: str, name: str) -> bytes:
    """A text that a model sent, as UTF-8.

    Args:
        text: what it sent.
        name: the argument's name.

    Raises:
        EditRefused: ``invalid_input``: it holds half of a surrogate pair, which no encoding has.
    """
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        code = f"U+{ord(text[error.start]):04X}"
        raise EditRefused("invalid_input", "surrogate", argument=name, code=code, position=error.start + 1) from None


def decoded(data: bytes) -> str:
    """Bytes of a body for people and models to read; what cannot be read becomes U+FFFD."""
    return data.decode(errors="replace")


@dataclass(frozen=True, kw_only=True)
class Document:
    """One file.

    Attributes:
        encoding: how it is written.
        body: its bytes as they are edited, without the mark.
    """

    encoding: Encoding
    body: bytes

    @classmethod
    def of(cls, data: bytes) -> Document:
        """A file's bytes.

        Raises:
            EditRefused: ``binary`` or ``encoding``, see ``encoding.recognised``.
        """
        encoding = recognised(data)
        body = data[len(encoding.mark) :]
        if encoding.wide:
            body = body.decode(encoding.name, "surrogatepass").encode("utf-8", "surrogatepass")
        return cls(encoding=encoding, body=body)

    @classmethod
    def empty(cls) -> Document:
        """A file that is not there yet."""
        return cls(encoding=UTF_8, body=b"")

    @cached_property
    def lines(self) -> Lines:
        """Its lines."""
        return Lines(self.body)

    def written(self, splices: Sequence[Splice]) -> bytes:
        """The file's bytes with changes made to the body."""
        return self.changed(splices).data

    def changed(self, splices: Iterable[Splice]) -> Document:
        """The document with changes made to the body."""
        return replace(self, body=spliced(self.body, splices))

    @property
    def data(self) -> bytes:
        """The file's bytes."""
        body = self.body
        if self.encoding.wide:
            body = body.decode("utf-8", "surrogatepass").encode(self.encoding.name, "surrogatepass")
        return self.encoding.mark + body

    def encoded(self, text: str, name: str) -> bytes:
        """A text that goes into this file, or is looked for in it, as its body holds text.

        Raises:
            EditRefused: ``encoding``: it is not ASCII, and the file's encoding is not known, so that it would mix two;
                ``invalid_input``: as ``encoded``.
        """
        data = encoded(text, name)
        if not self.encoding.known and not data.isascii():
            where = next(at for at, letter in enumerate(text) if ord(letter) > 127)
            raise EditRefused("encoding", "not_utf_8", argument=name, letter=text[where], code=f"U+{ord(text[where]):04X}")
        return data
