"""What is said of the window itself follows from the history: a run over a store that knows its closings says the same."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from transom import Call, Context, Handoff, MemoryBackend, Message, Store
from transom.engine.overflow.guard import guard
from transom.errors import WindowError
from transom.messages import Text
from transom.testing.generators import agent_sessions

NOTICE = b"Context notice"
laws = settings(deadline=None, suppress_health_check=list(HealthCheck), print_blob=True, max_examples=25)


async def _run(messages: tuple[Message, ...], store: Store, *, guarded: bool, target: str) -> list[object]:
    context = Context(
        window=3_000, store=store, tokenizer="chars4", handoff=Handoff(600), guard=guard(warn=0.5) if guarded else None
    )
    told: list[object] = []
    context.on("window_warned", told.append)
    for message in messages:
        context.append(message)
        if message.role == "assistant":
            continue
        try:
            payload = await context.compile(target)
        except WindowError:
            told.append("no room")
            continue
        assert not (payload.meta.closed and payload.meta.handoff)
        told += [payload.json(), payload.meta.handoff, payload.meta.tokens_after, payload.meta.window_id]
    return told


@pytest.mark.feature("O21")
@laws
@given(agent_sessions(max_requests=5), st.booleans(), st.sampled_from(["openai", "anthropic"]))
async def test_a_second_run_over_a_filled_store_says_the_same(
    messages: tuple[Message, ...], guarded: bool, target: str
) -> None:
    store = Store(MemoryBackend())
    first = await _run(messages, store, guarded=guarded, target=target)
    assert await _run(messages, store, guarded=guarded, target=target) == first
    assert await _run(messages, Store(MemoryBackend()), guarded=guarded, target=target) == first


@pytest.mark.feature("O12")
@pytest.mark.parametrize("size", range(200, 420, 20))
async def test_a_closing_that_is_adopted_is_as_silent_as_the_one_that_was_made(size: int) -> None:
    async def run(store: Store) -> bytes:
        context = Context(window=2_500, store=store, handoff=Handoff(200))
        context.append(
            Message("user", "old words. " * 250),
            Message("assistant", "fine. " * 100),
            Message("user", "now read"),
            Message("assistant", [Text(""), Call("read", id="c")]),
            Message("tool", "w x y z " * size, tool_call_id="c"),
        )
        payload = await context.compile("openai")
        assert payload.meta.handoff == (NOTICE in payload.json())
        return payload.json()

    store = Store(MemoryBackend())
    first = await run(store)
    assert [await run(store), await run(Store(MemoryBackend()))] == [first, first]
