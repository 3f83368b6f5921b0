"""What a closing has to fit is weighed with the correction that is in force after it."""

from __future__ import annotations

import pytest

from transom import Call, Context, MemoryBackend, Message, Payload, Store


@pytest.mark.parametrize("ratio", [0.8, 1.0, 1.07, 1.3, 1.9])
async def test_a_last_turn_too_large_by_the_providers_count_alone_is_shortened_until_it_fits(ratio: float) -> None:
    payload = await _run(Store(MemoryBackend()), ratio)
    assert payload.meta.closed
    assert payload.meta.tokens_after <= 6_000 - payload.meta.reserve


@pytest.mark.parametrize("ratio", [0.8, 1.07, 1.3, 1.9])
async def test_a_closing_made_by_a_session_that_counts_otherwise_is_not_taken_over_where_it_does_not_fit(ratio: float) -> None:
    store = Store(MemoryBackend())
    await _run(store, 1.0)
    payload = await _run(store, ratio)
    assert payload.meta.tokens_after <= 6_000 - payload.meta.reserve
    assert (await _run(store, ratio)).json() == payload.json()
    assert (await store.verify()).ok


async def _run(store: Store, ratio: float) -> Payload:
    ctx = Context(window=6_000, store=store)
    ctx.append(Message("user", "Read all three."))
    for number in range(2):
        payload = await ctx.compile("openai")
        ctx.report_usage(int(payload.meta.tokens_after * ratio))
        ctx.append(
            Message("assistant", tool_calls=[Call("read", f'{{"n":{line}}}', id=f"c{number}-{line}") for line in range(3)])
        )
        for line in range(3):
            entries = "\n".join(f"entry {number}-{line}-{place}: {place * 7_919}" for place in range(130))
            ctx.append(Message("tool", entries, tool_call_id=f"c{number}-{line}"))
    return await ctx.compile("openai")
