"""The event bus and the sink protocol, both pure; event types lie with their emitter."""

from .bus import EventBus, HandlerError, event_name
from .sink import Sink

__all__ = ["EventBus", "HandlerError", "Sink", "event_name"]
