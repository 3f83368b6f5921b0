"""Retrieval: how a model reaches what left its window, and what it keeps for itself.

Definitions that never change, a dispatcher that never raises on a model's mistake, views that never exceed their budget. Knows
the store, and memory through a port; no context and no phase.
"""

from .answering import Answering, Retrieval
from .calls import Asked, read_call
from .definition import COMMANDS, MEMORY_TOOL, NEW_CONTEXT, context_tools, native_memory_tool
from .dispatch import dispatch, owned
from .host import READABLE, WRITABLE, FactLike, FactsPort, Host
from .room import SMALLEST, Room

__all__ = [
    "COMMANDS",
    "MEMORY_TOOL",
    "NEW_CONTEXT",
    "READABLE",
    "SMALLEST",
    "WRITABLE",
    "Answering",
    "Asked",
    "FactLike",
    "FactsPort",
    "Host",
    "Retrieval",
    "Room",
    "context_tools",
    "dispatch",
    "native_memory_tool",
    "owned",
    "read_call",
]
