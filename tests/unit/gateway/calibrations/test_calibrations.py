"""How a model counts is learned from its answers, for every conversation with it, and outlives a restart."""

from __future__ import annotations

import pytest

from transom import Store
from transom.gateway.calibrations import Calibrations
from transom.gateway.upstreams import Upstream
from transom.store.backends.memory import MemoryBackend

UPSTREAM = Upstream(name="local", url="http://127.0.0.1:1234")
OTHER = Upstream(name="other", url="http://127.0.0.1:4321")


@pytest.mark.feature("K5")
async def test_each_model_has_its_own_and_a_restart_knows_it() -> None:
    store = Store(MemoryBackend())
    learned = Calibrations(store)
    for estimated in range(1_000, 9_000, 1_000):
        await learned.learn(UPSTREAM, "a", estimated, estimated * 3 // 4)
        await learned.learn(UPSTREAM, "b", estimated, estimated * 2)
    again = Calibrations(store)
    assert (await again.of(UPSTREAM, "a")).ratio == pytest.approx(0.75)
    assert (await again.of(UPSTREAM, "b")).ratio == pytest.approx(2.0)
    assert (await again.of(OTHER, "a")).ratio == 1.0
    assert (await again.of(UPSTREAM, "a")).pairs == (await learned.of(UPSTREAM, "a")).pairs


async def test_small_requests_teach_nothing() -> None:
    learned = Calibrations(Store(MemoryBackend()))
    await learned.learn(UPSTREAM, "a", 20, 400)
    await learned.learn(UPSTREAM, "a", 4_000, 0)
    assert len(await learned.of(UPSTREAM, "a")) == 0


async def test_what_the_store_holds_may_be_anything() -> None:
    store = Store(MemoryBackend())
    learned = Calibrations(store)
    await learned.learn(UPSTREAM, "a", 1_000, 900)
    (path,) = await store.namespace("models").list()
    await store.namespace("models").put(b'{"pairs": [[1], "x", [1000, 800], [null, 2]]}', path=path)
    assert (await Calibrations(store).of(UPSTREAM, "a")).pairs == ((1_000, 800),)
    await store.namespace("models").put(b"\xff", path=path)
    assert len(await Calibrations(store).of(UPSTREAM, "a")) == 0
