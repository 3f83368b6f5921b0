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
    await learned.learn(UPSTREAM, "a", 300, 400)
    await learned.learn(UPSTREAM, "a", 4_000, 0)
    assert len(await learned.of(UPSTREAM, "a")) == 0


@pytest.mark.parametrize("reported", [1, 300, 1_900, 20_000, 75_000])
async def test_a_report_that_cannot_be_believed_teaches_nothing_alone(reported: int) -> None:
    learned = Calibrations(Store(MemoryBackend()))
    assert not await learned.learn(UPSTREAM, "a", 5_000, reported)
    assert len(await learned.of(UPSTREAM, "a")) == 0
    assert await learned.learn(UPSTREAM, "a", 5_000, 6_000)
    assert not await learned.learn(UPSTREAM, "a", 5_000, reported * 2 + 30_000)
    assert (await learned.of(UPSTREAM, "a")).ratio == pytest.approx(1.2)


@pytest.mark.parametrize(
    ("first", "second", "ratio"),
    [
        ((5_000, 20_000), (6_000, 24_000), 4.0),
        ((5_000, 1_500), (6_000, 1_800), 0.3),
        # A prompt of the server's own, of 8,000 tokens.
        ((1_000, 9_000), (3_000, 11_000), 11 / 3),
        ((100, 8_100), (1_000, 9_000), 8.0),
    ],
)
async def test_one_that_another_confirms_teaches(first: tuple[int, int], second: tuple[int, int], ratio: float) -> None:
    learned = Calibrations(Store(MemoryBackend()))
    assert not await learned.learn(UPSTREAM, "a", *first)
    assert await learned.learn(UPSTREAM, "a", *second)
    assert (await learned.of(UPSTREAM, "a")).ratio == pytest.approx(ratio)


async def test_what_the_store_holds_may_be_anything() -> None:
    store = Store(MemoryBackend())
    learned = Calibrations(store)
    await learned.learn(UPSTREAM, "a", 1_000, 900)
    (path,) = await store.namespace("models").list()
    await store.namespace("models").put(b'{"pairs": [[1], "x", [1000, 800], [null, 2]]}', path=path)
    assert (await Calibrations(store).of(UPSTREAM, "a")).pairs == ((1_000, 800),)
    await store.namespace("models").put(b"\xff", path=path)
    assert len(await Calibrations(store).of(UPSTREAM, "a")) == 0


async def test_true_counts_heal_a_wrong_one_though_every_second_request_is_too_small_to_teach() -> None:
    """As where a window closes at every second request, because of that very count."""
    learned = Calibrations(Store(MemoryBackend()))
    for estimated, reported in ((210, 920), (533, 2_315), (290, 222), (290, 224)):
        await learned.learn(UPSTREAM, "a", estimated, reported)
    for _ in range(8):
        await learned.learn(UPSTREAM, "a", 616, 509)
        await learned.learn(UPSTREAM, "a", 290, 223)
    assert (await learned.of(UPSTREAM, "a")).ratio == pytest.approx(0.82, abs=0.05)
