"""A compile over a store that is damaged, full, locked, read-only or no store: what fits goes out whole and the failure is
named, what does not fit is an error, and the history stays as it was until the store can hold what leaves.
"""

from __future__ import annotations

import asyncio
import os
import resource
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.properties.engine_sessions import HEAD, memory_store

from transom import Context, Message, SQLiteBackend, Store
from transom.errors import StoreError
from transom.messages import Call
from transom.store.backend import StoredEntry, Write
from transom.store.backends.filesystem import FilesystemBackend
from transom.store.backends.memory import MemoryBackend
from transom.testing.generators import prose
from transom.testing.reachability import lost

pytestmark = pytest.mark.feature("O11", "O9", "S16")


def session(rounds: int = 12, size: int = 1_500) -> list[Message]:
    messages = [Message("user", prose(1, 200))]
    for number in range(rounds):
        messages.append(
            Message("assistant", prose(100 + number, 60), tool_calls=[Call("run", f'{{"n":{number}}}', f"c{number}")])
        )
        messages.append(Message("tool", prose(200 + number, size), tool_call_id=f"c{number}", name="run"))
    return messages


def context(store: Store, window: int = 4_000) -> Context:
    made = Context(window=window, store=store, tokenizer="chars4", check=True)
    made.head = HEAD
    return made


async def whole(messages: Sequence[Message]) -> bytes:
    """What goes out where nothing has to leave."""
    made = context(memory_store(), 200_000)
    made.append(*messages)
    return (await made.compile("openai")).json()


def damaged(path: Path) -> None:
    async def fill() -> None:
        async with Store(SQLiteBackend(path)) as store:
            made = context(store)
            made.append(*session())
            await made.compile("openai")

    asyncio.run(fill())
    data = bytearray(path.read_bytes())
    for at in range(4_096, len(data), 4_096):
        data[at : at + 256] = b"\xff" * 256
    path.write_bytes(data)


def no_store(path: Path) -> None:
    path.write_text("Dear diary, this is no database at all.\n" * 50)


def cut_off(path: Path) -> None:
    damaged(path)
    path.write_bytes(path.read_bytes()[:5_000])


@pytest.mark.parametrize("damage", [damaged, no_store, cut_off])
def test_over_a_store_that_cannot_be_read_what_fits_goes_out_whole_and_the_failure_is_named(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    path = tmp_path / "store.db"
    damage(path)
    before = path.read_bytes()
    messages = session()

    async def check() -> None:
        async with Store(SQLiteBackend(path)) as store:
            large = context(store, 200_000)
            large.append(*messages)
            payload = await large.compile("openai")
            assert payload.json() == await whole(messages)
            assert "store.db" in payload.meta.failure
            small = context(store)
            small.append(*messages)
            with pytest.raises(StoreError, match=r"store\.db"):
                await small.compile("openai")
            assert small.messages == tuple(messages)

    asyncio.run(check())
    assert path.read_bytes() == before


@contextmanager
def file_size_limit(size: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("kind", ["sqlite", "files"])
async def test_on_a_full_disk_nothing_leaves_and_with_room_again_the_session_goes_on_as_if_it_had_never_been_full(
    tmp_path: Path, kind: str
) -> None:
    def opened(name: str) -> Store:
        path = tmp_path / name
        return Store(SQLiteBackend(path / "store.db") if kind == "sqlite" else FilesystemBackend(path))

    messages = session(rounds=20, size=3_000)
    async with opened("a") as store, opened("b") as other:
        undisturbed = context(other, 6_000)
        troubled = context(store, 6_000)
        failed = 0
        for stop in range(1, len(messages) + 1, 2):
            undisturbed.append(*messages[max(0, stop - 2) : stop])
            troubled.append(*messages[max(0, stop - 2) : stop])
            expected = await undisturbed.compile("openai")
            try:
                with file_size_limit(1 if 9 <= stop <= 21 else 1 << 40):
                    payload = await troubled.compile("openai")
            except StoreError:
                failed += 1
                assert troubled.messages == tuple(messages[:stop])
                continue
            if payload.meta.failure:
                failed += 1
                assert payload.json() == await whole(messages[:stop])
            elif stop > 30:
                gone, dangling = await lost(payload.body, messages[:stop], store)
                assert (gone, dangling) == ([], [])
                assert payload.meta.tokens_after + payload.meta.reserve <= 6_000
                assert expected.meta.closed is not None
        assert failed
        assert (await store.verify()).ok


async def test_a_store_locked_by_another_process_delays_what_must_leave_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    messages = session()
    async with Store(SQLiteBackend(path, busy_timeout=0.05)) as store:
        await store.put("notes", "made", path="made")
        made = context(store)
        made.append(*messages)
        holder = sqlite3.connect(path, isolation_level=None)
        holder.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="locked by another process"):
            await made.compile("openai")
        large = context(store, 200_000)
        large.append(*messages)
        assert (await large.compile("openai")).json() == await whole(messages)
        holder.execute("ROLLBACK")
        holder.close()
        payload = await made.compile("openai")
        fresh = context(memory_store())
        fresh.append(*messages)
        assert payload.json() == (await fresh.compile("openai")).json()
        gone, dangling = await lost(payload.body, messages, store)
        assert (gone, dangling) == ([], [])


class Failing(MemoryBackend):
    """Memory that refuses at will what a disk may refuse."""

    writes = reads = True

    async def batch(self, writes: Iterable[Write]) -> list[bool]:
        if not self.writes:
            raise StoreError("the disk refuses to write")
        return list(await super().batch(writes))

    async def read_all(self, namespace: str, prefix: str = "") -> Mapping[str, StoredEntry]:
        if not self.reads:
            raise StoreError("the disk refuses to read")
        return await super().read_all(namespace, prefix)


async def test_between_trigger_and_window_a_failed_store_costs_nothing_but_the_closing() -> None:
    backend = Failing()
    made = context(Store(backend), 8_000)
    messages = session(rounds=80, size=600)
    outcomes: list[str] = []
    bodies: list[bytes] = []
    for stop in range(1, len(messages) + 1, 2):
        made.append(*messages[max(0, stop - 2) : stop])
        backend.writes = len(outcomes) < 30
        try:
            payload = await made.compile("openai")
        except StoreError:
            outcomes.append("error")
            continue
        outcomes.append(payload.meta.failure or payload.meta.closed or "fits")
        bodies.append(payload.json())
        assert payload.meta.tokens_after + payload.meta.reserve <= 8_000
    assert outcomes[-1] == "error"
    assert "the disk refuses to write" in outcomes
    assert outcomes.index("the disk refuses to write") < outcomes.index("error")
    backend.writes = True
    payload = await made.compile("openai")
    assert payload.meta.closed
    gone, dangling = await lost(payload.body, messages, made.store)
    assert (gone, dangling) == ([], [])


async def test_a_store_that_answers_again_is_asked_again_and_the_bytes_are_those_of_the_first_run() -> None:
    backend = Failing()
    messages = session()
    first = context(Store(backend))
    first.append(*messages)
    known = (await first.compile("openai")).json()
    second = context(Store(backend))
    second.append(*messages[:3])
    backend.reads = False
    fitting = await second.compile("openai")
    assert "refuses to read" in fitting.meta.failure
    assert fitting.json() == await whole(messages[:3])
    backend.reads = True
    second.append(*messages[3:])
    assert (await second.compile("openai")).json() == known


async def test_a_text_that_could_not_be_stored_stays_whole_and_the_prefix_with_it() -> None:
    backend = Failing()
    made = context(Store(backend), 60_000)
    long = prose(7, 40_000)
    made.append(Message("user", "go"), Message("assistant", tool_calls=[Call("run", "{}", "c1")]))
    made.append(Message("tool", long, tool_call_id="c1"))
    backend.writes = False
    first = await made.compile("openai")
    backend.writes = True
    assert "refuses to write" in first.meta.failure
    assert long in first.body["messages"][-1]["content"]  # type: ignore[index]
    made.append(Message("assistant", "ok"), Message("user", "on"))
    second = await made.compile("openai")
    assert second.json().startswith(first.json().removesuffix(b"]}"))
    assert second.meta.prefix_bytes >= first.meta.sequence_bytes


CHILD = """
import asyncio, hashlib, signal, sys
from tests.faults.test_engine_faults import context, session
from transom import SQLiteBackend, Store
from transom.store.backends.filesystem import FilesystemBackend

async def main(kind, path, fuse):
    messages = session(rounds=40, size=2_500)
    if float(fuse):
        # Without a handler the signal ends the process on the spot, as kill -9 does.
        signal.setitimer(signal.ITIMER_REAL, float(fuse))
    async with Store(SQLiteBackend(path) if kind == "sqlite" else FilesystemBackend(path)) as store:
        made = context(store, 6_000)
        for stop in range(1, len(messages) + 1, 2):
            made.append(*messages[max(0, stop - 2) : stop])
            print(hashlib.sha256((await made.compile("anthropic")).json()).hexdigest(), flush=True)

asyncio.run(main(*sys.argv[1:]))
"""


def child(kind: str, path: Path, fuse: float = 0.0, code: str = CHILD, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", textwrap.dedent(code), kind, str(path), str(fuse)]
    root = str(Path(__file__).parents[2])
    return subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=False, cwd=root, env=os.environ | environment
    )


@pytest.mark.feature("O21")
@pytest.mark.parametrize("kind", ["sqlite", "files"])
def test_a_process_that_dies_at_any_moment_leaves_a_store_that_verifies_and_a_run_that_repeats(
    tmp_path: Path, kind: str
) -> None:
    undisturbed = child(kind, tmp_path / "undisturbed").stdout.splitlines()
    assert len(undisturbed) == 41
    path = tmp_path / "store"
    died = 0
    for number in range(5):
        # Each run goes on over what the killed ones left.
        ended = child(kind, path, 0.004 + 0.009 * number)
        died += ended.returncode < 0
        seen = ended.stdout.splitlines()
        assert [line for line in seen if len(line) == 64] == undisturbed[: len(seen)][: sum(len(line) == 64 for line in seen)]
        assert asyncio.run(_verified(kind, path)), f"after run {number}"
    assert died
    assert child(kind, path, PYTHONHASHSEED="7").stdout.splitlines() == undisturbed
    assert asyncio.run(_verified(kind, path))


async def _verified(kind: str, path: Path) -> bool:
    async with Store(SQLiteBackend(path) if kind == "sqlite" else FilesystemBackend(path)) as store:
        await store.reconcile()
        return (await store.verify()).ok


COLD = """
import asyncio, hashlib, sys
from tests.faults.test_engine_faults import context, session
from transom import SQLiteBackend, Store

async def main(kind, path, stops):
    messages = session(rounds=40, size=2_500)
    async with Store(SQLiteBackend(path)) as store:
        for stop in (9, 31, 60, 81):
            made = context(store, 6_000)
            made.load(messages[:stop])
            print(hashlib.sha256((await made.compile("anthropic")).json()).hexdigest())

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.feature("O21")
def test_another_process_that_loads_the_whole_history_sends_what_the_first_one_sent(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    warm = child("sqlite", path).stdout.splitlines()
    cold = child("sqlite", path, code=COLD, PYTHONHASHSEED="99").stdout.splitlines()
    assert cold[:2] == [warm[4], warm[15]]
    assert cold[3] == warm[40]
