"""How a window closes: runner, archive, breaker, guards, lineage. What a strategy decides is tested with the strategies."""

from __future__ import annotations

import asyncio
import time

import pytest
from tests.unit.engine.sessions import (
    FailingBackend,
    Scripted,
    archived,
    context_of,
    dialogue,
    driven,
    elements,
    round_of,
    texts,
    tool_loop,
    words,
)

from transom import Call, Message, Result, Store, Text, clear, reset
from transom.engine.events import CompileDone, CompressEnded, CompressStarted
from transom.engine.ledger.records import Item
from transom.engine.overflow.strategy import Outcome, Span
from transom.errors import StoreError
from transom.messages import Attachment


def summary(text: str) -> object:
    """A strategy's function: everything but what stays becomes ``text``."""

    def outcome(span: Span) -> Outcome:
        cut = span.deepest
        items = (Item("head", text=text), *span.kept(cut))
        return Outcome(cut, items, span.messages(cut), span.leaving(cut), (), "scripted")

    return outcome


@pytest.mark.feature("O1", "O10", "O18")
async def test_any_strategy_of_the_protocols_shape_gets_archive_lineage_and_events_from_the_runner() -> None:
    strategy = Scripted(summary("SUMMARY of what was said."))
    context = context_of(overflow=strategy)
    told: list[object] = []
    context.on(CompressStarted, told.append)
    context.on(CompressEnded, told.append)
    context.append(*dialogue(9))

    payload = await context.compile("openai")

    assert strategy.applied == 1
    assert elements(payload)[0] == {"role": "user", "content": "SUMMARY of what was said."}
    assert payload.meta.closed == "scripted"
    assert (payload.meta.lineage.first, payload.meta.lineage.previous, payload.meta.lineage.current) == ("w1", "w1", "w2")
    lines = await archived(context.store, payload.meta.archives[0])
    assert [line["content"] for line in lines] == [message.text for message in dialogue(9)[: len(lines)]]
    assert len(lines) == 18
    started, ended = told
    assert isinstance(started, CompressStarted)
    assert isinstance(ended, CompressEnded)
    assert started.tokens > started.trigger >= ended.tokens
    assert (started.window_id, ended.window_id, ended.strategy, ended.failure) == ("w1", "w2", "scripted", "")


@pytest.mark.feature("O11")
async def test_everything_that_left_is_in_the_archive_before_it_leaves_and_the_payload_names_it() -> None:
    messages = tool_loop(20)
    context = context_of(overflow=reset())
    payloads = await driven(context, messages)
    closed = [payload for payload in payloads if payload.meta.closed]
    assert closed
    for payload in closed:
        uri = payload.meta.archives[-1]
        assert uri in texts(payload)
        evicted = [moved for moved in payload.meta.moved if moved.kind == "evict"]
        assert [moved.uri for moved in evicted] == [uri]
        assert evicted[0].bytes == len(await context.store.get(uri))
    # Every original message is in one of the archives or still in the window.
    kept = texts(payloads[-1])
    stored = b"".join([await context.store.expand(uri) for uri in payloads[-1].meta.archives]).decode()
    assert [m.text for m in messages if m.text not in kept and m.text not in stored] == []


@pytest.mark.feature("O11")
async def test_a_store_that_fails_stops_the_closing_and_the_history_stays_whole() -> None:
    backend = FailingBackend()
    context = context_of(store=Store(backend), overflow=reset())
    ended: list[CompressEnded] = []
    context.on(CompressEnded, ended.append)
    messages = tool_loop(11)
    context.append(*messages[:-2])
    backend.refused = ("archive",)

    payload = await context.compile("openai")

    assert payload.meta.window_id == "w1"
    assert payload.meta.closed == ""
    assert "the disk is full" in payload.meta.failure
    assert [event.failure for event in ended] == [payload.meta.failure]
    assert all(message.text in texts(payload) for message in messages[:-2])

    backend.refused = ()
    context.append(*messages[-2:])
    assert (await context.compile("openai")).meta.window_id == "w2"


@pytest.mark.feature("O11")
async def test_what_does_not_fit_and_cannot_be_stored_is_an_error_and_not_a_loss() -> None:
    backend = FailingBackend()
    backend.refused = ("archive",)
    context = context_of(tool_loop(30), store=Store(backend), overflow=reset())
    with pytest.raises(StoreError, match="the disk is full"):
        await context.compile("openai")
    assert len(context.messages) == len(tool_loop(30))
    backend.refused = ()
    assert (await context.compile("openai")).meta.window_id == "w2"


@pytest.mark.feature("O9")
async def test_a_strategy_that_fails_falls_to_reset_and_the_third_failure_opens_the_breaker() -> None:
    strategy = Scripted(RuntimeError("model is down"))
    context = context_of(overflow=strategy)
    closed = [payload for payload in await driven(context, tool_loop(60)) if payload.meta.closed]
    assert len(closed) > 4
    assert {payload.meta.closed for payload in closed} == {"reset"}
    assert strategy.applied == 3, "an open breaker leaves the strategy alone"


@pytest.mark.feature("O9")
async def test_a_success_closes_the_breaker_again() -> None:
    outcomes = [RuntimeError("one"), RuntimeError("two"), None, RuntimeError("three"), RuntimeError("four"), None]
    told = iter(outcomes * 9)

    def next_outcome(span: Span) -> object:
        made = next(told)
        return made if made is not None else summary("SUMMARY")(span)  # type: ignore[operator]

    strategy = Scripted(next_outcome)
    context = context_of(overflow=strategy)
    closed = [payload.meta.closed for payload in await driven(context, tool_loop(90)) if payload.meta.closed]
    assert closed[:6] == ["reset", "reset", "scripted", "reset", "reset", "scripted"]
    assert strategy.applied == len(closed)


@pytest.mark.feature("O9")
async def test_a_head_hardly_smaller_than_its_span_is_refused() -> None:
    context = context_of(dialogue(9), overflow=Scripted(summary(words(2_500))))
    payload = await context.compile("openai")
    assert payload.meta.closed == "reset"
    assert "the quick brown fox" not in str(elements(payload)[0])


@pytest.mark.feature("O9")
@pytest.mark.parametrize(
    ("wrong", "rule"),
    [
        (lambda span: Outcome(len(span.turns), (Item("head", text="x"),), (), span.messages(1)), "closes over the last turn"),
        (
            lambda span: Outcome(2, (Item("keep", place=b"elsewhere"),), (), span.messages(1)),
            "names a turn that is not in its span",
        ),
        (
            lambda span: Outcome(span.deepest, (Item("head", text="x"),), (), span.messages(1)),
            "a pinned turn or the newest user message is missing",
        ),
    ],
)
async def test_an_outcome_that_breaks_the_contract_never_lands(wrong: object, rule: str) -> None:
    messages = [Message("user", "Rules.", pinned=True), *tool_loop(14)]
    context = context_of(messages, overflow=Scripted(wrong))
    ended: list[CompressEnded] = []
    context.on(CompressEnded, ended.append)
    payload = await context.compile("openai")
    assert payload.meta.closed == "reset"
    assert rule in payload.meta.failure
    assert [event.failure for event in ended] == [payload.meta.failure]
    assert "Rules." in texts(payload)
    assert "Do the work." in texts(payload)


@pytest.mark.feature("O9")
async def test_the_log_says_which_strategy_failed_and_why(caplog: pytest.LogCaptureFixture) -> None:
    context = context_of(dialogue(9), overflow=Scripted(RuntimeError("model is down"), name="costly"))
    await context.compile("openai")
    assert "overflow strategy failed: costly: model is down" in caplog.text


@pytest.mark.feature("O9")
async def test_a_closing_that_would_gain_next_to_nothing_is_left_for_later() -> None:
    """Just above the trigger, with a history that must stay: a new prefix would cost more than it frees."""
    context = context_of(window=4_000, overflow=reset())
    context.append(Message("user", "old"), Message("assistant", "ok"), Message("user", words(2_300)))
    payload = await context.compile("openai")
    assert payload.meta.window_id == "w1"
    assert payload.meta.tokens_after > payload.meta.trigger
    assert payload.meta.tokens_after + payload.meta.reserve <= 4_000


@pytest.mark.feature("O14")
async def test_the_lineage_moves_only_when_a_closing_lands() -> None:
    backend = FailingBackend()
    backend.refused = ("archive",)
    context = context_of(tool_loop(10), store=Store(backend), overflow=reset())
    assert context.lineage.current == "w1"
    await context.compile("openai")
    assert context.lineage.current == "w1", "the closing failed"
    backend.refused = ()
    first = await context.compile("openai")
    assert (first.meta.lineage.previous, first.meta.lineage.current) == ("w1", "w2")
    later = await driven(context, [message for n in range(20, 50) for message in round_of(n)])
    windows = list(dict.fromkeys(payload.meta.lineage.current for payload in later))
    assert windows == [f"w{n}" for n in range(2, 2 + len(windows))]
    assert {payload.meta.lineage.first for payload in later} == {"w1"}
    for payload in later:
        assert payload.meta.lineage.previous == f"w{int(payload.meta.lineage.current[1:]) - 1}"


@pytest.mark.feature("O1")
async def test_appends_during_a_closing_survive_it() -> None:
    gate, reached = asyncio.Event(), asyncio.Event()

    class Slow(Scripted):
        async def apply(self, span: Span) -> Outcome:
            reached.set()
            await gate.wait()
            return await super().apply(span)

    context = context_of(dialogue(9), overflow=Slow(summary("SUMMARY")))
    compiling = asyncio.create_task(context.compile("openai"))
    await reached.wait()
    context.append(Message("assistant", "written meanwhile"), Message("user", "and this too"))
    gate.set()
    await compiling
    payload = await context.compile("openai")
    assert payload.meta.window_id == "w2"
    assert "written meanwhile" in texts(payload)
    assert "and this too" in texts(payload)


async def test_the_preview_of_what_left_is_a_message_of_the_session_and_not_the_head_before_it() -> None:
    context = context_of(overflow=reset())
    evicted = [m for p in await driven(context, tool_loop(60)) for m in p.meta.moved if m.kind == "evict"]
    assert len(evicted) > 3
    for moved in evicted[1:]:
        assert moved.preview.startswith(("Step", "result"))
        assert "set aside" not in moved.preview


@pytest.mark.feature("X6")
async def test_a_compile_says_what_each_part_weighs() -> None:
    context = context_of(overflow=reset())
    context.system("Be brief.")
    done: list[CompileDone] = []
    context.on(CompileDone, done.append)
    payloads = await driven(context, tool_loop(30))
    assert [event.meta for event in done] == [payload.meta for payload in payloads]
    for payload in payloads:
        assert sum(payload.meta.parts.values()) == payload.meta.tokens_after
    assert payloads[-1].meta.parts["head"] > 0
    assert payloads[0].meta.parts["head"] == 0
    assert set(payloads[0].meta.timings) >= {"start", "tool_results", "overflow", "assemble", "adapt"}


@pytest.mark.feature("O5")
@pytest.mark.parametrize("window", range(2_680, 2_760, 4))
async def test_where_setting_one_picture_aside_nearly_fits_the_other_goes_too(window: int) -> None:
    """Each of them goes whole or not at all, and the mark in its place weighs something."""
    picture = "iVBORw0KGgoAAQIDBAUG" * 40
    calls = [Call("shot", "{}", f"c{n}") for n in range(2)]
    results = [
        Message("tool", [Result((Text(f"shot {n}"), Attachment("image/png", data=picture)), call_id=f"c{n}", name="shot")])
        for n in range(2)
    ]
    context = context_of([Message("user", "Look."), Message("assistant", "", tool_calls=calls), *results], window=window)
    payload = await context.compile("openai")
    assert payload.meta.tokens_after + payload.meta.reserve <= window


@pytest.mark.parametrize("together", [False, True], ids=["a message each", "all in one message"])
async def test_thousands_of_results_of_one_turn_are_cleared_in_linear_time(together: bool) -> None:
    calls = [Call("read_file", "{}", f"call_{n}") for n in range(2_000)]
    answers = [Result((Text(f"result {n}: {words(150)}"),), call_id=call.id) for n, call in enumerate(calls)]
    parted = [tuple(answers)] if together else [(answer,) for answer in answers]
    results = [Message.of("user", parts) for parts in parted]
    messages = [Message("user", "Do it."), Message.of("assistant", tuple(calls)), *results, *dialogue(1)]
    context = context_of(messages, overflow=clear(keep_recent=0), window=200_000, prune=False)
    begun = time.process_time()
    payload = await context.compile("openai")
    # Growing with the square it took 8 s; as it should, it takes half of one.
    assert time.process_time() - begun < 4
    assert payload.meta.closed == "clear"
    assert len(payload.meta.moved) == 2_000
    assert {moved.label for moved in payload.meta.moved} == {"read_file"}
