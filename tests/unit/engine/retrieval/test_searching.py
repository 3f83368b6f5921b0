"""Search over everything a model can see."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.engine.retrieval.desks import COUNT, Desk, next_call

from transom import MemoryBackend, Message, SQLiteBackend, Store
from transom.engine.overflow.archive import archive_writes
from transom.store.backend import StorageBackend
from transom.testing.generators import prose

Backend = Callable[[Path], StorageBackend]


async def filled(store: Store | None = None) -> Desk:
    desk = Desk(store) if store is not None else Desk()
    messages = [Message("user", "Which port?"), Message("assistant", "The database listens on port 5403, says config.toml.")]
    await desk.store.commit(archive_writes(messages))
    await desk.store.put("vfs", prose(1, 3_000) + "\nlisten = 5403\n" + prose(2, 3_000))
    await desk.ask("create", "notes/setup.md", file_text="# Setup\n\nUse 5403 for the database.\n")
    await desk.ask("create", "memory/database/port", file_text="5403")
    await desk.store.put("sessions", "Moved the database to 5403.", path="s1")
    await desk.store.put("windows", "5403", path="record")
    await desk.store.put("memory", "entry about 5403", path="entries/global/e1")
    return desk


@pytest.mark.feature("R1", "R2")
@pytest.mark.parametrize("backend", [SQLiteBackend, lambda _: MemoryBackend()])
async def test_it_finds_the_original_text_wherever_it_lies_and_says_where_it_stands(backend: Backend, tmp_path: Path) -> None:
    desk = await filled(Store(backend(tmp_path / "store.db")))
    shown = await desk.ask("search", query="5403")
    assert "matches 1-5 of 5, the best first" in shown
    for piece in (
        "memory/database/port (extracted, fact)\n",
        "notes/setup.md, line 3\n",
        "sessions/s1, line 1 (inferred, summary)\n",
    ):
        assert piece in shown
    assert ", messages 1-2\n[1] Which port?\n[2] The database listens on port 5403" in shown
    assert "listen = 5403" in shown
    assert "entries/" not in shown
    assert "windows" not in shown
    await desk.store.close()


@pytest.mark.feature("R1")
async def test_it_looks_only_where_it_is_told_to() -> None:
    desk = await filled()
    assert "of 1, the best first" in await desk.ask("search", "notes", query="5403")
    assert "context://notes/setup.md" in await desk.ask("search", "context://notes/setup.md", query="5403")
    assert "Nothing matches" in await desk.ask("search", "notes/plans/", query="5403")
    assert "there is no namespace windows" in await desk.ask("search", "windows", query="5403")
    assert "of 5, the best first" in await desk.ask("search", "/", query="5403")


async def test_nothing_found_is_told_as_final() -> None:
    desk = await filled()
    answer = await desk.ask("search", query="zebra")
    assert answer.startswith('Nothing matches "zebra" in memory, notes, vfs, archive, sessions. Asking again will not help')
    assert "Nothing matches" in await desk.ask("search", query="!?")


@pytest.mark.feature("R5")
@pytest.mark.parametrize("budget", [128, 300, 2_000])
async def test_matches_are_paged_within_the_budget(budget: int) -> None:
    desk = Desk(budget=budget)
    for number in range(15):
        await desk.store.put(
            "notes", f"{prose(number, 2_000)} needle {number} {prose(number + 50, 2_000)}", path=f"n{number:02}"
        )
    found: set[str] = set()
    pages = [await desk.ask("search", query="needle")]
    while (following := next_call(pages[-1])) is not None:
        pages.append(await desk.call("context", following))
    for page in pages:
        assert COUNT(page) <= budget
        found |= {line.split(",")[0] for line in page.split("\n") if line.startswith("context://notes/n")}
    assert len(found) == 15


async def test_an_expired_fact_is_not_found() -> None:
    desk = Desk()
    await desk.facts.set("brief", "xylophone", ttl_turns=2)
    assert "context://memory/brief" in await desk.ask("search", query="xylophone")
    later = Desk(desk.store, more={"turn": 2, "facts": desk.facts})
    assert "Nothing matches" in await later.ask("search", query="xylophone")
