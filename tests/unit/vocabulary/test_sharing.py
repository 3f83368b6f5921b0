"""Two sessions over one store share what closed windows left behind only where the words in it are the same."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace

import pytest

from transom import Context, Message, chain, reset
from transom.engine.overflow.strategies import summarize
from transom.store.backends.memory import MemoryBackend
from transom.store.store import Store
from transom.testing.model import ScriptedModel
from transom.vocabulary import ENGLISH, Vocabulary

from .moved import MOVED, moved

pytestmark = pytest.mark.feature("X5")

SHAPING = {
    "marks": replace(ENGLISH, gap=moved(ENGLISH.gap)),
    "notice of a reset": replace(ENGLISH, reset=moved(ENGLISH.reset)),
    "digests": replace(ENGLISH, digesting=moved(ENGLISH.digesting)),
    "summaries": replace(ENGLISH, summarizing=moved(ENGLISH.summarizing)),
    "everything": MOVED,
}
OUTSIDE = {
    item.name: replace(ENGLISH, **{item.name: moved(getattr(ENGLISH, item.name))})
    for item in fields(ENGLISH)
    if is_dataclass(getattr(ENGLISH, item.name)) and item.name not in ("digesting", "summarizing")
}


async def windows(store: Store, vocabulary: Vocabulary) -> tuple[list[bytes], int]:
    """The payloads of a session, and how often it asked its model for a summary."""
    said = "The user asked several questions, one after another, and each was answered in one line. Nothing is open."
    model = ScriptedModel(lambda received: f"<summary>{said} This is summary {received.number}.</summary>")
    context = Context(
        window=4_000, store=store, overflow=chain(summarize(model), reset()), tokenizer="chars4", vocabulary=vocabulary
    )
    payloads: list[bytes] = []
    for number in range(6):
        context.append(
            Message("user", f"Question {number}. " + "More of it. " * 200), Message("assistant", f"Answer {number}.")
        )
        context.append(Message("user", f"And {number}?"))
        payloads.append((await context.compile("openai")).json())
    return payloads, len(model.received)


@pytest.mark.parametrize("name", OUTSIDE)
async def test_words_that_stand_in_no_head_leave_records_shared(name: str) -> None:
    store = Store(MemoryBackend())
    before, asked = await windows(store, ENGLISH)
    assert asked > 0
    assert OUTSIDE[name].fingerprint == ENGLISH.fingerprint
    assert await windows(store, OUTSIDE[name]) == (before, 0)


@pytest.mark.parametrize("name", SHAPING)
async def test_words_of_a_head_are_never_taken_from_another_vocabulary(name: str) -> None:
    store = Store(MemoryBackend())
    _, asked = await windows(store, ENGLISH)
    alone, wanted = await windows(Store(MemoryBackend()), SHAPING[name])
    assert SHAPING[name].fingerprint != ENGLISH.fingerprint
    assert await windows(store, SHAPING[name]) == (alone, wanted)
    assert wanted >= asked
    again, unasked = await windows(store, SHAPING[name])
    assert (again, unasked) == (alone, 0)
