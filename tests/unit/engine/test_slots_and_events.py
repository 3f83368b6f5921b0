"""Stepping into a compile and listening to it: slots, events, invariants, cancellation, in the fixed order of the phases."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from tests.unit.engine.sessions import context_of, dialogue, elements, texts, tool_loop

from transom import Context, Message, reset
from transom.engine.events import CompileDone, CompileStarted, CompressEnded, CompressStarted, InvariantBroken, OffloadCreated
from transom.engine.pipeline import PHASES
from transom.engine.slots import SLOTS, SlotName
from transom.engine.state import CompileState
from transom.errors import CompileCancelled, WindowError
from transom.observe.bus import HandlerError


@pytest.mark.feature("X2")
async def test_the_six_slots_run_in_the_order_of_the_phases_and_async_functions_are_awaited() -> None:
    context = context_of(dialogue(9), overflow=reset())
    called: list[str] = []

    def note(slot: str) -> Callable[[object], object]:
        async def function(value: object) -> None:
            called.append(slot)

        return function

    for slot in SLOTS:
        context.use(slot, note(slot))  # type: ignore[arg-type]
    payload = await context.compile("openai")
    assert payload.meta.closed == "reset"
    assert called == list(SLOTS)


@pytest.mark.feature("X2")
async def test_before_overflow_may_veto_the_closing() -> None:
    context = context_of(tool_loop(10), overflow=reset())
    stop = context.use("before-overflow", lambda state: False)
    payload = await context.compile("openai")
    assert payload.meta.window_id == "w1"
    assert all(message.text in texts(payload) for message in tool_loop(10))
    stop()
    assert (await context.compile("openai")).meta.window_id == "w2"


@pytest.mark.feature("X2")
async def test_after_overflow_runs_only_when_a_closing_landed() -> None:
    seen: list[str] = []

    def landed(state: CompileState) -> None:
        seen.append(state.session.live.base.lineage.current)

    context = context_of([Message("user", "hi")], overflow=reset())
    context.use("after-overflow", landed)
    await context.compile("openai")
    assert seen == []
    context.append(Message("assistant", "hello"), *dialogue(9))
    await context.compile("openai")
    assert seen == ["w2"]


@pytest.mark.feature("X2")
@pytest.mark.unstable_prefix("text joins a message that was sent closed before: its two closing bytes move")
async def test_before_assemble_injects_text_for_one_compile_and_it_counts() -> None:
    context = context_of([Message("user", "hi")])
    plain = (await context.compile("openai")).meta.tokens_after
    stop = context.use("before-assemble", lambda state: state.inject("The build is red."))
    payload = await context.compile("openai")
    assert elements(payload)[-1]["content"] == "hi\n\nThe build is red."
    assert payload.meta.tail_bytes > 0
    stop()
    after = await context.compile("openai")
    assert elements(after)[-1]["content"] == "hi"
    assert after.meta.tokens_after == plain


@pytest.mark.feature("X2")
async def test_a_slot_that_adds_more_than_fits_is_an_error_that_names_the_slot() -> None:
    context = context_of([Message("user", "hi")])
    context.use("before-assemble", lambda state: state.inject("x" * 40_000))
    with pytest.raises(WindowError, match="slot before-assemble added"):
        await context.compile("openai")


@pytest.mark.feature("X2")
async def test_after_assemble_and_before_adapt_transform_the_messages_in_turn() -> None:
    context = context_of([Message("user", "hi")])

    def shout(messages: Sequence[Message]) -> list[Message]:
        return [Message(message.role, message.text.upper()) for message in messages]

    def sign(messages: Sequence[Message]) -> list[Message]:
        return [*messages, Message("user", "— sent by the test")]

    context.use("after-assemble", shout)
    context.use("before-adapt", sign)
    context.use("before-adapt", lambda messages: None)
    context.system("be brief")
    payload = await context.compile("openai")
    assert [(e["role"], e["content"]) for e in elements(payload)] == [
        ("system", "BE BRIEF"),
        ("user", "HI"),
        ("user", "— sent by the test"),
    ]
    assert [message.text for message in context.messages] == ["hi"], "the history is not touched"


@pytest.mark.feature("X2")
async def test_after_adapt_transforms_the_body() -> None:
    context = context_of([Message("user", "hi")])
    context.use("after-adapt", lambda body: {**body, "metadata": {"run": "7"}})
    assert (await context.compile("openai")).body["metadata"] == {"run": "7"}


@pytest.mark.feature("X2")
@pytest.mark.parametrize("slot", SLOTS)
async def test_what_a_slot_raises_reaches_the_caller_and_the_context_stays_usable(slot: SlotName) -> None:
    def explode(value: object) -> None:
        raise RuntimeError(f"boom in {slot}")

    context = context_of(dialogue(9), overflow=reset())
    stop = context.use(slot, explode)
    with pytest.raises(RuntimeError, match=f"boom in {slot}"):
        await context.compile("openai")
    stop()
    fresh = context_of(dialogue(9), overflow=reset())
    assert (await context.compile("openai")).json() == (await fresh.compile("openai")).json()


@pytest.mark.feature("X2")
async def test_an_unknown_slot_or_a_wrong_return_is_refused() -> None:
    context = context_of([Message("user", "hi")])
    with pytest.raises(ValueError, match="no slot 'before-lunch'"):
        context.use("before-lunch", print)  # type: ignore[arg-type]
    context.use("after-assemble", lambda messages: "not messages")
    with pytest.raises(TypeError, match="must return messages"):
        await context.compile("openai")


@pytest.mark.feature("X4")
async def test_a_compile_tells_what_happens_in_order() -> None:
    context = context_of(dialogue(9), overflow=reset())
    told: list[object] = []
    context.on(object, told.append)
    payload = await context.compile("openai")
    assert [type(event) for event in told] == [CompileStarted, CompressStarted, OffloadCreated, CompressEnded, CompileDone]
    started, done = told[0], told[-1]
    assert isinstance(started, CompileStarted)
    assert (started.target, started.turns) == ("openai", 19)
    assert isinstance(done, CompileDone)
    assert done.meta is payload.meta


@pytest.mark.feature("X4")
async def test_a_handler_that_fails_disturbs_neither_the_compile_nor_other_handlers() -> None:
    context = context_of([Message("user", "hi")])
    errors: list[HandlerError] = []
    heard: list[object] = []

    def explode(event: object) -> None:
        raise RuntimeError("handler")

    context.on("compile_done", explode)
    context.on("compile_done", heard.append)
    context.on(HandlerError, errors.append)
    payload = await context.compile("openai")
    assert elements(payload) == [{"role": "user", "content": "hi"}]
    assert len(heard) == 1
    assert [str(error.error) for error in errors] == ["handler"]


@pytest.mark.feature("X3")
async def test_a_slot_that_tears_a_pair_apart_is_reported_and_not_prevented() -> None:
    context = context_of(tool_loop(2))
    broken: list[InvariantBroken] = []
    context.on(InvariantBroken, broken.append)
    context.use("after-assemble", lambda messages: [m for m in messages if not m.results])
    payload = await context.compile("openai")
    assert {event.name for event in broken} == {"pair_integrity"}
    assert "has no result" in broken[0].detail
    assert "tool_calls" in texts(payload), "the payload goes out all the same"


@pytest.mark.feature("X3")
async def test_a_slot_that_drops_a_pinned_message_is_reported() -> None:
    context = context_of([Message("user", "rules", pinned=True), Message("user", "hi")])
    broken: list[InvariantBroken] = []
    context.on(InvariantBroken, broken.append)
    context.use("after-assemble", lambda messages: [m for m in messages if not m.pinned])
    await context.compile("openai")
    assert [event.name for event in broken] == ["pinned_survival"]


@pytest.mark.feature("X3")
@pytest.mark.unstable_prefix("the transform moves the prefix on purpose")
async def test_a_transform_that_moves_the_prefix_is_reported() -> None:
    context = context_of([Message("user", "hi")])
    broken: list[InvariantBroken] = []
    context.on(InvariantBroken, broken.append)
    count = iter(range(9))
    context.use("after-assemble", lambda messages: [Message("user", f"compile {next(count)}"), *messages])
    await context.compile("openai")
    assert broken == []
    await context.compile("openai")
    assert [event.name for event in broken] == ["prefix_identity"]


@pytest.mark.feature("X3")
async def test_invariants_are_checked_only_where_asked_for() -> None:
    context = Context(window=8_000)
    context.append(*tool_loop(2))
    broken: list[InvariantBroken] = []
    context.on(InvariantBroken, broken.append)
    context.use("after-assemble", lambda messages: [m for m in messages if not m.results])
    await context.compile("openai")
    assert broken == []


@pytest.mark.feature("X1")
def test_the_phases_stand_in_one_tuple() -> None:
    assert [phase.__name__ for phase in PHASES] == [
        "start",
        "tool_results",
        "handoff",
        "overflow",
        "recall",
        "guard",
        "inject",
        "memory",
        "assemble",
        "tail",
        "adapt",
        "audit",
    ]


@pytest.mark.feature("X1")
@pytest.mark.parametrize("asked", range(len(PHASES) + 1))
async def test_a_compile_cancelled_between_two_phases_leaves_a_context_that_goes_on(asked: int) -> None:
    context = context_of(dialogue(9), overflow=reset())
    count = iter(range(99))
    with pytest.raises(CompileCancelled):
        await context.compile("openai", cancelled=lambda: next(count) == asked)
    payload = await context.compile("openai")
    fresh = await context_of(dialogue(9), overflow=reset()).compile("openai")
    assert payload.json() == fresh.json()
    context.append(Message("assistant", "yes"), Message("user", "go on"))
    assert (await context.compile("openai")).meta.window_id == "w2"


@pytest.mark.feature("X1")
async def test_a_cancelled_compile_reports_what_moved_with_the_compile_that_shows_it() -> None:
    context = context_of(dialogue(9), overflow=reset())
    count = iter(range(99))
    with pytest.raises(CompileCancelled):
        await context.compile("openai", cancelled=lambda: next(count) == len(PHASES))
    payload = await context.compile("openai")
    assert [moved.kind for moved in payload.meta.moved] == ["evict"]
