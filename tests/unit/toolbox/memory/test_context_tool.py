"""The context tool over a store and over a conversation, and the tools that need one."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.toolbox.memory.memory_box import Box

from transom import Context, Message
from transom.engine.retrieval import COMMANDS, context_tools
from transom.engine.retrieval.definition import NEW_CONTEXT
from transom.messages import Call, Result, Text
from transom.toolbox.families.memory import FAMILY, Conversation

TOOLS = {tool.name: tool for tool in FAMILY.tools}


def test_the_tool_is_the_engines_word_for_word() -> None:
    engine = {tool.name: tool for tool in context_tools()}
    for name in ("context", NEW_CONTEXT):
        assert TOOLS[name].description == engine[name].description
        parameters = engine[name].parameters
        assert parameters is not None
        theirs, ours = parameters["properties"], TOOLS[name].schema["properties"]
        assert isinstance(theirs, dict)
        assert isinstance(ours, dict)
        assert list(ours) == list(theirs)
        for argument, shape in theirs.items():
            assert {**shape, **ours[argument]} == shape
    assert TOOLS["context"].schema["required"] == ["command"]


def test_every_command_of_the_engine_is_offered() -> None:
    properties = TOOLS["context"].schema["properties"]
    assert isinstance(properties, dict)
    assert properties["command"]["enum"] == list(COMMANDS)


async def test_without_a_conversation_it_works_on_the_store() -> None:
    box = Box()
    uri = await box.store.put("vfs", "line one\nneedle in line two\n")
    await box.ok("context", command="create", path="notes/plan.md", file_text="first\n")
    await box.ok("context", command="insert", path="notes/plan.md", insert_line=1, insert_text="second")
    assert (await box.store.get("context://notes/plan.md")) == b"first\nsecond\n"
    assert "needle in line two" in (await box.ok("context", command="view", path=uri)).text
    assert uri in (await box.ok("context", command="search", query="needle")).text
    await box.ok("context", command="create", path="memory/style", file_text="short")
    assert "style" in (await box.ok("recall")).text


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"command": "view", "path": "notes/none"}, "not_found"),
        ({"command": "view", "path": "nowhere/none"}, "invalid_input"),
        ({"command": "search"}, "invalid_input"),
        ({"command": "create", "path": "vfs/x", "file_text": "y"}, "invalid_input"),
        ({"command": "look"}, "invalid_input"),
    ],
)
async def test_a_mistake_is_refused_in_the_engines_words(arguments: dict[str, object], error: str) -> None:
    answer = await Box().call("context", **arguments)
    assert (answer.ok, answer.error) == (False, error)
    assert answer.text.startswith("Error: ")
    assert not answer.text.startswith("Error: Error")


async def test_a_page_never_spills() -> None:
    box = Box()
    uri = await box.store.put("vfs", "\n".join(f"line {number} of many" for number in range(5_000)))
    answer = await box.ok("context", command="view", path=uri)
    assert "to come. Next:" in answer.text
    assert answer.uri is None


@pytest.mark.parametrize("tool", ["new_context", "context_stats", "auto_summarize_context"])
async def test_without_a_conversation_the_tools_that_need_one_say_so(tool: str) -> None:
    answer = await Box().call(tool)
    assert (answer.ok, answer.error) == (False, "unavailable")
    assert "conversation" in answer.text


def test_the_tools_that_need_a_conversation_are_not_listed() -> None:
    box = Box().box
    assert box is not None
    listed = {tool.name for tool in box.listed()}
    assert not listed & {"new_context", "context_stats", "auto_summarize_context"}
    assert listed >= {"context", "remember", "recall", "search_context", "forget", "save_session_summary"}


def _conversing(box: Box) -> tuple[Context, Box]:
    ctx = Context(window=32_000, store=box.store, context_tool=True, memory=True, session="s1")
    return ctx, Box(store=box.store, services={Conversation: Conversation(ctx)})


async def test_with_a_conversation_its_memory_and_its_windows_are_used() -> None:
    ctx, box = _conversing(Box())
    ctx.append(Message("user", "Please read the file"))
    await box.ok("manage_projects", action="register", name="Alpha")
    await box.ok("switch_context", project="alpha")
    assert ctx.memory.facts.project == "alpha"
    await box.ok("context", command="create", path="memory/style", file_text="short")
    assert [fact.key for fact in await ctx.memory.facts.list()] == ["style"]
    stats = await box.ok("context_stats")
    assert (stats.data["window"], stats.data["messages"], stats.data["facts"]) == (32_000, 1, 1)
    assert (await box.ok("new_context")).text.startswith("The window closes")


async def test_an_account_of_a_conversation_names_tools_requests_and_errors() -> None:
    ctx, box = _conversing(Box())
    ctx.append(Message("user", "Fix the build\nplease"))
    for number in range(5):
        ctx.append(
            Message("assistant", (Call("read_file", "{}", f"c{number}"),)),
            Message("tool", (Result((Text("no such file"),), f"c{number}", is_error=number == 4),)),
        )
    answer = await box.ok("auto_summarize_context", title="The build")
    assert "read_file 5" in answer.text
    assert "Fix the build" in answer.text
    assert "no such file" in answer.text
    (entry,) = await ctx.memory.entries.list()
    assert (entry.title, entry.type, entry.confidence) == ("The build", "summary", "inferred")


async def test_an_account_of_events_needs_no_conversation() -> None:
    box = Box()
    answer = await box.ok(
        "auto_summarize_context",
        session_events=[
            {"type": "tool_use", "tool": "read_file", "count": 4},
            {"type": "tool_use", "tool": "save_file"},
            {"type": "decision", "title": "Use SQLite", "description": "one file"},
            {"type": "error", "message": "disk full"},
            "went home",
            '{"type": "error", "message": "as JSON"}',
        ],
        config_changes=[{"key": "window", "value": 8000}],
    )
    for text in (
        "read_file 4",
        "Other tools: save_file 1",
        "Use SQLite: one file",
        "disk full",
        "went home",
        "window = 8000",
        "- as JSON",
    ):
        assert text in answer.text
    assert answer.data["tools"] == {"read_file": 4, "save_file": 1}


async def test_a_switch_waits_for_the_calls_of_its_session_that_still_run() -> None:
    box = Box()
    await box.ok("manage_projects", action="register", name="Alpha")
    many = [box.call("remember", fact=f"thing {number}") for number in range(20)]
    answers = await asyncio.gather(*many, box.call("switch_context", project="alpha"))
    assert all(answer.ok for answer in answers)
    kept = await box.store.list("memory", "entries/global/")
    assert len(kept) == 20
