"""Which record applies: only one whose turns have to stay here too; of several of one history, the last."""

from __future__ import annotations

import pytest

from transom import Call, Context, MemoryBackend, Message, Store

LONG = "#1 " + "retry the line and keep what it said\n" * 160


def _turn(number: int) -> tuple[Message, Message]:
    call = f"call_{number}"
    return Message("assistant", tool_calls=[Call("read", id=call)]), Message("tool", f"answer {number}", tool_call_id=call)


async def _run(store: Store) -> list[bytes]:
    context = Context(window=3_000, store=store, tokenizer="chars4")
    bodies: list[bytes] = []
    for step in ((Message("user", LONG),), _turn(1), (*_turn(2), Message("user", "#9 and now?"))):
        context.append(*step)
        bodies.append((await context.compile("openai")).json())
    return bodies


@pytest.mark.feature("O21")
async def test_a_record_made_when_a_newer_message_had_come_does_not_take_the_newest_one_away() -> None:
    async with Store(MemoryBackend()) as store:
        first = await _run(store)
        assert b"#1 retry" in first[1]
        assert b"#1 retry" not in first[2].partition(b"context://archive")[0]
        assert await _run(store) == first


@pytest.mark.feature("O21")
@pytest.mark.parametrize("number", range(6))
async def test_of_the_records_of_one_history_another_process_applies_the_one_that_was_sent_last(number: int) -> None:
    async with Store(MemoryBackend()) as store:
        message = Message("user", f"#{number} " + LONG * 4)
        one = Context(window=3_000, store=store, usage_preference="feed-first")
        one.system("You help with care. " * 120)
        one.append(message)
        sent = [await one.compile("openai")]
        for _ in range(3):
            one.report_usage(sent[-1].meta.tokens_after * 5 // 4)
            sent.append(await one.compile("openai"))
        two = Context(window=3_000, store=store, usage_preference="feed-first")
        two.append(message)
        again = await two.compile("openai")
        assert sent[-1].meta.window_id == "w4"
        assert again.body["messages"] == sent[-1].body["messages"][1:]  # type: ignore[index]


@pytest.mark.feature("O21")
async def test_two_processes_that_close_the_same_window_anew_agree_on_what_the_first_one_decided() -> None:
    async with Store(MemoryBackend()) as store:
        one, two = (Context(window=3_000, store=store, usage_preference="feed-first") for _ in range(2))
        for context in (one, two):
            context.append(Message("user", LONG * 4))
            sent = await context.compile("openai")
        one.report_usage(sent.meta.tokens_after * 2)
        two.report_usage(sent.meta.tokens_after * 3 // 2)
        bodies = [(await context.compile("openai")).json() for context in (one, two)]
        assert (one.lineage.current, two.lineage.current) == ("w3", "w3")
        assert bodies[0] == bodies[1]


@pytest.mark.feature("O21")
async def test_a_session_that_has_to_close_follows_one_that_closed_the_same_history_meanwhile() -> None:
    async with Store(MemoryBackend()) as store:
        one, two, three = (Context(window=3_000, store=store, tokenizer="chars4") for _ in range(3))
        one.system("You help with care. " * 150)
        steps = [(Message("user", f"#{n} {LONG[:900]}"), Message("assistant", f"answer {n}")) for n in range(12)]
        for step in steps:
            # Both have it in memory from the start on. One has less room, and closes first.
            for context in (one, two):
                context.append(*step)
            sent = [await context.compile("openai") for context in (one, two)]
            assert not sent[1].meta.closed
        three.append(*(message for step in steps for message in step))
        assert (one.lineage, one.lineage.current) == (two.lineage, "w4")
        assert (await three.compile("openai")).json() == sent[1].json()
