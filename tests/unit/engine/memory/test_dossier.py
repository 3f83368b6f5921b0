"""A session restored: one text, within its budget, that says how old it is and what it leaves out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom import Call, Context, Message
from transom.engine.memory.dossier import STALE_AFTER, Dossier, compose
from transom.engine.memory.entry import Entry
from transom.engine.memory.fact import Fact
from transom.engine.memory.projects import Projects
from transom.engine.memory.restoring import restore_session
from transom.engine.memory.sessions import Sessions
from transom.engine.memory.summaries import Session
from transom.engine.memory.switching import MemoryScope, open_memory, switch_context
from transom.errors import InputError, NotFoundError
from transom.jsontext import dumps_text
from transom.store import Store
from transom.store.backend import StorageBackend
from transom.store.backends.filesystem import FilesystemBackend
from transom.store.backends.memory import MemoryBackend
from transom.store.backends.sqlite import SQLiteBackend
from transom.store.uri import NAMESPACES
from transom.tokens import Heuristic
from transom.tokens.chars import Chars
from transom.vocabulary import ENGLISH

pytestmark = pytest.mark.feature("S11")

NOW = 1_700_000_000.0
count = Heuristic().count


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        return self.now


@pytest.fixture(params=["memory", "filesystem", "sqlite"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    backends: dict[str, Callable[[], StorageBackend]] = {
        "memory": MemoryBackend,
        "filesystem": lambda: FilesystemBackend(tmp_path / "files"),
        "sqlite": lambda: SQLiteBackend(tmp_path / "store.db"),
    }
    async with Store(backends[request.param]()) as opened:
        yield opened


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def scope(store: Store, clock: Clock) -> MemoryScope:
    """A project with a session, facts and entries; another one beside it."""
    projects = Projects(store, clock=clock)
    await projects.register("Port")
    await projects.register("Lighthouse")
    names = iter(f"s{number}" for number in range(100))
    other = await open_memory(store, "lighthouse", clock=clock)
    await other.memory.facts.set("lamp", "LIGHTHOUSE LAMP")
    await other.memory.entries.remember("LIGHTHOUSE ENTRY")
    await other.sessions.save("LIGHTHOUSE SUMMARY")
    port = await open_memory(store, "Port", clock=clock, ids=lambda: next(names))
    await port.memory.facts.set("berths", "twelve", importance=0.9, description="of the outer quay")
    await port.memory.facts.set("cranes", "three")
    await (await open_memory(store, clock=clock)).memory.facts.set("style", "short sentences", importance=1.0)
    await port.memory.entries.remember("The old quay is closed.", title="Quay closed", type="decision")
    await port.sessions.save(
        "Dredged the outer harbour.\n\nThe pilots were told.",
        title="Dredging",
        decisions=["dredge in spring"],
        next_steps=["[x] tell the pilots", "measure the depth"],
        files=["depth.csv"],
    )
    return port


async def test_a_dossier_tells_all_parts_with_the_address_of_each(scope: MemoryScope, clock: Clock) -> None:
    clock.now += 3 * 3600
    dossier = await scope.restore(count=count)
    entry = (await scope.memory.entries.list())[0]
    assert dossier.text.splitlines() == [
        'Session "Dredging" of project port, saved 3 hours ago: context://sessions/port/s0',
        "",
        "Next steps",
        "- measure the depth",
        "",
        "Summary (inferred)",
        "Dredged the outer harbour.",
        "",
        "The pilots were told.",
        "",
        "Decisions",
        "- dredge in spring",
        "",
        "Facts",
        "- berths (of the outer quay): twelve (extracted, context://memory/projects/port/berths)",
        "- cranes: three (extracted, context://memory/projects/port/cranes)",
        "- style: short sentences (extracted, context://memory/style)",
        "",
        "Entries",
        f"- Quay closed (decision): The old quay is closed. (extracted, {entry.uri})",
        "",
        "Files",
        "- depth.csv",
    ]
    assert dossier.tokens == count(dossier.text)
    assert [part.kind for part in dossier.parts] == ["next_steps", "summary", "decisions", "facts", "entries", "files"]
    assert (dossier.left_out, dossier.stale, dossier.age) == ((), False, 3 * 3600)
    assert "LIGHTHOUSE" not in dossier.text


async def test_every_address_in_it_gives_back_what_it_names(scope: MemoryScope, store: Store) -> None:
    dossier = await scope.restore(count=count)
    for line in dossier.text.splitlines():
        if "(extracted, context://" in line:
            uri = line.rsplit("(extracted, ", 1)[1].removesuffix(")")
            assert (await store.get(uri)).decode() in line


@pytest.mark.parametrize(
    ("age", "said"),
    [
        (0, "just now"),
        (59, "just now"),
        (60, "1 minute ago"),
        (3599, "59 minutes ago"),
        (3600, "1 hour ago"),
        (86_399, "23 hours ago"),
        (86_400, "1 day ago"),
        (20 * 86_400, "20 days ago"),
        (-500, "just now"),
    ],
)
def test_its_age_is_told_in_words(age: float, said: str) -> None:
    dossier = composed(Session(id="s", project="", uri="context://sessions/_/s", title="T", summary="x", saved=NOW - age))
    assert f'Session "T", saved {said}: context://sessions/_/s' in dossier.text


async def test_an_old_one_says_that_it_may_no_longer_hold(scope: MemoryScope, clock: Clock) -> None:
    clock.now += STALE_AFTER
    assert not (await scope.restore(count=count)).stale
    clock.now += 1
    dossier = await scope.restore(count=count)
    assert dossier.stale
    assert "saved 7 days ago" in dossier.text.splitlines()[0]
    assert "more than 7 days ago" in dossier.text.splitlines()[1]
    assert not (await scope.restore(count=count, stale_after=30 * 86_400)).stale
    assert "more than 0.5 days" in (await scope.restore(count=count, stale_after=43_200)).text


def test_one_of_unknown_age_is_taken_for_old() -> None:
    dossier = composed(Session(id="s", project="", uri="context://sessions/_/s", title="T", summary="x"))
    assert (dossier.stale, dossier.age) == (True, None)
    assert "nobody recorded" in dossier.text


async def test_the_same_content_at_the_same_time_gives_the_same_text(scope: MemoryScope, store: Store, clock: Clock) -> None:
    first = await scope.restore(count=count)
    again = await restore_session(Sessions(store, project="port", clock=clock), "s0", count=count)
    assert again == first


async def test_restoring_changes_nothing(scope: MemoryScope, store: Store) -> None:
    async def everything() -> list[object]:
        await store.flush_uses()
        return [
            [(name, dict(await store.read_all(name))) for name in NAMESPACES],
            list(await store.stats("memory", "entries/")),
            scope.memory.facts.version,
        ]

    await scope.memory.facts.list()
    before = await everything()
    for budget in (0, 30, 100, 2000):
        await scope.restore(count=count, max_tokens=budget)
    assert await everything() == before


async def test_what_has_no_room_is_named_with_its_address(scope: MemoryScope) -> None:
    await scope.sessions.save("A long tale of the harbour. " * 500, session_id="long", next_steps=["go on"], files=["a", "b"])
    whole = len((await scope.sessions.get("long")).summary)
    dossier = await scope.restore("long", count=count, max_tokens=220)
    assert dossier.tokens <= 220
    [summary] = [part for part in dossier.left_out if part.kind == "summary"]
    assert 0 < summary.shown < summary.total == whole
    note = f"{whole - summary.shown:,} of {whole:,} characters not shown. All of it: context://sessions/port/long"
    assert note in dossier.text
    shown = dossier.text.split("Summary (inferred)\n")[1].split("\n[…")[0]
    assert ("A long tale of the harbour. " * 500).startswith(shown)

    tight = await scope.restore("long", count=count, max_tokens=110)
    assert "Not shown for lack of room: " in tight.text
    assert "Files (2)" in tight.text
    assert "Facts (3, context://memory/)" in tight.text
    assert {part.kind for part in tight.left_out} >= {"files", "facts"}


async def test_a_long_summary_does_not_take_the_place_of_everything(scope: MemoryScope) -> None:
    await scope.sessions.save("A long tale of the harbour. " * 50_000, session_id="long", next_steps=["go on"])
    dossier = await scope.restore("long", count=count, max_tokens=1000)
    assert {part.kind for part in dossier.parts} == {"next_steps", "summary", "facts", "entries"}
    assert dossier.tokens > 900


async def test_a_long_item_is_shown_in_part_with_its_address(scope: MemoryScope) -> None:
    await scope.memory.facts.set("log", "line of a log\n" * 1000)
    dossier = await scope.restore(count=count)
    assert "characters not shown. All of it: context://memory/projects/port/log" in dossier.text
    assert "line of a log\n  line of a log" in dossier.text


async def test_a_budget_too_small_for_the_first_line_gives_no_text(scope: MemoryScope) -> None:
    for budget in (0, 3):
        dossier = await scope.restore(count=count, max_tokens=budget)
        assert (dossier.text, dossier.tokens, dossier.parts) == ("", 0, ())
        assert len(dossier.left_out) == 6
    with pytest.raises(InputError, match="a budget of -1 tokens"):
        await scope.restore(count=count, max_tokens=-1)


async def test_a_missing_session_is_named(scope: MemoryScope) -> None:
    with pytest.raises(NotFoundError, match="no session 'nope' in project port"):
        await scope.restore("nope", count=count)


def test_another_language_speaks_through_the_vocabulary() -> None:
    words = replace(
        ENGLISH.remembering.dossier, opening="Sitzung „{title}“, gesichert {saved}: {uri}", days_ago="vor {count} Tagen"
    )
    german = replace(ENGLISH, remembering=replace(ENGLISH.remembering, dossier=words))
    session = Session(id="s", project="", uri="context://sessions/_/s", title="T", summary="x", saved=NOW - 200_000)
    text = compose(session, (), (), max_tokens=500, count=count, now=NOW, vocabulary=german).text
    assert text.startswith("Sitzung „T“, gesichert vor 2 Tagen: context://sessions/_/s\n")


# ── switching ──────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_switching_opens_another_projects_memory_and_nothing_else(scope: MemoryScope, store: Store) -> None:
    switched = await switch_context(scope, "LIGHTHOUSE")
    assert switched.project is not None
    assert switched.project.id == "lighthouse"
    assert [fact.key for fact in await switched.memory.facts.list()] == ["lamp", "style"]
    assert [entry.content for entry in await switched.memory.entries.list()] == ["LIGHTHOUSE ENTRY"]
    assert (await switched.sessions.get()).summary == "LIGHTHOUSE SUMMARY"
    # Who holds the memory of before (a context, its prompt) goes on with the new project.
    assert scope.memory is switched.memory
    nowhere = await switch_context(switched, "")
    assert nowhere.project is None
    assert [fact.key for fact in await nowhere.memory.facts.list()] == ["style"]
    assert await nowhere.memory.entries.list() == []


async def test_an_unknown_project_is_refused_and_everything_stays_as_it_is(scope: MemoryScope, store: Store) -> None:
    with pytest.raises(NotFoundError, match="no project 'harbor' is registered") as refused:
        await switch_context(scope, "harbor")
    assert "lighthouse, port" in refused.value.hint
    assert 'manage_projects(action="register"' in refused.value.hint
    assert scope.memory.facts.project == "port"
    assert [entry.title for entry in await scope.memory.entries.list()] == ["Quay closed"]
    assert await store.list("projects") == ["lighthouse", "port"]
    with pytest.raises(NotFoundError):
        await open_memory(store, "harbor")


async def test_a_context_goes_on_with_the_memory_of_the_project_that_is_opened(scope: MemoryScope, store: Store) -> None:
    ctx = Context(window=8_000, store=store, memory=True, session="one")
    ctx.append(Message("user", "hello"))
    opened = await open_memory(store, "port", session="one", memory=ctx.memory)
    assert opened.memory is ctx.memory
    text = (await ctx.compile("openai")).json().decode()
    assert "berths" in text
    assert "LAMP" not in text
    with pytest.raises(NotFoundError):
        await open_memory(store, "harbor", memory=ctx.memory)
    assert ctx.memory.facts.project == "port"


async def test_a_model_reads_a_session_at_the_address_that_its_dossier_gives(scope: MemoryScope, store: Store) -> None:
    ctx = Context(window=8_000, store=store, context_tool=True)
    await open_memory(store, "port", memory=ctx.memory)
    await scope.sessions.save("Dredged.\n" * 100 + "The crane fell over.\n", session_id="long", next_steps=["lift it"])
    uri = (await scope.restore("long", count=count)).session.uri
    shown = await ctx.handle_tool(Call("context", dumps_text({"command": "view", "path": uri, "view_range": [100, 102]}), "c1"))
    assert "The crane fell over." in shown
    assert "Dredged." in shown
    assert "lift it" in await ctx.handle_tool(Call("context", dumps_text({"command": "view", "path": uri}), "c2"))
    found = await ctx.handle_tool(
        Call("context", dumps_text({"command": "search", "query": "crane", "path": "sessions"}), "c3")
    )
    assert f"{uri}, line 102" in found


async def test_a_model_reads_an_entry_at_the_address_that_a_dossier_gives_and_cannot_change_it(
    scope: MemoryScope, store: Store
) -> None:
    text = "The quay is old.\n" * 100
    await scope.memory.remember(text + "The very end.", title="Long")
    dossier = await scope.restore(count=count)
    [entry] = [entry for entry in await scope.memory.entries.list() if entry.title == "Long"]
    assert f"characters not shown. All of it: {entry.uri}" in dossier.text
    ctx = Context(window=8_000, store=store, context_tool=True)

    async def told(**arguments: object) -> str:
        return await ctx.handle_tool(Call("context", dumps_text(arguments), "c"))

    assert "nothing is kept" in await told(command="view", path=entry.uri)
    assert "Nothing matches" in await told(command="search", query="very end")
    await open_memory(store, "port", memory=ctx.memory)
    assert "The very end." in await told(command="view", path=entry.uri, view_range=[100, 101])
    assert entry.uri in await told(command="view", path="memory/entries/project/port/")
    found = await told(command="search", query="very end", path="memory")
    assert entry.uri in found
    assert "The very end." in found
    for attempt in (
        {"command": "delete", "path": entry.uri},
        {"command": "str_replace", "path": entry.uri, "old_str": "The very end.", "new_str": "x"},
        {"command": "rename", "old_path": entry.uri, "new_path": "notes/stolen"},
        {"command": "create", "path": "memory/entries/project/port/new", "file_text": "x"},
    ):
        assert (await told(**attempt)).startswith("Error: ")
    assert await store.list("notes") == []
    assert await scope.memory.entries.get(entry.id) is not None


async def test_a_model_sees_no_session_of_another_project(scope: MemoryScope, store: Store) -> None:
    ctx = Context(window=8_000, store=store, context_tool=True)
    await (await open_memory(store)).sessions.save("NOBODY'S SUMMARY", session_id="free")
    [foreign] = await (await open_memory(store, "lighthouse")).sessions.list()

    async def told(**arguments: str) -> str:
        return await ctx.handle_tool(Call("context", dumps_text(arguments), "c"))

    async def everything() -> str:
        asked = [
            {"command": "view", "path": path} for path in (foreign.uri, "sessions", "sessions/lighthouse/", "sessions/port/")
        ]
        asked += [{"command": "search", "query": "summary"}, {"command": "search", "query": "summary", "path": "sessions"}]
        return "\n".join([await told(**arguments) for arguments in asked])

    seen = await everything()
    assert "NOBODY'S SUMMARY" in seen
    assert "LIGHTHOUSE" not in seen
    assert "context://sessions/port" not in seen.replace("kept at context://sessions/port", "")
    await open_memory(store, "lighthouse", memory=ctx.memory)
    assert "LIGHTHOUSE SUMMARY" in await everything()


async def test_local_facts_come_before_global_ones(scope: MemoryScope) -> None:
    await scope.memory.facts.set("style", "long sentences")
    found = await scope.memory.facts.get("style")
    assert found is not None
    assert (found.value, found.project) == ("long sentences", "port")
    assert (await (await switch_context(scope, "lighthouse")).memory.facts.list("style"))[0].value == "short sentences"


# ── laws ───────────────────────────────────────────────────────────────────────────────────────────────────────────────


def composed(session: Session, facts: tuple[Fact, ...] = (), entries: tuple[Entry, ...] = (), budget: int = 500) -> Dossier:
    return compose(session, facts, entries, max_tokens=budget, count=count, now=NOW)


texts = (
    st.text(max_size=600)
    | st.text("ab \n", max_size=3000)
    | st.builds(lambda text, times: text * times, st.text(max_size=9), st.integers(0, 900))
)
lists = st.lists(texts, max_size=8).map(tuple)
sessions = st.builds(
    lambda title, summary, steps, decisions, files, saved: Session(
        id="s",
        project="",
        uri="context://sessions/_/s",
        title=title[:120],
        summary=summary,
        next_steps=steps,
        decisions=decisions,
        files=files,
        saved=saved,
    ),
    st.text(max_size=120),
    texts,
    lists,
    lists,
    lists,
    st.floats(0, 2 * NOW),
)
facts = st.lists(st.builds(lambda value: Fact(key="a/key", value=value, description=value[:9]), texts), max_size=30)
entries = st.lists(st.builds(lambda value: Entry(id="e", content=value, title=value[:80]), texts), max_size=30)
counters = st.sampled_from([Heuristic().count, Chars().count, len, lambda text: 7 * len(text.split())])


@given(sessions, facts, entries, st.integers(0, 1500), counters)
def test_a_dossier_never_weighs_more_than_its_budget(
    session: Session, facts: list[Fact], entries: list[Entry], budget: int, counter: Callable[[str], int]
) -> None:
    dossier = compose(session, facts, entries, max_tokens=budget, count=counter, now=NOW)
    assert counter(dossier.text) <= budget
    assert dossier.tokens == counter(dossier.text)
    assert dossier == compose(session, facts, entries, max_tokens=budget, count=counter, now=NOW)


@given(sessions, facts, entries)
def test_with_room_for_all_nothing_is_left_out(session: Session, facts: list[Fact], entries: list[Entry]) -> None:
    dossier = compose(session, facts, entries, max_tokens=10**9, count=len, now=NOW)
    assert dossier.left_out == ()
    assert session.summary.rstrip("\n") in dossier.text


def test_hundreds_of_thousands_of_lines_are_fitted_at_once() -> None:
    asked = 0

    def counting(text: str) -> int:
        nonlocal asked
        asked += len(text)
        return count(text)

    summary = "".join(f"line {number} of a long report\n" for number in range(300_000))
    session = Session(id="s", project="", uri="context://sessions/_/s", title="T", summary=summary, saved=NOW)
    dossier = compose(session, (), (), max_tokens=2000, count=counting, now=NOW)
    assert 1900 < dossier.tokens <= 2000
    # The budget has room for some 9,000 characters: how long the summary is beyond that costs nothing to weigh.
    assert asked < 1_000_000


def test_two_readers_at_once_read_the_same() -> None:
    async def both() -> None:
        store = Store(MemoryBackend())
        scope = await open_memory(store, clock=lambda: NOW)
        await scope.sessions.save("text")
        first, second = await asyncio.gather(scope.restore(count=count), scope.restore(count=count))
        assert first == second

    asyncio.run(both())
