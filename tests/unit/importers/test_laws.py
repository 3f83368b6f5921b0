"""Laws of an import: nothing is passed over in silence, and nothing is taken twice, whatever the records hold."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transom import MemoryBackend, Store
from transom.engine.memory.entries import Entries
from transom.engine.memory.entry import Entry
from transom.engine.memory.origin import Origin
from transom.engine.memory.sessions import Sessions
from transom.engine.memory.summaries import Session
from transom.errors import InputError
from transom.importers import import_memory

from .earlier import MOMENT, packed, write_offloaded, write_store

pytestmark = pytest.mark.feature("S15")

NOW = MOMENT / 1000

WORDS = st.text(max_size=20)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**50) | st.floats() | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=8,
)
SUMMARIES = st.fixed_dictionaries(
    {"task_description": WORDS}, optional={"pending_tasks": ANYTHING, "decisions_made": ANYTHING, "timestamp": ANYTHING}
)
ENTRIES = st.fixed_dictionaries(
    {"id": WORDS},
    optional={
        "content": ANYTHING,
        "title": ANYTHING,
        "type": ANYTHING,
        "tags": ANYTHING,
        "timestamp": ANYTHING,
        "scope": st.sampled_from(["global", "project", "session", "odd"]),
        "ttl_ms": ANYTHING,
        "project_path": ANYTHING,
    },
)
STATES = st.fixed_dictionaries(
    {
        "key": st.sampled_from(
            ["memory_1", "memory_2", "memory_/", "session_summary_latest", "session_summary_9", "x_data", "y"]
        ),
        "value": ANYTHING | SUMMARIES | SUMMARIES.map(packed) | st.fixed_dictionaries({"fact": ANYTHING}),
        "timestamp": ANYTHING,
    }
)
RECORDS: st.SearchStrategy[list[Mapping[str, object]]] = st.lists(ENTRIES | STATES, max_size=12)


@settings(max_examples=60)
@given(RECORDS)
def test_each_record_is_accounted_for_and_none_is_taken_twice(records: list[Mapping[str, object]]) -> None:
    async def look() -> None:
        with tempfile.TemporaryDirectory() as folder:
            store = Store(MemoryBackend())
            write_store(Path(folder), records)
            first = await import_memory(Path(folder), store, clock=lambda: NOW) if records else None
            if first is None:
                return
            assert len(first.taken) + len(first.left) == len(records)
            dry = await import_memory(Path(folder), store, dry_run=True, clock=lambda: NOW)
            again = await import_memory(Path(folder), store, clock=lambda: NOW)
            for report in (dry, again):
                assert [(each.kind, each.uri) for each in report.taken] == [(each.kind, each.uri) for each in first.taken]
                assert not any(each.fresh for each in report.taken)
                assert report.left == first.left
            for each in first.taken:
                assert await store.exists(each.uri)

    asyncio.run(look())


@settings(max_examples=60)
@given(st.lists(st.text(min_size=1, max_size=200), min_size=1, max_size=6))
def test_offloaded_texts_come_back_byte_for_byte(texts: list[str]) -> None:
    async def look() -> None:
        with tempfile.TemporaryDirectory() as folder:
            store = Store(MemoryBackend())
            data = {write_offloaded(Path(folder), f"{text}.").name: f"{text}.".encode() for text in texts}
            report = await import_memory(Path(folder), store, clock=lambda: NOW)
            assert {each.origin.file: await store.get(each.uri) for each in report.taken} == data
            assert (await store.gc(min_age=0)).removed == ()

    asyncio.run(look())


async def test_an_entry_is_put_back_as_it_was_unless_one_is_there() -> None:
    entries = Entries(Store(MemoryBackend()), project="port")
    entry = Entry(
        id="old",
        content="The quay is closed.",
        title="Quay",
        type="error",
        tags=("a",),
        scope="project",
        owner="port",
        created=7.0,
        origin=Origin("somewhere", "a.file", "17"),
    )
    assert await entries.put_back(entry)
    assert await entries.list() == [entry]
    assert not await entries.put_back(entry)
    with pytest.raises(InputError, match="would not be seen from here"):
        await Entries(Store(MemoryBackend())).put_back(entry)


async def test_a_session_is_put_back_with_its_times_unless_one_is_there() -> None:
    sessions = Sessions(Store(MemoryBackend()), clock=lambda: 99.0)
    session = Session(
        id="old",
        project="",
        uri=sessions.uri("old"),
        title="Depths",
        summary="Measured them.",
        tags=("a",),
        next_steps=("measure again",),
        created=5.0,
        saved=7.0,
        origin=Origin("somewhere", "a.file"),
    )
    assert await sessions.put_back(session)
    assert await sessions.get("old") == session
    assert not await sessions.put_back(session)
