"""The laws of tool selection, over random sessions: what goes out changes when somebody says so, and at no other time."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.engine.selection.toolboxes import CHARTS, DATABASE, DEPLOY, FETCH, GREP, READ, TARGETS, load, names, tool_bytes

from transom import Context, Message, Registered, Snapshot, Tool, Toolkit, ToolNamespace
from transom.engine.selection.pruning import Combine
from transom.errors import InputError
from transom.messages import Call
from transom.tokens import weigh_tools

pytestmark = [pytest.mark.feature("P1"), pytest.mark.feature("P2"), pytest.mark.feature("P3")]

Given = Tool | Registered | ToolNamespace | Toolkit
TAGS = ("code", "search", "data", "release")
HIDDEN = ("query", "insert", "build", "ship", "chart")


@st.composite
def registries(draw: st.DrawFn) -> tuple[Given, ...]:
    """Some tools, in some order."""
    singles = [
        Registered(tool, tags=draw(st.sets(st.sampled_from(TAGS), max_size=2))) if draw(st.booleans()) else tool
        for tool in (READ, GREP, FETCH)
    ]
    return tuple(draw(st.permutations([*singles, DATABASE, DEPLOY, CHARTS]))[: draw(st.integers(1, 6))])


def rounds(number: int, words: int) -> list[Message]:
    call = Call("read_file", '{"path":"a"}', f"call_{number}")
    return [
        Message("user", f"question {number}"),
        Message("assistant", [call]),
        Message("tool", "a line of it\n" * words, tool_call_id=call.id, name="read_file"),
        Message("assistant", f"answer {number}"),
    ]


STEPS = st.sampled_from(
    ["talk", "talk", "long", "select", "load", "nonsense", "block", "unblock", "check", "carry", "branch", "echo"]
)


@settings(max_examples=60, deadline=None)
@given(registries(), st.lists(STEPS, max_size=12), st.sampled_from(TARGETS), st.booleans(), st.data())
def test_no_byte_of_the_tools_moves_unless_the_caller_or_the_model_says_so(
    registry: tuple[Given, ...], steps: list[str], target: str, own: bool, data: st.DataObject
) -> None:
    context = Context(window=6_000, check=True, context_tool=own)
    broken: list[object] = []
    context.on("invariant_broken", broken.append)
    context.tools(*registry)
    context.append(Message("user", "begin"))
    order = names(context.compile_sync(target))
    before = tool_bytes(context.compile_sync(target))
    for number, step in enumerate(steps):
        offered, loaded = names(context.compile_sync(target)), context.loaded_toolkits
        may_change = False
        match step:
            case "talk" | "long":
                context.append(*rounds(number, 400 if step == "long" else 5))
            case "select":
                tags = (
                    data.draw(st.none() | st.sets(st.sampled_from(sorted(known_tags(registry))), max_size=2))
                    if known_tags(registry)
                    else None
                )
                allow = data.draw(st.none() | st.sets(st.sampled_from([name_of(entry) for entry in registry])))
                combine: Combine = data.draw(st.sampled_from(get_args(Combine)))
                try:
                    sent = context.select_tools(tags=tags, allow=allow, combine=combine)
                except InputError:
                    # No tag at all, or an intersection of nothing: then nothing changed.
                    assert tags is not None
                else:
                    may_change = list(sent) != offered or "load_toolkit" in offered
            case "load" if "load_toolkit" in offered:
                load(context, data.draw(st.sampled_from(["deploy", "charts"])), number)
                may_change = context.loaded_toolkits != loaded
            case "nonsense" if "load_toolkit" in offered:
                load(context, data.draw(st.text(max_size=8)), number)
            case "block":
                context.block_tools(*data.draw(st.sets(st.sampled_from([name_of(entry) for entry in registry]))))
            case "unblock":
                context.unblock_tools()
            case "check":
                context.check_tool_call(
                    (data.draw(st.sampled_from([*HIDDEN, *offered, "x"])), data.draw(st.none() | st.text()))
                )
            case "carry":
                other = Context(window=6_000, store=context.store, check=True, context_tool=own)
                other.restore(Snapshot.from_json(context.snapshot().to_json()))
                assert other.snapshot().to_json() == context.snapshot().to_json()
                context = other
            case "branch":
                context = context.branch()
            case "echo":
                context.head = context.head
        payload = context.compile_sync(target)
        now = tool_bytes(payload)
        if not may_change:
            assert now == before
            assert broken == []
        elif step == "load":
            assert now.startswith(before.rstrip(b"]}"))
        held = [name for name in names(payload) if name in order]
        assert held == [name for name in order if name in held]
        assert not set(names(payload)) & {"query", "insert"}
        before = now
        # A change that was asked for moves the prefix, and is told of as such.
        broken.clear()


@settings(max_examples=40, deadline=None)
@given(registries(), st.data())
def test_what_goes_out_is_what_counts(registry: tuple[Given, ...], data: st.DataObject) -> None:
    context = Context(window=16_000)
    context.append(Message("user", "begin"))
    bare = context.compile_sync("openai").meta.tokens_after
    context.tools(*registry)
    context.select_tools(allow=data.draw(st.sets(st.sampled_from([name_of(entry) for entry in registry]))))
    weight = weigh_tools(context.head.tools, context._tokenizer) if context.head.tools else 0
    assert context.compile_sync("openai").meta.tokens_after == bare + weight


def name_of(entry: Given) -> str:
    return entry.name


def known_tags(registry: tuple[Given, ...]) -> set[str]:
    return {tag for entry in registry if not isinstance(entry, Tool) for tag in entry.tags}
