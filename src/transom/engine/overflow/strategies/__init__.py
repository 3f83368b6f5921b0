"""The ready-made strategies, one file each."""

from .anchored import Anchored, anchored
from .chain import Chain, chain
from .clear import Clear, clear
from .digest import Digest, digest
from .reset import Reset, reset
from .summarize import Summarize, summarize

__all__ = [
    "Anchored",
    "Chain",
    "Clear",
    "Digest",
    "Reset",
    "Summarize",
    "anchored",
    "chain",
    "clear",
    "digest",
    "reset",
    "summarize",
]
