"""The ready-made strategies, one file each."""

from .anchored import anchored
from .background import Background, background
from .chain import Chain, chain
from .clear import Clear, clear
from .digest import Digest, digest
from .reset import Reset, reset
from .server import Server, server
from .summarize import summarize

__all__ = [
    "Background",
    "Chain",
    "Clear",
    "Digest",
    "Reset",
    "Server",
    "anchored",
    "background",
    "chain",
    "clear",
    "digest",
    "reset",
    "server",
    "summarize",
]
