"""Toolkits that a model loads when it needs them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from transom import Call, Context, Message, Snapshot, Tool, Toolkit
from transom.errors import InputError
from transom.jsontext import dumps
from transom.vocabulary import ENGLISH

from .toolboxes import CHARTS, DEPLOY, EVERYTHING, READ, TARGETS, equipped, load, names, sent, takes, tool_bytes

pytestmark = pytest.mark.feature("P2")

FIRST = ["read_file", "grep", "fetch", "database", "load_toolkit"]


def test_toolkits_are_listed_in_one_tool_with_a_line_each() -> None:
    context = equipped(READ, DEPLOY, CHARTS)
    tool = context.head.tools[-1]
    assert tool.name == "load_toolkit"
    assert tool.description.splitlines()[1:] == [
        "- deploy: Builds and ships what is in the repository.",
        "- charts: Draws charts.",
    ]
    assert tool.parameters == {
        "type": "object",
        "properties": {"toolkit": {"type": "string", "enum": ["deploy", "charts"], "description": "The toolkit to load."}},
        "required": ["toolkit"],
    }


@pytest.mark.parametrize("target", TARGETS)
def test_what_is_loaded_stands_behind_everything_else_from_the_next_compile_on(target: str) -> None:
    context = equipped(context_tool=True)
    first = context.compile_sync(target)
    assert context.owns_tool("load_toolkit")
    assert load(context, "charts").splitlines() == [
        "The toolkit charts is loaded. From your next message on you can call:",
        '- chart(kind: "bar"|"line"): Draws a chart.',
    ]
    second = context.compile_sync(target)
    assert names(second) == [*FIRST, "context", "new_context", "chart"]
    load(context, "deploy", 2)
    third = context.compile_sync(target)
    assert names(third) == [*FIRST, "context", "new_context", "chart", "build", "ship"]
    for before, after in [(first, second), (second, third)]:
        assert tool_bytes(after).startswith(tool_bytes(before).rstrip(b"]}"))
    assert (third.meta.prefix.part, "build" in third.meta.prefix.where) == ("tools", True)
    assert context.loaded_toolkits == ("charts", "deploy")


def test_a_toolkit_that_is_loaded_twice_is_loaded_once() -> None:
    context = equipped()
    load(context, "deploy")
    before = context.compile_sync("openai")
    assert load(context, "deploy", 2).startswith("The toolkit deploy is loaded already. You can call:\n- build(")
    assert tool_bytes(context.compile_sync("openai")) == tool_bytes(before)
    assert context.loaded_toolkits == ("deploy",)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ('{"toolkit":"deply"}', "Error: there is no toolkit deply. Toolkits: deploy, charts."),
        ("{}", 'Error: name the toolkit to load, for example {"toolkit":"deploy"}. Toolkits: deploy, charts.'),
        ('{"toolkit":7}', "Error: name the toolkit to load"),
        ('{"toolkit":', "Error: name the toolkit to load"),
        ("[]", "Error: name the toolkit to load"),
        ("", "Error: name the toolkit to load"),
    ],
)
def test_a_call_that_names_no_toolkit_is_told_which_there_are(arguments: str, said: str) -> None:
    context = equipped()
    assert context.handle_tool_sync(Call("load_toolkit", arguments)).startswith(said)
    assert context.loaded_toolkits == ()
    assert sent(context) == FIRST


def test_load_toolkit_is_nobodys_tool_where_there_are_no_toolkits() -> None:
    context = equipped(READ)
    assert not context.owns_tool("load_toolkit")
    with pytest.raises(InputError, match="this context offers no tools"):
        context.handle_tool_sync(("load_toolkit", {"toolkit": "deploy"}))
    assert context.check_tool_call(("load_toolkit", {"toolkit": "deploy"})).cause == "unknown"


def test_a_toolkit_that_is_not_selected_cannot_be_loaded() -> None:
    context = equipped()
    context.select_tools(tags={"release"})
    assert context.handle_tool_sync(("load_toolkit", {"toolkit": "charts"})).startswith("Error: there is no toolkit charts")
    assert context.check_tool_call(("chart", {"kind": "bar"})).cause == "not_selected"


@pytest.mark.feature("P1")
def test_what_is_loaded_stays_when_tools_are_selected_by_tags() -> None:
    context = equipped()
    load(context, "charts")
    context.select_tools(tags={"search"})
    assert sent(context) == ["grep", "fetch", "chart"]
    assert context.check_tool_call(("chart", {"kind": "bar"})).allowed
    context.select_tools(tags={"search"}, allow={"read_file"})
    assert sent(context) == ["read_file", "grep", "fetch", "chart"]
    context.select_tools(tags={"release"})
    assert context.handle_tool_sync(("load_toolkit", {"toolkit": "charts"})).startswith("The toolkit charts is loaded already")
    again = equipped()
    again.select_tools(tags={"release"})
    again.load(list(context.messages))
    assert sent(again) == sent(context) == ["load_toolkit", "chart"]


def test_load_toolkit_is_not_selected_where_no_toolkit_is() -> None:
    context = equipped()
    context.select_tools(tags={"search"})
    verdict = context.check_tool_call(("load_toolkit", {"toolkit": "deploy"}))
    assert (verdict.cause, verdict.reason) == (
        "not_selected",
        "Error: the tool load_toolkit is not offered for this task. There are: grep, fetch.",
    )


def test_a_loaded_toolkit_that_an_allow_list_leaves_out_comes_back_where_it_was() -> None:
    context = equipped()
    load(context, "charts")
    load(context, "deploy", 2)
    before = context.compile_sync("openai")
    context.select_tools(allow={"deploy"})
    assert sent(context) == ["load_toolkit", "build", "ship"]
    assert context.check_tool_call(("chart", {"kind": "bar"})).cause == "not_selected"
    assert context.handle_tool_sync(("load_toolkit", {"toolkit": "charts"})).startswith("Error: there is no toolkit charts")
    context.select_tools()
    assert tool_bytes(context.compile_sync("openai")) == tool_bytes(before)


def test_what_is_loaded_counts_and_what_would_fill_the_window_is_not_loaded() -> None:
    large = Toolkit("large", "Many tools.", tuple(Tool(f"large_{n}", "Does it. " * 30, takes(a="string")) for n in range(40)))
    context = equipped(READ, DEPLOY, large, window=4_000)
    before = context.compile_sync("openai").meta.tokens_after
    assert load(context, "large").startswith("Error: the toolkit large needs ")
    assert sent(context) == ["read_file", "load_toolkit"]
    load(context, "deploy", 2)
    assert context.compile_sync("openai").meta.tokens_after > before + 40
    wide = equipped(READ, large, window=32_000)
    answer = load(wide, "large")
    assert answer.count("\n- large_") >= 30
    assert len(sent(wide)) == 42


def test_an_answer_is_cut_where_a_toolkit_is_very_large() -> None:
    large = Toolkit("large", "Many tools.", tuple(Tool(f"large_{n}", "Does one thing.", takes(a="string")) for n in range(400)))
    answer = load(equipped(READ, large, window=200_000), "large")
    lines = answer.splitlines()
    assert lines[1] == "- large_0(a: string): Does one thing."
    shown = sum(line.startswith("- ") for line in lines)
    assert lines[-1] == f"and {400 - shown} more; your list of tools has them all."
    assert len(answer) < 10_000


def test_snapshots_and_branches_carry_what_was_chosen_loaded_and_blocked() -> None:
    context = equipped()
    load(context, "charts")
    context.select_tools(tags={"data", "search"})
    context.block_tools("insert", "fetch", why="Look, do not touch.")
    before = context.compile_sync("anthropic")
    restored = Context(window=16_000, check=True)
    restored.restore(Snapshot.from_json(context.snapshot().to_json()))
    for other in (context.branch(), restored):
        assert other.compile_sync("anthropic").json() == before.json()
        assert (other.loaded_toolkits, other.blocked_tools) == (("charts",), ("insert", "fetch"))
        assert other.check_tool_call(("fetch", {"url": "x"})).reason.endswith("Look, do not touch.")
        assert other.snapshot().to_json() == context.snapshot().to_json()
        other.select_tools()
        assert sent(other) == [*FIRST, "chart"]
    branch = context.branch()
    load(branch, "deploy", 3) if branch.select_tools() else None
    assert context.loaded_toolkits == ("charts",)
    assert context.snapshot().diff(branch.snapshot()).changed.keys() >= {"tools"}


@pytest.mark.parametrize("target", TARGETS)
def test_a_session_that_goes_on_from_its_messages_alone_offers_what_was_loaded(target: str) -> None:
    context = equipped()
    load(context, "charts")
    load(context, "nonsense", 2)
    load(context, "deploy", 3)
    before = context.compile_sync(target)
    for first in ("tools", "messages"):
        again = Context(window=16_000, check=True)
        if first == "tools":
            again.tools(*EVERYTHING)
        again.load(list(context.messages))
        again.tools(*EVERYTHING)
        assert again.loaded_toolkits == ("charts", "deploy")
        assert again.compile_sync(target).json() == before.json()


def test_a_refusal_is_known_again_in_words_that_end_with_it() -> None:
    words = replace(ENGLISH, selecting=replace(ENGLISH.selecting, error="{what} (refused)"))
    context = equipped(vocabulary=words)
    context.block_tools("deploy")
    assert load(context, "deploy").endswith(" (refused)")
    load(context, "charts", 2)
    again = equipped(vocabulary=words)
    again.load(list(context.messages))
    assert again.loaded_toolkits == ("charts",)


def test_a_provider_without_ids_is_understood_too() -> None:
    body = {
        "contents": [
            {"role": "user", "parts": [{"text": "Do the work."}]},
            {"role": "model", "parts": [{"functionCall": {"name": "load_toolkit", "args": {"toolkit": "deploy"}}}]},
            {
                "role": "user",
                "parts": [{"functionResponse": {"name": "load_toolkit", "response": {"output": "It is loaded."}}}],
            },
        ]
    }
    context = Context(window=16_000)
    context.load(body, format="gemini")
    context.tools(*EVERYTHING)
    assert sent(context, "gemini") == [*FIRST, "build", "ship"]


def test_another_conversation_begins_with_nothing_loaded() -> None:
    context = equipped()
    load(context, "charts")
    context.load([Message("user", "Something else.")])
    assert context.loaded_toolkits == ()
    assert sent(context) == FIRST


def test_a_call_waits_for_its_answer_across_a_snapshot() -> None:
    context = equipped()
    call = Call("load_toolkit", dumps({"toolkit": "deploy"}).decode(), "load_1")
    context.append(Message("assistant", [call]))
    other = context.branch()
    for each in (context, other):
        each.append(Message("tool", "Loaded.", tool_call_id="load_1", name="load_toolkit"))
        assert each.loaded_toolkits == ("deploy",)


def test_a_tool_of_a_toolkit_may_not_take_the_name_of_ours() -> None:
    context = equipped(READ, context_tool=True)
    with pytest.raises(InputError, match="there are two tools called 'context'"):
        context.tools(READ, Toolkit("kit", "A kit.", (Tool("context", "Mine."),)))
    assert sent(context) == ["read_file", "context", "new_context"]
