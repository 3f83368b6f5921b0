"""Contexts by session key: one a key, few at a time, bad keys named."""

from __future__ import annotations

import asyncio

import pytest

from transom import Context, ContextPool, MemoryBackend, Message, Snapshot, Store
from transom.engine.pool import InvalidKey
from transom.errors import InputError


def pool_of(most_open: int = 10, store: Store | None = None) -> ContextPool:
    return ContextPool(lambda key: Context(window=8_000, store=store, session=key), most_open=most_open)


@pytest.mark.feature("I4")
async def test_one_key_is_one_context() -> None:
    pool = pool_of()
    one, two, other = await asyncio.gather(pool.get("ada"), pool.get("ada"), pool.get("bob"))
    assert one is two
    assert one is not other
    one.append(Message("user", "hello"))
    assert other.messages == ()
    assert list(pool) == ["ada", "bob"]


@pytest.mark.feature("I4")
@pytest.mark.parametrize("key", ["", " ", "a/b", "../x", "-x", "a\nb", "ü", "x" * 129, None, 7])
async def test_a_key_that_cannot_be_one_is_refused_and_reported(key: str) -> None:
    pool = pool_of()
    seen: list[InvalidKey] = []
    pool.bus.on(InvalidKey, seen.append)
    with pytest.raises(InputError, match="no session key"):
        await pool.get(key)
    assert [event.key for event in seen] == [str(key)]
    assert len(pool) == 0


@pytest.mark.feature("I4")
async def test_the_session_not_asked_for_longest_is_given_up_and_can_be_saved() -> None:
    saved: dict[str, bytes] = {}

    async def save(key: str, context: Context) -> None:
        saved[key] = context.snapshot().to_json()

    pool = ContextPool(lambda key: Context(window=8_000), most_open=2, on_dropped=save)
    (await pool.get("a")).append(Message("user", "from a"))
    await pool.get("b")
    await pool.get("a")
    await pool.get("c")
    assert list(pool) == ["a", "c"]
    assert list(saved) == ["b"]
    async with pool.using("a"):
        await pool.get("d")
        await pool.get("e")
        assert "a" in pool
    await pool.get("f")
    assert "a" not in pool
    assert b"from a" in saved["a"]


async def test_contexts_of_one_store_are_closed_with_it() -> None:
    pool = pool_of(store=Store(MemoryBackend()))
    await pool.get("a")
    await pool.get("b")
    assert await pool.drop("a")
    assert not await pool.drop("a")
    await pool.aclose()
    assert len(pool) == 0


def test_a_pool_of_none_is_refused() -> None:
    with pytest.raises(InputError):
        pool_of(0)


class Saved:
    """What an application keeps of its sessions, over a network that takes its time."""

    def __init__(self) -> None:
        self.snapshots: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.broken = False
        self.begun = asyncio.Event()
        self.answer = asyncio.Event()
        self.answer.set()

    def make(self, key: str) -> Context:
        context = Context(window=8_000)
        if key in self.snapshots:
            context.restore(Snapshot.from_json(self.snapshots[key]))
        return context

    async def save(self, key: str, context: Context) -> None:
        data = context.snapshot().to_json()
        self.asked.append(key)
        self.begun.set()
        await self.answer.wait()
        if self.broken:
            raise OSError(f"no room for {key}")
        self.snapshots[key] = data

    def pool(self, most_open: int) -> ContextPool:
        return ContextPool(self.make, most_open=most_open, on_dropped=self.save)


async def said(pool: ContextPool, key: str, text: str) -> list[str]:
    async with pool.using(key) as context:
        context.append(Message("user", text), Message("assistant", "ok"), Message("user", "next"))
        return [message.text for message in context.messages]


@pytest.mark.feature("I4")
@pytest.mark.parametrize("broken", [False, True])
async def test_a_session_that_is_asked_for_while_it_is_saved_goes_on_with_what_was_said(broken: bool) -> None:
    saved = Saved()
    pool = saved.pool(1)
    await said(pool, "ada", "remember 4711")
    saved.answer.clear()
    saved.broken = broken
    bob = asyncio.create_task(said(pool, "bob", "hello"))
    await saved.begun.wait()
    ada = asyncio.create_task(said(pool, "ada", "what was it?"))
    again = asyncio.create_task(pool.drop("ada"))
    for _ in range(5):
        await asyncio.sleep(0)
    assert not ada.done()
    saved.answer.set()
    results = await asyncio.gather(bob, ada, again, return_exceptions=True)
    assert isinstance(results[0], OSError) is broken
    assert "remember 4711" in str(results[1])
    saved.broken = False
    await pool.aclose()
    assert b"remember 4711" in saved.snapshots["ada"]
    assert b"what was it?" in saved.snapshots["ada"]


@pytest.mark.feature("I4")
async def test_many_sessions_at_once_lose_nothing_however_few_are_open() -> None:
    saved = Saved()

    async def slow(key: str, context: Context) -> None:
        data = context.snapshot().to_json()
        for _ in range(3):
            await asyncio.sleep(0)
        saved.snapshots[key] = data

    pool = ContextPool(saved.make, most_open=2, on_dropped=slow)
    for number in range(6):
        await asyncio.gather(*(said(pool, f"k{key}", f"fact {key}-{number}") for key in range(5)))
    await pool.aclose()
    for key in range(5):
        text = saved.snapshots[f"k{key}"].decode()
        assert [number for number in range(6) if f"fact {key}-{number}" not in text] == []


@pytest.mark.feature("I4")
async def test_a_session_that_cannot_be_saved_stays_open() -> None:
    saved = Saved()
    pool = saved.pool(1)
    ada = await pool.get("ada")
    saved.broken = True
    with pytest.raises(OSError, match="no room for ada"):
        await pool.drop("ada")
    with pytest.raises(OSError, match="no room for ada"):
        await pool.get("bob")
    assert list(pool) == ["ada"], "bob was not made: there is no room for it"
    assert await pool.get("ada") is ada
    saved.broken = False
    await pool.get("bob")
    assert list(pool) == ["bob"]


@pytest.mark.feature("I4")
async def test_one_session_that_can_never_be_saved_keeps_no_other_out() -> None:
    gone: list[str] = []

    def save(key: str, context: Context) -> None:
        if key == "odd":
            raise OSError("never")
        gone.append(key)

    pool = ContextPool(lambda key: Context(window=8_000), most_open=2, on_dropped=save)
    for key in ("odd", "a", "b", "c", "d"):
        await pool.get(key)
    assert gone == ["a", "b", "c"]
    assert set(pool) == {"odd", "d"}


@pytest.mark.feature("I4")
async def test_where_nothing_can_be_saved_a_request_does_not_wait_for_all_of_them() -> None:
    saved = Saved()
    pool = saved.pool(20)
    for number in range(20):
        await pool.get(f"k{number}")
    saved.broken = True
    with pytest.raises(OSError, match="no room for k0"):
        await pool.get("new")
    assert len(saved.asked) == 3
    assert len(pool) == 20


@pytest.mark.feature("I4")
async def test_a_pool_that_closes_tries_all_sessions_and_closes_all_stores() -> None:
    closed: list[str] = []

    class Told(MemoryBackend):
        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

        async def close(self) -> None:
            closed.append(self.name)
            if self.name == "b":
                raise OSError("gone")

    def save(key: str, context: Context) -> None:
        asked.append(key)
        if key in "ac":
            raise OSError(f"no room for {key}")

    asked: list[str] = []
    pool = ContextPool(lambda key: Context(window=8_000, store=Store(Told(key))), on_dropped=save)
    for key in "abcd":
        await pool.get(key)
    with pytest.raises(OSError, match="no room for a") as raised:
        await pool.aclose()
    assert asked == list("abcd")
    assert sorted(closed) == list("abcd")
    assert list(pool) == ["a", "c"], "who could not be saved is still there to be saved otherwise"
    notes = "\n".join(raised.value.__notes__)
    assert "no room for c" in notes
    assert "gone" in notes


@pytest.mark.feature("I4")
async def test_a_session_in_use_is_not_dropped_by_hand_and_saving_may_ask_for_what_it_saves() -> None:
    async def save(key: str, context: Context) -> None:
        assert await pool.get(key) is context
        assert not await pool.drop(key)

    pool = ContextPool(lambda key: Context(window=8_000), on_dropped=save)
    async with pool.using("ada"):
        with pytest.raises(InputError, match="in use"):
            await pool.drop("ada")
    assert await pool.drop("ada")
    assert len(pool) == 0


@pytest.mark.feature("I4")
async def test_a_saving_that_is_cancelled_leaves_its_session_open() -> None:
    saved = Saved()
    pool = saved.pool(1)
    ada = await pool.get("ada")
    saved.answer.clear()
    request = asyncio.create_task(pool.get("bob"))
    await saved.begun.wait()
    request.cancel()
    with pytest.raises(asyncio.CancelledError):
        await request
    assert await pool.get("ada") is ada
    assert list(pool) == ["ada"]
