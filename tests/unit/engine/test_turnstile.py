"""Compiles of one context wait for each other, in whatever event loop they are; one that would wait for itself is refused."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading

import pytest
from tests.unit.engine.sessions import context_of, dialogue

from transom import Context, MemoryBackend, Message, Store, chain, digest, reset, summarize
from transom.engine.memory.facts import Facts
from transom.engine.turnstile import Turnstile
from transom.errors import InputError
from transom.testing.reachability import lost

WINDOW = 6_000
MESSAGES = dialogue(40, 100)


class Reentrant:
    """A model that has its own context compile, in one of the ways that there are to do so."""

    def __init__(self, how: str) -> None:
        self.context: Context | None = None
        self.how = how
        model = self.directly if how == "directly" else self.awaited
        self.context = context_of(overflow=chain(summarize(model, timeout=5), digest(), reset()), window=WINDOW)

    def directly(self, _: list[Message]) -> str:
        assert self.context is not None
        self.context.compile_sync("openai")
        return "x"

    async def awaited(self, _: list[Message]) -> str:
        assert self.context is not None
        match self.how:
            case "awaited":
                await self.context.compile("openai")
            case "in a task":
                await asyncio.create_task(self.context.compile("openai"))
            case _:
                await asyncio.to_thread(self.context.compile_sync, "openai")
        return "x"


WAYS = ["directly", "awaited", "in a task", "in a thread"]


@pytest.mark.feature("O20")
@pytest.mark.parametrize("how", WAYS)
async def test_a_model_that_has_its_own_context_compile_is_told_so_and_fails(how: str) -> None:
    model = Reentrant(how)
    context = model.context
    assert context is not None
    failures = []
    for message in MESSAGES:
        context.append(message)
        payload = await context.compile("openai")
        assert payload.meta.tokens_after <= WINDOW
        failures.append(payload.meta.failure)
    assert {"summarize: the model failed: InputError: a compile within a compile" in why for why in failures if why} == {True}
    assert await lost(payload.body, MESSAGES, context.store, more=payload.meta.archives) == ([], [])


@pytest.mark.parametrize("how", WAYS)
def test_the_same_holds_for_callers_without_a_loop(how: str) -> None:
    context = Reentrant(how).context
    assert context is not None
    context.append(*MESSAGES)
    assert "a compile within a compile" in context.compile_sync("openai").meta.failure
    context.append(Message("assistant", "Yes."), Message("user", "More."))
    assert not context.compile_sync("openai").meta.failure
    context.close()


async def test_a_function_in_a_slot_cannot_compile_what_it_is_part_of_but_another_context() -> None:
    context, other = context_of([Message("user", "hi")]), context_of([Message("user", "there")])
    seen: list[str] = []

    async def again(_: object) -> None:
        seen.append((await other.compile("openai")).json().decode())
        await context.compile("openai")

    stop = context.use("before-assemble", again)
    async with asyncio.timeout(20):
        with pytest.raises(InputError, match="a compile within a compile"):
            await context.compile("openai")
    assert "there" in seen[0]
    stop()
    assert (await context.compile("openai")).meta.window_id == "w1"


async def test_what_a_model_left_running_may_compile_when_its_compile_is_over() -> None:
    over = asyncio.Event()
    left: list[asyncio.Task[object]] = []

    async def later() -> object:
        await over.wait()
        return await context.compile("openai")

    async def model(_: list[Message]) -> str:
        left.append(asyncio.create_task(later()))
        raise OSError("down")

    context = context_of(MESSAGES, overflow=chain(summarize(model), reset()), window=WINDOW)
    await context.compile("openai")
    over.set()
    assert await asyncio.gather(*left)


def test_a_context_goes_through_many_event_loops_one_after_the_other() -> None:
    context = context_of([Message("user", "hi")])

    async def at_once() -> set[bytes]:
        payloads = await asyncio.gather(*(context.compile("openai") for _ in range(3)))
        return {payload.json() for payload in payloads}

    found = [asyncio.run(at_once()) for _ in range(3)]
    assert found == [{context.compile_sync("openai").json()}] * 3
    context.close()


def test_facts_go_through_many_event_loops_too() -> None:
    facts = Facts(Store(MemoryBackend()))

    async def at_once(turn: int) -> None:
        await asyncio.gather(*(facts.set(f"k{number}", f"{turn}") for number in range(4)))

    for turn in range(3):
        asyncio.run(at_once(turn))
    assert {fact.value for fact in asyncio.run(facts.list())} == {"2"}


def test_loops_in_several_threads_wait_for_each_other() -> None:
    turnstile = Turnstile()
    inside: list[int] = []
    most: list[int] = []

    async def pass_through(number: int) -> None:
        for _ in range(20):
            async with turnstile:
                inside.append(number)
                await asyncio.sleep(0)
                most.append(len(inside))
                inside.remove(number)

    async def several(number: int) -> None:
        await asyncio.gather(*(pass_through(10 * number + other) for other in range(4)))

    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        for done in [threads.submit(asyncio.run, several(number)) for number in range(4)]:
            done.result(60)
    assert most == [1] * 320


async def test_whoever_waits_is_let_in_in_order_and_one_who_gives_up_holds_up_nobody() -> None:
    turnstile = Turnstile()
    order: list[int] = []

    async def enter(number: int) -> None:
        async with turnstile:
            order.append(number)
            await asyncio.sleep(0)

    async with turnstile:
        waiting = [asyncio.create_task(enter(number)) for number in range(5)]
        await asyncio.sleep(0)
        waiting[1].cancel()
    waiting[0].cancel()
    await asyncio.wait(waiting)
    assert order == [2, 3, 4]


def test_a_loop_that_was_closed_with_somebody_inside_shuts_nobody_out() -> None:
    turnstile = Turnstile()
    entered = threading.Event()

    async def stay() -> None:
        async with turnstile:
            entered.set()
            await asyncio.Event().wait()

    async def enter() -> None:
        async with turnstile:
            await asyncio.sleep(0)
            kept.close()
            async with asyncio.timeout(0.01):
                await asyncio.create_task(pass_through())

    async def pass_through() -> None:
        async with turnstile:
            raise AssertionError("two inside")

    loop = asyncio.new_event_loop()
    kept = stay()
    loop.call_soon(lambda: kept.send(None))
    loop.call_soon(loop.stop)
    loop.run_forever()
    assert entered.is_set()
    loop.close()
    with pytest.raises(TimeoutError):
        asyncio.run(enter())
