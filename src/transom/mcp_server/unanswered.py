"""Which requests of a client still wait for their answer, told from the lines as they pass.

So that a client that sends its requests and closes the pipe at once, as a shell does, still gets all its answers.
"""

from __future__ import annotations

import asyncio
import contextlib

import msgspec

__all__ = ["Unanswered"]


class _Frame(msgspec.Struct):
    id: int | str | float | None = None
    method: str | None = None
    params: msgspec.Raw = msgspec.Raw(b"{}")


class _Cancelled(msgspec.Struct):
    requestId: int | str | None = None  # noqa: N815 - the protocol's spelling


_FRAME = msgspec.json.Decoder(_Frame)
_CANCELLED = msgspec.json.Decoder(_Cancelled)


class Unanswered:
    """The open requests of one client."""

    def __init__(self) -> None:
        self._open: set[object] = set()
        self._none = asyncio.Event()
        self._none.set()

    def arrived(self, line: str) -> None:
        """A line came in. What is no frame is for others to complain about."""
        with contextlib.suppress(msgspec.DecodeError):
            frame = _FRAME.decode(line)
            if frame.method is not None and frame.id is not None:
                self._open.add(frame.id)
                self._none.clear()
            elif frame.method == "notifications/cancelled":
                # One that is cancelled is never answered.
                self._settle(_CANCELLED.decode(frame.params).requestId)

    def answered(self, line: str) -> None:
        """A line went out."""
        if self._open:
            with contextlib.suppress(msgspec.DecodeError):
                frame = _FRAME.decode(line)
                if frame.method is None:
                    self._settle(frame.id)

    def _settle(self, name: object) -> None:
        self._open.discard(name)
        if not self._open:
            self._none.set()

    async def settled(self, seconds: float) -> None:
        """Wait until there are none, so long at most."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._none.wait(), seconds)
