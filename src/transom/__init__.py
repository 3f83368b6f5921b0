"""Transom: a context engine for language-model agents.

It fits any conversation into any window and loses nothing: what leaves is stored first and can be had back byte for byte.
"""

from .engine.context import Context
from .engine.overflow.strategies import chain, clear, digest, reset
from .engine.payload import Payload
from .errors import TransomError
from .messages import Call, Message, Result, Text, Tool
from .store.backends.memory import MemoryBackend
from .store.backends.sqlite import SQLiteBackend
from .store.store import Store

__all__ = [
    "Call",
    "Context",
    "MemoryBackend",
    "Message",
    "Payload",
    "Result",
    "SQLiteBackend",
    "Store",
    "Text",
    "Tool",
    "TransomError",
    "chain",
    "clear",
    "digest",
    "reset",
]
