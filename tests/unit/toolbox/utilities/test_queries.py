"""A part of a JSON file, by a path; and what is there instead where a path leads nowhere."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.toolbox.families.utilities.path_query import BadQuery, Missing, find, parse
from transom.toolbox.tool import Envelope

Call = Callable[..., Envelope]

DOCUMENT: dict[str, object] = {
    "data": {"users": [{"name": "Ann", "tags": ["a", "b"]}, {"name": "Bob"}, {"id": 3}]},
    "a.b": {"c d": 1, "": 2, 'q"': 3, "*": 4},
    "n": None,
    "list": [0, 1, 2, 3, 4],
    "empty": {},
    "text": "zwölf",
    "big": 12345678901234567890,
}


@pytest.mark.parametrize(
    ("query", "value"),
    [
        (".", DOCUMENT),
        ("$", DOCUMENT),
        (".data.users[0].name", "Ann"),
        ("data.users[0].name", "Ann"),
        ("$.data.users[-1].id", 3),
        (" .n ", None),
        ('."a.b"."c d"', 1),
        ('["a.b"]["c d"]', 1),
        ("['a.b']['']", 2),
        (r'."a.b"."q\""', 3),
        ('."a.b"."*"', 4),
        (".list[2]", 2),
        (".list[ 2 ]", 2),
        (".list.[2]", 2),
        (".list[-2:]", [3, 4]),
        (".list[1:3]", [1, 2]),
        (".list[:2]", [0, 1]),
        (".data.users[*].name", ["Ann", "Bob"]),
        (".data.users[].name", ["Ann", "Bob"]),
        (".data.users.*.name", ["Ann", "Bob"]),
        (".data.users[*].tags[*]", ["a", "b"]),
        (".data.users[*].nothing", []),
        (".empty.*", []),
        (".data.users | length", 3),
        (".text | length", 5),
        ("| keys", list(DOCUMENT)),
        (". | length", 7),
        (".data.users[*] | keys", [["name", "tags"], ["name"], ["id"]]),
        (".big", 12345678901234567890),
    ],
)
def test_a_path_finds_what_it_says(call: Call, root: Path, query: str, value: object) -> None:
    (root / "d.json").write_text(json.dumps(DOCUMENT))
    answer = call("json_query", file_path="d.json", query=query, output_format="json")
    assert answer.ok, answer.text
    assert answer.data["value"] == value
    assert json.loads(answer.text) == value


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (".data.user", ".data has no key user. It has: users."),
        (".data.users[3]", ".data.users has 3 items, so there is no [3]"),
        (".data.users[-4]", ".data.users has 3 items, so there is no [-4]"),
        (".data.users.name", ".data.users is a list, which has no key name"),
        (".text[0]", ".text is text, which has no items"),
        (".text.length", ".text is text, which has no key length"),
        (".n.x", ".n is null, which has no key x"),
        (".empty.x", ".empty is an empty object, so it has no x"),
        (".__class__", "The document has no key __class__"),
        ('."a.b".x', '."a.b" has no key x'),
        (".typo[*].x", "The document has no key typo"),
        (".text[*]", ".text is text, which has no items"),
        (".big | keys", ".big is a number, which has no keys"),
        (".list[1:] | length", ".list[1:] is a number, which has no length"),
        (".data.*[*].id | keys", ".data[*][*].id is a number, which has no keys"),
    ],
)
def test_where_a_path_leads_nowhere_the_answer_says_what_is_there(call: Call, root: Path, query: str, said: str) -> None:
    (root / "d.json").write_text(json.dumps(DOCUMENT))
    answer = call("json_query", file_path="d.json", query=query)
    assert answer.error == "not_found"
    assert said in answer.text


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("", "The query is empty"),
        (".a..b", "at position 4: ."),
        (".a.", "at position 4: it ends too early"),
        (".a[", "at position 4: it ends too early"),
        (".a[x]", "at position 4: x"),
        (".a[0", "at position 4: 0"),
        (".a b", "at position 3: b"),
        (".a | sort", "| sort"),
        ('."open', 'at position 2: "'),
        (".a" * 51, "more than 50 parts"),
    ],
)
def test_a_query_that_cannot_be_read_says_where(call: Call, root: Path, query: str, said: str) -> None:
    (root / "d.json").write_text("{}")
    answer = call("json_query", file_path="d.json", query=query)
    assert answer.error == "invalid_input"
    assert said in answer.text


def test_text_is_shown_bare_and_everything_else_as_json(call: Call, root: Path) -> None:
    (root / "d.json").write_text(json.dumps(DOCUMENT))
    assert call("json_query", file_path="d.json", query=".text").text == "zwölf"
    assert call("json_query", file_path="d.json", query=".list[0:2]").text == "[\n  0,\n  1\n]"
    assert call("json_query", file_path="d.json", query=".n").text == "null"


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"{", "invalid_json"),
        (b'{"a": NaN}', "invalid_json"),
        (b"\x00\x01", "encoding"),
        (b'{"a": "\xff"}', "encoding"),
        (b'"' + b"x" * 10_000_001 + b'"', "too_large"),
    ],
)
def test_what_is_no_json_is_refused(call: Call, root: Path, data: bytes, error: str) -> None:
    (root / "d.json").write_bytes(data)
    assert call("json_query", file_path="d.json", query=".").error == error


def test_json_of_other_encodings_with_a_mark_is_read(call: Call, root: Path) -> None:
    for encoding in ("utf-8-sig", "utf-16"):
        (root / "d.json").write_text('{"ä": 1}', encoding=encoding)
        assert call("json_query", file_path="d.json", query=".ä").data["value"] == 1


def test_a_number_that_no_float_holds_is_shown_as_it_is(call: Call, root: Path) -> None:
    (root / "d.json").write_text('{"a": [1e400]}')
    assert "E+400" in call("json_query", file_path="d.json", query=".a").text


def test_half_a_character_of_a_document_is_shown_as_its_escape(call: Call, root: Path) -> None:
    (root / "d.json").write_text('{"a": "\\ud800x"}')
    assert call("json_query", file_path="d.json", query=".a").text == "\\ud800x"
    assert call("json_query", file_path="d.json", query=".").text == '{\n  "a": "\\ud800x"\n}'
    assert call("json_query", file_path="d.json", query=".b").text.isascii()


keys = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=20,
)


@given(documents, st.data())
def test_every_value_of_a_document_has_a_path_that_finds_it(document: object, data: st.DataObject) -> None:
    value, path = document, "$"
    while isinstance(value, dict | list) and value and data.draw(st.booleans()):
        if isinstance(value, dict):
            key = data.draw(st.sampled_from(sorted(value)))
            path += f".{json.dumps(key)}" if data.draw(st.booleans()) else f"[{json.dumps(key, ensure_ascii=False)}]"
            value = value[key]
        else:
            index = data.draw(st.integers(-len(value), len(value) - 1))
            path += f"[{index}]"
            value = value[index]
    assert find(document, parse(path)).value == value


@given(st.text(st.sampled_from(list(".[]\"'*:|$ \\a0-1keyslngth")), max_size=20), documents)
def test_any_text_is_a_query_or_is_refused(text: str, document: object) -> None:
    with contextlib.suppress(BadQuery, Missing):
        find(document, parse(text))
