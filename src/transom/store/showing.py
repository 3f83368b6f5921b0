"""What a model is shown of a search: passages around the matches, best first, within a budget of tokens.

Knows hits and how to read them again; counts with what it is handed. Every passage is verbatim, cut at its ends with … and
headed by its address, which gives the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from ..errors import StoreError
from .fulltext import excerpt, parse_query
from .search import SearchHit, texts_in
from .uri import parse_uri

__all__ = ["Readable", "passages"]

_SHARE = 4
"""The best hit gets a quarter of the budget, the next a quarter of what is left, and so on."""
_CHARACTERS_PER_TOKEN = 4
_LEAST = 60


class Readable(Protocol):
    """What is needed of a store."""

    async def get(self, uri: str) -> bytes:
        """The bytes under an address."""
        ...


async def passages(store: Readable, query: str, hits: Sequence[SearchHit], *, budget: int, count: Callable[[str], int]) -> str:
    """The text to hand to a model.

    Args:
        store: where the hits came from.
        query: what was asked.
        hits: best first.
        budget: tokens; the result never has more.
        count: tokens of a text.
    """
    needles = parse_query(query).needles
    shown = ""
    for hit in hits:
        left = budget - count(shown)
        if left < _LEAST // 4:
            break
        text = await _text(store, hit)
        width = min(len(text), max(_LEAST, left * _CHARACTERS_PER_TOKEN // _SHARE, len(hit.snippet)))
        while True:
            line = f", line {hit.line}" if hit.line else ""
            passage = f"{hit.uri}{line}\n{excerpt(text, needles, width)}"
            longer = f"{shown}\n\n{passage}" if shown else passage
            if count(longer) <= budget:
                shown = longer
                break
            width //= 2
            if width < _LEAST:
                break
    return shown


async def _text(store: Readable, hit: SearchHit) -> str:
    """The whole text a hit was found in; its snippet where that cannot be read again."""
    try:
        data = await store.get(hit.uri)
    except StoreError:
        return hit.snippet
    texts = texts_in(parse_uri(hit.uri).namespace, data)
    at = max(0, hit.line - 1)
    return texts[at] if at < len(texts) else hit.snippet
