"""A store that another process keeps locked: requests wait for it together and once, then go on as they came."""

from __future__ import annotations

import asyncio
import fcntl
import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from transom import Context
from transom.gateway.endpoint import endpoint
from transom.gateway.exchange import Exchange
from transom.gateway.guard import Guard
from transom.gateway.upstreams import Upstream
from transom.gateway.windows import Windows
from transom.runtime import open_store
from transom.wire.registry import builtin_registry

PATH = "/v1/chat/completions"
WAIT = 0.8
"""Seconds; the gateway's own are more."""


def exchange(name: str, turns: int) -> Exchange:
    """A request of a conversation of its own."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": f"This is {name}."}]
    for number in range(turns):
        messages += [
            {"role": "assistant", "content": f"Part {number} is fine."},
            {"role": "user", "content": f"Part {number}: " + "words and numbers " * 80},
        ]
    body = json.dumps({"model": "small", "messages": messages}).encode()
    upstream = Upstream(name="local", url="http://127.0.0.1:9", window=8_000)
    found = endpoint("POST", PATH, {})
    return Exchange(id=name, method="POST", path=PATH, query="", headers=(), endpoint=found, upstream=upstream, body=body)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Somebody else has the store to himself."""
    if path.is_dir():
        with (path / ".store/lock").open("wb") as holder:
            fcntl.flock(holder, fcntl.LOCK_EX)
            yield
        return
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        yield


@pytest.mark.parametrize(("name", "used"), [("store.db", True), ("store.db", False), ("plain/", True)])
async def test_requests_wait_together_and_once_and_then_go_on_as_they_came(tmp_path: Path, name: str, used: bool) -> None:
    async with open_store(f"{tmp_path}/{name}") as first:
        await first.put("notes", "made", path="made")
    async with open_store(f"{tmp_path}/{name}", patience=WAIT) as store:
        if used:
            await store.put("notes", "here", path="here")
        guard = Guard(lambda _, size: Context(window=size, store=store, prune=False), Windows(store), builtin_registry())
        with locked(tmp_path / name):
            asked = [exchange(f"c{number}", 40) for number in range(6)]
            began = time.monotonic()
            small = exchange("small", 1)
            large = asyncio.gather(*map(guard.before, asked))
            await guard.before(small)
            assert not large.done(), "what fits waits for nobody"
            await large
            assert time.monotonic() - began < 3 * WAIT, "one behind the other they would take six times as long"
            for each in asked:
                assert each.sent is each.body
                assert [(decision.action, "locked" in decision.reason) for decision in each.decisions] == [("failed", True)]
            began = time.monotonic()
            for number in range(6, 9):
                again = exchange(f"c{number}", 40)
                await guard.before(again)
                assert again.decisions[0].action == "failed"
            assert time.monotonic() - began < 2 * WAIT, "a store that is known to be locked is not waited for anew"
        after = exchange("c0", 40)
        await guard.before(after)
        assert after.decisions[0].action == "closed"
        assert (await store.verify()).ok
        await guard.aclose()
