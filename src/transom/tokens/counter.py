"""What counting tokens means: the protocol every counter fulfils.

Knows text, no message. ``weigh.py`` adds up messages with it, ``cache.py`` keeps what was counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

__all__ = ["Tokenizer"]


@runtime_checkable
class Tokenizer(Protocol):
    """Counts tokens of plain text. Deterministic, pure, safe to share between threads."""

    @property
    def name(self) -> str:
        """What reports call it: ``heuristic``, ``o200k``, …. Counts are cached under this name."""
        ...

    @property
    def image_tokens(self) -> int:
        """What one image costs; its base64 text is never counted."""
        ...

    def count(self, text: str) -> int:
        """Tokens of ``text``; 0 only for the empty text."""
        ...

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """``count`` for many texts."""
        ...
