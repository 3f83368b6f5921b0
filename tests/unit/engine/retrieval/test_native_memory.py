"""Anthropic's memory tool, answered from memory in the wording that is documented for it."""

from __future__ import annotations

import pytest
from tests.unit.engine.retrieval.desks import COUNT, Desk

from transom.engine.memory.hooks import MemorySettings

pytestmark = pytest.mark.feature("R4")


async def test_a_file_is_made_read_changed_moved_and_deleted() -> None:
    desk, path = Desk(), "/memories/notes/todo.txt"
    assert await desk.memory("create", path, file_text="Buy milk\nCall Ann\n") == f"File created successfully at: {path}"
    assert await desk.memory("view", path) == (
        f"Here's the content of {path} with line numbers:\n     1\tBuy milk\n     2\tCall Ann"
    )
    assert await desk.memory("view", path, view_range=[2, 2]) == (
        f"Here's the content of {path} with line numbers:\n     2\tCall Ann"
    )
    assert await desk.memory("str_replace", path, old_str="Ann", new_str="Bob") == (
        "The memory file has been edited.\n     1\tBuy milk\n     2\tCall Bob"
    )
    assert await desk.memory("insert", path, insert_line=2, insert_text="Sleep\n") == f"The file {path} has been edited."
    assert await desk.memory("rename", old_path=path, new_path="/memories/done.txt") == (
        f"Successfully renamed {path} to /memories/done.txt"
    )
    assert await desk.store.get("context://memory/done.txt") == b"Buy milk\nCall Bob\nSleep\n"
    assert await desk.memory("delete", "/memories/done.txt") == "Successfully deleted /memories/done.txt"
    assert await desk.store.list("memory") == []


async def test_mistakes_are_told_as_documented() -> None:
    desk = Desk()
    await desk.memory("create", "/memories/a", file_text="x\ny x\n")
    await desk.memory("create", "/memories/b", file_text="z")
    assert await desk.memory("create", "/memories/a", file_text="z") == "Error: File /memories/a already exists"
    gone = "The path /memories/c does not exist"
    assert await desk.memory("view", "/memories/c") == f"{gone}. Please provide a valid path."
    assert await desk.memory("str_replace", "/memories/c", old_str="a") == f"Error: {gone}. Please provide a valid path."
    assert await desk.memory("insert", "/memories/c", insert_line=0, insert_text="a") == f"Error: {gone}"
    assert await desk.memory("delete", "/memories/c") == f"Error: {gone}"
    assert await desk.memory("rename", old_path="/memories/c", new_path="/memories/d") == f"Error: {gone}"
    assert await desk.memory("str_replace", "/memories/a", old_str="q", new_str="r") == (
        "No replacement was performed, old_str `q` did not appear verbatim in /memories/a."
    )
    assert await desk.memory("str_replace", "/memories/a", old_str="x", new_str="r") == (
        "No replacement was performed. Multiple occurrences of old_str `x` in lines: 1, 2. Please ensure it is unique"
    )
    assert await desk.memory("insert", "/memories/a", insert_line=3, insert_text="r") == (
        "Error: Invalid `insert_line` parameter: 3. It should be within the range of lines of the file: [0, 2]"
    )
    assert await desk.memory("rename", old_path="/memories/a", new_path="/memories/b") == (
        "Error: The destination /memories/b already exists"
    )
    assert await desk.memory("search", "/memories", query="x") == (
        "Error: there is no command 'search'. Give one of view, create, str_replace, insert, delete, rename."
    )


async def test_a_directory_is_listed_two_levels_deep_with_sizes() -> None:
    desk = Desk()
    for path, size in (("a.txt", 5), ("d/b.txt", 1500), ("d/e/deep.txt", 10), (".hidden", 3), ("node_modules/x", 3)):
        await desk.facts.set(path, "x" * size)
    assert await desk.memory("view", "/memories") == (
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n"
        "1.5K\t/memories\n5\t/memories/a.txt\n1.5K\t/memories/d\n1.5K\t/memories/d/b.txt\n10\t/memories/d/e"
    )
    assert "10\t/memories/d/e/deep.txt" in await desk.memory("view", "/memories/d/")
    assert await Desk().memory("view", "/memories/") == (
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n"
        "0\t/memories"
    )


async def test_a_directory_is_renamed_and_deleted_whole() -> None:
    desk = Desk()
    for path in ("d/a", "d/e/b", "other", "taken/a"):
        await desk.facts.set(path, path)
    assert "The destination /memories/taken already exists" in await desk.memory(
        "rename", old_path="/memories/d", new_path="/memories/taken"
    )
    assert await desk.store.list("memory") == ["d/a", "d/e/b", "other", "taken/a"]
    await desk.memory("rename", old_path="/memories/d", new_path="/memories/new")
    assert await desk.store.list("memory") == ["new/a", "new/e/b", "other", "taken/a"]
    assert await desk.memory("delete", "/memories/new") == "Successfully deleted /memories/new"
    assert await desk.store.list("memory") == ["other", "taken/a"]


@pytest.mark.parametrize(
    "path",
    [
        *("/memories/../notes/x", "/memories/..", "/memories/a/../../x", "/memories/%2e%2e/x", "/memories/%252e%252e%252fx"),
        *("/memories/..\\x", "/memories/%2e%2e%5cx", "/etc/passwd", "/memoriesx/a", "memories/a", "", "/", "/memories//a"),
        *("/memories/a\x00b", "context://notes/a"),
    ],
)
async def test_nothing_outside_of_memories_is_reached(path: str) -> None:
    desk = Desk()
    await desk.ask("create", "notes/x", file_text="a note")
    await desk.facts.set("k", "a fact")
    for command, more in (
        ("view", {}),
        ("create", {"file_text": "x"}),
        ("str_replace", {"old_str": "a", "new_str": "b"}),
        ("insert", {"insert_line": 0, "insert_text": "x"}),
        ("delete", {}),
    ):
        assert (await desk.memory(command, path, **more)).startswith("Error: ")
    assert (await desk.memory("rename", old_path="/memories/k", new_path=path)).startswith("Error: ")
    assert (await desk.memory("rename", old_path=path, new_path="/memories/z")).startswith("Error: ")
    assert [entry.data async for _, entry in desk.store.entries("notes")] == [b"a note"]
    assert [entry.data async for _, entry in desk.store.entries("memory")] == [b"a fact"]


async def test_the_directory_itself_stays() -> None:
    desk = Desk()
    await desk.facts.set("k", "a fact")
    assert "is outside /memories/" in await desk.memory("delete", "/memories")
    assert "is outside /memories/" in await desk.memory("rename", old_path="/memories", new_path="/memories/x")
    assert await desk.store.list("memory") == ["k"]


async def test_names_are_taken_as_they_are() -> None:
    desk = Desk()
    await desk.memory("create", "/memories/100% sure?.md", file_text="x")
    assert await desk.store.list("memory") == ["100% sure?.md"]
    assert "/memories/100% sure?.md" in await desk.memory("view", "/memories")


@pytest.mark.feature("R5")
async def test_a_long_file_and_a_long_listing_keep_to_the_budget() -> None:
    desk = Desk(budget=200)
    for number in range(100):
        await desk.facts.set(f"file {number:03}", "x")
    await desk.facts.set("long", "\n".join(f"line {number}" for number in range(1, 401)))
    listed = await desk.memory("view", "/memories")
    assert "entries to come. Next: " in listed
    assert '"path":"/memories","offset":' in listed
    shown = await desk.memory("view", "/memories/long")
    assert shown.startswith("Here's the content of /memories/long with line numbers:\n     1\tline 1\n")
    assert '"path":"/memories/long","view_range":[' in shown
    assert COUNT(shown) <= 200


async def test_rules_of_memory_hold_here_too() -> None:
    desk = Desk(settings=MemorySettings(allowed_keys=["free/"]))
    assert "may not be changed" in await desk.memory("create", "/memories/other", file_text="x")
    assert "no fact can be called" in await desk.memory("create", "/memories/projects/p/x", file_text="x")
    assert (await desk.memory("create", "/memories/free/a", file_text="x")).startswith("File created")
    fixed = Desk(more={"writable": frozenset({"notes"})})
    assert "can be read only" in await fixed.memory("create", "/memories/a", file_text="x")
