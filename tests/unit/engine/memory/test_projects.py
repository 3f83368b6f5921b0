"""The registry of projects: nothing gets into it by itself, and nothing that is remembered goes with it unasked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.engine.memory.managing import manage_projects
from transom.engine.memory.projects import Projects, check_project, project_id
from transom.engine.memory.sessions import Sessions
from transom.errors import InputError, NotFoundError
from transom.store import Store
from transom.store.backend import StorageBackend
from transom.store.backends.filesystem import FilesystemBackend
from transom.store.backends.memory import MemoryBackend
from transom.store.backends.sqlite import SQLiteBackend

pytestmark = pytest.mark.feature("S11")


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
def projects(store: Store) -> Projects:
    times = iter(range(1000, 9999))
    return Projects(store, clock=lambda: float(next(times)))


async def test_a_project_is_registered_and_found_by_id_and_by_name(projects: Projects) -> None:
    made = await projects.register("Harbour  App", root="/srv/harbour", description="Berths and cranes.")
    assert (made.id, made.name, made.root, made.uri) == (
        "harbour-app",
        "Harbour App",
        "/srv/harbour",
        "context://projects/harbour-app",
    )
    for name in ("harbour-app", "Harbour App", "harbour_app", "HARBOUR-APP"):
        assert await projects.get(name) == made
    assert await projects.list() == [made]


async def test_an_unknown_project_is_refused_with_those_that_are_known_and_how_to_register(projects: Projects) -> None:
    with pytest.raises(NotFoundError, match="no project 'harbor' is registered") as refused:
        await projects.get("harbor")
    assert "none is registered" in refused.value.hint
    await projects.register("Harbour App")
    await projects.register("Lighthouse")
    for attempt in (
        projects.get("harbor"),
        projects.rename("harbor", "x"),
        projects.update("harbor", root="/"),
        projects.remove("harbor"),
    ):
        with pytest.raises(NotFoundError) as refused:
            await attempt
        assert "harbour-app, lighthouse" in refused.value.hint
        assert 'manage_projects(action="register"' in refused.value.hint
    assert len(await projects.list()) == 2


async def test_a_name_or_an_id_that_is_taken_is_refused(projects: Projects) -> None:
    await projects.register("Harbour App")
    for name, wanted in (("harbour-app", ""), ("HARBOUR app", "other"), ("Other", "harbour-app")):
        with pytest.raises(InputError, match="there is a project harbour-app already"):
            await projects.register(name, id=wanted)
    await projects.register("Lighthouse")
    with pytest.raises(InputError, match="there is a project harbour-app already"):
        await projects.rename("lighthouse", "Harbour_App")


async def test_a_renamed_project_keeps_its_id(projects: Projects) -> None:
    await projects.register("Harbour App")
    renamed = await projects.rename("harbour app", "Port")
    assert (renamed.id, renamed.name) == ("harbour-app", "Port")
    assert await projects.get("port") == renamed
    again = await projects.rename("port", "Harbour App")
    assert again.updated > again.created


async def test_an_update_changes_what_is_given_and_nothing_else(projects: Projects) -> None:
    await projects.register("Port", root="/srv/port", description="Berths.")
    await projects.update("port", description="Berths and cranes.")
    found = await projects.get("port")
    assert (found.root, found.description, found.name) == ("/srv/port", "Berths and cranes.", "Port")
    assert (await projects.update("port", root="")).root == ""


async def test_a_removal_leaves_the_memory_where_it_is_and_says_where(store: Store, projects: Projects) -> None:
    await projects.register("Port")
    await projects.register("Port Two")
    await Sessions(store, project="port").save("dredged", session_id="s")
    await Sessions(store, project="port-two").save("dredged", session_id="s")
    await store.put("memory", "5", path="projects/port/berths")
    await store.put("memory", "{}", path="entries/project/port/e1")
    removal = await projects.remove("port")
    assert not removal.erased
    assert [(kept.uri, kept.entries) for kept in removal.memory] == [
        ("context://memory/projects/port/", 1),
        ("context://memory/entries/project/port/", 1),
        ("context://sessions/port/", 1),
    ]
    assert [known.id for known in await projects.list()] == ["port-two"]
    assert (await Sessions(store, project="port").get()).summary == "dredged"

    await projects.register("Port")
    assert (await projects.remove("port", erase=True)).erased
    assert await projects.memory_of("port") == ()
    assert [kept.entries for kept in await projects.memory_of("port-two")] == [1]


async def test_projects_are_found_by_words(projects: Projects) -> None:
    await projects.register("Port", description="berths and cranes")
    await projects.register("Lighthouse", description="a lamp, no cranes", root="/srv/lamp")
    assert [known.id for known in await projects.search("lamp cranes")] == ["lighthouse", "port"]
    assert [known.id for known in await projects.search("BERTHS")] == ["port"]
    assert await projects.search("xylophone") == ()


async def test_one_verb_does_it_all(store: Store, projects: Projects) -> None:
    made = await manage_projects(projects, "register", name="Port", root="/srv/port")
    assert made.projects[0].id == "port"
    assert (await manage_projects(projects, "list")).projects == made.projects
    assert (await manage_projects(projects, "get", project="Port")).projects == made.projects
    assert (await manage_projects(projects, "search", query="port")).projects == made.projects
    assert (await manage_projects(projects, "rename", project="port", name="Haven")).projects[0].name == "Haven"
    assert (await manage_projects(projects, "update", project="haven", description="d")).projects[0].root == "/srv/port"
    await Sessions(store, project="port").save("dredged")
    answer = await manage_projects(projects, "remove", project="haven")
    assert answer.removal is not None
    assert answer.removal.memory[0].uri == "context://sessions/port/"
    assert (await manage_projects(projects, "list")).projects == ()


@pytest.mark.parametrize(
    ("action", "arguments", "mend"),
    [
        ("drop", {}, "one of list, search, get, register, rename, update, remove"),
        ("get", {}, 'manage_projects(action="get", project='),
        ("register", {}, 'manage_projects(action="register", name='),
        ("rename", {"project": "port"}, 'manage_projects(action="rename", name='),
        ("update", {"project": "port"}, "give root or description"),
        ("register", {"name": "🙂"}, "give an id as well"),
        ("register", {"name": "x", "id": "A/B"}, "lower-case letters"),
        ("register", {"name": "x" * 201}, "description"),
    ],
)
async def test_a_wrong_call_changes_nothing_and_says_the_right_one(action: str, arguments: dict[str, str], mend: str) -> None:
    projects = Projects(Store(MemoryBackend()))
    await projects.register("Port")
    with pytest.raises(InputError) as refused:
        await manage_projects(projects, action, **arguments)  # type: ignore[arg-type]
    assert mend in refused.value.hint
    assert len(await projects.list()) == 1


async def test_a_project_may_be_called_anything_where_an_id_is_given(projects: Projects) -> None:
    for name, wanted, made in (
        ("🙂", "smile", "smile"),
        ("Größe / Übersicht", "", "grösse-übersicht"),
        ("東京 プロジェクト", "", "東京-プロジェクト"),
        ("हिन्दी परियोजना", "", "हिन्दी-परियोजना"),
    ):
        assert (await projects.register(name, id=wanted)).id == made
        assert (await projects.get(name)).id == made


@given(st.text(min_size=1, max_size=300))
def test_an_id_made_of_a_name_is_one_that_a_project_can_have(name: str) -> None:
    try:
        made = project_id(name)
    except InputError:
        return
    assert check_project(made) == made
    assert project_id(made) == made
    Sessions(Store(MemoryBackend()), project=made).uri("s")


def register(path: str, root: str) -> str:
    async def attempt() -> str:
        async with Store(SQLiteBackend(path)) as store:
            try:
                return (await Projects(store).register("Port", root=root)).root
            except InputError as error:
                return error.code

    return asyncio.run(attempt())


async def test_of_two_processes_that_register_one_name_one_does(tmp_path: Path) -> None:
    path = str(tmp_path / "store.db")
    async with Store(SQLiteBackend(path)) as store:
        await Projects(store).list()
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        answers = list(pool.map(register, [path] * 4, ["/a", "/b", "/c", "/d"]))
    async with Store(SQLiteBackend(path)) as store:
        [only] = await Projects(store).list()
    assert sorted(answers) == sorted([only.root, "input", "input", "input"])
