"""State as XML: well-formed whatever it holds, the same bytes for the same value, and everything of the value in it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from pathlib import PurePosixPath
from uuid import UUID
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from transom.engine.placement.dynamic_state import DynamicState, plain_state, render_state, validated
from transom.errors import InputError

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
LITERAL = re.compile(r"true|false|null|-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?", re.ASCII)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4), max_leaves=20
)


def read_back(element: ET.Element) -> object:
    """What the text says, read by somebody else's parser."""
    kind = element.get("type")
    if kind == "object":
        return {}
    if kind == "list":
        return []
    if len(element):
        if element[0].tag == "item":
            return [read_back(child) for child in element]
        return {_key(child): read_back(child) for child in element}
    text = element.text or ""
    if kind == "json":
        return json.loads(text)
    return json.loads(text) if kind != "text" and LITERAL.fullmatch(text) else text


def _key(element: ET.Element) -> str:
    escaped = element.get("key-json")
    return str(json.loads(escaped)) if escaped is not None else element.get("key", element.tag)


@pytest.mark.feature("L2")
@given(VALUES)
@settings(max_examples=400, deadline=None)
def test_any_parser_of_xml_reads_the_whole_value_back(value: object) -> None:
    assert read_back(ET.fromstring(render_state(value))) == value


@given(st.dictionaries(st.text(), VALUES, max_size=6), st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_the_order_in_which_keys_were_put_in_does_not_show(value: dict[str, object], random: object) -> None:
    keys = list(value)
    random.shuffle(keys)  # type: ignore[attr-defined]
    assert render_state({key: value[key] for key in keys}) == render_state(value)


class Mood(Enum):
    CALM = "calm"


class Step(BaseModel):
    name: str
    done: bool = False


class Progress(BaseModel):
    goal: str
    steps: list[Step] = Field(default_factory=list)
    open_files: set[str] = Field(default_factory=set)
    due: date | None = None


@dataclass
class Cursor:
    path: PurePosixPath
    line: int
    marks: dict[str, int] = field(default_factory=dict)


@pytest.mark.feature("L2")
def test_a_model_is_taken_by_its_shape() -> None:
    progress = Progress(
        goal="Ship <1.0> & rest", steps=[Step(name="build", done=True), Step(name="test")], due=date(2026, 3, 5)
    )
    assert render_state(progress, "progress") == (
        "<progress>\n"
        "  <due>2026-03-05</due>\n"
        "  <goal>Ship &lt;1.0&gt; &amp; rest</goal>\n"
        '  <open_files type="list"/>\n'
        "  <steps>\n"
        "    <item>\n"
        "      <done>true</done>\n"
        "      <name>build</name>\n"
        "    </item>\n"
        "    <item>\n"
        "      <done>false</done>\n"
        "      <name>test</name>\n"
        "    </item>\n"
        "  </steps>\n"
        "</progress>"
    )


def test_dataclasses_enumerations_dates_and_paths_are_said_as_text() -> None:
    value = {
        "cursor": Cursor(PurePosixPath("src/a.py"), 3, {"x": 1}),
        "mood": Mood.CALM,
        "at": datetime(2026, 1, 2, 3, 4, tzinfo=UTC),
        "id": UUID(int=1),
        "price": Decimal("1.50"),
        7: (1, 2),
    }
    assert plain_state(value) == {
        "7": [1, 2],
        "at": "2026-01-02T03:04:00+00:00",
        "cursor": {"line": 3, "marks": {"x": 1}, "path": "src/a.py"},
        "id": "00000000-0000-0000-0000-000000000001",
        "mood": "calm",
        "price": "1.50",
    }


def test_a_set_has_the_same_order_in_every_process() -> None:
    code = (
        "from pydantic import BaseModel\n"
        "from transom.engine.placement.dynamic_state import render_state\n"
        "class M(BaseModel):\n    files: set[str]\n    groups: dict[str, frozenset[str]]\n"
        "names = {'alpha', 'beta', 'gamma', 'delta'}\n"
        "print(render_state(M(files=names, groups={'a': frozenset(names)})), render_state({'plain': names}))\n"
    )
    said = {
        subprocess.run([sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True).stdout
        for seed in ("1", "2", "3")
    }
    assert len(said) == 1


def test_what_cannot_be_an_element_stands_in_an_attribute() -> None:
    text = render_state({"two words": 1, "item": 2, "xmlns": 3, "": 4, 'a"<b>\n': 5, "nul\0": 6})
    keys = [_key(child) for child in ET.fromstring(text)]
    assert sorted(keys) == sorted(["two words", "item", "xmlns", "", 'a"<b>\n', "nul\0"])


def test_state_is_as_it_was_when_it_was_set() -> None:
    files = ["a.py"]
    state = DynamicState({"files": files})
    before = state.text
    files.append("b.py")
    assert state.text == before
    assert state.value == {"files": ["a.py"]}
    assert DynamicState(state.value).text == before


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ({"a": [1, object()]}, "a[1]"),
        ({"a": {"b": b"bytes"}}, "a.b"),
        (object(), "its top"),
        ([1.0, float("inf")], "[1]"),
        ({"a": Progress}, "a"),
    ],
)
def test_what_json_cannot_hold_is_refused_with_its_place(value: object, place: str) -> None:
    with pytest.raises(InputError) as refused:
        render_state(value)
    assert f"at {place}" in refused.value.message


def test_a_value_that_holds_itself_is_refused() -> None:
    value: dict[str, object] = {}
    value["again"] = value
    with pytest.raises(InputError, match="nested"):
        render_state(value)


def test_two_keys_that_spell_the_same_are_refused() -> None:
    with pytest.raises(InputError, match="two keys '1'"):
        render_state({1: "a", "1": "b"})


@pytest.mark.parametrize("tag", ["", "two words", "1st", "xml", "a>b"])
def test_a_tag_that_is_no_xml_name_is_refused(tag: str) -> None:
    with pytest.raises(InputError, match="no name for an XML element"):
        DynamicState({}, tag=tag)


def test_an_unknown_place_is_refused() -> None:
    with pytest.raises(InputError, match="no place 'head'"):
        DynamicState({}, place="head")  # type: ignore[arg-type]


@pytest.mark.feature("L2")
def test_state_that_does_not_fit_its_schema_is_refused_field_by_field() -> None:
    with pytest.raises(InputError) as refused:
        validated({"steps": [{"name": 1}]}, Progress)
    assert refused.value.message == (
        "state does not fit Progress: goal: Field required; steps.0.name: Input should be a valid string"
    )


@pytest.mark.feature("L2")
def test_state_that_fits_becomes_the_model() -> None:
    assert validated({"goal": "ship"}, Progress) == Progress(goal="ship")
    progress = Progress(goal="ship")
    assert validated(progress, Progress) is progress


def test_a_schema_that_is_none_is_refused() -> None:
    with pytest.raises(InputError, match="pydantic model class, not dict"):
        validated({}, {"type": "object"})


@pytest.mark.parametrize("state", [{"a": 10**5_000}, {"b": [1, -(10**5_000)]}, {10**5_000: "c"}])
def test_an_integer_of_too_many_digits_is_refused_with_its_place(state: dict[object, object]) -> None:
    with pytest.raises(InputError, match="too many digits at") as refused:
        DynamicState(state)
    assert len(str(refused.value)) < 200


def test_a_long_integer_that_json_holds_is_shown_whole() -> None:
    assert str(10**400) in DynamicState({"a": 10**400}).text
