"""Entries and the four verbs: remember, recall, search_context, forget."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from itertools import count
from pathlib import Path

import msgspec
import pytest

from transom import FilesystemBackend, MemoryBackend, SQLiteBackend, Store
from transom.engine.memory.entries import Entries
from transom.engine.memory.entry import Entry
from transom.engine.memory.events import MemoryChanged, MemoryExpired
from transom.engine.memory.facts import Facts
from transom.engine.memory.hooks import MemorySettings
from transom.engine.memory.memory import Diagnostics, Forgotten, Memory, Remembered
from transom.engine.memory.ranking import DAY, frequency, rank, recency, score
from transom.errors import InputError, MemoryRefusedError, NotFoundError
from transom.store.backend import StorageBackend


class Clock:
    """Time that passes when told to."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["memory", "sqlite", "filesystem"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    backends: dict[str, Callable[[], StorageBackend]] = {
        "memory": MemoryBackend,
        "sqlite": lambda: SQLiteBackend(tmp_path / "store.db"),
        "filesystem": lambda: FilesystemBackend(tmp_path / "store"),
    }
    async with Store(backends[request.param]()) as store:
        yield store


def numbers() -> Callable[[], str]:
    ids: Iterator[int] = count(1)
    return lambda: f"id{next(ids)}"


def memory_of(store: Store, clock: Clock, *, project: str = "", session: str = "") -> Memory:
    facts = Facts(store, project=project, session=session, clock=clock)
    return Memory(facts, Entries(store, project=project, session=session, clock=clock))


@pytest.mark.feature("S10")
async def test_what_is_remembered_is_recalled_with_its_diagnostics(store: Store, clock: Clock) -> None:
    entries = Entries(store, clock=clock, new_id=numbers())
    memory = Memory(Facts(store, clock=clock), entries)
    assert await memory.remember("The deploy needs a ticket.") == Remembered("id1")
    await memory.facts.set("style", "terse")
    clock.now += 1
    await memory.remember("We chose uv.", title="Tooling", tags=["python", " python ", "uv"], confidence="inferred")
    recalled = await memory.recall()
    assert recalled.entries == (
        Entry(
            id="id2",
            content="We chose uv.",
            title="Tooling",
            type="decision",
            tags=("python", "uv"),
            confidence="inferred",
            created=clock.now,
            uses=1,
        ),
        Entry(
            id="id1",
            content="The deploy needs a ticket.",
            title="The deploy needs a ticket.",
            created=clock.now - 1,
            uses=1,
        ),
    )
    assert [fact.key for fact in recalled.facts] == ["style"]
    assert recalled.diagnostics == Diagnostics(3, 1, 2)
    assert recalled.summary == "Remembered: 2 by id, 1 by key. Kinds of those by id: decision 1, summary 1."


@pytest.mark.feature("S10")
async def test_without_a_title_an_entry_is_a_summary_with_one_a_decision_unless_said_otherwise(
    store: Store, clock: Clock
) -> None:
    entries = Entries(store, clock=clock)
    plain = await entries.remember("long " * 40)
    assert (plain.type, plain.title) == ("summary", ("long " * 40)[:80])
    assert (await entries.remember("x", title="T")).type == "decision"
    assert (await entries.remember("x", title="  \n ")).type == "summary"
    assert (await entries.remember("x", title="T", type="error")).type == "error"


async def test_the_answers_are_plain_data_with_the_names_that_tools_promise(store: Store, clock: Clock) -> None:
    memory = memory_of(store, clock)
    assert msgspec.to_builtins(await memory.remember("x")).keys() == {"entry_id", "remembered"}
    recalled = msgspec.to_builtins(await memory.recall())
    assert recalled.keys() == {"facts", "entries", "diagnostics", "summary"}
    assert recalled["diagnostics"].keys() == {
        "total_records_in_file",
        "memory_entries_found",
        "context_entries_found",
    }


@pytest.mark.feature("S10")
async def test_one_call_forgets_of_either_family_and_from_the_store(store: Store, clock: Clock) -> None:
    memory = memory_of(store, clock)
    entry_id = (await memory.remember("gone soon")).entry_id
    fact = await memory.facts.set("style/quotes", "double")
    assert await memory.forget(entry_id) == Forgotten("context")
    assert await memory.forget("style/quotes") == Forgotten("facts")
    assert await store.list("memory") == []
    for name in (entry_id, "style/quotes", fact.uri, "entries/global/x", "projects/other/key"):
        with pytest.raises(NotFoundError, match=r"looked among the entries .* and among the facts"):
            await memory.forget(name)


async def test_an_address_forgets_as_well(store: Store, clock: Clock) -> None:
    memory = memory_of(store, clock, project="shop")
    await memory.remember("x")
    fact = await memory.facts.set("a", "1")
    (entry,) = await memory.entries.list()
    assert await memory.forget(entry.uri) == Forgotten("context")
    assert await memory.forget(fact.uri) == Forgotten("facts")


async def test_forgetting_a_fact_asks_the_veto(store: Store, clock: Clock) -> None:
    facts = Facts(store, clock=clock, settings=MemorySettings(allowed_keys=["notes/"]))
    await Facts(store, clock=clock).set("policy", "fixed")
    with pytest.raises(MemoryRefusedError):
        await Memory(facts, Entries(store, clock=clock)).forget("policy")


@pytest.mark.feature("S10")
async def test_entries_never_bleed_between_projects_and_sessions(store: Store, clock: Clock) -> None:
    shop = memory_of(store, clock, project="shop", session="s1")
    blog = memory_of(store, clock, project="blog", session="s2")
    none = memory_of(store, clock)
    own = (await shop.remember("token rotation of the shop")).entry_id
    await shop.remember("token of this session", scope="session")
    await shop.remember("token for everybody", scope="global")
    await shop.facts.set("token", "token of the shop")
    for other in (blog, none):
        assert [entry.content for entry in (await other.recall()).entries] == ["token for everybody"]
        assert [hit.id for hit in (await other.search_context("token")).hits] == [
            entry.id for entry in await other.entries.list()
        ]
        assert (await other.recall()).diagnostics == Diagnostics(4, 0, 1)
        with pytest.raises(NotFoundError):
            await other.forget(own)
        with pytest.raises(NotFoundError):
            await other.forget(f"context://memory/entries/project/shop/{own}")
    assert len((await shop.recall()).entries) == 3
    assert len((await shop.search_context("token")).hits) == 4
    same_project = memory_of(store, clock, project="shop", session="s3")
    assert len((await same_project.recall()).entries) == 2


async def test_a_scope_without_its_owner_is_refused(store: Store, clock: Clock) -> None:
    memory = memory_of(store, clock)
    with pytest.raises(InputError, match="no project is open"):
        await memory.remember("x", scope="project")
    with pytest.raises(InputError, match="no session is open"):
        await memory.remember("x", scope="session")
    with pytest.raises(InputError, match="a project called 'a/b'"):
        memory_of(store, clock, project="a/b")


@pytest.mark.feature("S10")
async def test_a_session_entry_is_gone_after_a_day_for_all(store: Store, clock: Clock) -> None:
    events: list[object] = []
    memory = memory_of(store, clock, session="s1")
    other = Entries(store, session="s2", clock=clock, emit=events.append)
    entry_id = (await memory.remember("short", scope="session")).entry_id
    await memory.remember("long")
    clock.now += DAY - 1
    assert len((await memory.recall()).entries) == 2
    assert await other.expire() == []
    clock.now += 1
    assert [entry.content for entry in (await memory.recall()).entries] == ["long"]
    assert await memory.entries.get(entry_id) is None
    assert [hit.id for hit in (await memory.search_context("short")).hits] == []
    assert len(await store.list("memory")) == 2
    assert [entry.id for entry in await other.expire()] == [entry_id]
    assert events == [MemoryExpired(entry_id, "short", "context")]
    assert len(await store.list("memory")) == 1
    assert await memory.expire() == 0


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"fact": "  "}, "nothing to remember"),
        ({"fact": 7}, "an entry is text, not int"),
        ({"fact": "x" * 262_145}, "an entry of 262,145 bytes"),
        ({"fact": "x", "type": "note"}, "an entry of type 'note'"),
        ({"fact": "x", "tags": "a,b"}, "tags is one text"),
        ({"fact": "x", "tags": [1]}, "a tag that is no text"),
        ({"fact": "x", "scope": "world"}, "an entry of scope 'world'"),
        ({"fact": "x", "confidence": "sure"}, "a confidence of 'sure'"),
    ],
)
async def test_what_cannot_be_remembered_is_refused_with_the_reason(arguments: dict[str, object], why: str) -> None:
    memory = memory_of(Store(MemoryBackend()), Clock())
    with pytest.raises(InputError, match=why):
        await memory.remember(**arguments)  # type: ignore[arg-type]
    assert (await memory.recall()).summary == "Nothing is remembered."


async def test_a_recall_of_what_there_is_not_is_refused() -> None:
    memory = memory_of(Store(MemoryBackend()), Clock())
    for limit in (0, 51):
        with pytest.raises(InputError, match="a limit of"):
            await memory.recall(limit=limit)
        with pytest.raises(InputError, match="a limit of"):
            await memory.search_context("x", limit=limit)
    with pytest.raises(InputError, match="a recall of 'everything'"):
        await memory.recall("everything")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="entries of type 'note'"):
        await memory.recall(type="note")  # type: ignore[arg-type]


async def test_a_family_a_limit_and_a_type_narrow_a_recall_and_the_diagnostics_tell_the_rest(
    store: Store, clock: Clock
) -> None:
    memory = memory_of(store, clock)
    for number in range(7):
        await memory.facts.set(f"k{number}", "v", importance=number / 10)
        await memory.remember(f"error {number}", type="error")
        await memory.remember(f"pattern {number}", type="pattern")
        clock.now += 1
    entries = await memory.recall("entries", limit=3, type="error")
    assert [entry.content for entry in entries.entries] == ["error 6", "error 5", "error 4"]
    assert entries.facts == ()
    assert entries.diagnostics == Diagnostics(21, 7, 7)
    facts = await memory.recall("facts", limit=2)
    assert ([fact.key for fact in facts.facts], facts.entries) == (["k6", "k5"], ())
    assert facts.summary.endswith("Shown: 2 facts and 0 entries, what matters most first.")


@pytest.mark.feature("S10")
async def test_search_finds_titles_tags_texts_and_facts_by_key(store: Store, clock: Clock) -> None:
    memory = memory_of(store, clock)
    await memory.remember("We run the checks twice.", title="Flaky pipeline", tags=["buildkite"])
    await memory.remember("Nothing of that.", type="error")
    await memory.facts.set("deploy/window", "Fridays are frozen", description="release calendar")

    async def found(query: str) -> list[str]:
        return [
            hit.record.title if isinstance(hit.record, Entry) else hit.id for hit in (await memory.search_context(query)).hits
        ]

    assert await found("checks") == ["Flaky pipeline"]
    assert await found("flaky") == ["Flaky pipeline"]
    assert await found("buildkite") == ["Flaky pipeline"]
    assert await found("calendar") == ["deploy/window"]
    assert await found("frozen") == ["deploy/window"]
    assert await found("   ") == []
    (hit,) = (await memory.search_context("frozen")).hits
    assert (hit.family, hit.uri) == ("facts", "context://memory/deploy/window")
    assert "frozen" in hit.snippet
    assert (
        (await memory.search_context("nothing checks", type="error"))
        .hits[0]
        .record.uri.startswith("context://memory/entries/global/")
    )
    assert [hit.family for hit in (await memory.search_context("frozen checks", type="summary")).hits] == []


async def test_search_goes_on_past_what_others_remember(store: Store, clock: Clock) -> None:
    other = memory_of(store, clock, project="other")
    for number in range(60):
        await other.remember(f"needle needle needle {number}")
    mine = memory_of(store, clock, project="mine")
    await mine.remember("a haystack with a needle and many other words around it")
    assert [hit.record.uri for hit in (await mine.search_context("needle", limit=2)).hits] == [
        entry.uri for entry in await mine.entries.list()
    ]


# ── order ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_recency_falls_to_one_eth_in_a_day_and_frequency_rises_to_a_half_in_five() -> None:
    assert recency(0) == recency(-5) == 1
    assert recency(DAY) == pytest.approx(0.36788, abs=1e-5)
    assert (frequency(0), frequency(5)) == (0, 0.5)
    entry = Entry(id="a", content="x", title="x", created=0, uses=5)
    assert score(entry, DAY) == pytest.approx(0.7 * 0.36788 + 0.15, abs=1e-5)


def test_equals_come_newer_first_and_then_by_id() -> None:
    entries = [Entry(id=name, content="x", title="x", created=created) for name, created in [("b", 5), ("a", 5), ("c", 6)]]
    assert [entry.id for entry in rank(entries, 5)] == ["c", "a", "b"]


@pytest.mark.feature("S10")
async def test_what_is_recalled_often_outranks_what_is_newer(tmp_path: Path, clock: Clock) -> None:
    async with Store(SQLiteBackend(tmp_path / "store.db")) as store:
        memory = memory_of(store, clock)
        old = (await memory.remember("old")).entry_id
        clock.now += DAY / 4
        for _ in range(12):
            assert await memory.entries.get(old) is not None
        await memory.remember("new")
        assert [entry.content for entry in await memory.entries.ranked()] == ["old", "new"]
    # The uses survive: another process ranks the same.
    async with Store(SQLiteBackend(tmp_path / "store.db")) as store:
        ranked = await memory_of(store, clock).entries.ranked()
        assert [(entry.content, entry.uses) for entry in ranked] == [("old", 12), ("new", 0)]


async def test_uses_are_counted_once_however_often_they_are_handed_over(store: Store, clock: Clock) -> None:
    memory = memory_of(store, clock)
    await memory.remember("one")
    for turn in range(1, 6):
        (entry,) = (await memory.recall()).entries
        assert entry.uses == turn
        if turn % 2:
            await memory.refresh()
    assert [entry.uses for entry in await memory.entries.list()] == [5]
    assert [entry.uses for entry in await memory.entries.list()] == [5]


@pytest.mark.parametrize("others", [1, 40])
async def test_what_another_process_remembers_and_forgets_is_recalled_and_gone_at_once(
    store: Store, clock: Clock, others: int
) -> None:
    mine, theirs = memory_of(store, clock), memory_of(store, clock)
    await mine.remember("mine")
    assert (await mine.recall()).diagnostics.context_entries_found == 1
    clock.now += 1
    ids = [(await theirs.remember(f"theirs {number}", title="T")).entry_id for number in range(others)]
    recalled = await mine.recall()
    assert recalled.diagnostics.context_entries_found == others + 1
    assert f"decision {others}" in recalled.summary
    for entry_id in ids:
        await theirs.forget(entry_id)
    assert [entry.content for entry in (await mine.recall()).entries] == ["mine"]
    # What others recalled counts here after a refresh.
    for _ in range(3):
        await theirs.recall()
    await theirs.refresh()
    await mine.refresh()
    assert [entry.uses for entry in (await mine.recall()).entries] == [7]


# ── ids and events ─────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_an_id_that_is_taken_is_passed_over_and_nothing_is_overwritten(store: Store, clock: Clock) -> None:
    ids = iter(["same", "same", "other", *["same"] * 8])
    entries = Entries(store, clock=clock, new_id=lambda: next(ids))
    await entries.remember("one")
    assert (await entries.remember("two")).id == "other"
    with pytest.raises(InputError, match="8 ids in a row were taken"):
        await entries.remember("three")
    assert [entry.content for entry in await entries.list()] == ["two", "one"]


async def test_what_was_filed_by_hand_is_an_entry(store: Store, clock: Clock) -> None:
    await store.put("memory", "text\nmore", path="entries/global/plain")
    await store.put("memory", "x", path="entries/global/odd", meta={"type": "note", "tags": "a", "created": "now"})
    entries = await Entries(store, clock=clock).list()
    assert entries == [
        Entry(id="odd", content="x", title="x"),
        Entry(id="plain", content="text\nmore", title="text\nmore"),
    ]


async def test_remembering_and_forgetting_are_told(store: Store, clock: Clock) -> None:
    events: list[object] = []
    entries = Entries(store, clock=clock, new_id=numbers(), emit=events.append)
    await entries.remember("x")
    await entries.forget("id1")
    assert await entries.forget("id1") is None
    assert await entries.forget("a/b") is None
    assert events == [
        MemoryChanged("id1", "added", None, "x", "context"),
        MemoryChanged("id1", "deleted", "x", None, "context"),
    ]


async def test_switching_changes_whose_memory_it_is(store: Store, clock: Clock) -> None:
    memory = memory_of(store, clock, project="shop", session="s1")
    await memory.remember("of the shop")
    await memory.facts.set("a", "shop")
    await memory.switch(project="blog", session="s2")
    assert (await memory.recall()).diagnostics == Diagnostics(2, 0, 0)
    await memory.remember("of the blog")
    await memory.switch(project="shop", session="s1")
    assert [entry.content for entry in (await memory.recall()).entries] == ["of the shop"]
    assert [fact.value for fact in (await memory.recall()).facts] == ["shop"]
