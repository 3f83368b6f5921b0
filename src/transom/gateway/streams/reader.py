"""Reading an answer while it passes: what every protocol's reader shares.

A reader gets a copy of the bytes and changes nothing; nothing an upstream sends makes it raise. Each protocol says in its own
module what its events mean. Knows JSON and how bytes are cut into events; no HTTP.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import ClassVar

from ...errors import JSONError
from ...jsontext import loads
from ..endpoint import Protocol
from .fault import Fault, fault, is_fault, named_fault
from .shapes import Framing, error_event, keepalive
from .splitting import Event, Events, JsonLines, Splitter
from .usage import Usage
from .values import Sniffed, Values

__all__ = ["Clock", "Reader"]

Clock = Callable[[], float]


class Reader(ABC):
    """What an answer says about itself.

    Args:
        splitter: cuts the bytes into events, as the answer's content type demands.
        clock: seconds, for ``first_content``.
        status: the answer's HTTP status.

    Attributes:
        usage: what the upstream counted, by the newest figures; ``None`` until it says.
        model: who answered, by the upstream's own word; empty until it says.
        error: the first error in it, whatever its shape.
        finish: why the model stopped, in the protocol's own word; empty until it says.
        ended: the protocol's proper end was seen. An answer that broke off has none; nor has one that ends in an error.
        empty: nothing that a model says has come: no text, reasoning, call or file.
        first_content: when the first of it came, on the clock.
        skipped: events that were too long to be read.
    """

    protocol: ClassVar[Protocol]

    def __init__(self, splitter: Splitter, clock: Clock, status: int = 200) -> None:
        self._splitter = splitter
        self._clock = clock
        self._status = status
        self._last = b""
        self._events = 0
        self._is_broken = False
        self.usage: Usage | None = None
        self.model = ""
        self.error: Fault | None = None
        self.finish = ""
        self.ended = False
        self.empty = True
        self.first_content: float | None = None
        self.skipped = 0

    def feed(self, chunk: bytes) -> None:
        """Read what passes. Chunks may end anywhere, inside a character too."""
        self._take(self._splitter.feed(chunk))

    def close(self) -> None:
        """The upstream has no more to say. To be called once, and before ``error_event`` where that is why it is called."""
        self._is_broken = not self._splitter.is_between
        self._take(self._splitter.close())
        if self._status >= 400 and self.error is None:
            self.error = Fault(message="", status=self._status)

    @property
    def is_between(self) -> bool:
        """Something may be said here that is not the upstream's: no event has begun that has not ended."""
        return not self._is_broken and self._splitter.is_between

    @property
    def settled(self) -> bool:
        """The client knows how it ended: properly, or by the upstream's own error. Nothing may be added."""
        return self.ended or self.error is not None

    @property
    def framing(self) -> Framing:
        """How the answer is cut: what keep-alives and errors of ours have to fit into."""
        match self._splitter:
            case Events():
                return "events"
            case JsonLines():
                return "lines"
            case Values() if self.protocol == "ollama":
                return "lines"
            case Values() if self._splitter.is_array:
                return "array"
            case Sniffed() if self._splitter.is_events:
                return "events"
            case _:
                return "whole"

    def keepalive(self) -> bytes:
        """What shows the client that the answer goes on and means nothing; empty where nothing may be said now."""
        return keepalive(self.protocol, self.framing) if self.is_between else b""

    def error_event(self, status: int, message: str) -> bytes:
        """The protocol's own error in the middle of an answer; empty where there is none, or the upstream has ended it already.

        An answer that broke off inside an event cannot be mended: that event is closed, so that the error is one of its own.

        Args:
            status: the HTTP status it would have had.
            message: one sentence.
        """
        if self.settled:
            return b""
        broken = b""
        if not self.is_between:
            if self.framing == "events":
                broken = b"\n\n"
            elif isinstance(self._splitter, JsonLines):
                broken = b"\n"
            else:
                return b""
        return broken + error_event(self.protocol, status, message, framing=self.framing, after=self._events, last=self._last)

    def _take(self, events: Iterable[Event]) -> None:
        for name, data in events:
            self._events += 1
            if data is None:
                self.skipped += 1
                self._read_name(name)
                continue
            self._last = data
            if not self._is_told(name):
                self._read_data(name, data)

    def _read_data(self, name: bytes, data: bytes) -> None:
        try:
            value = loads(data)
        except JSONError:
            if name == b"error":
                self._fail(named_fault(None, data))
            elif self._status >= 400:
                self._fail(fault(None, data, self._status))
            else:
                self._read_text(data)
            return
        if not isinstance(value, dict):
            self._fail(fault(value, data, self._status))
            return
        if is_fault(value) or self._status >= 400:
            self._fail(fault(value, data, self._status))
        elif name == b"error":
            self._fail(named_fault(value, data))
            return
        self._read(value, data)

    def _fail(self, found: Fault | None) -> None:
        if self.error is None:
            self.error = found

    def _say(self) -> None:
        """Content has come."""
        if self.empty:
            self.empty = False
            self.first_content = self._clock()

    def _name(self, value: Mapping[str, object], field: str = "model") -> None:
        name = value.get(field)
        if isinstance(name, str) and name:
            self.model = name

    def _is_told(self, name: bytes) -> bool:  # noqa: ARG002 - for those that name their events
        """Whether an event's name alone says that it tells nothing new, so that it need not be parsed."""
        return False

    def _read_name(self, name: bytes) -> None:  # noqa: ARG002 - for those that name their events
        """An event too long to be read: there was content in it, for nothing else is long."""
        self._say()

    def _read_text(self, data: bytes) -> None:  # noqa: B027 - most protocols have none
        """Data that is no JSON."""

    @abstractmethod
    def _read(self, value: dict[str, object], data: bytes) -> None:
        """One event, or a whole body."""
