"""Fewer words for the same arguments, and what goes first when they must fit."""

from __future__ import annotations

from itertools import pairwise

import pytest

from transom.engine.selection.descriptions import sentences, shorten
from transom.engine.selection.minification import LEVELS, PRIORITIES, Level, minify, minify_tool
from transom.errors import InputError
from transom.jsontext import dumps
from transom.messages import Origin, Tool
from transom.testing.toolset import priorities, tools
from transom.tokens import Heuristic, weigh_tools
from transom.wire.schemas import PROFILES, Profile, broken_rules, convert_tools

SCHEMA = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "title": "Arguments",
    "type": "object",
    "properties": {
        "path": {"type": "string", "title": "Path", "description": "Path of the file. Example: a.txt", "minLength": 1},
        "limit": {
            "type": "integer",
            "description": "How many lines to return. Default: 20. Values between 1 and 500 are accepted.",
            "minimum": 1,
            "maximum": 500,
            "default": 20,
        },
        "note": {"anyOf": [{"type": "string", "maxLength": 80}, {"type": "null"}], "default": None, "examples": ["x"]},
    },
    "required": ["path"],
    "additionalProperties": False,
}


def _schema(tool: Tool) -> dict[str, dict[str, object]]:
    assert tool.parameters is not None
    properties = tool.parameters["properties"]
    assert isinstance(properties, dict)
    return properties


@pytest.mark.feature("P6")
@pytest.mark.parametrize("profile", PROFILES)
def test_a_large_set_at_the_tightest_level_costs_at_most_six_tenths_and_keeps_every_argument(profile: Profile) -> None:
    written, report = minify(tools(), level="tight")
    assert report.ratio <= 0.6
    assert report.before == weigh_tools(tools(), Heuristic())
    assert [tool.name for tool in written] == [tool.name for tool in tools()]
    for tool, original in zip(written, tools(), strict=True):
        assert list(_schema(tool)) == list(_schema(original))
        assert tool.description
    converted, converting = convert_tools(written, profile)
    assert converting.refused == ()
    assert all(broken_rules(tool.parameters or {"type": "object"}, profile) == () for tool in converted)


def test_each_level_takes_less_than_the_one_before() -> None:
    weights = [minify(tools(), level=level)[1].after for level in LEVELS]
    assert weights == sorted(weights, reverse=True)
    assert len(set(weights)) == len(LEVELS)


def test_the_lightest_level_takes_only_what_says_nothing_to_a_model() -> None:
    written, shortened = minify_tool(Tool("read", "Read a file. Returns its lines.", SCHEMA), "light")
    assert written.description == "Read a file. Returns its lines."
    assert written.parameters == {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Path of the file. Example: a.txt", "minLength": 1},
            "limit": {
                "type": "integer",
                "description": "How many lines to return.",
                "minimum": 1,
                "maximum": 500,
                "default": 20,
            },
            "note": {"type": ["string", "null"], "maxLength": 80},
        },
        "required": ["path"],
        "additionalProperties": False,
    }
    assert shortened == ("/properties/limit",)


def test_a_parameter_called_like_a_keyword_is_no_keyword() -> None:
    names = ("title", "default", "examples", "description", "x-a", "properties")
    schema = {"type": "object", "properties": {name: {"type": "string", "title": "T"} for name in names}}
    assert _schema(minify_tool(Tool("t", "d", schema), "tight")[0]) == {name: {"type": "string"} for name in names}


def test_an_example_value_and_listed_values_are_left_alone() -> None:
    schema = {"type": "object", "properties": {"a": {"enum": [{"title": "x"}], "default": {"title": "x"}, "title": "A"}}}
    assert _schema(minify_tool(Tool("t", "d", schema), "tight")[0])["a"] == {
        "enum": [{"title": "x"}],
        "default": {"title": "x"},
    }


@pytest.mark.parametrize(
    ("description", "standing"),
    [
        ("Default: 5.", None),
        ("Defaults to 5.", None),
        ("How many. The default is 5.", "How many."),
        ("Default: 50.", "Default: 50."),
    ],
)
def test_a_default_is_said_once(description: str, standing: str | None) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer", "default": 5, "description": description}}}
    assert _schema(minify_tool(Tool("t", "d", schema), "light")[0])["a"].get("description") == standing


def test_a_default_that_only_the_description_knows_stays_there() -> None:
    schema = {"type": "object", "properties": {"dir": {"type": "string", "description": "Directory. Default: here."}}}
    assert _schema(minify_tool(Tool("t", "d", schema), "standard")[0])["dir"]["description"] == "Directory. Default: here."


def test_at_the_tightest_level_a_description_goes_where_the_name_says_it() -> None:
    schema = {
        "type": "object",
        "properties": {
            "file_path": {"type": "string", "description": "Path of the file."},
            "dry_run": {"type": "boolean", "description": "Whether anything is really written to the disk."},
            "since": {"type": "string", "description": "Only commits after this date."},
        },
    }
    written = _schema(minify_tool(Tool("git_log", "Show the history.", schema), "tight")[0])
    assert [name for name, value in written.items() if "description" in value] == ["since"]


def test_a_tool_that_says_nothing_too_much_keeps_the_bytes_it_was_read_from() -> None:
    tool = Tool("t", "Short.", {"type": "object", "properties": {}}, origin=Origin("openai", b"{}"))
    assert minify_tool(tool, "tight") == (tool, ())
    assert minify_tool(tool, "tight")[0] is tool
    longer = Tool("t", "Short. " * 60, {"type": "object", "properties": {}}, origin=Origin("openai", b"{}"))
    assert minify_tool(longer, "tight")[0].origin is None


def test_hosted_and_free_text_tools_stay_as_they_are() -> None:
    given = (Tool("web_search", kind="native"), Tool("sql", "Query. " * 50, kind="custom"))
    assert minify(given, level="tight")[0] == given


def test_the_same_tools_give_the_same_bytes() -> None:
    def once() -> bytes:
        written, _ = minify(tools(), limit_tokens=15_000, priority=priorities())
        return dumps([[tool.name, tool.description, tool.parameters] for tool in written])

    assert once() == once()


@pytest.mark.feature("P6")
@pytest.mark.parametrize("limit", [30_000, 22_000, 20_000, 15_000, 8_000, 2_000, 100, 0])
def test_under_a_limit_the_lowest_tiers_give_way_first(limit: int) -> None:
    written, report = minify(tools(), level="light", limit_tokens=limit, priority=priorities())
    assert weigh_tools(written, Heuristic()) == report.after <= limit
    assert {tool.name for tool in tools()} == {tool.name for tool in written} | set(report.left_out)
    gone = {tier: [entry.level is None for entry in report.tools if entry.priority == tier] for tier in PRIORITIES}
    for higher, lower in pairwise(PRIORITIES):
        assert not any(gone[higher]) or all(gone[lower])
    depth = {
        tier: max(LEVELS.index(entry.level or "tight") for entry in report.tools if entry.priority == tier)
        for tier in PRIORITIES
    }
    assert depth["critical"] <= min(depth.values())


def test_only_what_is_needed_is_shortened() -> None:
    whole = minify(tools(), level="whole")[1].before
    _, report = minify(tools(), level="whole", limit_tokens=whole - 1, priority=priorities())
    changed = [entry for entry in report.tools if entry.level != "whole"]
    assert len(changed) == 1
    assert changed[0].priority == "background"
    assert minify(tools(), level="whole", limit_tokens=whole)[1].left_out == ()


def test_what_does_not_fit_is_left_out_from_the_end() -> None:
    given = [Tool(name, "Do it.", {"type": "object", "properties": {}}) for name in ("a", "b", "c")]
    each = weigh_tools(given[:1], Heuristic())
    written, report = minify(given, limit_tokens=2 * each, priority={"a": "background", "c": "high"})
    assert [tool.name for tool in written] == ["b", "c"]
    assert report.left_out == ("a",)
    assert [entry.after for entry in report.tools] == [0, each, each]


def test_a_caller_may_weigh_tools_as_they_will_be_sent() -> None:
    written, report = minify(tools(), limit_tokens=60, weigh=lambda _: 1)
    assert len(written) == report.after == 60


def test_priorities_may_be_a_function() -> None:
    _, report = minify(tools(), priority=lambda tool: "critical" if tool.name.startswith("git") else "optional")
    assert {entry.priority for entry in report.tools if entry.name == "git_log"} == {"critical"}


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"level": "tiny"}, "no level"), ({"limit_tokens": -1}, "limit"), ({"priority": {"git_log": "top"}}, "no priority")],
)
def test_settings_that_mean_nothing_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        minify(tools(), **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"properties": "odd"},
        {"required": []},
        {"anyOf": "odd"},
        {"items": [1]},
        {"description": 5},
        {"properties": {"a": True}},
    ],
)
def test_odd_schemas_pass(schema: dict[str, object], level: Level) -> None:
    written, _ = minify_tool(Tool("t", "d", schema), level)
    assert set(written.parameters or {}) <= set(schema)


def test_a_schema_of_absurd_depth_is_left_as_it_is_where_it_is_too_deep() -> None:
    schema: dict[str, object] = {"type": "string", "title": "Deep"}
    for _ in range(400):
        schema = {"type": "array", "items": schema, "title": "List"}
    written, _ = minify_tool(Tool("t", "d", schema), "tight")
    assert 0 < dumps(written.parameters).count(b"title") < 401


def test_no_tools_are_no_tools() -> None:
    written, report = minify((), limit_tokens=0)
    assert (written, report.ratio, report.left_out) == ((), 1.0, ())


def test_sentences_end_where_sentences_end() -> None:
    text = "Read a file, e.g. notes.txt. It must exist!\n\n- First point\n- Second one\n\nArgs:\n    path: the path"
    assert sentences(text) == ["Read a file, e.g. notes.txt.", "It must exist!", "- First point", "- Second one"]
    assert sentences("读取文件。文件必须存在。") == ["读取文件。", "文件必须存在。"]
    assert sentences("Args:\n  path: it") == ["Args: path: it"]


def test_of_what_follows_the_first_sentence_warnings_stay_longest() -> None:
    text = "Delete a file. Works on all platforms. This cannot be undone. Example: delete(a)."
    assert shorten(text, 46) == "Delete a file. This cannot be undone."
    assert shorten(text, 14) == "Delete a file."
    assert shorten(text, 500) == text


def test_a_sentence_that_is_too_long_ends_at_a_clause_and_never_inside_a_list() -> None:
    assert shorten("Extract pieces: addresses, links, numbers, dates, hashtags, code", 30) == "Extract pieces."
    assert (
        shorten("Load it into the window, and then go on with the work that was begun before", 30) == "Load it into the window."
    )
    assert shorten("Compress everything in the directory and put it beside it under another name", 40) == (
        "Compress everything in the directory…"
    )
    assert shorten("x" * 100, 10) == "x" * 10 + "…"
    assert shorten("", 10) == ""


@pytest.mark.feature("P6")
@pytest.mark.parametrize("level", ["standard", "tight"])
def test_what_is_said_of_harm_stays_at_every_level(level: Level) -> None:
    told = "Sends money. The account must exist in the ledger and be open. Irreversible: ask the user first. See also refund."
    (pay,), _ = minify([Tool("pay", told, {"type": "object"})], level=level)
    assert "Irreversible: ask the user first." in pay.description
    assert pay.description.startswith("Sends money.")
