"""Window records: what one closing decided, so that it is decided once.

Knows digests and bytes, no strategy. A record is filed under the conversation's first link, the prefix digest of what was
closed, the fingerprint of what shaped the head and the window size, put-if-absent. It holds decisions, not messages: kept and
cleared turns are named by prefix digest and taken from the history at hand, so that one history never shows another's bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from ...errors import IntegrityError, JSONError
from ...jsontext import dumps, loads
from .edits import TurnEdit

__all__ = [
    "KEPT_ARCHIVES",
    "Item",
    "Lineage",
    "TurnFit",
    "WindowRecord",
    "decode_record",
    "encode_record",
    "head_path",
    "record_folder",
    "record_path",
]


@dataclass(frozen=True, slots=True)
class Lineage:
    """Which window this is.

    Attributes:
        first: the session's first window.
        current: the window open now.
        previous: the one closed before it; ``None`` in the first.
    """

    first: str = "w1"
    current: str = "w1"
    previous: str | None = None

    @property
    def number(self) -> int:
        """Of the window open now, from 1."""
        return int(self.current.removeprefix("w"))

    def advance(self) -> Lineage:
        """The lineage after one more closing."""
        return Lineage(self.first, f"w{self.number + 1}", self.current)


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of what stands in place of a closed span.

    Attributes:
        kind: ``head`` (``text`` as a user message), ``keep`` (a turn verbatim) or ``edit`` (a turn with texts replaced).
        text: for ``head``.
        place: for the others: prefix digest at the end of the turn.
        edits: for ``edit``.
    """

    kind: Literal["head", "keep", "edit"]
    text: str = ""
    place: bytes = b""
    edits: tuple[TurnEdit, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnFit:
    """A turn behind the span whose oversized texts were offloaded when the window closed."""

    place: bytes
    edits: tuple[TurnEdit, ...]


KEPT_ARCHIVES = 16
"""A record names that many archives. All of them in each would grow with the square of a session's length; the head that an
archive begins with names those before it."""


@dataclass(frozen=True, slots=True)
class WindowRecord:
    """One closing of a window.

    Attributes:
        k: turns it closed over.
        n: turns the history had.
        p_k: prefix digest after the first ``k``.
        p_n: prefix digest after all ``n``.
        arrived: digest over every message that had come, unsettled ones included.
        fitted: texts of turns that stay were offloaded so that this very history fits.
        staying: turns among the first ``k`` that had to stay when it closed: pinned ones and the newest the user wrote. Where
            others have to, the record does not apply.
        items: what stands in place of the first ``k`` turns, in order.
        fits: oversized turns behind them.
        archive: URI of the closed span's messages; empty where nothing was moved out of the window by the closing.
        archives: URIs of this span and those before it, oldest first, at most ``KEPT_ARCHIVES``.
        lineage: after the closing.
        strategy: name of the step that produced the items.
        cites: URIs of the texts stored with it, which its heads and edits name.
        weighed: what the movable history weighed when it closed, in tokens; 0 where nobody noted it.
    """

    k: int
    n: int
    p_k: bytes
    p_n: bytes
    arrived: bytes
    fitted: bool
    staying: tuple[bytes, ...]
    items: tuple[Item, ...]
    fits: tuple[TurnFit, ...]
    archive: str
    archives: tuple[str, ...]
    lineage: Lineage
    strategy: str
    cites: tuple[str, ...] = ()
    weighed: int = 0


_decoder = msgspec.json.Decoder(WindowRecord)


def encode_record(record: WindowRecord) -> bytes:
    """The record as JSON with fields in a fixed order."""
    try:
        return msgspec.json.encode(record)
    except UnicodeEncodeError:
        # A text with half a surrogate pair has no UTF-8 form; as JSON it has an escape.
        return dumps(msgspec.to_builtins(record))


def decode_record(data: bytes) -> WindowRecord:
    """Read a record back.

    Raises:
        IntegrityError: the bytes are no record.
    """
    try:
        return _decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeError):
        # No record, or one with an escape that the fast parser refuses.
        pass
    try:
        return msgspec.convert(loads(data), WindowRecord)
    except (msgspec.MsgspecError, UnicodeError, JSONError) as error:
        raise IntegrityError(f"a window record is damaged: {error}", hint="run `transom store verify`") from None


def record_folder(prefix: Sequence[bytes], fingerprint: str, window: int) -> str:
    """Where all records of conversations with the same first link lie."""
    first = prefix[1] if len(prefix) > 1 else prefix[0]
    return f"{fingerprint}/{window}/{first.hex()[:32]}/"


def record_path(folder: str, record: WindowRecord) -> str:
    """Where the record of one closing lies. One that also shortens turns that stay holds for that history alone."""
    path = f"{folder}{record.p_k.hex()}"
    if record.fitted:
        return f"{path}-{record.arrived.hex()}"
    return f"{path}-{hashlib.sha256(b''.join(record.staying)).hexdigest()[:16]}" if record.staying else path


def head_path(meaning: bytes, fingerprint: str, window: int) -> str:
    """Where it is noted that a message with this meaning digest is a head of ours."""
    return f"heads/{fingerprint}/{window}/{meaning.hex()}"
