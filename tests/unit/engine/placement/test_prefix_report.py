"""The prefix report: what moved the prefix, where and why, and what has to be read again, on every target."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.engine.sessions import HEAD, context_of, dialogue, driven, round_of, tool_loop

from transom import Context, Message, Payload, Tool, reset
from transom.engine.breaks import stretches_of
from transom.engine.placement.prefix import PrefixReport, Stretch, located, prefix_report
from transom.engine.state import CompileState

TARGETS = ("openai", "openai-responses", "anthropic", "gemini")
OTHER = Tool("write_file", "Writes.", {"type": "object", "properties": {}})


async def compiled(context: Context, target: str) -> PrefixReport:
    return (await context.compile(target)).meta.prefix


@pytest.mark.feature("X6")
@pytest.mark.parametrize("target", TARGETS)
async def test_a_prefix_that_holds_says_nothing(target: str) -> None:
    context = context_of(window=40_000)
    context.head = HEAD
    first, *rest = await driven(context, dialogue(4), target)
    assert first.meta.prefix == PrefixReport()
    for before, payload in zip([first, *rest], rest, strict=False):
        report = payload.meta.prefix
        assert not report.broken
        assert (report.part, report.where, report.reason) == ("", "", "")
        assert report.held == payload.meta.prefix_bytes >= report.due == before.sequence.stable


@pytest.mark.unstable_prefix("the tools change on purpose")
@pytest.mark.feature("X6")
@pytest.mark.parametrize("target", TARGETS)
async def test_a_tool_that_changes_is_named(target: str) -> None:
    context = context_of(dialogue(3))
    context.head = replace(HEAD, tools=(*HEAD.tools, OTHER))
    before = await context.compile(target)
    context.head = replace(HEAD, tools=(*HEAD.tools, replace(OTHER, description="Writes more.")))
    payload = await context.compile(target)
    report = payload.meta.prefix
    assert report.part == "tools"
    assert report.where == ("tools[0].functionDeclarations[1]" if target == "gemini" else "tools[1]") + " (write_file)"
    assert report.reason == "the tools changed"
    assert report.lost_bytes == min(before.sequence.stable, payload.sequence.length) - report.held
    assert 0 < report.lost_tokens <= payload.meta.tokens_after


@pytest.mark.unstable_prefix("the system prompt changes on purpose")
@pytest.mark.feature("X6")
@pytest.mark.parametrize("target", TARGETS)
async def test_a_system_prompt_that_changes_is_named(target: str) -> None:
    context = context_of(dialogue(3))
    context.head = HEAD
    context.system("Be brief.")
    await context.compile(target)
    context.system("Be thorough.")
    report = await compiled(context, target)
    assert (report.part, report.reason) == ("system", "the system prompt changed")
    assert report.where in {"system[0]", "system"}


@pytest.mark.feature("X6")
@pytest.mark.parametrize("target", TARGETS)
async def test_a_closing_is_reported_as_one_with_what_it_costs(target: str) -> None:
    context = context_of(overflow=reset())
    context.head = HEAD
    payloads = await driven(context, tool_loop(40), target)
    closings = [(before, p) for before, p in pairwise(payloads) if p.meta.closed]
    assert len(closings) > 1
    for before, payload in closings:
        report = payload.meta.prefix
        assert report.broken
        assert report.reason == f"reset closed {before.meta.window_id}"
        assert report.part == "head" or (before.meta.window_id == "w1" and report.part == "message")
        assert report.due == before.sequence.stable
        assert report.lost_bytes == payload.sequence.length - report.held or before.sequence.stable < payload.sequence.length
    assert not any(p.meta.prefix.broken for p in payloads if not p.meta.closed)


@pytest.mark.feature("X6")
@pytest.mark.parametrize("target", TARGETS)
async def test_what_is_frozen_behind_the_system_prompt_is_told_from_it(target: str) -> None:
    context = context_of(overflow=reset(), memory=True)
    context.head = HEAD
    context.system("Be brief.")
    await context.memory.facts.set("colour", "teal")
    context.state({"step": 1}, place="system")
    closings = []
    for number in range(16):
        context.append(*round_of(number, ask=f"question {number}"))
        if number == 3:
            await context.memory.facts.set("size", "nine")
        if number == 9:
            context.state({"step": 2}, place="system")
        report = await compiled(context, target)
        if report.broken:
            closings.append((report.part, report.where, report.reason))
    assert closings == [("memory", "system[1]", "reset closed w1"), ("state", "system[2]", "reset closed w2")]


async def test_a_window_that_closed_for_another_target_is_the_reason_too() -> None:
    context = context_of(overflow=reset())
    messages = tool_loop(40)
    context.append(*messages[:5])
    await context.compile("gemini")
    context.append(*messages[5:])
    closed = await context.compile("openai")
    assert closed.meta.closed == "reset"
    report = await compiled(context, "gemini")
    assert report.reason == "w2 opened since the last compile for this target"


@pytest.mark.unstable_prefix("an earlier message changes on purpose")
@pytest.mark.parametrize("target", TARGETS)
async def test_another_conversation_is_named_from_the_first_message_that_differs(target: str) -> None:
    context = context_of(window=40_000)
    history = dialogue(3)
    context.load(history)
    await context.compile(target)
    context.load([*history[:3], Message("assistant", "Something else."), *history[4:]])
    report = await compiled(context, target)
    assert (report.part, report.where, report.reason) == ("message", "messages[3]", "another conversation was loaded")


@pytest.mark.unstable_prefix("a slot rewrites the conversation")
async def test_a_function_in_a_slot_is_named() -> None:
    context = context_of(dialogue(3), window=40_000)
    number = 0

    def counted(messages: list[Message]) -> list[Message]:
        return [Message(message.role, f"{number}: {message.text}") for message in messages]

    context.use("before-adapt", counted)
    await context.compile("openai")
    number = 1
    report = await compiled(context, "openai")
    assert (report.part, report.where) == ("message", "messages[0]")
    assert report.reason == "a function in a slot changed the conversation"


async def test_volatile_text_at_the_end_moves_nothing() -> None:
    context = context_of(dialogue(3), window=40_000)
    for minute in range(5):
        context.tail(f"It is 12:{minute:02}.")
        assert not (await compiled(context, "openai")).broken


@pytest.mark.parametrize("target", TARGETS)
async def test_the_parts_of_a_payload_are_all_of_it(target: str) -> None:
    context = context_of(overflow=reset(), memory=True)
    context.head = replace(HEAD, tools=(*HEAD.tools, OTHER))
    context.system("Be brief.")
    context.tail("It is Monday.")
    await context.memory.facts.set("colour", "teal")
    seen: list[CompileState] = []
    context.use("before-assemble", seen.append)
    for message in [*dialogue(2), *tool_loop(25), Message("user", "And?"), Message("assistant", "Begun")]:
        context.append(message)
        payload = await context.compile(target)
        stretches = list(stretches_of(seen[-1]))
        assert sum(stretch.length for stretch in stretches) - payload.sequence.length == seen[-1].closing_bytes
    assert {stretch.part for stretch in stretches} >= {"tools", "system", "memory", "head", "message", "tail"}


@given(st.lists(st.integers(1, 50), min_size=1, max_size=8), st.data())
def test_every_byte_lies_in_exactly_one_stretch(lengths: list[int], data: st.DataObject) -> None:
    stretches = [Stretch("message", str(index), length) for index, length in enumerate(lengths)]
    offset = data.draw(st.integers(0, sum(lengths) - 1))
    bounds = [sum(lengths[:index]) for index in range(len(lengths) + 1)]
    expected = next(str(index) for index in range(len(lengths)) if bounds[index] <= offset < bounds[index + 1])
    assert located(stretches, offset).where == expected


@given(st.integers(0, 10_000), st.integers(0, 10_000), st.integers(0, 10_000), st.integers(0, 100_000))
def test_what_is_lost_is_never_more_than_there_is(held: int, due: int, length: int, tokens: int) -> None:
    report = prefix_report(min(held, length), due, length, tokens, [Stretch("message", "messages[0]", length)], "")
    assert 0 <= report.lost_bytes <= length
    assert 0 <= report.lost_tokens <= tokens
    assert report.broken == (min(due, length) > min(held, length))


def test_parts_are_looked_at_only_where_something_was_lost() -> None:
    def unread() -> Payload:
        raise AssertionError("nobody has to look")

    stretches = (Stretch("tail", str(unread()), 1) for _ in range(1))
    assert prefix_report(10, 10, 20, 5, stretches, "") == PrefixReport(held=10, due=10)
