"""What a model is shown of a search: the texts that match and those beside them, best first, within a budget of tokens.

Knows hits and how to read them again; counts with what it is handed. Every passage is verbatim, cut at its ends with … and
headed by its address, which gives the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from ..errors import StoreError
from .fulltext import parse_query
from .neighbours import Step, grouped, steps
from .passages import Passage, passage_of
from .question import Question
from .search import SearchHit, texts_in
from .uri import parse_uri

__all__ = ["CHARACTERS_PER_TOKEN", "LEAST", "Readable", "passages", "width_of"]

_SHARE = 4
"""The best hit gets a quarter of the budget, the next a quarter of what is left, and so on; the last one what there is."""
CHARACTERS_PER_TOKEN = 4
LEAST = 60
_WHOLE = 400
"""Characters up to which a line of an archive is shown whole, where there is room, rather than in its share: half a turn
answers nothing. No more of what stands beside a match."""


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
    question = Question.of(parse_query(query))
    texts = _Texts(store)
    shown: list[tuple[Step, Passage]] = []
    page = ""
    left = budget
    order = steps([(hit.uri, hit.line, hit.score, hit.meta) for hit in hits])
    for at, step in enumerate(order):
        if left < LEAST // CHARACTERS_PER_TOKEN:
            break
        text = await texts.of(step, hits)
        if not text:
            continue
        width = width_of(step, text, left, len(order) - at)
        while width >= min(LEAST, len(text)):
            longer = [*shown, (step, passage_of(question, text, width))]
            if count(written := _written(longer)) <= budget:
                shown, page = longer, written
                left = budget - count(page)
                break
            # What stands beside a match is shown whole or not at all; of a match as much as there is room for.
            width = width * 3 // 4 if step.hit is not None else 0
    return page


def width_of(step: Step, text: str, left: int, after: int) -> int:
    """How many characters of a text are shown.

    Args:
        step: which it is.
        text: all of it.
        left: tokens that are left.
        after: texts that are still to come, this one included.
    """
    if step.hit is None:
        return min(len(text), _WHOLE)
    share = max(LEAST, left * CHARACTERS_PER_TOKEN // (_SHARE if after > 1 else 1))
    return min(len(text), max(share, _WHOLE) if step.line else share)


def _written(shown: Sequence[tuple[Step, Passage]]) -> str:
    parts = []
    for uri, numbers, page in grouped([(step, passage.text) for step, passage in shown]):
        several = "s" if "\n" in page and not numbers.isdigit() else ""
        place = f", line{several} {numbers}" if numbers != "0" else ""
        parts.append(f"{uri}{place}\n{page}")
    return "\n\n".join(parts)


class _Texts:
    """What hits were found in; an entry is read once."""

    def __init__(self, store: Readable) -> None:
        self._store = store
        self._entries: dict[str, tuple[str, ...]] = {}

    async def of(self, step: Step, hits: Sequence[SearchHit]) -> str:
        """The whole text; of a hit that cannot be read again its snippet."""
        if step.uri not in self._entries:
            try:
                self._entries[step.uri] = texts_in(parse_uri(step.uri).namespace, await self._store.get(step.uri))
            except StoreError:
                self._entries[step.uri] = ()
        texts, at = self._entries[step.uri], max(0, step.line - 1)
        if at < len(texts):
            return texts[at]
        return hits[step.hit].snippet if step.hit is not None else ""
