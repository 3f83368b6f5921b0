"""Calls that may not be dispatched, and what the model is told."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.vocabulary.moved import MOVED

from transom import Call, Context, Message, Registered, Tool, Toolkit
from transom.engine.events import ToolBlocked
from transom.engine.selection.signatures import parameters_of, signature
from transom.errors import InputError
from transom.jsontext import dumps_text
from transom.testing.generators import json_values

from .toolboxes import DATABASE, DEPLOY, EVERYTHING, FETCH, GREP, READ, TARGETS, equipped, load, sent, takes

pytestmark = pytest.mark.feature("P3")


@pytest.mark.parametrize("target", TARGETS)
def test_a_block_leaves_the_payload_as_it_is_byte_for_byte(target: str) -> None:
    context = equipped(context_tool=True)
    load(context, "charts")
    before = context.compile_sync(target)
    context.block_tools("grep", "database", "insert", "deploy", "chart", "load_toolkit", "context")
    after = context.compile_sync(target)
    assert after.json() == before.json()
    context.unblock_tools("grep")
    context.unblock_tools()
    assert context.blocked_tools == ()
    assert context.compile_sync(target).json() == before.json()


@pytest.mark.parametrize(
    ("blocked", "call", "named"),
    [
        ("grep", ("grep", {"pattern": "x"}), "grep"),
        ("insert", ("database", {"action": "insert", "table": "t", "row": {}}), "insert"),
        ("database", ("database", {"action": "query", "sql": "x"}), "database"),
        ("build", ("build", {"target": "x"}), "build"),
        ("deploy", ("build", {"target": "x"}), "build"),
        ("deploy", ("load_toolkit", {"toolkit": "deploy"}), "deploy"),
        ("load_toolkit", ("load_toolkit", {"toolkit": "charts"}), "load_toolkit"),
        ("context", ("context", {"command": "view"}), "context"),
    ],
)
def test_a_blocked_call_is_refused_told_of_and_allowed_again(blocked: str, call: tuple[str, object], named: str) -> None:
    context = equipped(context_tool=True)
    load(context, "deploy")
    heard: list[ToolBlocked] = []
    context.on("tool_blocked", heard.append)
    assert context.check_tool_call(call).allowed
    context.block_tools(blocked, why="The user said no.")
    verdict = context.check_tool_call(call)
    assert (verdict.allowed, verdict.cause) == (False, "blocked")
    assert verdict.reason == f"Error: the tool {named} must not be used now: The user said no."
    assert heard == [ToolBlocked(verdict.name, "blocked", verdict.reason)]
    context.unblock_tools(blocked)
    assert context.check_tool_call(call).allowed
    assert len(heard) == 1


@pytest.mark.feature("X4")
def test_what_the_caller_did_not_select_is_told_of_and_a_models_mistake_is_not() -> None:
    context = equipped()
    heard: list[ToolBlocked] = []
    context.on(ToolBlocked, heard.append)
    context.select_tools(allow={"read_file"})
    verdict = context.check_tool_call(("grep", {"pattern": "x"}))
    assert verdict.reason == "Error: the tool grep is not offered for this task. There are: read_file."
    for call in [("read_file", {}), ("nothing", {}), ("read_file", "{")]:
        assert not context.check_tool_call(call).allowed
    assert [(event.tool, event.cause) for event in heard] == [("grep", "not_selected")]


def test_a_tool_of_our_own_that_is_blocked_answers_with_the_refusal() -> None:
    context = equipped(context_tool=True)
    heard: list[ToolBlocked] = []
    context.on("tool_blocked", heard.append)
    context.block_tools("new_context", "deploy")
    assert context.owns_tool("new_context")
    refusal = "must not be used now. Go on without it, or ask the user."
    assert context.handle_tool_sync(("new_context", {})) == f"Error: the tool new_context {refusal}"
    assert context.handle_tool_sync(("load_toolkit", {"toolkit": "deploy"})) == f"Error: the tool deploy {refusal}"
    assert not context.handle_tool_sync(("context", {"command": "view"})).startswith("Error")
    assert [event.tool for event in heard] == ["new_context", "load_toolkit"]
    assert "load_toolkit" in sent(context)
    assert context.loaded_toolkits == ()


@pytest.mark.parametrize(
    ("call", "cause", "said"),
    [
        (("raed_file", {}), "unknown", "there is no tool raed_file. Did you mean read_file?"),
        (("zzz", {}), "unknown", "there is no tool zzz. There are: read_file, grep, fetch, database, load_toolkit."),
        (
            ("ship", {}),
            "not_loaded",
            'is in the toolkit deploy, which is not loaded. Call load_toolkit with {"toolkit":"deploy"} first',
        ),
        (("query", {}), "arguments", 'query is an action of the tool database. Call database with {"action":"query"}'),
        (("database", {}), "arguments", "database needs the argument action. It is one of: query, insert."),
        (("database", {"action": "drop"}), "arguments", 'database has no action "drop". It is one of: query, insert.'),
        (
            ("database", {"action": "insert", "table": "t"}),
            "arguments",
            "insert was called without row. It is called as insert(table",
        ),
        (("database", {"action": "query", "sql": "x", "table": "t"}), "arguments", "query takes no table"),
        (("database", "{"), "arguments", "the arguments of database are no JSON (Expecting"),
        (
            ("read_file", {}),
            "arguments",
            "read_file was called without path. It is called as read_file(path: string, limit?: integer).",
        ),
        (("read_file", {"path": "a", "offset": 1, "lines": 2}), "arguments", "read_file takes no offset, lines."),
        (("read_file", '{"path":'), "arguments", "the arguments of read_file are no JSON (Expecting"),
        (("read_file", '["a"]'), "arguments", "the arguments of read_file are no JSON object."),
        (("read_file", 7), "arguments", "the arguments of read_file are no JSON object."),
        (("read_file", None), "arguments", "read_file was called without path."),
    ],
    ids=str,
)
def test_what_a_model_got_wrong_is_said_in_words_it_can_act_on(call: tuple[str, object], cause: str, said: str) -> None:
    verdict = equipped().check_tool_call(call)
    assert (verdict.allowed, verdict.cause) == (False, cause)
    assert verdict.reason.startswith("Error: ")
    assert said in verdict.reason


@pytest.mark.parametrize(
    "call",
    [
        Call("read_file", '{"path":"a"}', "c1"),
        {"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": '{"path":"a"}'}},
        {"type": "function_call", "call_id": "c1", "name": "read_file", "arguments": '{"path":"a"}'},
        {"type": "tool_use", "id": "c1", "name": "read_file", "input": {"path": "a"}},
        {"functionCall": {"name": "read_file", "args": {"path": "a"}}},
        ("read_file", {"path": "a"}),
    ],
    ids=["ours", "openai", "responses", "anthropic", "gemini", "pair"],
)
def test_a_call_of_any_provider_is_looked_at(call: object) -> None:
    context = equipped()
    verdict = context.check_tool_call(call)
    assert (verdict.allowed, verdict.name, verdict.arguments, verdict.reason) == (True, "read_file", {"path": "a"}, "")
    context.block_tools("read_file")
    assert context.check_tool_call(call).cause == "blocked"


def test_what_is_no_call_is_the_programmers_mistake() -> None:
    with pytest.raises(InputError, match="a int is no tool call"):
        equipped().check_tool_call(7)


def test_a_block_outlasts_other_tools_and_a_loaded_body() -> None:
    context = equipped()
    context.block_tools("grep")
    context.tools(READ)
    context.load({"messages": [{"role": "user", "content": "hi"}], "tools": []}, format="openai")
    context.tools(GREP, READ)
    assert context.check_tool_call(("grep", {"pattern": "x"})).cause == "blocked"


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        (lambda c: c.block_tools("gerp"), "no tool is called 'gerp' .there are build, chart, charts, database"),
        (lambda c: c.block_tools("context"), "no tool is called 'context'"),
        (lambda c: c.block_tools("grep", "gerp"), "no tool is called 'gerp'"),
        (lambda c: c.unblock_tools("grep"), "'grep' is not blocked .nothing is"),
        (lambda c: c.block_tools("fetch") or c.unblock_tools("grep"), "'grep' is not blocked .blocked are fetch"),
    ],
)
def test_a_block_of_nothing_is_refused(wrong: Callable[[Context], object], complaint: str) -> None:
    context = equipped()
    with pytest.raises(InputError, match=complaint):
        wrong(context)
    assert "grep" not in context.blocked_tools


def test_free_text_and_hosted_tools_have_no_arguments_to_look_at() -> None:
    context = equipped(Tool("patch", "Applies a patch.", kind="custom"), Tool("anything", "Takes anything."))
    free = {"type": "custom", "custom": {"name": "patch", "input": "*** Begin\n{"}}
    assert context.check_tool_call(free).arguments == {"input": "*** Begin\n{"}
    assert context.check_tool_call(("anything", {"x": 1})).arguments == {"x": 1}


@pytest.mark.parametrize(
    ("schema", "line", "allowed", "refused"),
    [
        (takes(a="string"), "t(a: string)", {"a": 1}, {"a": 1, "b": 2}),
        (takes(), "t()", {}, {"b": 2}),
        ({"type": "object"}, "t(…)", {"b": 2}, None),
        ({"type": "object", "properties": {"a": {}}, "additionalProperties": True}, "t(a?: any, …)", {"b": 2}, None),
        ({"type": "object", "properties": {"a": {}}, "additionalProperties": False}, "t(a?: any)", {"a": 2}, {"b": 2}),
        ({"type": "object", "properties": {"a": {}}, "patternProperties": {"^x": {}}}, "t(a?: any, …)", {"xy": 2}, None),
        (
            {"$ref": "#/$defs/A", "$defs": {"A": takes(a={"type": ["string", "null"]})}},
            "t(a: string|null)",
            {"a": None},
            {"b": 1},
        ),
        ({"$ref": "https://example.org/a.json"}, "t(…)", {"b": 2}, None),
        (
            {"anyOf": [takes(a="string"), takes(b={"type": "array", "items": {"enum": [1, 2]}})], "required": ["c"]},
            "t(a?: string, b?: (1|2)[], c: any)",
            {"a": "x", "c": 1},
            {"a": "x"},
        ),
        (
            {"allOf": [takes(a="string"), takes(b={"anyOf": [{"type": "string"}, {"type": "integer"}]})]},
            "t(a: string, b: string|integer)",
            {"a": 1, "b": 2},
            {"a": 1},
        ),
        ({"$ref": "#"}, "t(…)", {"b": 2}, None),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_names_of_arguments_are_read_from_a_schema(
    schema: dict[str, object], line: str, allowed: dict[str, object], refused: dict[str, object] | None
) -> None:
    tool = Tool("t", "T.", schema)
    assert signature(tool) == line
    context = equipped(tool)
    assert context.check_tool_call(("t", allowed)).allowed
    if refused is not None:
        assert context.check_tool_call(("t", refused)).cause == "arguments"
    else:
        assert parameters_of(tool).open


@given(
    st.sampled_from([tool.name for tool in (READ, GREP, FETCH, DATABASE)] + ["query", "build", "load_toolkit", "x" * 500, ""]),
    st.one_of(json_values(), st.text(), json_values().map(dumps_text), st.none()),
)
def test_nothing_that_a_model_writes_raises(name: str, arguments: object) -> None:
    context = equipped(context_tool=True)
    verdict = context.check_tool_call((name, arguments))
    assert verdict.allowed == (not verdict.reason) == (not verdict.cause)
    assert verdict.reason == "" or verdict.reason.startswith("Error: ")
    context.resolve_tool_call((name, arguments))
    if context.owns_tool(name):
        assert context.handle_tool_sync((name, arguments))


def test_a_verdict_over_a_thousand_tools_names_those_that_are_like_it() -> None:
    context = equipped(*(Tool(f"tool_number_{n}", "Does it.", takes(a="string")) for n in range(1_000)), Registered(READ))
    assert context.check_tool_call(("read_files", {})).reason == "Error: there is no tool read_files. Did you mean read_file?"
    reason = context.check_tool_call(("§", {})).reason
    assert reason.endswith("tool_number_19 and 981 more.")


def test_no_refusal_says_a_word_of_another_vocabulary() -> None:
    context = Context(window=16_000, vocabulary=MOVED)
    context.tools(*EVERYTHING[3:], Toolkit("large", "端口", (Tool("l", "端口", takes(a="string")),)))
    context.block_tools("insert")
    context.append(Message("user", "端口"))
    texts = [context.handle_tool_sync(("load_toolkit", {"toolkit": name})) for name in ("large", "large", "x")]
    texts.append(context.handle_tool_sync(("load_toolkit", {})))
    calls: list[tuple[str, object]] = [("§", {}), ("query", {}), ("build", {}), ("l", {}), ("l", {"a": 1, "b": 1}), ("l", "[]")]
    calls += [("database", given) for given in ({}, {"action": "§"}, {"action": "insert"})]
    texts += [context.check_tool_call(call).reason for call in calls]
    known = {
        "query",
        "insert",
        "database",
        "build",
        "deploy",
        "large",
        "load_toolkit",
        "toolkit",
        "action",
        "charts",
        "string",
        "l",
        "a",
    }
    for text in texts:
        words = "".join(letter if letter.isascii() and (letter.isalnum() or letter == "_") else " " for letter in text).split()
        assert [word for word in words if word not in known and not word.isdecimal() and word not in {"b", "x"}] == [], text


def test_toolkits_of_a_blocked_kind_stay_listed() -> None:
    context = equipped(READ, DEPLOY)
    context.block_tools("deploy")
    assert "deploy" in context.head.tools[-1].description
