"""Markdown tables of rows, objects and CSV."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.toolbox.box import Toolbox
from transom.toolbox.families.text import FAMILY
from transom.toolbox.tool import Envelope

BOX = Toolbox((FAMILY,))


async def _call(**arguments: object) -> Envelope:
    return await BOX.call("markdown_table_gen", arguments)


async def test_lists_become_a_table_with_numbers_on_the_right() -> None:
    answer = await _call(rows=[["name", "size"], ["a", 1], ["long name", 22.5], ["", None]])
    assert answer.text.splitlines() == [
        "| name      | size |",
        "| --------- | ---: |",
        "| a         |    1 |",
        "| long name | 22.5 |",
        "|           |      |",
    ]
    assert (answer.data["rows"], answer.data["columns"]) == (3, 2)


async def test_objects_bring_their_names_and_may_lack_some() -> None:
    answer = await _call(rows=[{"a": 1, "b": [1, True]}, {"c": "x", "a": 2}], headers=["a", "c", "b"], alignment=["center"])
    assert answer.text.splitlines() == [
        "|  a  | c   | b        |",
        "| :-: | --- | -------- |",
        "|  1  |     | [1,true] |",
        "|  2  | x   |          |",
    ]


async def test_rows_written_as_json_are_read() -> None:
    answer = await _call(rows=['{"a": 1}', '{"a": 2}'])
    assert answer.text.splitlines() == ["|   a |", "| --: |", "|   1 |", "|   2 |"]


async def test_csv_becomes_a_table_whatever_parts_its_cells() -> None:
    answer = await _call(csv='name;note\n"a;b";"two\nlines"\n')
    assert answer.text.splitlines()[-1] == "| a;b  | two<br>lines |"


async def test_a_cell_cannot_break_its_table_and_wide_letters_are_counted() -> None:
    answer = await _call(rows=[["k"], ["a|b"], ["日本"]])
    assert answer.text.splitlines() == ["| k    |", "| ---- |", "| a\\|b |", "| 日本 |"]


@pytest.mark.parametrize(
    "arguments",
    [{}, {"rows": []}, {"rows": [1]}, {"csv": '"open'}, {"rows": [[]]}, {"rows": [list(range(101))]}, {"alignment": ["top"]}],
)
async def test_what_makes_no_table_is_refused(arguments: dict[str, object]) -> None:
    answer = await _call(**arguments)
    assert not answer.ok
    assert answer.error in {"invalid_input", "out_of_range"}


CELLS = st.one_of(st.text(max_size=20), st.integers(), st.none(), st.booleans())


@given(rows=st.lists(st.lists(CELLS, min_size=1, max_size=5), min_size=1, max_size=6))
def test_every_table_has_a_line_a_row_and_as_many_cells_in_each(rows: list[list[object]]) -> None:
    answer = asyncio.run(_call(rows=rows))
    lines = answer.text.split("\n")
    assert len(lines) == len(rows) + 1
    wide = max(map(len, rows))
    for line in lines:
        assert line.replace("\\|", "").count("|") == wide + 1
