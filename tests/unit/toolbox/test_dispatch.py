"""How a tool is called: what models get wrong, what is switched off, who must consent, what is too large."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Annotated, Literal

import pytest
from msgspec import Meta

from transom import Store
from transom.safety.verdict import ALLOWED, Verdict, refuse
from transom.store.backends.memory import MemoryBackend
from transom.toolbox.box import Toolbox
from transom.toolbox.dispatch import Caller
from transom.toolbox.toggles import Toggles
from transom.toolbox.tool import Alias, Envelope, Family, Refused, Result, Tool, ToolContext, tool


@tool(
    family="demo", title="Add", read_only=True, visible=True, aliases=[Alias(name="sum", arguments={"x": "a"}, fixed={"b": 1})]
)
def add(context: ToolContext, a: int, b: Annotated[int, Meta(ge=0)] = 0, mode: Literal["plain", "loud"] = "plain") -> Result:
    """Add two numbers.

    Args:
        a: the first.
        b: the second,
            never negative.
    """
    del context
    return Result(data={"sum": a + b}, text=f"{a + b}" + ("!" if mode == "loud" else ""))


@tool(family="demo", title="Shout", visible=True, on=False)
async def shout(context: ToolContext, file_name: str, times: int = 1) -> Result:
    """Say it loudly."""
    context.report(1, 1, "done")
    return Result(data={"file_name": file_name}, text=file_name.upper() * times)


@tool(family="demo", title="Wipe", confirm=lambda given: not given.get("dry_run"))
def wipe(context: ToolContext, dry_run: bool = False, confirm: bool = False) -> Result:
    """Remove all."""
    del context, confirm
    return Result(text="looked" if dry_run else "wiped")


@tool(family="demo", title="Break")
def burst(context: ToolContext, how: str = "plain") -> Result:
    """Break."""
    match how:
        case "os":
            raise PermissionError(13, "Permission denied")
        case "refused":
            raise Refused("drift", "It moved.", data={"line": 3})
        case "stop":
            raise StopIteration
        case _:
            raise ZeroDivisionError("by zero")


@tool(family="demo", title="Wait", seconds=0.3)
def linger(context: ToolContext) -> Result:
    """Wait until told to stop."""
    while True:
        time.sleep(0.005)
        context.check()


@tool(family="demo", title="Guess")
def guess(context: ToolContext, size: int = 1) -> Result:
    """Guess."""
    del context
    return Result(data={"text": "y" * size, "rows": list(range(size))}, text="x" * size, confidence="inferred")


FAMILY = Family(name="demo", title="Demonstration", tools=(add, shout, wipe, burst, linger, guess))


def box(*enable: str, store: Store | None = None, **more: object) -> Toolbox:
    services: Mapping[type, object] = {Store: store} if store else {}
    return Toolbox([FAMILY], toggles=Toggles(enable), services=services, **more)  # type: ignore[arg-type]


@pytest.fixture
def store() -> Store:
    return Store(MemoryBackend())


async def test_a_tool_answers_with_data_and_text() -> None:
    answer = await box().call("add", {"a": 2, "b": "3", "mode": None})
    assert answer.as_dict() == {
        "ok": True, "error": None, "data": {"sum": 5}, "text": "5", "uri": None, "confidence": "extracted", "provenance": None,
    }  # fmt: skip


def test_the_schema_is_read_off_the_signature() -> None:
    assert add.description == "Add two numbers."
    assert add.schema == {
        "type": "object",
        "properties": {
            "a": {"type": "integer", "description": "the first."},
            "b": {"type": "integer", "minimum": 0, "default": 0, "description": "the second, never negative."},
            "mode": {"type": "string", "enum": ["plain", "loud"], "default": "plain"},
        },
        "required": ["a"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"a": 1, "limit": 3}, "takes no argument limit. It takes: a, b, mode"),
        ({"b": 1}, "needs a"),
        ({"a": None}, "needs a"),
        ({"a": "many"}, "`a`"),
        ({"a": 1, "b": -1}, "`b`"),
        ({"a": 1, "mode": "xyz"}, "`mode` cannot be xyz; it is one of plain, loud."),
        ({"a": 1, "mode": "lod"}, "(nearest: loud)"),
        ({"a": 1, "mode": 3}, "`mode` must be text, not a whole number: plain, loud"),
        ({"a": "1.5"}, "`a` must be a whole number, not text"),
        ({"a": 1, "b": -2}, "`b` must be at least 0"),
        ([1], "not a JSON object"),
        (None, "not a JSON object"),
        ({"a": {"deep": 1}}, "`a`"),
    ],
)
async def test_arguments_that_do_not_fit_are_answered_with_what_would(arguments: object, said: str) -> None:
    answer = await box().call("add", arguments)
    assert (answer.ok, answer.error) == (False, "invalid_input")
    assert said in answer.text
    assert answer.text.startswith("Error: ")


async def test_paths_go_by_any_of_their_names() -> None:
    for name in ("path", "file_path", "filename", "file_name"):
        answer = await box("demo").call("shout", {name: "a"})
        assert answer.data == {"file_name": "a"}
    both = await box("demo").call("shout", {"path": "a", "file_name": "b"})
    assert both.error == "invalid_input"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("list_directory", {"directory": "."}),
        ("change_directory", {"path": "."}),
        ("run_python", {"code": "1"}),
        ("forget", {"id": "x"}),
        ("replace_text_in_file", {"path": "a", "old_str": "a", "new_text": "b"}),
        ("save_file", {"file_path": "a", "text": "b"}),
        ("delete_files_by_pattern", {"pattern": "*.tmp", "path": "."}),
    ],
)
async def test_arguments_go_by_the_names_of_other_products(name: str, arguments: dict[str, object]) -> None:
    answer = await Toolbox().call(name, {**arguments, "confirm": True} if name.startswith("delete") else arguments)
    # Without services no tool works; what is tested is that its arguments were taken.
    assert answer.error == "unavailable", answer.text


async def test_of_two_that_may_be_meant_neither_is_taken() -> None:
    answer = await Toolbox().call("move_file", {"path": "a", "destination": "b"})
    assert answer.error == "invalid_input"
    assert "takes no argument path" in answer.text


@pytest.mark.parametrize("given", [{"path": "."}, '{"path": "."}', '{"path": "."} '])
async def test_an_object_may_come_as_its_json(given: object) -> None:
    answer = await Toolbox().call("execute_tool", {"tool_name": "list_directory", "arguments": given})
    assert answer.error == "unavailable"


@pytest.mark.parametrize("given", ["{", "[1]", "no"])
async def test_what_is_no_json_of_an_object_is_refused(given: str) -> None:
    answer = await Toolbox().call("execute_tool", {"tool_name": "list_directory", "arguments": given})
    assert "`arguments` must be an object, not text" in answer.text


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("cat", "read_file"),
        ("grep", "ripgrep"),
        ("bash", "execute_command (off)"),
        ("str_replace", "replace_text_in_file"),
        ("edit_file", "replace_text_in_file, apply_patch"),
        ("Write-File", "save_file"),
        ("ls", "list_directory"),
        ("sed", "replace_text_in_file"),
        ("view", "read_file"),
        ("TodoWrite", "create_plan, update_plan_step"),
        ("mcp__transom__ripgrep", "ripgrep"),
    ],
)
async def test_the_tools_of_other_products_are_told_as_ours(name: str, meant: str) -> None:
    answer = await Toolbox().call(name, {})
    assert (answer.error, answer.text) == ("unknown_tool", f"Error: There is no tool {name}. Use {meant} instead.")


async def test_an_unknown_tool_is_named_with_its_neighbours() -> None:
    answer = await box().call("ad", {})
    assert answer.error == "unknown_tool"
    assert "add" in answer.text


@pytest.mark.feature("Z8")
async def test_what_is_off_says_how_to_switch_it_on() -> None:
    toolbox = box()
    answer = await toolbox.call("shout", {"file_name": "a"})
    assert answer.error == "disabled"
    assert "--enable shout" in answer.text
    heard: list[int] = []
    end = toolbox.toggles.listen(lambda: heard.append(1))
    toolbox.toggles.switch("shout", on=True)
    toolbox.toggles.switch("shout", on=True)
    end()
    toolbox.toggles.switch("shout", on=False)
    assert heard == [1]


@pytest.mark.feature("Z8")
async def test_a_family_or_everything_is_switched_on_by_name() -> None:
    def names(*enable: str) -> list[str]:
        return [item.name for item in box(*enable).listed()]

    assert names() == ["add", "explore_tools", "execute_tool"]
    assert names("shout") == ["add", "shout", "explore_tools", "execute_tool"]
    assert names("demo") == names("all") == [item.name for item in FAMILY.tools] + ["explore_tools", "execute_tool"]
    off = Toolbox([FAMILY], toggles=Toggles(("all",), disable=("add",)))
    assert (await off.call("add", {"a": 1})).error == "disabled"
    assert (await off.call("shout", {"path": "a"})).ok


@pytest.mark.feature("Z8")
async def test_what_cannot_be_undone_needs_consent() -> None:
    asked: list[str] = []

    def caller(answer: bool | None) -> Caller:
        async def ask(question: str) -> bool | None:
            asked.append(question)
            return answer

        return Caller(ask=ask)

    toolbox = box()
    assert (await toolbox.call("wipe", {})).error == "confirm_required"
    assert (await toolbox.call("wipe", {"dry_run": True})).text == "looked"
    assert (await toolbox.call("wipe", {"confirm": True})).text == "wiped"
    assert (await toolbox.call("wipe", {}, caller(True))).text == "wiped"
    assert "said no" in (await toolbox.call("wipe", {}, caller(False))).text
    assert '"confirm": true' in (await toolbox.call("wipe", {}, caller(None))).text
    assert len(asked) == 3


async def test_an_older_name_answers_and_says_so() -> None:
    answer = await box().call("sum", {"x": 4})
    assert answer.data["sum"] == 5
    assert answer.data["deprecated_alias"] == "sum"
    assert "call add from now on" in answer.text
    wrong = await box().call("sum", {"x": "?"})
    assert wrong.text.startswith("Error: [older name sum of add]")


@pytest.mark.parametrize(
    ("how", "error"), [("os", "io_error"), ("refused", "drift"), ("plain", "runtime_error"), ("stop", "runtime_error")]
)
async def test_whatever_breaks_becomes_an_answer(how: str, error: str) -> None:
    answer = await box().call("burst", {"how": how})
    assert (answer.ok, answer.error) == (False, error)
    assert answer.text.startswith("Error: ")


async def test_a_call_that_takes_too_long_is_stopped() -> None:
    begun = time.monotonic()
    answer = await box().call("linger", {})
    assert answer.error == "timeout"
    assert time.monotonic() - begun < 2


async def test_a_call_that_is_called_off_stops_working() -> None:
    call = asyncio.ensure_future(box().call("linger", {}))
    await asyncio.sleep(0.05)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call


async def test_policies_of_the_application_speak_before_the_tool_runs() -> None:
    def careful(called: Tool, given: Mapping[str, object]) -> Verdict:
        return refuse("protected_path", "path_repository", segment=".git") if called is add and given["a"] == 7 else ALLOWED

    toolbox = box(policies=[careful])
    assert (await toolbox.call("add", {"a": 7})).error == "protected_path"
    assert (await toolbox.call("add", {"a": 8})).ok


async def test_progress_is_heard() -> None:
    heard: list[tuple[float, float | None, str]] = []
    caller = Caller(listen=lambda done, total, message: heard.append((done, total, message)))
    await box("all").call("shout", {"file_name": "a"}, caller)
    assert heard in ([], [(1, 1, "done")])


async def test_doubt_and_a_filling_window_are_said() -> None:
    answer = await box().call("guess", {}, Caller(usage=lambda: (48_300, 64_000)))
    assert answer.text.splitlines()[1:] == [
        "[inferred: this was concluded, not read off a source]",
        "[context ~48.3k/64k = 75%]",
    ]
    quiet = await box().call("add", {"a": 1}, Caller(usage=lambda: (10, 64_000)))
    assert quiet.text == "1"


@pytest.mark.feature("S8")
async def test_an_answer_too_large_is_stored_before_it_is_shortened(store: Store) -> None:
    answer = await box(store=store).call("guess", {"size": 40_000})
    assert answer.uri is not None
    assert await store.get(answer.uri) == b"x" * 40_000
    assert len(answer.text) < 4_000
    whole = await store.get(str(answer.data["whole"]))
    assert whole.count(b"y") == 40_000
    assert answer.data["rows_total"] == 40_000
    small = await box(store=store).call("guess", {"size": 100})
    assert small.uri is None


@pytest.mark.feature("P5")
async def test_two_tools_find_and_call_all_the_others() -> None:
    toolbox = box()
    assert [item.name for item in toolbox.listed(discovery=True)] == ["explore_tools", "execute_tool"]
    families = await toolbox.call("explore_tools", {})
    assert families.data["families"] == {"demo": [item.name for item in FAMILY.tools]}
    assert "shout (off)" in families.text
    found = await toolbox.call("explore_tools", {"query": "add two numbers"})
    assert "- add: Add two numbers." in found.text
    one = await toolbox.call("explore_tools", {"tool_name": "sum"})
    assert one.data["schema"] == add.schema
    called = await toolbox.call("execute_tool", {"tool_name": "add", "arguments": {"a": 1, "b": 2}})
    assert called == Envelope(ok=True, data={"sum": 3}, text="3")
    for name in ("shout", "no_such", "execute_tool"):
        assert not (await toolbox.call("execute_tool", {"tool_name": name})).ok


@pytest.mark.feature("S13")
async def test_a_change_of_context_waits_for_calls_in_flight(caplog: pytest.LogCaptureFixture) -> None:
    begun, end = asyncio.Event(), asyncio.Event()

    @tool(family="demo", title="Slow", read_only=True)
    async def slow(context: ToolContext) -> Result:
        """Take a while."""
        del context
        begun.set()
        await end.wait()
        return Result(text="slow")

    @tool(family="demo", title="Clear", drains=True)
    async def clear(context: ToolContext) -> Result:
        """Clear."""
        del context
        return Result(text="cleared")

    toolbox = Toolbox([Family(name="demo", title="", tools=(slow, clear))])
    mine, other = Caller(session="mine"), Caller(session="other")
    running = asyncio.ensure_future(toolbox.call("slow", {}, mine))
    await begun.wait()
    waiting = asyncio.ensure_future(toolbox.call("clear", {}, mine))
    assert (await toolbox.call("clear", {}, other)).text == "cleared"
    assert not waiting.done()
    end.set()
    assert [(await running).text, (await waiting).text] == ["slow", "cleared"]
    assert not caplog.records


async def test_a_model_that_goes_round_in_circles_is_told_so() -> None:
    toolbox = box()
    caller = Caller(session="a")
    reminded = [
        number
        for number in range(1, 10)
        if "in a row" in (await toolbox.call("execute_tool", {"tool_name": "add", "arguments": {"a": 1}}, caller)).text
    ]
    assert reminded == [3, 5, 8]
    assert "in a row" not in (await toolbox.call("add", {"a": 2}, caller)).text
    for _ in range(4):
        assert "in a row" not in (await toolbox.call("add", {"a": 1})).text


async def test_what_is_said_of_a_call_is_said_once() -> None:
    called = await box().call("execute_tool", {"tool_name": "guess", "arguments": {}}, Caller(usage=lambda: (48_300, 64_000)))
    assert called.text.count("[inferred: ") == called.text.count("[context") == 1


def test_paragraphs_of_a_description_stay_apart() -> None:
    @tool(family="demo", title="Told")
    def told(context: ToolContext) -> Result:
        """Say one thing.

        Then another,
        at length:

            as it
              stands

        Args:
            nothing: at all.
        """
        del context
        return Result()

    assert told.description == "Say one thing.\nThen another, at length:\n    as it\n      stands"


@pytest.mark.parametrize(
    ("asked", "tool_name"),
    [
        ("grep", "ripgrep"),
        ("search text in files", "ripgrep"),
        ("search the code for a word", "ripgrep"),
        ("search for a string", "ripgrep"),
        ("where is this function defined", "ripgrep"),
        ("open a file", "read_file"),
        ("view file", "read_file"),
        ("show folder contents", "list_directory"),
        ("create a new file", "save_file"),
        ("edit a file", "replace_text_in_file"),
        ("delete a file", "delete_path"),
        ("rename a file", "move_file"),
        ("compare two files", "file_diff"),
        ("undo my last edit", "restore_from_bak"),
        ("run a shell command", "execute_command"),
        ("run tests", "execute_command"),
        ("execute bash", "execute_command"),
        ("calculate something", "run_python"),
        ("make a todo list", "create_plan"),
        ("what do I know about this user", "recall"),
    ],
)
async def test_everyday_requests_find_their_tool(asked: str, tool_name: str) -> None:
    answer = await Toolbox().call("explore_tools", {"query": asked, "limit": 3})
    found = answer.data["tools"]
    assert isinstance(found, list)
    assert tool_name in [item["name"] for item in found]


async def test_a_tool_that_is_off_is_found_and_marked() -> None:
    answer = await Toolbox().call("explore_tools", {"query": "run a shell command", "limit": 1})
    assert answer.text.splitlines()[1].endswith("(off)")
    disabled = await Toolbox().call("execute_tool", {"tool_name": "execute_command", "arguments": {"command": "true"}})
    assert "--enable execute_command" in disabled.text
