"""Entries of many megabytes in the SQLite backend: written piece by piece, the same bytes as any other."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from transom.store.backend import Write
from transom.store.backends.sqlite import SQLiteBackend

LARGE = random.Random(3).randbytes(3 * 1024 * 1024 + 17)
LARGER = random.Random(4).randbytes(5 * 1024 * 1024)


@pytest.mark.feature("S2")
@pytest.mark.parametrize("path", ["write", "batch"])
def test_a_large_entry_is_replaced_by_a_larger_a_small_and_a_large_one(tmp_path: Path, path: str) -> None:
    async def run() -> None:
        backend = SQLiteBackend(tmp_path / "a.db")
        for data in (LARGE, LARGER, b"small", LARGE):
            if path == "batch":
                assert list(await backend.batch([Write("notes", "n", data), Write("notes", "other", b"x")])) == [True, True]
            else:
                await backend.write("notes", "n", data)
            entry = await backend.read("notes", "n")
            assert entry is not None
            assert entry.data == data
        await backend.close()

    asyncio.run(run())


@pytest.mark.feature("S2")
def test_a_large_entry_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    async def run() -> None:
        backend = SQLiteBackend(tmp_path / "a.db")
        assert await backend.put_if_absent("notes", "n", LARGE) is None
        there = await backend.put_if_absent("notes", "n", LARGER)
        assert there is not None
        assert there.data == LARGE
        await backend.close()

    asyncio.run(run())
