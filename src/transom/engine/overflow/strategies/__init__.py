"""The ready-made strategies, one file each."""

from .chain import Chain, chain
from .clear import Clear, clear
from .digest import Digest, digest
from .reset import Reset, reset

__all__ = ["Chain", "Clear", "Digest", "Reset", "chain", "clear", "digest", "reset"]
