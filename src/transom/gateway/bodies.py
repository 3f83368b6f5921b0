"""The body of a request: read once and held within bounds, its coding undone; what is larger streams through unread.

Knows ASGI's ``receive`` and codings, nothing of what a body means. An inspection that fails fails no request: a body that
cannot be decoded goes on as it came, and the upstream says what it thinks of it.
"""

from __future__ import annotations

import asyncio
import sys
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any, Protocol

__all__ = [
    "Body",
    "ClientGoneError",
    "Decoder",
    "Receive",
    "Room",
    "TooLargeError",
    "UnknownCodingError",
    "codings",
    "decoder",
    "read_body",
    "undone",
]

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]

MOST_READ = 32 << 20
"""Bytes of a body that is looked into: as much as Anthropic takes."""
MOST_DECODED = 64 << 20
"""Bytes that a body may unfold to."""
MOST_HELD = 256 << 20
"""Bytes of all bodies that are held at one time."""

_STEP = 1 << 20
_THREADED = 256 << 10
"""Bytes above which undoing a coding would hold up every other request."""


class ClientGoneError(Exception):
    """The client went away before its request was whole."""


class UnknownCodingError(Exception):
    """A coding that cannot be undone."""


class TooLargeError(Exception):
    """A body that unfolds to more than may be held."""


@dataclass(slots=True)
class Room:
    """How much may be held for all requests together.

    Attributes:
        left: bytes.
    """

    left: int = MOST_HELD

    def take(self, size: int) -> bool:
        """Take room for so many bytes; false where there is none."""
        if size > self.left:
            return False
        self.left -= size
        return True

    def give(self, size: int) -> None:
        """Give it back."""
        self.left += size


@dataclass(slots=True)
class Body:
    """A request's body.

    Attributes:
        data: what came, or its first part.
        whole: nothing comes after ``data``.
        held: bytes of room it takes.
        arrived: set once nothing more comes.
    """

    data: bytes
    whole: bool
    room: Room
    held: int = 0
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    def release(self) -> None:
        """Give its room back."""
        held, self.held = self.held, 0
        self.room.give(held)

    async def stream(self, receive: Receive) -> AsyncIterator[bytes]:
        """All of it: what was read, then what comes. For a body that is too large to hold.

        Raises:
            ClientGoneError: the client went away before the end.
        """
        data, self.data = self.data, b""
        self.release()
        if data:
            yield data
        more = not self.whole
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientGoneError
            if piece := message.get("body", b""):
                yield piece
            more = message.get("more_body", False)
        self.arrived.set()


async def read_body(receive: Receive, announced: int | None, room: Room, most: int = MOST_READ) -> Body:
    """Read a body, as far as it may be held.

    Args:
        receive: ASGI's.
        announced: the value of ``Content-Length``; ``None`` where it is not told.
        room: what all bodies share.
        most: bytes that are held of this one.

    Raises:
        ClientGoneError: the client went away before the end.
    """
    if announced is not None and (announced > most or announced > room.left):
        return Body(b"", whole=False, room=room)
    pieces: list[bytes] = []
    held = 0
    try:
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientGoneError
            piece = message.get("body", b"")
            more = message.get("more_body", False)
            fits = held + len(piece) <= most and room.take(len(piece))
            held += len(piece) if fits else 0
            pieces.append(piece)
            if not more:
                return _body(pieces, held, room, whole=True)
            if not fits:
                return _body(pieces, held, room, whole=False)
    except BaseException:
        room.give(held)
        raise


def _body(pieces: list[bytes], held: int, room: Room, *, whole: bool) -> Body:
    body = Body(pieces[0] if len(pieces) == 1 else b"".join(pieces), whole, room, held)
    if whole:
        body.arrived.set()
    return body


class Decoder(Protocol):
    """Undoes one coding, piece by piece."""

    def decode(self, piece: bytes, most: int) -> bytes:
        """What a piece unfolds to.

        Raises:
            ValueError: it is not of this coding.
            TooLargeError: it unfolds to more than ``most`` bytes.
        """
        ...

    @property
    def is_whole(self) -> bool:
        """What came is no part of something: it may end here."""
        ...


def codings(value: str) -> list[str]:
    """The codings that a ``Content-Encoding`` lists, in the order they were done."""
    return [name for part in value.lower().split(",") if (name := part.strip()) and name != "identity"]


async def undone(data: bytes, value: str, most: int = MOST_DECODED) -> bytes:
    """A body without its codings; ``data`` itself where it has none.

    Args:
        data: the body.
        value: its ``Content-Encoding``.
        most: bytes it may unfold to.

    Raises:
        UnknownCodingError: a coding that cannot be undone.
        TooLargeError: it unfolds to more than ``most`` bytes.
        ValueError: it is not of that coding, or cut off.
    """
    listed = codings(value)
    if not listed:
        return data
    decoders = [decoder(name) for name in reversed(listed)]

    def decode() -> bytes:
        decoded = data
        for each in decoders:
            decoded = each.decode(decoded, most)
            if not each.is_whole:
                raise ValueError("cut off")
        return decoded

    return await asyncio.to_thread(decode) if len(data) > _THREADED else decode()


def decoder(name: str) -> Decoder:
    """A decoder for one body.

    Raises:
        UnknownCodingError: a coding that cannot be undone.
    """
    match name:
        case "gzip" | "x-gzip":
            return _Zlib(zlib.MAX_WBITS | 16)
        case "deflate":
            return _Zlib(zlib.MAX_WBITS)
        case "br":
            return _Brotli()
        case "zstd":
            return _Zstandard()
        case _:
            raise UnknownCodingError(name)


class _Zlib:
    """Gzip and deflate. A few senders take deflate for the bare format without zlib's head: RFC 9110, 8.4.1.2."""

    def __init__(self, bits: int) -> None:
        self._bits = bits
        self._object = zlib.decompressobj(bits)
        self._begun = False
        self.is_whole = True

    def decode(self, piece: bytes, most: int) -> bytes:
        if not self._begun and self._bits == zlib.MAX_WBITS and piece and (piece[0] & 0x0F) != 8:
            self._object = zlib.decompressobj(-zlib.MAX_WBITS)
        self._begun = self._begun or bool(piece)
        self.is_whole = self.is_whole and not piece
        out = bytearray()
        try:
            while piece:
                out += self._object.decompress(piece, most + 1 - len(out))
                if len(out) > most:
                    raise TooLargeError
                piece = self._object.unconsumed_tail
                if self._object.eof:
                    # Gzip may go on with a further member.
                    piece = self._object.unused_data
                    self._object = zlib.decompressobj(self._bits)
                    self.is_whole = not piece
        except zlib.error as error:
            raise ValueError(str(error)) from error
        return bytes(out)


class _Brotli:
    def __init__(self) -> None:
        import brotli  # type: ignore[import-untyped]  # it has no types

        self._error: type[Exception] = brotli.error
        self._object = brotli.Decompressor()
        self._begun = False

    @property
    def is_whole(self) -> bool:
        return not self._begun or bool(self._object.is_finished())

    def decode(self, piece: bytes, most: int) -> bytes:
        self._begun = self._begun or bool(piece)
        out = bytearray()
        try:
            out += self._object.process(piece, output_buffer_limit=_STEP)
            while not self._object.can_accept_more_data():
                if len(out) > most:
                    raise TooLargeError
                out += self._object.process(b"", output_buffer_limit=_STEP)
        except self._error as error:
            raise ValueError(str(error)) from error
        if len(out) > most:
            raise TooLargeError
        return bytes(out)


class _Zstandard:
    def __init__(self) -> None:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd

        self._new = zstd.ZstdDecompressor
        self._error: type[Exception] = zstd.ZstdError
        self._object = self._new()
        self.is_whole = True

    def decode(self, piece: bytes, most: int) -> bytes:
        self.is_whole = self.is_whole and not piece
        out = bytearray()
        try:
            while True:
                out += self._object.decompress(piece, max_length=most + 1 - len(out))
                if len(out) > most:
                    raise TooLargeError
                piece = b""
                if self._object.eof:
                    piece = self._object.unused_data
                    self._object = self._new()
                    self.is_whole = not piece
                    if not piece:
                        break
                elif self._object.needs_input:
                    break
        except self._error as error:
            raise ValueError(str(error)) from error
        return bytes(out)
