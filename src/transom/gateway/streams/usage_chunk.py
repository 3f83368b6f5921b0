"""Taking the one chunk out of a chat stream that the client did not ask for.

Where the gateway asks for usage and the client did not, OpenAI and compatible servers send one chunk more, with usage and no
choices; some clients take a chunk without choices for an error. Everything else stays as it came, byte for byte, ``usage:
null`` in the other chunks too: every client takes it for the absence it is. Source: OpenAI API reference,
``stream_options.include_usage``.
"""

from __future__ import annotations

import re

from ...errors import JSONError
from ...jsontext import loads

__all__ = ["UsageChunkFilter"]

_MOST = 1 << 16
"""Bytes of an event that are held back until it is complete: the chunk in question has one KB, content may be of any size."""

_LF = 10
_END = re.compile(rb"(?>\r\n|\n|\r)(?>\r\n|\n|\r)")
_NO_CHOICES = re.compile(rb'"choices"\s*:\s*\[\s*\]')


class UsageChunkFilter:
    """A stream of chat chunks without the chunk of usage.

    Whole events pass as they come. One that has not ended yet is held back until it does, or until it is too large to be the
    chunk in question.
    """

    __slots__ = ("_after_cr", "_held", "_is_passing", "_was_dropped")

    def __init__(self) -> None:
        self._held = b""
        self._is_passing = False
        self._after_cr = False
        self._was_dropped = False

    def feed(self, chunk: bytes) -> bytes:
        """What of the stream goes on to the client by now; may be empty."""
        if not chunk:
            return b""
        if not (self._held or self._is_passing or self._after_cr) and chunk.endswith(b"\n\n") and not _NO_CHOICES.search(chunk):
            # Whole events, none of them in question: nearly every chunk of a stream.
            return chunk
        kept: list[bytes] = []
        if self._after_cr:
            self._after_cr = False
            if chunk[0] == _LF:
                # The second half of a line end belongs to the event before it.
                if not self._was_dropped:
                    kept.append(b"\n")
                chunk = chunk[1:]
        held = self._held + chunk
        start = 0
        # A line end that was not seen before may have begun in what is held.
        for match in _END.finditer(held, max(0, len(self._held) - 3)):
            event = held[start : match.end()]
            start = match.end()
            self._was_dropped = not self._is_passing and _is_extra(event)
            self._is_passing = False
            if not self._was_dropped:
                kept.append(event)
        self._held = held[start:]
        self._after_cr = bool(start) and not self._held and held.endswith(b"\r")
        if self._is_passing or len(self._held) > _MOST:
            self._pass(kept)
        return b"".join(kept)

    def close(self) -> bytes:
        """The rest: an event that did not end goes on as far as it came, unless it is all there and the one in question."""
        held, self._held = self._held, b""
        return b"" if not self._is_passing and _is_extra(held) else held

    def _pass(self, kept: list[bytes]) -> None:
        """Hand on an event that is too large, but for line ends at its edge, which may be half of its end."""
        self._is_passing = True
        edge = len(self._held) - len(self._held.rstrip(b"\r\n"))
        cut = len(self._held) - edge
        kept.append(self._held[:cut])
        self._held = self._held[cut:]


def _is_extra(event: bytes) -> bool:
    if b'"usage"' not in event or not _NO_CHOICES.search(event):
        return False
    data = b"\n".join(line[5:].removeprefix(b" ") for line in event.splitlines() if line.startswith(b"data:"))
    try:
        value = loads(data)
    except JSONError:
        return False
    return isinstance(value, dict) and value.get("choices") == [] and isinstance(value.get("usage"), dict)
