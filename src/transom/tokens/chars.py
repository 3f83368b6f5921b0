"""Counters that are not ours to judge: four characters a token, and whatever function the caller brings.

Knows text only. ``Chars`` is what most agents use; it undercounts every script that is not Latin two to four times and is here
for comparison and for tests of speed, where counting should cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .heuristic import IMAGE_TOKENS

__all__ = ["Chars", "Custom"]


class Chars:
    """One token for every four characters begun."""

    __slots__ = ("_image_tokens",)

    def __init__(self, *, image_tokens: int = IMAGE_TOKENS) -> None:
        self._image_tokens = image_tokens

    @property
    def name(self) -> str:
        """``chars4``."""
        return "chars4"

    @property
    def image_tokens(self) -> int:
        """What one image costs, in tokens."""
        return self._image_tokens

    def count(self, text: str) -> int:
        """A quarter of the characters, rounded up."""
        return (len(text) + 3) >> 2

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """``count`` for many texts."""
        return [(len(text) + 3) >> 2 for text in texts]


class Custom:
    """A caller's own counting function as a tokenizer.

    Args:
        count: tokens of a text; deterministic. What it raises reaches the caller of the count.
        name: what reports call it. Counts are cached under this name: two functions that differ need two names.
        image_tokens: what one image costs.
    """

    __slots__ = ("_count", "_image_tokens", "_name")

    def __init__(self, count: Callable[[str], int], *, name: str = "custom", image_tokens: int = IMAGE_TOKENS) -> None:
        self._count = count
        self._name = name
        self._image_tokens = image_tokens

    @property
    def name(self) -> str:
        """The name given."""
        return self._name

    @property
    def image_tokens(self) -> int:
        """What one image costs, in tokens."""
        return self._image_tokens

    def count(self, text: str) -> int:
        """What the function says, and never less than 1 for a text that is not empty."""
        return max(1, self._count(text)) if text else 0

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """``count`` for many texts."""
        return list(map(self.count, texts))
