"""What a model may change, and what it is told when it may not."""

from __future__ import annotations

import pytest
from tests.unit.engine.retrieval.desks import Desk

from transom import MemoryBackend, Store
from transom.engine.memory.hooks import Change, MemorySettings
from transom.engine.retrieval import Host
from transom.engine.retrieval.writing import MOST_BYTES
from transom.errors import InputError

PLACES = pytest.mark.parametrize("namespace", ["notes", "memory"])


@pytest.mark.feature("R1", "R2")
@PLACES
async def test_a_text_is_made_changed_moved_and_taken_away(namespace: str) -> None:
    desk, path = Desk(), f"{namespace}/plans/first.md"
    assert await desk.ask("create", path, file_text="one\ntwo\nthree\n") == f"Created context://{path}."
    edited = await desk.ask("str_replace", path, old_str="two", new_str="zwei\ndeux")
    assert edited == f"Edited context://{path}. It now reads:\n     1\tone\n     2\tzwei\n     3\tdeux\n     4\tthree"
    assert "     1\tzero" in await desk.ask("insert", path, insert_line=0, insert_text="zero")
    assert "     6\tfour" in await desk.ask("insert", path, insert_line=5, insert_text="four\n")
    assert await desk.ask("rename", old_path=path, new_path=f"{namespace}/done") == (
        f"Renamed context://{path} to context://{namespace}/done."
    )
    assert await desk.store.get(f"context://{namespace}/done") == b"zero\none\nzwei\ndeux\nthree\nfour\n"
    assert await desk.ask("delete", f"context://{namespace}/done") == f"Deleted context://{namespace}/done."
    assert await desk.store.list(namespace) == []


@PLACES
async def test_what_is_there_is_not_written_over(namespace: str) -> None:
    desk = Desk()
    await desk.ask("create", f"{namespace}/a", file_text="one")
    await desk.ask("create", f"{namespace}/b", file_text="two")
    assert "there is something at" in await desk.ask("create", f"{namespace}/a", file_text="three")
    assert "nothing was renamed" in await desk.ask("rename", old_path=f"{namespace}/a", new_path=f"{namespace}/b")
    assert [entry.data async for _, entry in desk.store.entries(namespace)] == [b"one", b"two"]


@PLACES
async def test_a_replacement_must_be_unambiguous(namespace: str) -> None:
    desk, path = Desk(), f"{namespace}/a"
    await desk.ask("create", path, file_text="x\ny x\nz\n")
    assert "occurs 2 times in" in (several := await desk.ask("str_replace", path, old_str="x", new_str="y"))
    assert "in lines 1, 2;" in several
    assert "does not occur in" in await desk.ask("str_replace", path, old_str="X", new_str="y")
    assert "are the same" in await desk.ask("str_replace", path, old_str="z", new_str="z")
    assert "has 3 lines" in await desk.ask("insert", path, insert_line=4, insert_text="y")
    assert await desk.store.get(f"context://{path}") == b"x\ny x\nz\n"


async def test_line_ends_are_kept() -> None:
    desk = Desk()
    await desk.ask("create", "notes/a", file_text="a\r\nb")
    await desk.ask("insert", "notes/a", insert_line=2, insert_text="c")
    assert await desk.store.get("context://notes/a") == b"a\r\nb\nc"
    await desk.ask("str_replace", "notes/a", old_str="\nc")
    assert await desk.store.get("context://notes/a") == b"a\r\nb"


async def test_of_an_edit_as_long_as_a_page_the_beginning_is_shown() -> None:
    desk = Desk(budget=128)
    await desk.ask("create", "notes/a", file_text="x")
    edited = await desk.ask("str_replace", "notes/a", old_str="x", new_str="y z " * 4_000)
    assert edited.startswith("Edited context://notes/a. It now reads:\n     1\ty z y z")
    assert edited.endswith("[… cut here …]")


@pytest.mark.feature("R2")
@pytest.mark.parametrize("namespace", ["vfs", "archive", "sessions"])
async def test_what_left_the_window_can_be_read_only(namespace: str) -> None:
    desk = Desk()
    for command, more in (
        ("create", {"file_text": "x"}),
        ("str_replace", {"old_str": "a", "new_str": "b"}),
        ("insert", {"insert_line": 0, "insert_text": "x"}),
        ("delete", {}),
    ):
        assert "can be read only" in await desk.ask(command, f"{namespace}/x", **more)
    assert "can be read only" in await desk.ask("rename", old_path=f"{namespace}/x", new_path="notes/x")
    await desk.ask("create", "notes/y", file_text="y")
    assert "can be read only" in await desk.ask("rename", old_path="notes/y", new_path=f"{namespace}/x")
    assert await desk.store.list(namespace) == []


@pytest.mark.feature("R2")
@pytest.mark.parametrize(
    "namespace", ["windows", "decisions", "flights", "intents", "models", "projects", "plans", "rag", "x", ""]
)
async def test_other_namespaces_are_not_there(namespace: str) -> None:
    answer = await Desk().ask("view", f"context://{namespace}/x")
    assert answer.startswith("Error: there is no namespace")


@pytest.mark.feature("R3")
async def test_a_session_says_what_may_be_written() -> None:
    desk = Desk(more={"writable": frozenset({"notes"})})
    assert "can be read only. Only notes can be written" in await desk.ask("create", "memory/a", file_text="x")
    assert (await desk.ask("create", "notes/a", file_text="x")).startswith("Created")
    with pytest.raises(InputError, match="archive cannot be made writable"):
        Host(store=desk.store, count=len, writable=frozenset({"archive"}))


@pytest.mark.feature("R2")
async def test_memory_is_written_through_its_hooks() -> None:
    asked: list[str] = []

    def veto(change: Change) -> str | None:
        asked.append(f"{change.kind} {change.key}")
        return "no secrets" if change.key.startswith("secret") else None

    desk = Desk(settings=MemorySettings(before_change=veto, allowed_keys=["secret*", "plain*"]))
    assert "no secrets" in await desk.ask("create", "memory/secret", file_text="x")
    assert "may not be changed" in await desk.ask("create", "memory/other", file_text="x")
    await desk.ask("create", "memory/plain", file_text="x")
    assert "may not be changed" in await desk.ask("rename", old_path="memory/plain", new_path="memory/other")
    assert "no fact can be called" in await desk.ask("create", "memory/entries/x", file_text="x")
    assert await desk.store.list("memory") == ["plain"]
    assert asked == ["added secret", "added plain"]


async def test_a_move_between_notes_and_memory_leaves_nothing_in_two_places() -> None:
    def veto(change: Change) -> bool:
        return change.kind != "deleted"

    desk = Desk(settings=MemorySettings(before_change=veto))
    await desk.ask("create", "memory/a", file_text="text")
    assert "was refused" in await desk.ask("rename", old_path="memory/a", new_path="notes/a")
    assert (await desk.store.list("memory"), await desk.store.list("notes")) == (["a"], [])
    desk = Desk(desk.store)
    await desk.ask("rename", old_path="memory/a", new_path="notes/a")
    assert (await desk.store.list("memory"), await desk.store.list("notes")) == ([], ["a"])


async def test_an_edit_keeps_what_is_known_of_a_fact() -> None:
    desk = Desk()
    await desk.facts.set("a", "one", description="a number", importance=0.9, ttl=3600)
    await desk.ask("str_replace", "memory/a", old_str="one", new_str="two")
    await desk.ask("rename", old_path="memory/a", new_path="memory/b")
    fact = await desk.facts.get("b")
    assert fact is not None
    assert (fact.value, fact.description, fact.importance, fact.expires_at is None) == ("two", "a number", 0.9, False)


async def test_facts_of_other_projects_are_not_there() -> None:
    desk = Desk()
    other = Desk(desk.store)
    await other.facts.switch("other")
    await other.ask("create", "memory/k", file_text="a secret of the other project")
    assert await desk.store.list("memory") == ["projects/other/k"]
    assert "Error" in await desk.ask("view", "memory/projects/other/k")
    assert "nothing is kept at" in await desk.ask("view", "memory/k")
    assert "Nothing matches" in await desk.ask("search", query="secret")
    assert "a secret" in await other.ask("view", "memory/projects/other/k")
    assert "context://memory/k" in await other.ask("search", query="secret")


@pytest.mark.parametrize(
    "path",
    [
        *(
            "notes/../vfs/x",
            "notes/%2e%2e/x",
            "notes/%252e%252e/x",
            "notes/a\\..\\b",
            "notes/a//b",
            "notes/a/./b",
            "notes/a\x00b",
        ),
        *("notes/..", "notes/100%", "context://notes/%ff"),
    ],
)
async def test_a_path_that_steps_out_or_is_none_is_refused(path: str) -> None:
    desk = Desk()
    for command, more in (("view", {}), ("create", {"file_text": "x"}), ("delete", {})):
        assert (await desk.ask(command, path, **more)).startswith("Error: ")
    assert await desk.store.list("notes") == []


async def test_a_miss_says_where_to_look_and_that_asking_again_is_useless() -> None:
    desk = Desk()
    await desk.ask("create", "notes/plans/a", file_text="x")
    for command, more in (("view", {}), ("delete", {}), ("str_replace", {"old_str": "a"}), ("rename", {"new_path": "notes/b"})):
        answer = await desk.ask(command, "notes/plans/b", **more)
        assert answer.startswith("Error: nothing is kept at context://notes/plans/b. Asking again will not help")
        assert "context://notes/plans for what there is" in answer
    assert "is a folder" in await desk.ask("delete", "notes/plans")
    assert "is a folder" in await desk.ask("create", "notes/", file_text="x")


async def test_what_is_too_large_or_no_text_is_not_written() -> None:
    desk = Desk()
    assert "are too much" in await desk.ask("create", "notes/a", file_text="x" * (MOST_BYTES + 1))
    await desk.store.put("notes", b"\xff\xfe", path="binary")
    assert "is no text" in await desk.ask("str_replace", "notes/binary", old_str="a")
    assert await desk.store.list("notes") == ["binary"]


class FullDisk(MemoryBackend):
    """A backend that takes nothing any more."""

    full = False

    async def write(self, *where: object, **what: object) -> None:
        if self.full:
            raise OSError("no space left")
        await super().write(*where, **what)  # type: ignore[arg-type]


async def test_a_store_that_fails_is_told_and_nothing_is_claimed(caplog: pytest.LogCaptureFixture) -> None:
    backend = FullDisk()
    desk = Desk(Store(backend))
    await desk.ask("create", "notes/a", file_text="one")
    backend.full = True
    for command, more in (
        ("create", {"path": "notes/b", "file_text": "x"}),
        ("str_replace", {"path": "notes/a", "old_str": "one", "new_str": "two"}),
        ("rename", {"old_path": "notes/a", "new_path": "notes/c"}),
    ):
        answer = await desk.ask(command, **more)
        assert answer.startswith("Error: the store failed")
        assert "no space left" in answer
    assert "no space left" in caplog.text
    backend.full = False
    assert await desk.store.list("notes") == ["a"]


async def test_a_hook_that_fails_is_the_programmers_mistake() -> None:
    def broken(change: Change) -> bool:
        raise ZeroDivisionError

    desk = Desk(settings=MemorySettings(before_change=broken))
    with pytest.raises(ZeroDivisionError):
        await desk.ask("create", "memory/a", file_text="x")
    assert await desk.store.list("intents") == []


async def test_a_model_closes_its_window_where_it_may() -> None:
    asked: list[str] = []
    assert "closes before your next answer" in await Desk(more={"request_new_context": lambda: asked.append("yes")}).call(
        "new_context", {}
    )
    assert asked == ["yes"]
    assert "does not close windows on request" in await Desk().call("new_context", "")


async def test_without_memory_there_is_none() -> None:
    desk = Desk(more={"facts": None})
    assert "context://memory" not in await desk.ask("view")
    assert "there is no namespace memory here" in await desk.ask("view", "memory/a")
    assert "keeps no memory" in await desk.memory("view", "/memories")
