"""A snapshot that somebody edited: refused as a whole, with the context as it was, or good for everything that comes after."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import cast

import pytest

from transom import Context, Handoff, Message, Snapshot, Tool
from transom.errors import FormatError
from transom.jsontext import dumps, loads
from transom.messages import Call
from transom.wire.format import Head

DELETED = object()
ODD: tuple[object, ...] = (None, "", -1, 1.5, True, [], {}, [None], {"a": 1}, 10**30, "\ud800", DELETED)
Step = str | int


def _context(window: int = 3_000) -> Context:
    return Context(window=window, memory=True, context_tool=True, handoff=Handoff(300))


async def _session() -> dict[str, object]:
    context = _context()
    context.system("You are careful.")
    context.model("a-model", max_output_tokens=500, temperature=0.5)
    context.tools(Tool("read", "Reads.", {"type": "object", "properties": {"path": {"type": "string"}}}))
    await context.memory.facts.set("colour", "teal", ttl_turns=500)
    context.state({"town": "Rome"}, place="system")
    context.announce("a", "A deployment is running.")
    context.guardrail("Only JSON.", answer="x")
    context.tail("tail")
    for number in range(6):
        call = Call("read", f'{{"path": "{number}"}}', f"c{number}")
        context.append(
            Message("user", f"question {number}", pinned=number == 1),
            Message("assistant", [call]),
            Message("tool", f"line {number}\n" * 150, tool_call_id=call.id),
            Message("assistant", "answer " * 150),
        )
        if number == 4:
            context.sticky("beside")
        payload = await context.compile("openai")
        context.report_usage(int(payload.meta.tokens_after * 1.1))
    assert context.lineage.previous is not None
    return cast("dict[str, object]", loads(context.snapshot().to_json()))


def _paths(value: object, at: tuple[Step, ...] = ()) -> Iterator[tuple[Step, ...]]:
    if at:
        yield at
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _paths(item, (*at, key))
    elif isinstance(value, list):
        for index in sorted({*range(len(value))[:1], *range(len(value))[-1:]}):
            yield from _paths(value[index], (*at, index))


def _edited(value: object, path: tuple[Step, ...], odd: object) -> object:
    """The value with one place changed; nothing else of it is copied."""
    if not path:
        return odd
    step, rest = path[0], path[1:]
    made = copy.copy(value)
    inner = cast("dict[Step, object]", made)
    if not rest and odd is DELETED:
        del inner[step]
    else:
        inner[step] = _edited(inner[step], rest, odd)
    return made


async def test_a_snapshot_edited_anywhere_is_refused_whole_or_works() -> None:
    value = await _session()
    kept = _context()
    kept.append(Message("user", "before"))
    await kept.memory.facts.set("before", "too")
    await kept.compile("openai")
    before = (await kept.compile("openai")).json(), kept.snapshot().to_json()
    refused = 0
    paths = list(_paths(value))
    assert len(paths) > 120
    for number, path in enumerate(paths):
        # Every place with some of the values, so that every kind of place meets each of them.
        for odd in ODD if len(path) < 3 else ODD[number % 4 :: 4]:
            snapshot = Snapshot({"transom_snapshot": 1, **cast("dict[str, object]", _edited(value, path, odd))})
            try:
                kept.restore(Snapshot.from_json(dumps(snapshot.value)))
            except FormatError:
                refused += 1
                continue
            if kept.snapshot().to_json() == before[1]:
                continue
            try:
                await kept.compile("openai")
                kept.append(Message("user", "more"))
                kept.report_usage(1_000)
                await kept.compile("anthropic")
                Snapshot.from_json(kept.snapshot().to_json())
            except Exception as error:
                raise AssertionError(f"{path} as {odd!r}: {error!r}") from error
            kept = _context()
            kept.restore(Snapshot.from_json(before[1]))
            assert (await kept.compile("openai")).json() == before[0]
    assert ((await kept.compile("openai")).json(), kept.snapshot().to_json()) == before
    assert refused > 300


async def test_tools_that_do_not_go_with_a_context_leave_it_as_it_was() -> None:
    other = Context(window=4_000)
    other.append(Message("user", "other"))
    other.head = Head(tools=(Tool("context", "Theirs.", {"type": "object", "properties": {"a": {}}}),))
    context = Context(window=4_000, context_tool=True)
    context.append(Message("user", "ours"))
    body = (await context.compile("openai")).json()
    before = context.snapshot().to_json()
    with pytest.raises(FormatError, match="two tools called 'context'"):
        context.restore(other.snapshot())
    assert (context.snapshot().to_json(), (await context.compile("openai")).json()) == (before, body)


async def test_a_branch_takes_values_that_are_text_in_all_but_name() -> None:
    class Name(str):
        __slots__ = ()

    context = Context(window=4_000)
    context.model(Name("a-model"))
    context.append(Message("user", Name("hello")))
    body = (await context.compile("openai")).json()
    assert (await context.branch().compile("openai")).json() == body
