"""Which tools go out: by tags, by names, by both."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import pytest

from transom import Context, Message, Registered, Tool, Toolkit, ToolNamespace
from transom.errors import InputError
from transom.wire.format import Head

from .toolboxes import BUILD, DATABASE, EVERYTHING, FETCH, GREP, READ, TARGETS, equipped, listed, names, sent, takes, tool_bytes

pytestmark = pytest.mark.feature("P1")


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({}, ["read_file", "grep", "fetch", "database", "load_toolkit"]),
        ({"tags": ["search"]}, ["grep", "fetch"]),
        ({"tags": ["code", "data"]}, ["grep", "database", "load_toolkit"]),
        ({"allow": ["fetch", "read_file"]}, ["read_file", "fetch"]),
        ({"tags": ["search"], "allow": ["read_file", "fetch"]}, ["read_file", "grep", "fetch"]),
        ({"tags": ["search"], "allow": ["read_file", "fetch"], "combine": "intersection"}, ["fetch"]),
        ({"allow": ()}, []),
    ],
    ids=str,
)
@pytest.mark.parametrize("target", TARGETS)
def test_a_rule_decides_what_is_sent_in_the_order_of_registration(
    rule: dict[str, object], expected: list[str], target: str
) -> None:
    context = equipped()
    assert list(context.select_tools(**rule)) == expected  # type: ignore[arg-type]
    assert sent(context, target) == expected


def test_everything_is_sent_again_once_the_rule_is_taken_away() -> None:
    context = equipped()
    whole = context.compile_sync("openai")
    context.select_tools(tags={"search"})
    context.compile_sync("openai")
    context.select_tools()
    assert tool_bytes(context.compile_sync("openai")) == tool_bytes(whole)


def test_our_own_tools_are_sent_whatever_the_rule() -> None:
    context = equipped(context_tool=True)
    assert context.select_tools(tags={"code"}) == ("grep", "context", "new_context")


@pytest.mark.parametrize("target", TARGETS)
def test_a_change_of_the_tools_is_named_as_what_moved_the_prefix(target: str) -> None:
    context = equipped()
    context.compile_sync(target)
    assert not context.compile_sync(target).meta.prefix.broken
    context.select_tools(tags={"code"}, allow={"read_file", "database"})
    moved = context.compile_sync(target).meta.prefix
    assert (moved.part, moved.reason) == ("tools", "the tools changed")
    assert "database" in moved.where
    assert not context.compile_sync(target).meta.prefix.broken


def test_the_same_rule_again_changes_nothing_that_was_rendered() -> None:
    context = equipped()
    context.select_tools(tags={"search"})
    head = context.head
    context.select_tools(tags=["search"])
    context.tools(*EVERYTHING)
    context.select_tools(tags={"search"})
    assert context.head == head


def test_what_is_not_sent_does_not_count() -> None:
    context = equipped(*(Registered(Tool(f"tool_{n}", "Does it. " * 20, takes(a="string")), {f"t{n % 2}"}) for n in range(20)))
    whole = context.compile_sync("openai").meta.tokens_after
    context.select_tools(tags={"t0"})
    half = context.compile_sync("openai").meta.tokens_after
    assert half < whole * 0.6
    assert context.usage.tokens == half


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        (lambda c: c.select_tools(tags={"serach"}), "no tool carries the tag 'serach' .there are code, data, release, search"),
        (lambda c: c.select_tools(allow={"raed"}), "no tool is called 'raed' .there are charts, database"),
        (lambda c: c.select_tools(allow={"query"}), "'query' goes out with 'database' .allow 'database'"),
        (lambda c: c.select_tools(allow={"build"}), "'build' goes out with 'deploy'"),
        (lambda c: c.select_tools(tags="search"), r"tags is 'search' .give a set of texts"),
        (lambda c: c.select_tools(allow="grep"), r"allow is 'grep' .give a set of texts"),
        (lambda c: c.select_tools(tags=set()), "tags is empty, which no tool can match .tags=None leaves tags out of it"),
        (lambda c: c.select_tools(tags=set(), allow={"grep"}), "tags is empty"),
        (
            lambda c: c.select_tools(tags={"search"}, allow={"read_file"}, combine="intersection"),
            "nothing that is called read_file carries one of the tags search .combine='union'",
        ),
        (lambda c: c.select_tools(tags={"search"}, combine="both"), "combine='both' .union or intersection"),
        (lambda c: c.tools(READ, READ), "two things are called 'read_file'"),
        (lambda c: c.tools(READ, Toolkit("kit", "A kit.", (READ,))), "two things are called 'read_file'"),
        (lambda c: c.tools(Tool("load_toolkit"), Toolkit("kit", "A kit.", (READ,))), "two things are called 'load_toolkit'"),
        (lambda c: c.tools({"name": "x"}), "tools takes Tool objects, not a dict"),
        (lambda c: Registered(READ, tags="files"), r"tags are 'files' .give a set of texts"),
        (lambda c: Registered({"name": "x"}), "a dict cannot be registered"),  # type: ignore[arg-type]
        (lambda c: Toolkit("kit", "A kit.", ()), "the toolkit 'kit' has no tools"),
        (lambda c: Toolkit("kit", "A kit.", (DATABASE,)), "the toolkit 'kit' holds a ToolNamespace .*no further level"),  # type: ignore[arg-type]
        (lambda c: Toolkit("kit", "A kit.", (Toolkit("b", "B.", (BUILD,)),)), "holds a Toolkit"),  # type: ignore[arg-type]
        (lambda c: ToolNamespace("n", "N.", (Toolkit("b", "B.", (BUILD,)),)), "holds a Toolkit"),  # type: ignore[arg-type]
        (lambda c: ToolNamespace("", "N.", (READ,)), "a namespace without a name"),
        (lambda c: ToolNamespace("n", "N.", (Tool("t", kind="custom"),)), "'t' takes no arguments by name"),
    ],
)
def test_a_name_that_means_nothing_is_refused_and_changes_nothing(wrong: Callable[[Context], object], complaint: str) -> None:
    context = equipped()
    before = context.compile_sync("openai")
    with pytest.raises(InputError, match=complaint):
        wrong(context)
    assert context.compile_sync("openai").json() == before.json()


def test_tools_of_a_loaded_body_can_be_chosen_by_name_and_stay_chosen() -> None:
    tools = [
        {"type": "function", "function": {"name": name, "parameters": takes(a="string")}} for name in ("one", "two", "three")
    ]
    context = Context(window=8_000)
    messages: list[object] = [{"role": "user", "content": "hello"}]
    context.load({"model": "m", "messages": messages, "tools": tools}, format="openai")
    context.select_tools(allow={"one", "three"})
    first = context.compile_sync("openai")
    assert names(first) == ["one", "three"]
    messages.append({"role": "user", "content": "and now?"})
    context.load({"model": "m", "messages": messages, "tools": tools}, format="openai")
    assert tool_bytes(context.compile_sync("openai")) == tool_bytes(first)
    context.load({"model": "m", "messages": messages, "tools": tools[1:]}, format="openai")
    assert sent(context) == ["three"]


def test_tags_are_not_asked_of_a_loaded_body() -> None:
    context = equipped()
    context.select_tools(tags={"search"})
    tools = [{"type": "function", "function": {"name": name, "parameters": takes(a="string")}} for name in ("one", "two")]
    context.load({"messages": [{"role": "user", "content": "hello"}], "tools": tools}, format="openai")
    assert sent(context) == ["one", "two"]


def test_a_body_that_repeats_what_was_sent_changes_nothing() -> None:
    context = equipped(context_tool=True)
    context.select_tools(allow={"read_file", "database", "deploy"})
    first = context.compile_sync("openai")
    context.load({"model": "m", "messages": [{"role": "user", "content": "hi"}], "tools": listed(first)}, format="openai")
    assert tool_bytes(context.compile_sync("openai")) == tool_bytes(first)
    assert context.check_tool_call(("database", {"action": "query", "sql": "x"})).name == "query"


def test_a_head_that_is_set_brings_its_own_tools() -> None:
    context = equipped()
    context.head = Head(model="m", tools=(GREP, FETCH))
    assert sent(context) == ["grep", "fetch"]
    context.model("other")
    assert sent(context) == ["grep", "fetch"]


class Untouched(Mapping[str, object]):
    """A schema that nobody may look at once it is sealed."""

    def __init__(self, schema: dict[str, object]) -> None:
        self.schema = schema
        self.sealed = False

    def __getitem__(self, key: str) -> object:
        assert not self.sealed
        return self.schema[key]

    def __iter__(self) -> Iterator[str]:
        assert not self.sealed
        return iter(self.schema)

    def __len__(self) -> int:
        assert not self.sealed
        return len(self.schema)


def test_a_compile_looks_at_no_tool_that_is_not_sent() -> None:
    hidden = [Untouched(takes(a="string")) for _ in range(1_000)]
    many = (Registered(Tool(f"tool_{n}", "Does it.", schema), {"rest"}) for n, schema in enumerate(hidden))
    context = equipped(Registered(READ, {"core"}), *many, window=4_000)
    context.select_tools(tags={"core"})
    for schema in hidden:
        schema.sealed = True
    for turn in range(5):
        context.append(Message("assistant", f"answer {turn}"), Message("user", f"question {turn}"))
        assert sent(context) == ["read_file"]
    assert context.check_tool_call(("read_file", {"path": "a"})).allowed
    assert context.check_tool_call(("tool_7", {"a": "a"})).cause == "not_selected"
