"""Calls in the shapes in which agents hold them, and arguments as models write them."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from tests.unit.engine.retrieval.desks import Desk

from transom import Call
from transom.engine.retrieval import read_call
from transom.errors import InputError

ARGUMENTS = '{"command":"view","path":"notes"}'
VIEW = {"command": "view", "path": "notes"}


@pytest.mark.feature("R3")
@pytest.mark.parametrize(
    "call",
    [
        Call("context", ARGUMENTS, "call_1"),
        ("context", ARGUMENTS),
        {"id": "call_1", "type": "function", "function": {"name": "context", "arguments": ARGUMENTS}},
        {"type": "function_call", "call_id": "call_1", "name": "context", "arguments": ARGUMENTS},
        {"name": "context", "arguments": ARGUMENTS},
    ],
)
def test_a_call_with_arguments_as_text_is_read(call: object) -> None:
    assert read_call(call) == ("context", ARGUMENTS)


@pytest.mark.feature("R3")
@pytest.mark.parametrize(
    "call",
    [
        ("context", VIEW),
        {"type": "tool_use", "id": "toolu_1", "name": "context", "input": VIEW},
        {"functionCall": {"name": "context", "args": VIEW}},
        {"name": "context", "args": VIEW},
        SimpleNamespace(type="tool_use", id="toolu_1", name="context", input=VIEW),
        SimpleNamespace(id="call_1", type="function", function=SimpleNamespace(name="context", arguments=VIEW)),
        SimpleNamespace(function_call=SimpleNamespace(name="context", args=VIEW)),
    ],
)
def test_a_call_with_arguments_as_an_object_is_read(call: object) -> None:
    assert read_call(call) == ("context", VIEW)


@pytest.mark.parametrize("call", [None, "context", 7, {}, {"role": "assistant"}, [], ("context",), {"function": {}}])
def test_what_is_no_call_is_the_programmers_mistake(call: object) -> None:
    with pytest.raises(InputError, match="is no tool call"):
        read_call(call)


@pytest.mark.feature("R2")
async def test_a_tool_that_is_not_ours_is_the_programmers_mistake() -> None:
    with pytest.raises(InputError, match="no tool of this context"):
        await Desk().call("read_file", {})


@pytest.mark.feature("R2")
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ('{"command":', "the arguments are not JSON"),
        ("[1]", "the arguments are no JSON object"),
        ("", "no command. Give command, one of view, create"),
        (None, "no command"),
        ({"command": "read"}, "there is no command 'read'. Give one of view"),
        ({"command": ["view"]}, "there is no command"),
        ({"command": "create", "path": "notes/a"}, "create needs file_text"),
        ({"command": "create", "file_text": "a"}, "create needs path"),
        ({"command": "view", "path": 7}, "path must be text"),
        ({"command": "view", "path": "notes", "offset": "x"}, "offset must be a whole number"),
        ({"command": "view", "path": "notes", "offset": -1}, "offset must be a whole number"),
        ({"command": "view", "path": "notes/a", "view_range": [1]}, "view_range must be two whole numbers"),
        ({"command": "view", "path": "notes/a", "view_range": "one"}, "view_range must be two whole numbers"),
        ({"command": "insert", "path": "notes/a", "insert_line": True, "insert_text": "x"}, "insert_line must be a whole"),
        ({"command": "search", "query": "  "}, "search needs query"),
        ({"command": "str_replace", "path": "notes/a", "old_str": ""}, "str_replace needs old_str"),
    ],
)
async def test_a_mistake_in_the_arguments_is_told(arguments: object, told: str) -> None:
    desk = Desk()
    await desk.ask("create", "notes/a", file_text="a\n")
    answer = await desk.call("context", arguments)
    assert answer.startswith("Error: ")
    assert told in answer


async def test_numbers_and_lists_in_quotes_are_numbers_and_lists() -> None:
    desk = Desk()
    await desk.ask("create", "notes/a", file_text="1\n2\n3\n")
    assert await desk.ask("view", "notes/a", view_range="[2, 3]") == await desk.ask("view", "notes/a", view_range=[2.0, "3"])
