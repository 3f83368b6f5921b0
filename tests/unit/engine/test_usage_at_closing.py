"""What a closing has to fit is weighed with the correction that is in force after it."""

from __future__ import annotations

import pytest

from transom import Call, Context, Message


@pytest.mark.parametrize("ratio", [0.8, 1.0, 1.07, 1.3, 1.9])
async def test_a_last_turn_too_large_by_the_providers_count_alone_is_shortened_until_it_fits(ratio: float) -> None:
    async with Context(window=6_000) as ctx:
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
        payload = await ctx.compile("openai")
    assert payload.meta.closed
    assert payload.meta.tokens_after <= 6_000 - payload.meta.reserve
