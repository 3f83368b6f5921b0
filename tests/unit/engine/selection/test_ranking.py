"""Tools found by a task in plain words: 100 marked tasks over 120 tools, 30 held out, and the laws of the ranking."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom import Tool
from transom.engine.selection.ranking import ToolHit, ToolIndex, search_tools
from transom.errors import InputError
from transom.testing.toolset import tools

TASKS = Path(__file__).parents[3] / "fixtures" / "tool_search"
INDEX = ToolIndex(tools())


def share_found(name: str, limit: int) -> float:
    rows = [line.split("\t") for line in (TASKS / f"{name}.tsv").read_text(encoding="utf-8").splitlines()]
    return sum(wanted in names(INDEX.search(task, limit)) for task, wanted in rows) / len(rows)


def names(hits: list[ToolHit]) -> list[str]:
    return [hit.tool.name for hit in hits]


@pytest.mark.feature("P7")
def test_the_right_tool_is_among_the_first_five_of_a_hundred_and_twenty() -> None:
    assert len(INDEX.tools) == 120
    assert share_found("marked", 5) >= 0.95
    assert share_found("marked", 1) >= 0.7


def test_it_is_so_for_tasks_that_nothing_was_measured_with() -> None:
    assert share_found("held_out", 5) >= 0.9


@pytest.mark.feature("P7")
def test_names_descriptions_and_arguments_are_searched_however_names_are_spelled() -> None:
    found = [
        Tool("getWeatherForecast", "Nothing to see."),
        Tool("plain", "Translates a letter into Finnish."),
        Tool("other", "", {"type": "object", "properties": {"parcel_number": {"type": "string"}}}),
        Tool(
            "deep",
            "",
            {
                "type": "object",
                "properties": {
                    "list": {"type": "array", "items": {"type": "object", "properties": {"x": {"description": "a harbour"}}}}
                },
            },
        ),
        Tool("choice", "", {"type": "object", "properties": {"kind": {"enum": ["ferry", "train"]}}}),
    ]
    assert names(search_tools("forecasts of the weather", found)) == ["getWeatherForecast"]
    assert names(search_tools("translating letters", found)) == ["plain"]
    assert names(search_tools("the number of my parcel", found)) == ["other"]
    assert names(search_tools("harbours", found)) == ["deep"]
    assert names(search_tools("take a ferry", found)) == ["choice"]


@pytest.mark.feature("P7")
def test_a_hit_says_which_words_count_and_for_what() -> None:
    hit = search_tools("erase a folder", [Tool("delete_path", "Delete a file or an empty directory.")])[0]

    assert set(hit.why) == {"erase", "folder"}
    near = search_tools("launch it", [Tool("execute_command", "Execute a command.")])[0]
    assert near.why == ("launch → execute",)


EVERYDAY = [
    Tool("get_weather", "Current conditions and a forecast for a place."),
    Tool("create_event", "Adds an event to the calendar."),
    Tool("convert_currency", "Exchange rates."),
    Tool("send_email", "Sends an email."),
    Tool("get_directions", "Directions between two places."),
    Tool("set_thermostat", "Sets the temperature of a room."),
    Tool("play_music", "Plays a track or a playlist."),
    Tool("track_order", "Shipping status of an order."),
    Tool("translate", "Translates into another language."),
]


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("will it rain tomorrow", "get_weather"),
        ("do I need an umbrella", "get_weather"),
        ("a meeting with Ann on Friday", "create_event"),
        ("how many euros are 20 dollars", "convert_currency"),
        ("inform my boss that I am late", "send_email"),
        ("how far is it to drive", "get_directions"),
        ("the heating is too low", "set_thermostat"),
        ("put on a song", "play_music"),
        ("where is my parcel", "track_order"),
        ("say it in Spanish", "translate"),
    ],
)
@pytest.mark.feature("P7")
def test_what_people_say_of_a_thing_finds_the_tool_for_it(said: str, wanted: str) -> None:
    assert names(search_tools(said, EVERYDAY, 1)) == [wanted]


def test_an_everyday_word_does_not_stand_for_its_tool_the_other_way_round() -> None:
    assert search_tools("the weather", [Tool("umbrella", "An umbrella.")]) == []


def test_a_tool_called_by_its_name_comes_first() -> None:
    assert names(INDEX.search("file_diff or something that reads and writes files", 1)) == ["file_diff"]


def test_what_has_no_word_in_common_is_not_found() -> None:
    assert search_tools("photosynthesis", [Tool("add", "Adds two numbers.")]) == []
    assert search_tools("where is it", [Tool("add", "Adds two numbers.")]) == []
    assert search_tools("anything", []) == []


def test_other_scripts_are_compared_as_they_are_written() -> None:
    found = [Tool("weather", "查询天气预报"), Tool("mail", "Отправить письмо"), Tool("geld", "Überweist einen Betrag")]

    assert names(search_tools("明天的天气怎么样", found)) == ["weather"]
    assert names(search_tools("письмо другу", found)) == ["mail"]
    assert names(search_tools("uberweist", found)) == ["geld"]


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(InputError):
        search_tools("read", tools(), 0)


@given(st.text(max_size=60), st.integers(1, 130))
def test_any_text_is_answered_the_same_way_twice_and_shorter_answers_begin_longer_ones(query: str, limit: int) -> None:
    first = INDEX.search(query, limit)

    assert len(first) <= limit
    assert [hit.score for hit in first] == sorted((hit.score for hit in first), reverse=True)
    assert first == ToolIndex(tools()).search(query, 130)[:limit]


KEYS = st.sampled_from(["properties", "items", "enum", "anyOf", "$defs", "description", "x"])
SCHEMAS = st.recursive(
    st.none() | st.booleans() | st.text(max_size=5), lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner), max_leaves=12
)


@given(SCHEMAS)
def test_any_schema_can_be_searched(schema: object) -> None:
    tool = Tool("odd", "Odd.", {"type": "object", "properties": {"a": schema}})

    assert names(search_tools("odd", [tool])) == ["odd"]
