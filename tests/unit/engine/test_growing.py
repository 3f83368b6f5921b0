"""What a compile adds up as turns come is what a context says that sees all of them at once."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from transom import Context, MemoryBackend, Message, Snapshot, Store
from transom.engine.payload import Payload
from transom.errors import WindowError
from transom.testing.generators import agent_sessions


def account(payload: Payload) -> tuple[object, ...]:
    meta = payload.meta
    return payload.json(), dict(meta.parts), meta.tokens_before, meta.tokens_after, meta.trigger


@settings(max_examples=15, deadline=None)
@given(agent_sessions(), st.lists(st.integers(1, 6), min_size=1, max_size=8), st.sampled_from(["openai", "anthropic"]))
async def test_what_is_counted_turn_by_turn_is_what_is_counted_at_once(
    messages: list[Message], steps: list[int], target: str
) -> None:
    growing = Context(window=4_000)
    at = 0
    for number, step in enumerate(steps):
        growing.append(*messages[at : at + step])
        at += step
        if number % 3 == 1:
            growing.sticky(f"passage {number}")
        try:
            payload = await growing.compile(target)
        except WindowError:
            return
        whole = Context(window=4_000, store=Store(MemoryBackend()))
        whole.restore(Snapshot.from_json(growing.snapshot().to_json()))
        assert account(await whole.compile(target)) == account(await growing.compile(target))
        assert whole.usage == growing.usage
        if not payload.meta.closed:
            shown = {"head", "user", "assistant", "results"}
            assert payload.meta.tokens_after >= sum(tokens for part, tokens in payload.meta.parts.items() if part in shown)
