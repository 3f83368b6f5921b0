"""Health tells whether anything can be kept."""

from __future__ import annotations

import json
import resource
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from tests.unit.gateway.serving import ask, serving

from transom.gateway.app import build_app
from transom.gateway.operations import Book, Keeping, build_operations
from transom.gateway.upstreams import Routes, Upstream
from transom.runtime import open_store
from transom.testing.provider import ScriptedProvider

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there a file's size cannot be limited")


class Clock:
    """Seconds as a test sets them."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@contextmanager
def full_disk() -> Iterator[None]:
    """No file of this process can grow: what a full disk looks like without having one."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("name", ["store.db", "plain/"])
async def test_a_full_disk_shows_within_seconds_and_so_does_the_room_made(tmp_path: Path, name: str) -> None:
    clock = Clock()
    async with open_store(f"{tmp_path}/{name}") as store:
        await store.put("notes", "here", path="here")
        keeping = Keeping(tmp_path / name, store, clock)
        assert await keeping.state() == ("ok", "")
        with full_disk():
            assert await keeping.state() == ("ok", ""), "asked again at once, it writes nothing"
            clock.now += 6
            state, said = await keeping.state()
            # SQLite takes this limit for a broken disk; of a full one it says that it is full.
            expected = ("failed", "disk failed") if name == "store.db" else ("full", "no room left to write")
            assert (state, expected[1] in said) == (expected[0], True)
        clock.now += 6
        assert await keeping.state() == ("ok", "")
        assert await store.list("windows") == []


async def test_a_store_that_cannot_be_written_for_another_reason_is_not_called_full(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    async with open_store(path, patience=0.1) as store:
        await store.put("notes", "here", path="here")
        keeping = Keeping(path, store)
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            state, said = await keeping.state()
        assert (state, "locked" in said) == ("failed", True)
        path.rename(tmp_path / "elsewhere.db")
        assert (await keeping.state())[0] == "gone"


async def test_a_journal_that_is_damaged_is_named_as_the_reason(tmp_path: Path) -> None:
    async with open_store(f"{tmp_path}/plain/") as store:
        await store.put("notes", "here", path="here")
        (tmp_path / "plain/.store/aside/half").write_bytes(b"of a write")
        (tmp_path / "plain/.store/journal").write_bytes(b"x")
        state, said = await Keeping(tmp_path / "plain", store).state()
    assert (state, ".store/journal is damaged" in said) == ("failed", True)


async def test_health_says_so_with_503(tmp_path: Path) -> None:
    clock = Clock()
    async with open_store(f"{tmp_path}/plain/") as store:
        await store.put("notes", "here", path="here")
        with ScriptedProvider() as provider:
            routes = Routes([Upstream(name="here", url=provider.url)])
            keeping = Keeping(tmp_path / "plain", store, clock)
            with serving(build_app(routes, operations=build_operations(routes, Book(), keeping))) as url:
                well = ask(url, "GET", "/_transom/healthz")
                clock.now += 6
                with full_disk():
                    full = ask(url, "GET", "/_transom/healthz")
    assert (well.status, json.loads(well.body)["store"]["state"]) == (200, "ok")
    told = json.loads(full.body)
    assert (full.status, told["status"], told["store"]["state"], told["store"]["ok"]) == (503, "unavailable", "full", False)
