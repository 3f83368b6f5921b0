"""What a digest says in its own voice: titles, labels, marks. The text it quotes is the conversation's."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DigestWords"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestWords:
    """What a digest says in its own voice: titles, labels, marks. The text it quotes is the conversation's."""
