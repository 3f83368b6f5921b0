"""A newest message that no window holds is shortened, and takes nothing away from what stands for the rest."""

from __future__ import annotations

import pytest

from transom import Call, Context, Message, Result, Text

ASKED = "Please port the billing service to the new ledger. Constraint: never touch the tax tables."


def work(first: int, last: int) -> list[Message]:
    return [
        message
        for number in range(first, last)
        for message in (
            Message("assistant", [Text(f"Step {number}."), Call("read", f'{{"path": "f{number}"}}', f"c{number}")]),
            Message("tool", [Result((Text(f"line of file {number}\n" * 90),), call_id=f"c{number}", name="read")]),
        )
    ]


async def lived(window: int) -> Context:
    context = Context(window=window, prune=False)
    context.append(Message("user", ASKED))
    closings = 0
    for message in work(0, 60):
        context.append(message)
        if message.role == "tool":
            closings += bool((await context.compile("openai")).meta.closed)
    assert closings
    return context


@pytest.mark.parametrize("size", [60_000, 150_000, 600_000])
async def test_the_digest_stays_beside_a_message_that_is_shortened(size: int) -> None:
    context = await lived(16_000)
    log = "12:00 worker failed with code 17\n" * (size // 33)
    context.append(Message("assistant", "So far."), Message("user", f"Here is a log:\n{log}"))
    payload = await context.compile("openai")
    sent = payload.json().decode()
    assert payload.meta.tokens_after <= payload.meta.window - payload.meta.reserve
    assert "# Digest" in sent
    assert ASKED in sent
    assert "Here is a log:" in sent
    for number in range(20):
        context.append(*work(100 + number, 101 + number))
        later = await context.compile("openai")
    assert ASKED in later.json().decode()


async def test_what_it_was_shortened_from_is_kept_whole() -> None:
    context = await lived(8_000)
    log = "12:00 worker failed with code 17\n" * 9_000
    context.append(Message("assistant", "So far."), Message("user", log))
    moved = {each.kind: each.uri for each in (await context.compile("openai")).meta.moved}
    assert (await context.store.get(moved["offload"])).decode() == log
