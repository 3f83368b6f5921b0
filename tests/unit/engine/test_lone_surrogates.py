"""Half a surrogate pair, which a cut emoji leaves behind, goes through windows, memory and snapshots like any other text."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from transom import Call, Context, MemoryBackend, Message, Retrieval, Snapshot, Store, chain, digest, reset
from transom.engine.ledger.edits import TurnEdit
from transom.engine.ledger.records import Item, Lineage, TurnFit, WindowRecord, decode_record, encode_record
from transom.errors import IntegrityError, TransomError
from transom.testing.reachability import lost

HALF = "a \ud800 b"


@given(st.text(st.characters()), st.text(st.characters()))
def test_a_record_with_any_text_comes_back_exactly(head: str, excerpt: str) -> None:
    edits = (TurnEdit(0, 1, excerpt), TurnEdit(1, -1, None))
    record = WindowRecord(
        k=1,
        n=2,
        p_k=b"\x01\xff",
        p_n=b"\x02",
        arrived=b"\x03",
        fitted=True,
        staying=(b"\xfe",),
        items=(Item("head", head), Item("edit", place=b"\x09", edits=edits)),
        fits=(TurnFit(b"\x08", edits),),
        archive="context://archive/1",
        archives=("context://archive/1",),
        lineage=Lineage(),
        strategy="x",
    )
    assert decode_record(encode_record(record)) == record


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b"[1]", b'{"k":"\\ud800"}', b'"\\ud800"', b'{"k":1}'])
def test_what_is_no_record_is_said_to_be_damaged(data: bytes) -> None:
    with pytest.raises(IntegrityError, match="damaged"):
        decode_record(data)


@pytest.mark.parametrize("role", ["tool", "user"])
async def test_a_turn_too_large_for_the_window_is_offloaded_with_its_halves(role: str) -> None:
    async with Store(MemoryBackend()) as store:
        context = Context(window=4_000, store=store)
        text = f"{HALF}\n" + "line of output, quite long\n" * (500 if role == "tool" else 1_500)
        context.append(Message("user", "hi"))
        if role == "tool":
            context.append(Message("assistant", tool_calls=[Call("read", id="c")]), Message("tool", text, tool_call_id="c"))
        else:
            context.append(Message("user", text))
        payload = await context.compile("openai")
        assert payload.meta.moved
        assert await lost(payload.body, context.messages, store, more=payload.meta.archives) == ([], [])
        again = Context(window=4_000, store=store)
        again.append(*context.messages)
        assert (await again.compile("openai")).json() == payload.json()


@pytest.mark.parametrize("where", ["user", "assistant", "name", "arguments", "result"])
async def test_a_digest_may_quote_halves(where: str) -> None:
    async with Store(MemoryBackend()) as store:
        context = Context(window=4_000, store=store, overflow=chain(digest(), reset()))
        closed, failures = [], []

        def mark(place: str) -> str:
            return HALF if place == where else "plain"

        for number in range(12):
            call = Call(f"read{mark('name')[2]}", f'{{"path": "{mark("arguments")} {number}"}}', f"c{number}")
            context.append(
                Message("user", f"No, use {mark('user')} number {number} instead. " + "words " * 60),
                Message("assistant", [call]),
                Message("tool", f"error: {mark('result')} {number}", tool_call_id=call.id),
                Message("assistant", f"I decided on {mark('assistant')} {number}. " + "words " * 60),
            )
            payload = await context.compile("openai")
            closed += [payload.meta.closed] if payload.meta.closed else []
            failures += [payload.meta.failure] if payload.meta.failure else []
        assert set(closed) == {"digest"}
        assert failures == []


async def test_facts_with_halves_travel_in_a_snapshot() -> None:
    context = Context(window=8_000, memory=True)
    await context.memory.facts.set("a", HALF, description=HALF)
    context.append(Message("user", HALF))
    payload = await context.compile("openai")
    other = Context(window=8_000, memory=True)
    other.restore(Snapshot.from_json(context.snapshot().to_json()))
    assert (await other.compile("openai")).json() == payload.json()
    fact = await other.memory.facts.get("a")
    assert fact is not None
    assert (fact.value, fact.description) == (HALF, HALF)


COMMANDS = st.sampled_from(["view", "create", "str_replace", "insert", "delete", "rename", "search", "\ud800"])
NAMES = st.sampled_from(["path", "old_path", "new_path", "old_str", "query", "file_text", "insert_line", "\udfff"])
VALUES = st.sampled_from([HALF, "memory/\ud800", "/memories/a", "/memories/\ud800", "memory/a", "\ud800/x"])


@settings(max_examples=150, deadline=None)
@example("context", "search", {"query": HALF})
@given(st.sampled_from(["context", "memory"]), COMMANDS, st.dictionaries(NAMES, VALUES))
async def test_a_refusal_repeats_no_half(tool: str, command: str, given_: dict[str, str]) -> None:
    context = Context(window=8_000, memory=True, context_tool=Retrieval(native_memory=True))
    try:
        text = await context.handle_tool((tool, {"command": command, **given_}))
    except TransomError as error:
        pytest.fail(f"raised {error}")
    text.encode()


def test_a_fingerprint_can_be_taken_of_any_prompt() -> None:
    class Named:
        name = "named"
        fingerprint = f"named {HALF}"
        model_free = True

        async def apply(self, span: object) -> object:
            raise NotImplementedError

    assert Context(window=4_000, overflow=Named()).lineage.current == "w1"  # type: ignore[arg-type]
