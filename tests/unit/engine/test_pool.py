"""Contexts by session key: one a key, few at a time, bad keys named."""

from __future__ import annotations

import asyncio

import pytest

from transom import Context, ContextPool, MemoryBackend, Message, Store
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
