"""Session summaries: saved, found again, kept apart by project."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.engine.memory.sessions import Sessions
from transom.errors import InputError, IntegrityError, NotFoundError
from transom.jsontext import EMPTY
from transom.store import Store
from transom.store.backend import StorageBackend, StoredEntry
from transom.store.backends.filesystem import FilesystemBackend
from transom.store.backends.memory import MemoryBackend
from transom.store.backends.sqlite import SQLiteBackend

pytestmark = pytest.mark.feature("S11")


class PlainBackend:
    """The four methods and nothing else, as somebody's first backend would have them."""

    def __init__(self) -> None:
        self.items: dict[tuple[str, str], StoredEntry] = {}

    async def read(self, namespace: str, path: str) -> StoredEntry | None:
        return self.items.get((namespace, path))

    async def write(
        self,
        namespace: str,
        path: str,
        data: bytes,
        meta: Mapping[str, object] = EMPTY,
        *,
        text: str | tuple[str, ...] | None = None,
    ) -> None:
        self.items[namespace, path] = StoredEntry(data, meta)

    async def delete(self, namespace: str, path: str) -> bool:
        return self.items.pop((namespace, path), None) is not None

    async def list(self, namespace: str, prefix: str = "") -> Sequence[str]:
        return sorted(path for where, path in self.items if where == namespace and path.startswith(prefix))


class Clock:
    def __init__(self, now: float = 1_700_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        self.now += 1
        return self.now


class Numbers:
    def __init__(self) -> None:
        self.last = 0

    def __call__(self) -> str:
        self.last += 1
        return f"s{self.last}"


OPENERS: dict[str, Callable[[Path], StorageBackend]] = {
    "plain": lambda directory: PlainBackend(),
    "memory": lambda directory: MemoryBackend(),
    "filesystem": lambda directory: FilesystemBackend(directory / "files"),
    "sqlite": lambda directory: SQLiteBackend(directory / "store.db"),
}


@pytest.fixture(params=OPENERS)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    async with Store(OPENERS[request.param](tmp_path)) as opened:
        yield opened


def sessions_of(store: Store, project: str = "", clock: Clock | None = None, ids: Callable[[], str] | None = None) -> Sessions:
    return Sessions(store, project=project, clock=clock or Clock(), ids=ids or Numbers())


async def test_a_session_comes_back_as_it_was_saved(store: Store) -> None:
    sessions = sessions_of(store, "api")
    summary = "# Login\n\nThe token was cached too long.\r\n\tIt is mended now, \u0000 and \ud800 included. 日本語 🙂\n"
    name = await sessions.save(
        summary,
        title="Mend the\nlogin",
        tags=["auth", "auth", " bug "],
        files=["src/login.py"],
        decisions=["tokens live five minutes"],
        next_steps=["[x] write the test", "tell the mobile team"],
    )
    found = await sessions.get(name)
    assert (found.summary, found.title, found.tags) == (summary, "Mend the login", ("auth", "bug"))
    assert (found.files, found.decisions) == (("src/login.py",), ("tokens live five minutes",))
    assert found.next_steps == ("[x] write the test", "tell the mobile team")
    assert found.open_steps == ("tell the mobile team",)
    assert (found.project, found.uri) == ("api", f"context://sessions/api/{name}")
    assert sessions.uri(name) == found.uri
    [info] = await sessions.list()
    assert (info.id, info.title, info.tags, info.characters, info.open_steps) == (
        name,
        found.title,
        found.tags,
        len(summary),
        1,
    )
    assert (info.created, info.saved) == (found.created, found.saved)


async def test_what_is_stored_is_gzip_with_nothing_of_the_moment_in_it(store: Store) -> None:
    summary = "The same line again and again.\n" * 20_000
    await sessions_of(store, clock=Clock(5.0)).save(summary, session_id="one")
    first = await store.get("context://sessions/_/one")
    await sessions_of(store, clock=Clock(5.0)).save(summary, session_id="two")
    assert await store.get("context://sessions/_/two") == first
    assert len(first) < len(summary) / 100
    header, _, text = gzip.decompress(first).partition(b"\n")
    assert text.decode() == summary
    assert json.loads(header)["title"] == "The same line again and again."
    assert await store.expand("context://sessions/_/one") == gzip.decompress(first)
    assert (await sessions_of(store).get("one")).summary == summary


async def test_without_an_id_the_session_saved_last_is_meant(store: Store) -> None:
    clock = Clock()
    sessions = sessions_of(store, clock=clock)
    first = await sessions.save("one")
    second = await sessions.save("two")
    assert (await sessions.get()).id == second
    await sessions.save("one, continued", session_id=first)
    latest = await sessions.get()
    assert (latest.id, latest.summary) == (first, "one, continued")
    assert latest.created < latest.saved
    assert [info.id for info in await sessions.list()] == [first, second]
    assert [info.id for info in await sessions.list(1)] == [first]


async def test_a_title_is_the_first_line_where_none_is_given(store: Store) -> None:
    sessions = sessions_of(store)
    await sessions.save("\n\n## Mended the login\nand more")
    await sessions.save("x" * 500)
    titles = [info.title for info in await sessions.list()]
    assert titles[1] == "Mended the login"
    assert len(titles[0]) == 120


async def test_a_project_sees_its_own_sessions_and_never_another_ones(store: Store) -> None:
    clock, ids = Clock(), Numbers()
    here, there, nowhere = (sessions_of(store, project, clock, ids) for project in ("here", "there", ""))
    own = await here.save("the harbour of here", tags=["t"])
    other = await there.save("the harbour of there", tags=["t"])
    free = await nowhere.save("the harbour of nobody", tags=["t"])

    assert [info.id for info in await here.list()] == [own]
    assert [info.id for info in await here.list(where="all")] == [free, own]
    assert [info.id for info in await here.list(where="global")] == [free]
    assert [info.id for info in await nowhere.list(where="all")] == [free]
    assert [found.session.id for found in await here.search("harbour")] == [own]
    assert [found.session.id for found in await here.search("harbour", where="all")] == [own, free]
    assert [found.session.id for found in await nowhere.search("harbour")] == [free]
    assert (await here.get()).id == own
    assert (await here.get(free)).project == ""
    with pytest.raises(NotFoundError, match="no session 's2' in project here"):
        await here.get(other)
    assert not await here.delete(other)
    assert not await here.delete(free)
    assert await here.delete(own)
    assert not await here.delete(own)


async def test_a_project_without_sessions_falls_back_to_those_of_no_project(store: Store) -> None:
    clock, ids = Clock(), Numbers()
    free = await sessions_of(store, "", clock, ids).save("the harbour of nobody")
    await sessions_of(store, "other", clock, ids).save("the harbour of another")
    fresh = sessions_of(store, "fresh", clock, ids)
    assert (await fresh.get()).id == free
    assert [info.id for info in await fresh.list()] == [free]
    assert [found.session.id for found in await fresh.search("harbour")] == [free]


async def test_projects_whose_ids_begin_alike_are_kept_apart(store: Store) -> None:
    await sessions_of(store, "app").save("harbour", session_id="a")
    await sessions_of(store, "app-two").save("harbour", session_id="ab")
    assert [info.id for info in await sessions_of(store, "app").list()] == ["a"]
    assert [found.session.id for found in await sessions_of(store, "app").search("harbour")] == ["a"]


async def test_sessions_are_found_by_any_word_of_them_however_many_others_match_better(store: Store) -> None:
    crowd = sessions_of(store, "crowd")
    for _ in range(50):
        await crowd.save("harbour harbour harbour")
    quiet = sessions_of(store, "quiet")
    name = await quiet.save(
        "A long talk about many other things.\n" * 30 + "harbour",
        tags=["pilotage"],
        decisions=["dredge in spring"],
        next_steps=["ask the pilot"],
        files=["quay/crane.py"],
    )
    for query in ("harbour", "pilotage", "dredge", "pilot", "crane.py"):
        assert [found.session.id for found in await quiet.search(query, 3)] == [name], query
    assert len(await crowd.search("harbour", 3)) == 3
    assert await quiet.search("xylophone") == []


async def test_lists_may_be_kept_to_a_tag(store: Store) -> None:
    sessions = sessions_of(store)
    await sessions.save("one", tags=["red"])
    two = await sessions.save("two", tags=["blue"])
    assert [info.id for info in await sessions.list(tag="blue")] == [two]


@pytest.mark.parametrize("name", ["", "a/b", "..", ".", "a\\b", "a\nb", "x" * 256, "\ud800"])
async def test_an_id_that_is_no_name_is_refused_with_the_way_out(name: str) -> None:
    sessions = sessions_of(Store(MemoryBackend()), "p")
    for attempt in (sessions.save("text", session_id=name), sessions.get(name), sessions.delete(name)):
        with pytest.raises(InputError) as refused:
            await attempt
        assert refused.value.hint


async def test_odd_names_are_names(store: Store) -> None:
    for project, name in (("überblick", "Sitzung vom 3. März"), ("日本", "会議 1"), ("a.b", "con%2Ftrol"), ("p", "_")):
        sessions = sessions_of(store, project)
        await sessions.save(f"text of {name}", session_id=name)
        assert (await sessions.get(name)).summary == f"text of {name}"
        assert [info.id for info in await sessions.list()] == [name]


@pytest.mark.parametrize("project", ["_", "a/b", "..", ".hidden", "Upper", "a b", "-a", "x" * 65])
def test_an_id_that_no_project_can_have_is_refused(project: str) -> None:
    with pytest.raises(InputError, match="is no id of a project"):
        sessions_of(Store(MemoryBackend()), project)


async def test_what_cannot_be_saved_is_refused_with_the_way_out() -> None:
    sessions = sessions_of(Store(MemoryBackend()))
    for attempt in (sessions.save(" \n"), sessions.save("a", tags="auth"), sessions.save("a", files=[1]), sessions.list(0)):  # type: ignore[list-item]
        with pytest.raises(InputError) as refused:
            await attempt
        assert refused.value.hint
    with pytest.raises(NotFoundError, match="no session is saved"):
        await sessions.get()


async def test_a_summary_of_many_megabytes_comes_back_whole_and_a_larger_one_is_refused(store: Store) -> None:
    sessions = sessions_of(store)
    summary = "".join(f"line {number} of a long report\n" for number in range(200_000))
    name = await sessions.save(summary)
    assert (await sessions.get(name)).summary == summary
    with pytest.raises(InputError, match="at most"):
        await sessions.save("x" * (17 * 1024 * 1024))


async def test_a_made_id_that_is_taken_is_made_again(store: Store) -> None:
    await sessions_of(store).save("first")
    again = sessions_of(store)
    assert await again.save("second") == "s2"
    assert (await again.get("s1")).summary == "first"


async def test_damage_is_named_and_hides_nothing_else(store: Store) -> None:
    sessions = sessions_of(store)
    good = await sessions.save("all is well")
    await store.put("sessions", b"not gzip", path="_/bad")
    await store.put("sessions", (await store.get(sessions.uri(good)))[:-6], path="_/torn")
    infos = {info.id: info.damaged for info in await sessions.list()}
    assert infos == {good: False, "bad": True, "torn": True}
    assert (await sessions.get()).id == good
    for name in ("bad", "torn"):
        with pytest.raises(IntegrityError, match=f"context://sessions/_/{name} cannot be read"):
            await sessions.get(name)
    assert (await store.verify()).damaged == ("context://sessions/_/torn",)


async def test_what_lies_beside_an_entry_may_be_lost(store: Store) -> None:
    sessions = sessions_of(store)
    name = await sessions.save("all is well", title="Title", tags=["t"], next_steps=["go on"])
    before = await sessions.list()
    await store.put("sessions", await store.get(sessions.uri(name)), path=f"_/{name}")
    assert await sessions.list() == before
    await sessions.save("and more", session_id=name)
    assert (await sessions.get(name)).created == before[0].created


async def test_all_sessions_of_a_project_are_forgotten_at_once_and_no_others(store: Store) -> None:
    for project in ("here", "there", ""):
        for name in ("a", "b"):
            await sessions_of(store, project).save("text", session_id=name)
    assert await sessions_of(store, "here").clear() == 2
    assert await store.list("sessions") == ["_/a", "_/b", "there/a", "there/b"]
    assert await sessions_of(store).clear() == 2
    assert await store.list("sessions") == ["there/a", "there/b"]


async def test_an_address_in_a_summary_keeps_what_it_names(store: Store) -> None:
    uri = await store.put("vfs", "a large output")
    gone = await store.put("vfs", "another one")
    await sessions_of(store).save("Worked on the output.", files=[uri])
    assert (await store.gc(min_age=0)).removed == (gone,)
    assert (await store.verify()).ok
    await store.delete("vfs", uri.rsplit("/", 1)[1])
    assert (await store.verify()).missing == ((uri, "context://sessions/_/s1"),)


async def test_an_address_that_a_summary_only_talks_of_is_no_promise(store: Store) -> None:
    uri = await store.put("vfs", "a large output")
    await sessions_of(store).save(f"It is all in {uri}.")
    assert (await store.gc(min_age=0)).removed == ()
    await store.delete("vfs", uri.rsplit("/", 1)[1])
    report = await store.verify()
    assert report.ok
    assert report.dangling == ((uri, "context://sessions/_/s1"),)


async def test_a_copy_of_the_store_is_searched_like_the_store(store: Store, tmp_path: Path) -> None:
    await sessions_of(store, "p").save("We dredged the harbour.\nIn spring.")
    async with Store(SQLiteBackend(tmp_path / "copy.db")) as copy:
        await store.export(copy)
        [found] = await sessions_of(copy, "p").search("harbour")
        assert "harbour" in found.snippet


def save_many(path: str, project: str) -> list[str]:
    async def save() -> list[str]:
        async with Store(SQLiteBackend(path)) as store:
            sessions = Sessions(store, project=project)
            return [await sessions.save(f"{project} {number}") for number in range(25)]

    return asyncio.run(save())


async def test_two_processes_save_side_by_side(tmp_path: Path) -> None:
    path = str(tmp_path / "store.db")
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        ids = [name for names in pool.map(save_many, [path, path], ["p", "p"]) for name in names]
    async with Store(SQLiteBackend(path)) as store:
        assert {info.id for info in await Sessions(store, project="p").list(None)} == set(ids)
        assert len(set(ids)) == 50


@given(st.text(min_size=1).filter(str.strip), st.lists(st.text(), max_size=4))
def test_any_text_comes_back_exactly(summary: str, lines: list[str]) -> None:
    async def there_and_back() -> None:
        sessions = sessions_of(Store(MemoryBackend()))
        found = await sessions.get(await sessions.save(summary, next_steps=lines))
        assert found.summary == summary
        assert list(found.next_steps) == list(dict.fromkeys(line.strip() for line in lines if line.strip()))

    asyncio.run(there_and_back())
