"""The event bus: what happened is said once, and whoever wants to hear it does.

Pure, and knows no event: an event is any object, usually a frozen dataclass that lies with the part that emits it. Handlers are
synchronous and run in the order they were registered. What a handler raises never reaches the part that emitted: it is logged
and told to those who listen for ``HandlerError``.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from inspect import iscoroutinefunction
from typing import TypeVar, overload

from .sink import Sink

__all__ = ["EventBus", "HandlerError", "event_name"]

_log = logging.getLogger(__name__)
_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

E = TypeVar("E")


@dataclass(frozen=True, slots=True)
class HandlerError:
    """A handler raised.

    Attributes:
        event: what it was told.
        handler: the function, or the sink's ``accept``.
        error: what it raised.
    """

    event: object
    handler: Callable[..., object]
    error: Exception


def event_name(kind: type) -> str:
    """The name handlers may give instead of the type: ``CompileDone`` is ``compile_done``."""
    return _WORD.sub("_", kind.__name__).lower()


class EventBus:
    """Hands events to handlers. Registering while an event is handed round takes effect with the next event."""

    __slots__ = ("_handlers",)

    def __init__(self) -> None:
        self._handlers: tuple[tuple[type | str, Callable[..., object]], ...] = ()

    @overload
    def on(self, kind: type[E], handler: Callable[[E], object]) -> Callable[[], None]: ...
    @overload
    def on(self, kind: str, handler: Callable[..., object]) -> Callable[[], None]: ...
    def on(self, kind: type | str, handler: Callable[..., object]) -> Callable[[], None]:
        """Call ``handler`` with every event of ``kind``.

        Args:
            kind: an event type (its subclasses count; ``object`` hears all), or its name as ``event_name`` gives it.
            handler: a plain function; what it returns is ignored.

        Returns:
            A function that ends the subscription; calling it again does nothing.

        Raises:
            TypeError: the handler is a coroutine function, which nobody would await.
        """
        if iscoroutinefunction(handler):
            raise TypeError("an event handler is a plain function: start a task from it to do asynchronous work")
        entry = (kind, handler)
        self._handlers = (*self._handlers, entry)

        def off() -> None:
            self._handlers = tuple(other for other in self._handlers if other is not entry)

        return off

    def join(self, sink: Sink) -> Callable[[], None]:
        """Give every event to a sink; returns a function that parts the two (and leaves the sink open)."""
        return self.on(object, sink.accept)

    def emit(self, event: object) -> None:
        """Hand one event to all who listen for it. Raises nothing that a handler raised."""
        handlers = self._handlers
        if not handlers:
            return
        kind = type(event)
        name = event_name(kind) if any(isinstance(wanted, str) for wanted, _ in handlers) else ""
        for wanted, handler in handlers:
            if wanted == name if isinstance(wanted, str) else isinstance(event, wanted):
                self._call(handler, event)

    def _call(self, handler: Callable[..., object], event: object) -> None:
        try:
            handler(event)
        except Exception as error:  # noqa: BLE001  # whatever a handler raises, the work it watches goes on
            _log.warning("event handler %r failed on %s", handler, type(event).__name__, exc_info=error)
            if not isinstance(event, HandlerError):
                self.emit(HandlerError(event, handler, error))
