"""Listens to a bus by type, by name and as a sink."""

from dataclasses import dataclass

from transom.observe import EventBus, HandlerError


@dataclass(frozen=True, slots=True)
class WindowClosed:
    window: str
    moved_bytes: int


bus = EventBus()
off = bus.on(WindowClosed, lambda event: print(event.window, event.moved_bytes))
bus.on("window_closed", lambda event: print("closed:", event.window))
bus.on(HandlerError, lambda failure: print("a handler failed:", failure.error))

bus.emit(WindowClosed("w1", 61_234))
off()
bus.emit(WindowClosed("w2", 7_000))
