"""Summarizers that fail in every way: the history stays whole, the chain goes on, and the reason is written down."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from itertools import pairwise

import pytest
from tests.unit.engine.sessions import FailingBackend, context_of, dialogue, driven, tool_loop
from tests.unit.summarizing.models import Model, answered, numbered, sections

from transom import (
    Context,
    MemoryBackend,
    Message,
    Payload,
    Store,
    anchored,
    background,
    chain,
    clear,
    compact_history,
    digest,
    plan_compaction,
    reset,
    summarize,
)
from transom.engine.overflow.durable import CompactionSettings
from transom.engine.overflow.strategy import Strategy
from transom.errors import NotFoundError, StoreError
from transom.recorder.flights import FlightRecorder
from transom.testing.reachability import lost

WINDOW = 12_000
MESSAGES = dialogue(80, 100)

Answer = Callable[[Sequence[Message], int], object]

FAULTS: dict[str, tuple[Answer, str]] = {
    "raises": (
        lambda asked, call: RuntimeError("the provider is down\nand says so in two lines"),
        "RuntimeError: the provider is",
    ),
    "raises an error of ours": (lambda asked, call: NotFoundError("nothing there"), "NotFoundError: nothing there"),
    "raises a store's error": (lambda asked, call: StoreError("the model's own cache is full"), "cache is full"),
    "times out by itself": (lambda asked, call: TimeoutError(), "TimeoutError"),
    "is cancelled within": (lambda asked, call: asyncio.CancelledError(), "request was cancelled"),
    "gives nothing": (lambda asked, call: None, "NoneType"),
    "gives no words": (lambda asked, call: "  \n ", "empty"),
    "gives bytes": (lambda asked, call: b"summary", "bytes"),
    "gives an object": (lambda asked, call: {"choices": []}, "dict"),
    "gives too much": (lambda asked, call: answered(" ".join(f"word{n}" for n in range(9_000))), "too long"),
    "gives its thoughts alone": (lambda asked, call: "<analysis>" + "so " * 500, "holds no summary"),
    "gives an error as JSON": (lambda asked, call: '{"error": {"code": 429, "message": "slow down"}}', "an error"),
    "gives an error as text": (lambda asked, call: answered("Error: 503 Service Unavailable"), "an error"),
    "gives a traceback": (lambda asked, call: "Traceback (most recent call last):\n  …\nKeyError: 'x'", "an error"),
    "refuses": (lambda asked, call: "I'm sorry, I can't help with that.", "a refusal"),
    "gives its question back": (lambda asked, call: asked[1].text, "question back"),
    "goes round in circles": (lambda asked, call: answered("and then, " * 300), "repeats itself"),
}


async def _never(_: list[Message]) -> str:
    await asyncio.Event().wait()
    return ""


async def whole(context: Context, payloads: Sequence[Payload], messages: Sequence[Message]) -> None:
    """Every payload fits, and nothing of the history is out of reach."""
    for payload in payloads:
        assert payload.meta.tokens_after + payload.meta.reserve <= WINDOW
    assert await lost(payloads[-1].body, messages, context.store) == ([], [])
    assert (await context.store.verify()).ok


def made(strategy: str, model: object, **more: object) -> Strategy:
    known: dict[str, Callable[..., Strategy]] = {"summarize": summarize, "anchored": anchored}
    return known[strategy](model, **more)


@pytest.mark.feature("O20", "O9", "O6")
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("strategy", ["summarize", "anchored"])
async def test_a_summarizer_that_fails_costs_a_step_of_the_chain_and_nothing_else(fault: str, strategy: str) -> None:
    rule, why = FAULTS[fault]
    model = Model(rule)
    context = context_of(overflow=chain(made(strategy, model), digest(), reset()), window=WINDOW)
    recorder = FlightRecorder("s1")
    context.join(recorder)
    payloads = await driven(context, MESSAGES)
    await whole(context, payloads, MESSAGES)
    closed = [payload for payload in payloads if payload.meta.closed]
    assert {payload.meta.closed for payload in closed} == {"digest"}
    assert closed[0].meta.failure.startswith(f"{strategy}: ")
    assert why in closed[0].meta.failure
    assert "\n" not in closed[0].meta.failure
    await recorder.flush(context.store)
    flight = await context.store.get(f"context://flights/s1/{payloads.index(closed[0]) + 1:06d}")
    assert why in str(json.loads(flight)["failure"])
    assert len(model.asked) <= 3, "after three failures in a row models are left alone"


@pytest.mark.feature("O20")
@pytest.mark.parametrize("blocking", [False, True])
async def test_a_summarizer_that_hangs_is_given_up_in_time(blocking: bool) -> None:
    forever = threading.Event()

    def blocked(_: list[Message]) -> str:
        forever.wait()
        return ""

    hanging = summarize(blocked if blocking else _never, timeout=0.05)
    context = context_of(overflow=chain(clear(), hanging, digest(), reset()), window=WINDOW)
    payloads = await driven(context, MESSAGES)
    forever.set()
    await whole(context, payloads, MESSAGES)
    failures = [payload.meta.failure for payload in payloads if payload.meta.failure]
    assert failures == ["summarize: the model gave no answer within 0.05 seconds"] * len(failures)
    assert failures


@pytest.mark.feature("O20")
@pytest.mark.parametrize(
    ("ending", "blocking"),
    [
        *((ending, True) for ending in (SystemExit, GeneratorExit, KeyboardInterrupt, StopIteration, asyncio.CancelledError)),
        *((ending, False) for ending in (SystemExit, GeneratorExit, StopIteration, asyncio.CancelledError)),
    ],
)
async def test_a_summarizer_that_ends_the_program_ends_its_step_only(ending: type[BaseException], blocking: bool) -> None:
    """No exit that is raised in a thread is the user's; an interrupt within the event loop is."""

    def leave(_: list[Message]) -> str:
        raise ending

    async def leave_later(_: list[Message]) -> str:
        await asyncio.sleep(0)
        raise ending

    steps = chain(clear(), summarize(leave if blocking else leave_later), digest(), reset())
    context = context_of(overflow=steps, window=WINDOW)
    payloads = await driven(context, MESSAGES)
    await whole(context, payloads, MESSAGES)
    failures = [payload.meta.failure for payload in payloads if payload.meta.failure]
    assert failures
    assert all("cancelled" in why or ending.__name__ in why for why in failures)
    messages = [*MESSAGES]
    result = await compact_history(messages, CompactionSettings(window=WINDOW), model=leave if blocking else leave_later)
    assert result.messages is messages
    assert result.failure


@pytest.mark.feature("O20")
def test_an_interrupt_of_the_user_ends_a_compile_and_the_next_one_goes_on() -> None:
    interrupted: list[int] = []

    async def interrupt(_: list[Message]) -> str:
        interrupted.append(1)
        raise KeyboardInterrupt

    context = context_of(dialogue(30, 100), overflow=chain(summarize(interrupt), reset()), window=6_000)
    before = context.lineage
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(context.compile("openai"))
    assert context.lineage == before
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(context.compile("openai"))
    assert len(interrupted) == 2


@pytest.mark.feature("O20")
@pytest.mark.parametrize("how", ["context", "cancelled", "durable", "background"])
async def test_a_summarizer_that_will_not_be_cancelled_holds_up_nobody(how: str) -> None:
    released = threading.Event()
    asked = asyncio.Event()

    async def stubborn(_: list[Message]) -> str:
        asked.set()
        while not released.is_set():
            try:
                await asyncio.sleep(0.01)
            except asyncio.CancelledError:
                continue
        return ""

    step: Strategy = summarize(stubborn, timeout=None if how == "cancelled" else 0.05)
    if how == "background":
        step = background(step, wait=2)
    context = context_of(MESSAGES, overflow=chain(step, reset()), window=WINDOW)
    try:
        async with asyncio.timeout(30):
            if how == "durable":
                messages = [*MESSAGES]
                settings = CompactionSettings(window=WINDOW)
                result = await compact_history(messages, settings, model=step, store=context.store)
                assert result.messages is messages
                assert "no answer within" in result.failure
            elif how == "cancelled":
                compiling = asyncio.create_task(context.compile("openai"))
                await asked.wait()
                compiling.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await compiling
            else:
                payload = await context.compile("openai")
                assert payload.meta.closed == "reset"
                assert "no answer within" in payload.meta.failure
    finally:
        released.set()


@pytest.mark.feature("O20")
async def test_a_summarizer_may_be_given_more_time_than_other_strategies() -> None:
    """The runner's own limit comes on top of what a strategy limits itself to."""
    released = asyncio.Event()

    async def slow(_: list[Message]) -> str:
        asyncio.get_running_loop().call_later(0.3, released.set)
        await released.wait()
        return answered(sections("Slow, and worth the wait."))

    for strategy in (summarize(slow, timeout=None), chain(summarize(slow, timeout=30), reset())):
        released.clear()
        context = context_of(MESSAGES, overflow=strategy, window=WINDOW)
        context._runner.timeout = 0.05
        assert (await context.compile("openai")).meta.closed == "summarize"


@pytest.mark.feature("O20")
def test_a_blocked_summarizer_does_not_keep_the_program_from_ending() -> None:
    code = """
import threading
from transom import Context, Message, chain, reset, summarize
def blocked(messages):
    threading.Event().wait()
context = Context(window=4_000, overflow=chain(summarize(blocked, timeout=0.05), reset()))
context.append(*(Message("user" if n % 2 else "assistant", f"{n} " + "word " * 200) for n in range(1, 30)))
print(context.compile_sync("openai").meta.failure)
context.close()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert "no answer within 0.05 seconds" in done.stdout


@pytest.mark.feature("O20")
async def test_a_compile_that_is_cancelled_while_a_model_is_at_work_leaves_everything_as_it_was() -> None:
    asked = asyncio.Event()

    async def slow(_: list[Message]) -> str:
        asked.set()
        await asyncio.Event().wait()
        return ""

    context = context_of(dialogue(30, 100), overflow=chain(summarize(slow), reset()), window=6_000)
    before = context.lineage
    compiling = asyncio.create_task(context.compile("openai"))
    await asked.wait()
    compiling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await compiling
    assert context.lineage == before
    assert [path async for path, _ in context.store.entries("archive")] == []
    assert len(context.messages) == 61


@pytest.mark.feature("O20", "O9")
async def test_a_model_outage_in_the_middle_of_a_session_loses_nothing_and_is_never_asked_about_again() -> None:
    def outage(asked: Sequence[Message], call: int) -> object:
        return ConnectionError("connection refused") if call in (3, 4) else numbered(asked, call)

    model = Model(outage)
    messages = [*tool_loop(30, 300), *dialogue(160, 100)]
    steps = (clear(), summarize(model), digest(), reset())
    context = context_of(overflow=chain(*steps), window=WINDOW)
    payloads = await driven(context, messages)
    await whole(context, payloads, messages)
    closed = [payload for payload in payloads if payload.meta.closed]
    by = [payload.meta.closed for payload in closed]
    assert by.count("summarize") >= 4, by
    assert by.count("digest") == 2, by
    assert by.index("digest") > by.index("summarize")
    assert by[-1] == "summarize", "two failures in a row are forgiven once the model is back"
    failures = [payload.meta.failure for payload in closed if payload.meta.failure]
    assert failures == ["summarize: the model failed: ConnectionError: connection refused"] * 2
    for before, now in pairwise(payloads):
        if now.meta.window_id == before.meta.window_id:
            assert now.meta.prefix_bytes >= before.meta.sequence_bytes - before.meta.tail_bytes
    well = Model()
    again = context_of(overflow=chain(clear(), summarize(well), digest(), reset()), window=WINDOW, store=context.store)
    second = await driven(again, messages)
    assert [payload.json() for payload in second] == [payload.json() for payload in payloads]
    assert well.asked == [], "what was decided is decided, outage or not"


@pytest.mark.feature("O9")
async def test_three_failing_closings_in_a_row_open_the_breaker_for_models_and_for_nothing_else() -> None:
    model = Model(lambda asked, call: RuntimeError("down"))
    context = context_of(overflow=chain(clear(), summarize(model), digest(), reset()), window=WINDOW)
    messages = dialogue(240, 100)
    payloads = await driven(context, messages)
    await whole(context, payloads, messages)
    closed = [payload for payload in payloads if payload.meta.closed]
    assert len(closed) > 5
    assert {payload.meta.closed for payload in closed} == {"digest"}
    assert [bool(payload.meta.failure) for payload in closed[:5]] == [True, True, True, False, False]
    assert len(model.asked) == 3


@pytest.mark.feature("O20")
async def test_without_a_chain_a_failing_summarizer_is_stood_in_for_by_reset() -> None:
    model = Model(lambda asked, call: "")
    context = context_of(overflow=summarize(model), window=WINDOW)
    payloads = await driven(context, MESSAGES)
    await whole(context, payloads, MESSAGES)
    assert {payload.meta.closed for payload in payloads if payload.meta.closed} == {"reset"}


@pytest.mark.feature("O20", "O11")
async def test_a_summary_never_stands_for_messages_that_could_not_be_stored() -> None:
    backend = FailingBackend()
    model = Model()
    context = context_of(overflow=chain(summarize(model), reset()), window=6_000, store=Store(backend))
    context.append(*dialogue(30, 100)[:-1])
    backend.refused = ("archive",)
    with pytest.raises(StoreError, match="disk is full"):
        await context.compile("openai")
    backend.refused = ()
    payload = await context.compile("openai")
    assert payload.meta.closed == "summarize"
    assert await lost(payload.body, dialogue(30, 100)[:-1], context.store) == ([], [])


@pytest.mark.feature("O15", "O20")
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_failing_summarizer_leaves_a_history_that_its_caller_keeps_as_it_was(fault: str) -> None:
    rule, why = FAULTS[fault]
    messages = dialogue(60, 100)
    before = list(messages)
    store = Store(MemoryBackend())
    plan = plan_compaction(messages, window=8_000, tokenizer="chars4")
    result = await compact_history(messages, plan, model=Model(rule), store=store)
    assert result.messages is messages
    assert messages == before
    assert not result.changed
    assert why in result.failure
    assert [path async for path, _ in store.entries("archive")] == []
    stepped = await compact_history(messages, plan, model=chain(summarize(Model(rule)), reset()), store=store)
    assert stepped.changed
    assert why in stepped.failure
    assert await lost([message.text for message in stepped.messages], messages, store) == ([], [])


@pytest.mark.feature("O20")
async def test_what_a_model_is_down_for_is_told_when_it_is_back() -> None:
    """The digest that stood in is handed to the model as what came before."""
    model = Model(lambda asked, call: OSError("no route") if call == 1 else answered(sections("Back again, all told.")))
    context = context_of(overflow=chain(summarize(model), digest(), reset()), window=WINDOW)
    payloads = await driven(context, MESSAGES)
    await whole(context, payloads, MESSAGES)
    assert "question 0" in model.questions[1], "the digest quotes it"
