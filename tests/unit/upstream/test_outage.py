"""The model fails in the middle of a session: whichever way, the next step closes the window and nothing is lost."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from transom import Context, MemoryBackend, Message, Store, chain, digest, reset, summarize
from transom.recorder.flights import FlightRecorder
from transom.testing.provider import Fault, Reply, ScriptedProvider
from transom.testing.script import Step
from transom.upstream import ChatModel

SUMMARY = "## Goal\nLook at every part of the engine in order.\n\n## State\nSo far nothing was wrong with any of them."
FAULTS = [
    Fault.refuses(500, "out of memory"),
    Fault.refuses(429, "slow down", retry_after=60),
    Fault.nothing(),
    Fault.page(),
    Fault.garbage(),
    Fault.in_success("the engine is gone"),
    Fault.breaks_off(),
    Fault.hangs(),
    Reply("## Goal\nLook at every", finish="length"),
    Reply("## Goal\nLook at every part of it, one by one.", finish="content_filter"),
    Reply("Error: the upstream is not available"),
    Reply("I'm sorry, but I cannot help with that."),
    Reply("word " * 6_000),
    Reply(SUMMARY, input_tokens=7),
]


async def play(ctx: Context, parts: int) -> list[tuple[str, str]]:
    """What closed each window, and why a step before it did not; checks that what left can be read back."""
    closings = []
    said: list[str] = []
    for part in range(parts):
        asked = f"Look at part {part} of the engine, and do not forget ticket T-{part * 7_919}."
        answered = f"Part {part} is fine. " + f"This is what I saw in part {part} when I looked closely at it. " * 25
        ctx.append(Message("user", asked))
        said.append(asked)
        payload = await ctx.compile("openai")
        sent = payload.json().decode()
        if payload.meta.closed:
            closings.append((payload.meta.closed, payload.meta.failure))
        kept = "".join([(await ctx.store.get(uri)).decode() for uri in payload.meta.archives])
        assert [text for text in said if text not in sent and text not in kept] == []
        assert asked in sent
        ctx.append(Message("assistant", answered))
        said.append(answered)
    return closings


def shown(step: Step) -> str:
    return step.kind if isinstance(step, Fault) else step.text[:20] if isinstance(step, Reply) else step


@pytest.mark.feature("O2")
@pytest.mark.parametrize("fault", FAULTS, ids=shown)
async def test_a_model_that_fails_once_is_asked_again_at_the_next_closing(fault: Step) -> None:
    recorder = FlightRecorder("outage")
    with ScriptedProvider([SUMMARY, fault, *[SUMMARY] * 20]) as provider:
        model = ChatModel(provider.url, "small", window=32_000, timeout=1)
        overflow = chain(summarize(model), digest(), reset())
        async with Context(window=8_000, store=Store(MemoryBackend()), overflow=overflow) as ctx:
            ctx.join(recorder)
            closings = await play(ctx, 32)
    assert [closed for closed, _ in closings[:3]] == ["summarize", "digest", "summarize"]
    assert [bool(failure) for _, failure in closings[:3]] == [False, True, False]
    assert closings[1][1] in [record.get("failure") for record in recorder.records]


async def test_a_model_that_stays_away_is_left_alone_after_three_failures() -> None:
    script: Sequence[Step] = [SUMMARY, *[Fault.refuses(503, "gone")] * 50]
    with ScriptedProvider(script) as provider:
        model = ChatModel(provider.url, "small", window=32_000)
        async with Context(window=8_000, overflow=chain(summarize(model), digest(), reset())) as ctx:
            closings = await play(ctx, 48)
    assert len(closings) > 5
    assert [closed for closed, _ in closings] == ["summarize", *["digest"] * (len(closings) - 1)]
    assert len(provider.received) == 4


async def test_a_server_that_is_closed_in_the_middle_of_a_session_ends_no_session() -> None:
    with ScriptedProvider([SUMMARY]) as provider:
        model = ChatModel(provider.url, "small", window=32_000)
        async with Context(window=8_000, overflow=chain(summarize(model), digest(), reset())) as ctx:
            assert await play(ctx, 12) == [("summarize", "")]
            provider.close()
            closings = await play(ctx, 12)
    assert closings[0][0] == "digest"
    assert "nothing listens at" in closings[0][1]
