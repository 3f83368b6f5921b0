"""Several tools as one definition, and the call of it taken apart."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom import Call, Tool, ToolNamespace
from transom.engine.selection.namespaces import namespace_tool
from transom.errors import InputError
from transom.jsontext import dumps_text
from transom.vocabulary import ENGLISH
from transom.wire.registry import builtin_registry
from transom.wire.schemas import PROFILES, broken_rules, convert_tool

from .toolboxes import DATABASE, TARGETS, equipped, listed, names, takes, tool_bytes

pytestmark = pytest.mark.feature("P2")

WORDS = ENGLISH.selecting


def parameters(namespace: ToolNamespace) -> dict[str, object]:
    found = namespace_tool(namespace, WORDS).parameters
    assert isinstance(found, dict)
    return found


def test_a_namespace_is_one_tool_with_its_actions_and_all_their_arguments() -> None:
    tool = namespace_tool(DATABASE, WORDS)
    assert tool.description.splitlines() == [
        "The shop's database. Actions:",
        "- query(sql: string, limit?: integer): Runs a query.",
        "- insert(table: string, row: object): Inserts a row.",
    ]
    assert tool.parameters == {
        "type": "object",
        "properties": {
            "action": {"type": "string", "enum": ["query", "insert"], "description": "What to do."},
            "sql": {"type": "string", "description": "For query."},
            "limit": {"type": "integer", "description": "For query."},
            "table": {"type": "string", "description": "For insert."},
            "row": {"type": "object", "description": "For insert."},
        },
        "required": ["action"],
    }


@pytest.mark.parametrize("target", TARGETS)
def test_a_namespace_is_valid_for_every_target_and_the_same_bytes_in_every_session(target: str) -> None:
    contexts = [equipped(DATABASE) for _ in range(2)]
    for context in contexts:
        context.model("a-model", max_output_tokens=500)
    first, second = (context.compile_sync(target) for context in contexts)
    assert names(first) == ["database"]
    assert tool_bytes(first) == tool_bytes(second)
    assert builtin_registry().get(target).validate(first.body) == []


@pytest.mark.parametrize("profile", PROFILES)
def test_a_namespace_can_be_converted_for_every_kind_of_schema(profile: str) -> None:
    converted, _ = convert_tool(namespace_tool(DATABASE, WORDS), profile)  # type: ignore[arg-type]
    assert converted.parameters is not None
    assert not broken_rules(converted.parameters, profile)  # type: ignore[arg-type]


def test_an_argument_that_all_actions_share_stands_as_it_is() -> None:
    path = {"type": "string", "description": "From the root."}
    shared = ToolNamespace(
        "files", "Files.", (Tool("view", "Views.", takes(path=path)), Tool("wipe", "Wipes.", takes(path=path)))
    )
    assert parameters(shared)["properties"] == {
        "action": {"type": "string", "enum": ["view", "wipe"], "description": "What to do."},
        "path": path,
    }


def test_an_argument_that_actions_take_differently_may_be_either() -> None:
    tools = (
        Tool("one", "One.", takes(id={"type": "string", "description": "A name."})),
        Tool("many", "Many.", takes(id={"type": "array", "items": {"type": "string"}})),
    )
    properties = parameters(ToolNamespace("get", "Gets.", tools))["properties"]
    assert isinstance(properties, dict)
    assert properties["id"] == {
        "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
        "description": "For one: A name. For many.",
    }


def test_references_still_lead_to_their_own_definitions() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}
    list_ = Tool(
        "walk", "Walks.", {"$defs": {"Node": node}, "type": "object", "properties": {"from": {"$ref": "#/$defs/Node"}}}
    )
    tree = Tool("grow", "Grows.", {"type": "object", "properties": {"seed": {"type": "string"}, "onto": {"$ref": "#"}}})
    schema = parameters(ToolNamespace("graph", "A graph.", (list_, tree)))
    properties, definitions = schema["properties"], schema["$defs"]
    assert isinstance(properties, dict)
    assert isinstance(definitions, dict)
    assert properties["from"]["$ref"] == "#/$defs/walk/$defs/Node"
    assert definitions["walk"]["$defs"]["Node"]["properties"]["next"]["$ref"] == "#/$defs/walk/$defs/Node"
    assert properties["onto"]["$ref"] == "#/$defs/grow"


def test_an_argument_that_is_called_like_the_choice_of_the_action_needs_another_name_for_that() -> None:
    tools = (Tool("press", "Presses.", takes(action="string")),)
    with pytest.raises(InputError, match=r"'press' takes 'action', .* .ToolNamespace\(…, argument='command'"):
        equipped(ToolNamespace("key", "A key.", tools))
    context = equipped(ToolNamespace("key", "A key.", tools, argument="command"))
    verdict = context.check_tool_call(("key", {"command": "press", "action": "down"}))
    assert (verdict.name, verdict.arguments) == ("press", {"action": "down"})


@pytest.mark.parametrize(
    "call",
    [
        Call("database", '{"action":"query","sql":"select 1"}', "c1"),
        {"id": "c1", "type": "function", "function": {"name": "database", "arguments": '{"action":"query","sql":"select 1"}'}},
        {"type": "function_call", "call_id": "c1", "name": "database", "arguments": '{"action":"query","sql":"select 1"}'},
        {"type": "tool_use", "id": "c1", "name": "database", "input": {"action": "query", "sql": "select 1"}},
        {"functionCall": {"name": "database", "args": {"action": "query", "sql": "select 1"}}},
        ("database", {"action": "query", "sql": "select 1", "row": None, "table": None}),
    ],
    ids=["ours", "openai", "responses", "anthropic", "gemini", "strict"],
)
def test_a_call_of_any_provider_is_taken_apart(call: object) -> None:
    context = equipped()
    assert context.resolve_tool_call(call) == ("query", {"sql": "select 1"})
    verdict = context.check_tool_call(call)
    assert (verdict.allowed, verdict.name, verdict.arguments) == (True, "query", {"sql": "select 1"})


def test_a_call_that_stands_for_nothing_is_resolved_to_itself() -> None:
    context = equipped()
    for call in [("read_file", '{"path":"a"}'), ("database", "{"), ("database", {"action": "drop"}), ("nothing", None)]:
        assert context.resolve_tool_call(call) == call


@given(st.dictionaries(st.text(max_size=5), st.one_of(st.none(), st.integers(), st.text(max_size=5)), max_size=4))
def test_what_was_folded_is_unfolded(arguments: dict[str, object]) -> None:
    arguments.pop("action", None)
    schema = takes(**dict.fromkeys((f"{name}_" for name in arguments if not name.endswith("_")), "string"))
    given_ = {name: value for name, value in arguments.items() if not name.endswith("_")}
    context = equipped(
        ToolNamespace("box", "A box.", (Tool("put", "Puts.", schema), Tool("take", "Takes.", takes(a_="string"))))
    )
    assert context.resolve_tool_call(("box", dumps_text({"action": "put", **given_}))) == ("put", given_)


def test_a_namespace_in_other_words_says_none_of_ours() -> None:
    french = replace(WORDS, action="Que faire.", only_for_plain="Pour {actions}.", namespace="{description} Actes :")
    tool = namespace_tool(DATABASE, french)
    assert tool.description.startswith("The shop's database. Actes :\n")
    assert "What to do" not in dumps_text(tool.parameters)


def test_the_definition_stands_still_whatever_is_blocked_or_called() -> None:
    context = equipped(DATABASE)
    before = listed(context.compile_sync("openai"))
    context.block_tools("insert")
    context.check_tool_call(("database", {"action": "insert"}))
    assert listed(context.compile_sync("openai")) == before
