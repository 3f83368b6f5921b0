"""Weights kept by content, so that nothing is weighed twice.

Knows messages by their bytes digest and tokenizers by their name. A count is a function of those two, so a cached weight is
never stale; forgetting one costs a count and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from ..messages import Message
from ..messages.digest import bytes_digest
from .counter import Tokenizer
from .weigh import weigh, weigh_batch

__all__ = ["Weights"]

_Known = dict[bytes, int]


class Weights:
    """A bounded cache of message weights, for any number of tokenizers.

    May be shared between threads: single dictionary operations are atomic, and a race at worst counts a message twice.

    Args:
        limit: weights kept for each tokenizer; when full, the older half is forgotten. One takes about 150 bytes.
    """

    __slots__ = ("_known", "_limit")

    def __init__(self, *, limit: int = 65_536) -> None:
        self._limit = max(2, limit)
        self._known: dict[tuple[str, int], _Known] = {}

    def weigh(self, message: Message, tokenizer: Tokenizer) -> int:
        """Tokens of ``message``, counted now or before."""
        known = self._of(tokenizer)
        key = bytes_digest(message)
        weight = known.get(key)
        if weight is None:
            weight = weigh(message, tokenizer)
            self._keep(known, key, weight)
        return weight

    def weigh_all(self, messages: Sequence[Message], tokenizer: Tokenizer) -> list[int]:
        """Tokens of each message; all unknown ones are counted in one batch."""
        known = self._of(tokenizer)
        keys = list(map(bytes_digest, messages))
        weights = list(map(known.get, keys))
        missing = [index for index, weight in enumerate(weights) if weight is None]
        if missing:
            for index, weight in zip(missing, weigh_batch([messages[index] for index in missing], tokenizer), strict=True):
                weights[index] = weight
                self._keep(known, keys[index], weight)
        return [weight or 0 for weight in weights]

    def __len__(self) -> int:
        return sum(map(len, self._known.values()))

    def _of(self, tokenizer: Tokenizer) -> _Known:
        return self._known.setdefault((tokenizer.name, tokenizer.image_tokens), {})

    def _keep(self, known: _Known, key: bytes, weight: int) -> None:
        if len(known) >= self._limit:
            for old in list(islice(known, len(known) - self._limit // 2)):
                known.pop(old, None)
        known[key] = weight
