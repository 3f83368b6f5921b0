"""``background``: a strategy that works while the conversation goes on. The doubles wait for events, never for time."""

from __future__ import annotations

import asyncio
import contextvars
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest
from tests.unit.engine.sessions import (
    FailingBackend,
    Scripted,
    archived,
    context_of,
    driven,
    model_calls,
    round_of,
    texts,
    tool_loop,
)

from transom import Context, MemoryBackend, Message, Payload, Store, background, chain, clear, digest, reset, server, summarize
from transom.engine.events import CompressEnded, JobDropped
from transom.engine.ledger.records import Item
from transom.engine.overflow.strategy import Outcome, Span
from transom.errors import StrategyError

WINDOW = 4_000
OVER = 9
"""Rounds of 220 tokens that are over the trigger and fit; the window of 4,000 has room for 11."""


@dataclass
class Held:
    """A strategy that decides when it is let go. It blocks its thread, as a synchronous model does."""

    text: str = "SUMMARY of what was said."
    error: BaseException | None = None
    name: str = "held"
    applied: int = 0
    begun: threading.Event = field(default_factory=threading.Event)
    free: threading.Event = field(default_factory=threading.Event)
    thread: threading.Thread = field(default_factory=threading.current_thread)

    @property
    def fingerprint(self) -> str:
        return self.name

    async def apply(self, span: Span) -> Outcome:
        self.applied += 1
        self.thread = threading.current_thread()
        self.begun.set()
        assert self.free.wait(30)
        if self.error is not None:
            raise self.error
        cut = span.cut
        items = (Item("head", text=f"{self.text} {span.archive_uri(cut)}"), *span.kept(cut))
        return Outcome(cut, items, span.messages(cut), span.leaving(cut), (), self.name)

    def finish(self) -> None:
        """Let it decide, and wait until it has."""
        self.free.set()
        finish_background()


def finish_background() -> None:
    """Wait until no work is under way."""
    for thread in threading.enumerate():
        if thread.name == "transom-background":
            thread.join(30)


@pytest.fixture
def held() -> Iterator[Held]:
    strategy = Held()
    yield strategy
    strategy.finish()


def over_trigger(overflow: object, **more: object) -> Context:
    return context_of(tool_loop(OVER), window=WINDOW, overflow=overflow, **more)


@pytest.mark.feature("O7")
async def test_payloads_are_sent_with_the_history_as_it_is_until_the_work_has_ended(held: Held) -> None:
    context = over_trigger(background(held))
    ended: list[CompressEnded] = []
    context.on(CompressEnded, ended.append)
    whole = context.messages
    for number in range(3):
        payload = await context.compile("openai")
        assert (payload.meta.window_id, payload.meta.closed, payload.meta.waiting) == ("w1", "", "background(held)")
        assert payload.meta.failure == ""
        assert all(message.text in texts(payload) for message in whole)
        context.append(*round_of(50 + number))
    assert {event.waiting for event in ended} == {"background(held)"}
    held.finish()

    payload = await context.compile("openai")

    assert (payload.meta.window_id, payload.meta.closed, payload.meta.waiting) == ("w2", "held", "")
    body = texts(payload)
    assert "SUMMARY of what was said." in body
    assert all(f"result {50 + number}:" in body for number in range(3)), "what was appended meanwhile stays"
    assert "Do the work." in body
    lines = await archived(context.store, payload.meta.archives[-1])
    assert "result 0:" in str(lines)
    assert payload.meta.archives[-1] in body
    assert held.applied == 1


@pytest.mark.feature("O7")
async def test_what_has_ended_lands_whatever_the_budget_says_by_then(held: Held) -> None:
    """Also where nobody would close the window any more, since the provider's report said less than we count."""
    context = over_trigger(background(held), usage_preference="feed-first")
    waiting = await context.compile("openai")
    assert waiting.meta.waiting
    held.finish()
    context.report_usage(waiting.meta.tokens_after // 3)
    assert (await context.compile("openai")).meta.closed == "held"


@pytest.mark.feature("O7")
def test_it_works_for_callers_with_a_loop_for_each_call(held: Held) -> None:
    context = over_trigger(background(held))
    assert asyncio.run(context.compile("openai")).meta.waiting
    assert held.begun.wait(30)
    assert asyncio.run(context.compile("openai")).meta.waiting
    held.finish()
    assert asyncio.run(context.compile("openai")).meta.closed == "held"


@pytest.mark.feature("O7")
def test_it_works_for_callers_without_a_loop(held: Held) -> None:
    context = over_trigger(background(held))
    assert context.compile_sync("openai").meta.waiting
    held.finish()
    assert context.compile_sync("openai").meta.closed == "held"
    context.close()


@pytest.mark.feature("O7")
async def test_a_history_that_is_another_by_then_gets_nothing_of_it_and_has_it_done_anew(held: Held) -> None:
    context = over_trigger(background(held))
    dropped: list[JobDropped] = []
    context.on("job_dropped", dropped.append)
    assert (await context.compile("openai")).meta.waiting
    assert held.begun.wait(30)
    messages = tool_loop(OVER)
    context.load([messages[0], *round_of(99), *messages[3:]])
    payload = await context.compile("openai")
    assert (payload.meta.window_id, payload.meta.waiting) == ("w1", "background(held)")
    assert [(event.strategy, event.reason) for event in dropped] == [
        ("background(held)", "what it worked on is no longer the head of the history")
    ]
    held.finish()
    payload = await context.compile("openai")
    assert payload.meta.closed == "held"
    assert held.applied == 2
    lines = str(await archived(context.store, payload.meta.archives[-1]))
    assert "result 99:" in lines
    assert "result 0:" not in lines


@pytest.mark.feature("O7")
async def test_a_result_that_ended_for_another_history_is_dropped_though_nothing_is_due(held: Held) -> None:
    context = over_trigger(background(held))
    dropped: list[JobDropped] = []
    context.on(JobDropped, dropped.append)
    assert (await context.compile("openai")).meta.waiting
    held.finish()
    context.load(tool_loop(2, ask="Something else."))
    payload = await context.compile("openai")
    assert payload.meta.window_id == "w1"
    assert len(dropped) == 1
    assert (await context.compile("openai")).meta.window_id == "w1"


@pytest.mark.feature("O7")
async def test_the_same_messages_from_other_objects_are_the_same_head(held: Held) -> None:
    context = over_trigger(background(held))
    assert (await context.compile("openai")).meta.waiting
    held.finish()
    body = {"messages": [message_body(message) for message in context.messages]}
    other = context_of(window=WINDOW, overflow=background(held))
    other.load(body, "openai")
    assert (await other.compile("openai")).meta.waiting
    held.finish()
    other.load({"messages": [*body["messages"], {"role": "user", "content": "Go on."}]}, "openai")
    assert (await other.compile("openai")).meta.closed == "held"


def message_body(message: Message) -> dict[str, object]:
    made: dict[str, object] = {"role": message.role, "content": message.text}
    if message.tool_calls:
        made["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    if message.role == "tool":
        made |= {"tool_call_id": message.results[0].call_id, "content": message.results[0].text}
    return made


@pytest.mark.feature("O7")
async def test_a_window_that_must_close_now_waits_no_longer_than_was_said_and_the_next_step_has_its_turn(held: Held) -> None:
    context = context_of(tool_loop(OVER), window=WINDOW, overflow=chain(background(held, wait=0), digest(), reset()))
    dropped: list[JobDropped] = []
    context.on(JobDropped, dropped.append)
    assert (await context.compile("openai")).meta.waiting == "background(held)"
    for number in range(8):
        context.append(*round_of(70 + number))
    payload = await context.compile("openai")
    assert payload.meta.closed == "digest"
    assert "not ready within 0 seconds" in payload.meta.failure
    assert payload.meta.tokens_after + payload.meta.reserve <= WINDOW
    assert [event.reason for event in dropped] == ["it was not ready when the window had to close"]
    held.finish()
    assert (await context.compile("openai")).meta.window_id == "w2", "it came too late"


@pytest.mark.feature("O7")
async def test_a_window_that_must_close_now_takes_what_comes_within_the_time_it_waits(held: Held) -> None:
    context = context_of(tool_loop(OVER + 8), window=WINDOW, overflow=chain(background(held, wait=30), digest(), reset()))
    compiling = asyncio.ensure_future(context.compile("openai"))
    assert await asyncio.to_thread(held.begun.wait, 30)
    held.free.set()
    payload = await compiling
    assert payload.meta.closed == "held"
    assert payload.meta.tokens_after + payload.meta.reserve <= WINDOW


@pytest.mark.feature("O7")
@pytest.mark.parametrize("error", [RuntimeError("model is down"), SystemExit("model is down"), TimeoutError("model is down")])
async def test_work_that_failed_is_a_strike_with_its_reason_and_the_third_opens_the_breaker(error: BaseException) -> None:
    held = Held(error=error)
    held.free.set()
    context = over_trigger(background(held))
    reasons = []
    for _ in range(6):
        payload = await context.compile("openai")
        assert payload.meta.tokens_after + payload.meta.reserve <= WINDOW
        reasons.append(payload.meta.failure)
        held.finish()
    assert held.applied == 3
    assert len([reason for reason in reasons if "background(held)" in reason]) == 3
    assert context.lineage.current != "w1", "once the model is left alone, the last step makes room"


@pytest.mark.feature("O7")
async def test_a_compile_that_is_given_up_while_it_waits_leaves_the_work_alone(held: Held) -> None:
    context = context_of(tool_loop(OVER + 8), window=WINDOW, overflow=background(held, wait=30))
    compiling = asyncio.ensure_future(context.compile("openai"))
    assert await asyncio.to_thread(held.begun.wait, 30)
    compiling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await compiling
    held.finish()
    assert (await context.compile("openai")).meta.closed == "held"
    assert held.applied == 1


@pytest.mark.feature("O7")
def test_a_loop_that_dies_while_it_waits_takes_nothing_with_it(held: Held) -> None:
    context = context_of(tool_loop(OVER + 8), window=WINDOW, overflow=chain(background(held, wait=30), digest(), reset()))
    loop = asyncio.new_event_loop()
    task = loop.create_task(context.compile("openai"))
    loop.run_until_complete(asyncio.to_thread(held.begun.wait, 30))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        loop.run_until_complete(task)
    loop.close()
    held.finish()
    payload = asyncio.run(context.compile("openai"))
    assert payload.meta.closed == "held"


@pytest.mark.feature("O7")
async def test_closing_the_context_gives_the_work_up() -> None:
    begun, cancelled = threading.Event(), threading.Event()

    class Patient(Held):
        async def apply(self, span: Span) -> Outcome:
            begun.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                cancelled.set()
                raise
            raise AssertionError

    context = over_trigger(background(Patient()))
    assert (await context.compile("openai")).meta.waiting
    assert begun.wait(30)
    await context.aclose()
    assert cancelled.wait(30)


@pytest.mark.feature("O7")
def test_a_program_that_ends_does_not_hang_on_work_that_never_ends() -> None:
    program = """
import asyncio, threading
from transom import Context, Message, background
from transom.engine.overflow.strategy import Outcome

class Endless:
    name = fingerprint = "endless"
    async def apply(self, span):
        print("begun", flush=True)
        threading.Event().wait()

context = Context(window=4_000, overflow=background(Endless()), tokenizer="chars4")
for number in range(6):
    context.append(Message("user", "word " * 160), Message("assistant", "word " * 160))
print(asyncio.run(context.compile("openai")).meta.waiting)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert "background(endless)" in done.stdout


@pytest.mark.feature("O7")
async def test_a_request_for_a_new_window_does_not_wait(held: Held) -> None:
    context = over_trigger(background(held))
    assert (await context.compile("openai")).meta.waiting
    held.free.set()
    context.request_new_context()
    payload = await context.compile("openai")
    assert payload.meta.closed == "held"
    assert "result 0:" not in texts(payload)


@pytest.mark.feature("O7")
@pytest.mark.feature("O11")
async def test_work_whose_result_could_not_be_stored_lands_when_it_can(held: Held) -> None:
    backend = FailingBackend()
    context = over_trigger(background(held), store=Store(backend))
    assert (await context.compile("openai")).meta.waiting
    held.finish()
    backend.refused = ("archive",)
    payload = await context.compile("openai")
    assert payload.meta.window_id == "w1"
    assert "the disk is full" in payload.meta.failure
    backend.refused = ()
    assert (await context.compile("openai")).meta.closed == "held"
    assert held.applied == 1


@pytest.mark.feature("O7")
async def test_two_contexts_over_one_store_and_one_strategy_have_each_their_own_work(held: Held) -> None:
    store, strategy = Store(MemoryBackend()), background(held)
    one = over_trigger(strategy, store=store)
    two = context_of(tool_loop(OVER, ask="Other work."), window=WINDOW, overflow=strategy, store=store)
    for context in (one, two):
        assert (await context.compile("openai")).meta.waiting
    held.finish()
    for context, ask in ((one, "Do the work."), (two, "Other work.")):
        payload = await context.compile("openai")
        assert payload.meta.closed == "held"
        assert ask in texts(payload)
    assert held.applied == 2


@pytest.mark.feature("O7")
@pytest.mark.feature("O21")
async def test_what_another_process_decided_meanwhile_is_taken_over(held: Held) -> None:
    store = Store(MemoryBackend())
    slow, quick = over_trigger(background(held), store=store), Held(name="held")
    assert (await slow.compile("openai")).meta.waiting
    quick.free.set()
    fast = over_trigger(background(quick), store=store)
    assert (await fast.compile("openai")).meta.waiting
    assert quick.begun.wait(30)
    quick.thread.join(30)
    landed = await fast.compile("openai")
    assert landed.meta.closed == "held"
    held.finish()
    late = await slow.compile("openai")
    assert late.meta.archives == landed.meta.archives


@pytest.mark.feature("O7")
@pytest.mark.feature("O6")
async def test_steps_before_it_have_their_turn_and_what_ended_lands_past_them(held: Held) -> None:
    context = over_trigger(chain(clear(keep_recent=1_000), background(held), digest(), reset()))
    assert (await context.compile("openai")).meta.waiting == "background(held)"
    held.finish()
    payload = await context.compile("openai")
    assert payload.meta.closed == "held"


@pytest.mark.feature("O7")
@pytest.mark.feature("O18")
async def test_any_strategy_of_the_protocols_shape_works_in_the_background_and_within_a_chain() -> None:
    for overflow in (background(digest()), chain(background(digest()), reset()), background(chain(clear(), digest(), reset()))):
        context = context_of(overflow=overflow, window=6_000)
        payloads: list[Payload] = []
        for fresh in model_calls(tool_loop(60)):
            context.append(*fresh)
            payloads.append(await context.compile("openai"))
            finish_background()
        assert all(payload.meta.tokens_after + payload.meta.reserve <= 6_000 for payload in payloads)
        assert {payload.meta.closed for payload in payloads} & {"digest", "clear"}


@pytest.mark.feature("O7")
@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (lambda: background("digest"), "is no strategy"),  # type: ignore[arg-type]
        (lambda: background(background(digest())), "cannot work in the background"),
        (lambda: background(server(fallback=digest())), "cannot work in the background"),
        (lambda: background(digest(), wait=-1), "times above 0"),
        (lambda: background(digest(), timeout=0), "times above 0"),
    ],
)
def test_what_cannot_work_in_the_background_is_refused(wrong: Callable[[], object], reason: str) -> None:
    with pytest.raises(StrategyError, match=reason):
        wrong()


@pytest.mark.feature("O7")
async def test_an_outcome_that_breaks_the_contract_never_lands_from_the_background_either() -> None:
    class Wrong(Held):
        async def apply(self, span: Span) -> Outcome:
            return Outcome(len(span.turns), (Item("head", text="x"),), (), span.messages(1))

    wrong = Wrong()
    context = over_trigger(background(wrong))
    assert (await context.compile("openai")).meta.waiting
    finish_background()
    payload = await context.compile("openai")
    assert payload.meta.window_id == "w1"
    assert "closes over the last turn" in payload.meta.failure


@pytest.mark.feature("O7")
@pytest.mark.feature("O18")
async def test_a_strategy_of_ones_own_may_say_that_it_is_waiting() -> None:
    """Nothing lands while it waits; where the history does not fit any more, the last step has its turn, without a strike."""
    strategy = Scripted(Outcome(waiting=True, strategy="elsewhere"))
    context = over_trigger(strategy)
    for number in range(12):
        payload = await context.compile("openai")
        assert payload.meta.tokens_after + payload.meta.reserve <= WINDOW
        assert payload.meta.failure == ""
        if payload.meta.closed:
            break
        assert (payload.meta.window_id, payload.meta.waiting) == ("w1", "elsewhere")
        context.append(*round_of(60 + number))
    assert payload.meta.closed == "reset"


@pytest.mark.feature("O7")
@pytest.mark.feature("O2")
@pytest.mark.parametrize("kind", ["synchronous", "asynchronous"])
async def test_a_model_that_summarizes_does_so_in_the_background(kind: str) -> None:
    told: contextvars.ContextVar[str] = contextvars.ContextVar("told", default="nothing")
    free, heard = threading.Event(), []

    def answer(messages: list[Message]) -> str:
        heard.append(told.get())
        return "<summary>The work of the first steps is done.</summary>"

    def blocking(messages: list[Message]) -> str:
        assert free.wait(30)
        return answer(messages)

    async def waiting(messages: list[Message]) -> str:
        assert await asyncio.to_thread(free.wait, 30)
        return answer(messages)

    strategy = background(summarize(blocking if kind == "synchronous" else waiting))
    context = over_trigger(chain(strategy, digest(), reset()))
    told.set("a trace")
    assert (await context.compile("openai")).meta.waiting == "background(summarize)"
    free.set()
    finish_background()
    payload = await context.compile("openai")
    assert payload.meta.closed == "summarize"
    assert "The work of the first steps is done." in texts(payload)
    assert heard == ["a trace"], "what surrounds a compile surrounds its work too"
    assert payload.meta.archives[-1] in texts(payload)


@pytest.mark.feature("O7")
@pytest.mark.feature("O9")
async def test_a_model_that_never_answers_costs_three_threads_and_no_window() -> None:
    never, asked = threading.Event(), []

    def endless(messages: list[Message]) -> str:
        asked.append(messages)
        never.wait(60)
        raise RuntimeError("too late")

    context = context_of(overflow=chain(background(summarize(endless), wait=0), digest(), reset()), window=6_000)
    payloads = await driven(context, tool_loop(120))
    never.set()
    assert all(payload.meta.tokens_after + payload.meta.reserve <= 6_000 for payload in payloads)
    # Work may be given up before its thread has come to the model.
    assert len(asked) <= 3
    assert {payload.meta.closed for payload in payloads} == {"", "digest"}
    assert sum("not ready" in payload.meta.failure for payload in payloads) == 3
