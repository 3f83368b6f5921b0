"""The context tool where it is used: in a session that overflows, on every target, in the caller's own loop."""

from __future__ import annotations

import re

import pytest
from tests.unit.engine.retrieval.desks import body_of, joined, next_call
from tests.unit.engine.sessions import HEAD, context_of, dialogue, driven, texts, tool_loop

from transom import Call, Context, Message, PruneSettings, Retrieval, Tool, chain, clear, digest, reset
from transom.engine.retrieval import SMALLEST, context_tools, native_memory_tool
from transom.errors import InputError
from transom.messages import Result, Text
from transom.testing.generators import prose
from transom.tokens import weigh_tools
from transom.tokens.chars import Chars

TARGETS = pytest.mark.parametrize("target", ["openai", "openai-responses", "anthropic", "gemini"])


def tool_names(payload_body: dict[str, object]) -> list[object]:
    tools = payload_body["tools"]
    assert isinstance(tools, list)
    if "functionDeclarations" in tools[0]:
        tools = tools[0]["functionDeclarations"]
    return [tool.get("name") or tool["function"]["name"] for tool in tools]


# ── what is offered ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.feature("R1")
@TARGETS
async def test_the_context_tools_stand_behind_the_callers_own_however_these_are_set(target: str) -> None:
    context = context_of([Message("user", "Go.")], window=16_000, context_tool=True)
    assert tool_names((await context.compile(target)).body) == ["context", "new_context"]
    context.tools(*HEAD.tools)
    assert tool_names((await context.compile(target)).body) == ["read_file", "context", "new_context"]
    context.head = HEAD
    context.head = context.head
    body = (await context.compile(target)).body
    assert tool_names(body) == ["read_file", "context", "new_context"]
    again = Context(window=16_000, tokenizer="chars4", context_tool=True)
    again.load(body, format=target)
    assert (await again.compile(target)).body == body


@pytest.mark.feature("R1")
async def test_a_load_of_the_same_head_renders_nothing_anew_and_moves_no_prefix() -> None:
    context = context_of(window=16_000, context_tool=True)
    body: dict[str, object] = {"model": "m", "tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}]}
    context.load({**body, "messages": [{"role": "user", "content": "a"}]}, format="openai")
    first = await context.compile("openai")
    context.load({**body, "messages": [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]}, format="openai")
    second = await context.compile("openai")
    assert second.meta.prefix_bytes >= first.sequence.stable


async def test_the_tools_count_in_the_budget() -> None:
    without = await context_of([Message("user", "Go.")], window=16_000).compile("openai")
    with_tools = await context_of([Message("user", "Go.")], window=16_000, context_tool=True).compile("openai")
    assert with_tools.meta.parts["tools"] == weigh_tools(context_tools(), Chars()) > without.meta.parts["tools"] == 0


async def test_without_it_nothing_changes_and_nothing_is_answered() -> None:
    context = context_of([Message("user", "Go.")], window=16_000)
    assert b"context" not in (await context.compile("openai")).json()
    assert not context.owns_tool("context")
    with pytest.raises(InputError, match="offers no tools"):
        await context.handle_tool(("context", {}))


@pytest.mark.feature("R3")
async def test_a_session_says_how_its_tool_is_called_and_what_it_may_do() -> None:
    context = context_of(
        [Message("user", "Go.")], window=16_000, context_tool=Retrieval(name="transom_context", new_context=False)
    )
    assert [tool.name for tool in context.head.tools] == ["transom_context"]
    assert [context.owns_tool(name) for name in ("transom_context", "context", "new_context", "memory")] == [
        True,
        False,
        False,
        False,
    ]
    with pytest.raises(InputError, match="no tool of this context"):
        await context.handle_tool(("new_context", {}))
    context.tools(Tool("context", "the caller's own"))
    assert [tool.name for tool in context.head.tools] == ["context", "transom_context"]
    with pytest.raises(InputError, match="two tools called 'context'"):
        context_of(window=16_000, context_tool=True).tools(Tool("context", "the caller's own"))
    for wrong in ({"name": "other"}, {"budget": 10}, {"writable": "notes"}, {"writable": {"vfs"}}):
        with pytest.raises(InputError):
            Retrieval(**wrong)
    with pytest.raises(InputError, match="context_tool is no setting but a str"):
        context_of(context_tool="yes")
    locked = context_of(window=16_000, context_tool=Retrieval(writable=()))
    assert "can be read only" in await locked.handle_tool(
        ("context", {"command": "create", "path": "notes/a", "file_text": "x"})
    )


@pytest.mark.feature("R3", "R4")
async def test_the_memory_tool_is_ours_where_we_or_the_caller_offer_it() -> None:
    call = {"type": "tool_use", "id": "t", "name": "memory", "input": {"command": "view", "path": "/memories"}}
    offered = context_of([Message("user", "Go.")], window=16_000, context_tool=Retrieval(native_memory=True))
    assert (await offered.compile("anthropic")).body["tools"][-1] == {"type": "memory_20250818", "name": "memory"}  # type: ignore[index]
    assert "/memories" in await offered.handle_tool(call)
    brought = Context(window=16_000, context_tool=True)
    body = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Go."}]}
    brought.load({**body, "tools": [{"type": "memory_20250818", "name": "memory"}]}, format="anthropic")
    assert brought.owns_tool("memory")
    assert "/memories" in await brought.handle_tool(call)
    own = context_of(window=16_000, context_tool=True)
    own.tools(Tool("memory", "the caller's own"))
    assert not own.owns_tool("memory")
    both = context_of(window=16_000, context_tool=Retrieval(native_memory=True))
    both.tools(native_memory_tool())
    assert [tool.name for tool in both.head.tools] == ["context", "new_context", "memory"]


# ── how much an answer may have ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.feature("R5")
async def test_no_number_of_calls_at_once_overflows_the_window() -> None:
    context = context_of(tool_loop(6, 300), window=8_000, context_tool=True)
    uri = await context.store.put("vfs", prose(1, 60_000))
    payload = await context.compile("openai")
    calls = [Call("context", f'{{"command":"view","path":"{uri}"}}', f"view_{number}") for number in range(8)]
    answers = [await context.handle_tool(call) for call in calls]
    given = [Chars().count(answer) for answer in answers]
    left = payload.meta.trigger - payload.meta.tokens_after
    assert max(given) <= 2_000
    assert given[-1] <= SMALLEST
    assert sum(given) <= left + 8 * SMALLEST
    results = [Result((Text(answer),), call_id=call.id, name="context") for call, answer in zip(calls, answers, strict=True)]
    context.append(Message("assistant", calls), *(Message("tool", [result]) for result in results))
    after = await context.compile("openai")
    assert after.meta.tokens_after + after.meta.reserve <= 8_000
    for answer in answers:
        assert answer.split("\n", 1)[0] in texts(after)


@pytest.mark.feature("R5")
async def test_an_answer_has_the_room_that_is_left_before_the_window_closes() -> None:
    context = context_of(window=8_000, context_tool=Retrieval(budget=4_000))
    uri = await context.store.put("vfs", prose(1, 60_000))
    view = ("context", {"command": "view", "path": uri})
    sizes = []
    for part in range(4):
        context.append(Message("user", prose(part, 4_000)))
        payload = await context.compile("openai")
        answer = Chars().count(await context.handle_tool(view))
        assert answer <= max(512, payload.meta.trigger - payload.meta.tokens_after)
        sizes.append(answer)
        context.append(Message("assistant", "Read."))
    assert sizes[0] > sizes[-1]


# ── a session that overflows ───────────────────────────────────────────────────────────────────────────────────────────


async def read(context: Context, path: str) -> list[str]:
    """Every page of what lies at an address, asked for as the page before said."""
    pages = [await context.handle_tool(("context", {"command": "view", "path": path}))]
    while (following := next_call(pages[-1])) is not None:
        pages.append(await context.handle_tool({"name": "context", "arguments": {"path": path} | following}))
    assert not [page for page in pages if page.startswith("Error")]
    return pages


@pytest.mark.feature("R2", "R5")
@pytest.mark.parametrize("strategy", [reset, digest, lambda: chain(clear(keep_recent=1), digest(), reset())])
async def test_a_model_reads_back_page_by_page_everything_that_left(strategy: object) -> None:
    history = [*tool_loop(14, 500), *dialogue(6, 200)[:-1], Message("user", "What was in the first file?")]
    assert callable(strategy)
    context = context_of(window=6_000, overflow=strategy(), context_tool=True)
    payloads = await driven(context, history)
    assert len({payload.meta.window_id for payload in payloads}) > 1
    body = texts(payloads[-1])
    waiting = list(dict.fromkeys(re.findall(r"context://(?:archive|vfs)/\w+", body)))
    seen: set[str] = set()
    shown = body.replace("\\n", "\n").replace("\\t", "\t")
    while waiting:
        uri = waiting.pop()
        if uri in seen:
            continue
        seen.add(uri)
        pages = await read(context, uri)
        text = joined(pages) if "/vfs/" in uri else body_of(pages)
        shown += "\n" + text
        waiting += re.findall(r"context://(?:archive|vfs)/\w+", text)
    assert seen
    for message in history:
        for part in message.parts:
            said = part.text if isinstance(part, Text | Result) else ""
            assert said in shown
    call = await context.handle_tool(("context", {"command": "search", "query": '"result 0"'}))
    assert "result 0: the quick brown fox" in call


@pytest.mark.feature("R2")
@pytest.mark.parametrize("name", ["context", "transom_context", "memory"])
async def test_what_was_read_back_is_neither_pruned_nor_cleared(name: str) -> None:
    page = prose(1, 3_000)
    loop = tool_loop(8, 500)
    loop[1:1] = [Message("assistant", [Call(name, "{}", "r")]), Message("tool", page, tool_call_id="r", name=name)]
    context = context_of(
        loop, window=6_000, overflow=clear(keep_recent=1), prune=PruneSettings(threshold=400), context_tool=True
    )
    payload = await context.compile("openai")
    assert payload.meta.closed == "clear"
    assert page.replace("\n", "\\n") in texts(payload)


# ── a model that closes its window ─────────────────────────────────────────────────────────────────────────────────────


@TARGETS
async def test_a_model_closes_its_window_and_reads_on_behind_it(target: str) -> None:
    context = context_of([*dialogue(4, 100)[:-1], Message("user", "Now the other task.")], window=16_000, context_tool=True)
    before = await context.compile(target)
    call = Call("new_context", "{}", "call_n")
    answer = await context.handle_tool(call)
    assert "window closes" in answer
    context.append(Message("assistant", [call]), Message("tool", answer, tool_call_id="call_n", name="new_context"))
    after = await context.compile(target)
    assert after.meta.window_id != before.meta.window_id
    assert after.meta.archives
    assert "question 0" in "".join(await read(context, after.meta.archives[0]))


def test_a_program_without_an_event_loop_can_answer_too() -> None:
    context = context_of([Message("user", "Go.")], window=16_000, context_tool=True)
    context.compile_sync("openai")
    assert "context://notes/" in context.handle_tool_sync({"name": "context", "arguments": {"command": "view"}})
    context.close()


async def test_what_one_session_writes_another_reads() -> None:
    first = context_of(window=16_000, context_tool=True)
    await first.handle_tool(("context", {"command": "create", "path": "memory/port", "file_text": "5403"}))
    fact = await first.memory.facts.get("port")
    assert fact is not None
    assert fact.value == "5403"
    second = context_of(window=16_000, store=first.store, context_tool=True)
    assert "5403" in await second.handle_tool(("context", {"command": "view", "path": "memory/port"}))


async def test_the_tools_come_back_with_a_snapshot_and_with_a_branch() -> None:
    context = context_of([Message("user", "Go.")], window=16_000, context_tool=True)
    context.tools(*HEAD.tools)
    expected = (await context.compile("openai")).json()
    fresh = context_of(window=16_000, context_tool=True)
    fresh.restore(context.snapshot())
    assert (await fresh.compile("openai")).json() == expected
    branch = context.branch()
    assert branch.owns_tool("context")
    assert (await branch.compile("openai")).json() == expected


@pytest.mark.feature("R5")
async def test_a_result_that_was_appended_is_counted_once() -> None:
    context = context_of([Message("user", "Go.")], window=16_000, context_tool=Retrieval(budget=1_000))
    uri = await context.store.put("vfs", prose(1, 60_000))
    await context.compile("openai")
    sizes = []
    for number in range(6):
        call = Call("context", f'{{"command":"view","path":"{uri}"}}', f"c{number}")
        answer = await context.handle_tool(call)
        sizes.append(Chars().count(answer))
        context.append(Message("assistant", [call]), Message("tool", answer, tool_call_id=call.id, name="context"))
    assert min(sizes) > 900
