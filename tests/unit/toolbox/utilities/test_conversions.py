"""Data from one format into another: nothing lost, nothing guessed, and what the new format cannot show is said."""

from __future__ import annotations

import base64
import csv
import io
import json
import time
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from transom.toolbox.families.utilities.documents import from_yaml, to_yaml
from transom.toolbox.families.utilities.tables import from_csv, to_csv
from transom.toolbox.tool import Envelope

Call = Callable[..., Envelope]

plain_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
cells = st.text(st.sampled_from(list('a,"\r\n; é=')), max_size=6)


def test_json_becomes_csv_as_rfc_4180_has_it(call: Call, root: Path) -> None:
    (root / "in.json").write_text('[{"a": 1, "b": "x,y"}, {"b": "\\"q\\"", "c": [1, {"k": null}]}, {"a": true, "c": 1e400}]')
    answer = call("convert_format", action="json_to_csv", input="in.json", output="new/out.csv")
    assert answer.ok, answer.text
    assert (root / "new/out.csv").read_bytes() == b'a,b,c\r\n1,"x,y",\r\n,"""q""","[1,{""k"":null}]"\r\ntrue,,1E+400\r\n'
    assert answer.data["output"] == "new/out.csv"
    assert "3 rows, 3 columns" in answer.text
    assert "written as JSON: 1." in answer.text


def test_without_an_output_the_result_is_the_answer(call: Call, root: Path) -> None:
    (root / "in.json").write_text('{"a": 1}')
    answer = call("convert_format", action="json_to_csv", input="in.json")
    assert answer.data["content"] == answer.text == "a\r\n1\r\n"
    assert sorted(path.name for path in root.iterdir()) == ["in.json"]


def test_half_a_character_is_written_as_its_escape_and_told(call: Call, root: Path) -> None:
    (root / "in.json").write_text('[{"a": "\\ud800"}]')
    answer = call("convert_format", action="json_to_csv", input="in.json", output="o.csv")
    assert (root / "o.csv").read_bytes() == b"a\r\n\\ud800\r\n"
    assert "Halves of characters" in answer.text
    assert call("convert_format", action="json_to_yaml", input="in.json").text == '- a: "\\ud800"\n'


def test_an_empty_list_is_an_empty_table(call: Call, root: Path) -> None:
    (root / "in.json").write_text("[]")
    (root / "in.csv").write_text("")
    assert call("convert_format", action="json_to_csv", input="in.json", output="o.csv").ok
    assert (root / "o.csv").read_bytes() == b""
    assert call("convert_format", action="csv_to_json", input="in.csv", output="o.json").ok
    assert (root / "o.json").read_text() == "[]\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("3", "holds a number"),
        ('"x"', "holds text"),
        ("[1]", "item 1 is a number"),
        ('[{}, ["a"]]', "item 2 is a list"),
        ("null", "holds null"),
    ],
)
def test_json_that_is_no_table_is_refused_and_says_what_it_is(call: Call, root: Path, text: str, said: str) -> None:
    (root / "in.json").write_text(text)
    answer = call("convert_format", action="json_to_csv", input="in.json", output="o.csv")
    assert answer.error == "invalid_input"
    assert said in answer.text
    assert not (root / "o.csv").exists()


def test_columns_and_rows_that_do_not_fit_lose_nothing_and_are_told(call: Call, root: Path) -> None:
    (root / "in.csv").write_text("a,a,,a_2\n1,2,3,4\n5\n6,7,8,9,10,11\n\n")
    answer = call("convert_format", action="csv_to_json", input="in.csv", output="o.json")
    assert json.loads((root / "o.json").read_text()) == [
        {"a": "1", "a_3": "2", "column_3": "3", "a_2": "4"},
        {"a": "5", "a_3": "", "column_3": "", "a_2": ""},
        {"a": "6", "a_3": "7", "column_3": "8", "a_2": "9", "column_5": "10", "column_6": "11"},
    ]
    assert "are now a_3, column_3." in answer.text
    assert "fewer cells than the header: 1." in answer.text
    assert "more cells than the header: 1. The further cells are in column_5, column_6." in answer.text


def test_tabs_part_the_cells_of_a_tsv_file(call: Call, root: Path) -> None:
    (root / "in.tsv").write_text("a\tb,c\n1\t2\n")
    assert call("convert_format", action="csv_to_json", input="in.tsv", output="o.json").ok
    assert json.loads((root / "o.json").read_text()) == [{"a": "1", "b,c": "2"}]
    assert call("convert_format", action="json_to_csv", input="o.json", output="o.tsv").ok
    assert (root / "o.tsv").read_bytes() == b"a\tb,c\r\n1\t2\r\n"


def test_a_table_that_is_not_utf_8_is_read_as_windows_1252_and_says_so(call: Call, root: Path) -> None:
    (root / "in.csv").write_bytes("größe\n5€\n".encode("cp1252"))
    answer = call("convert_format", action="csv_to_json", input="in.csv")
    assert '"größe": "5€"' in answer.text
    assert "Windows-1252" in answer.text
    assert answer.confidence == "inferred"
    (root / "in.csv").write_text("größe\n1\n", encoding="utf-16")
    assert call("convert_format", action="csv_to_json", input="in.csv").confidence == "extracted"


@pytest.mark.parametrize("text", ['a\n"open\n', 'a\n"x"y\n', "a\n" + "x" * 140_000])
def test_csv_that_cannot_be_read_says_where(call: Call, root: Path, text: str) -> None:
    (root / "in.csv").write_text(text)
    answer = call("convert_format", action="csv_to_json", input="in.csv", output="o.json")
    assert answer.error == "invalid_input"
    assert "line 2" in answer.text or "line 3" in answer.text
    assert not (root / "o.json").exists()


@given(st.lists(st.dictionaries(plain_text, cells, min_size=1, max_size=4), max_size=5))
def test_a_table_of_texts_comes_back_from_csv(rows: list[dict[str, str]]) -> None:
    written = to_csv(rows)
    assert list(csv.reader(io.StringIO(written.text, newline=""))) == (
        [list(written.columns), *([row.get(c, "") for c in written.columns] for row in rows)] if rows else []
    )
    if all(written.columns):
        assert list(from_csv(written.text).records) == [{c: row.get(c, "") for c in written.columns} for row in rows]


# ── YAML and TOML ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_json_becomes_yaml_that_a_person_can_read(call: Call, root: Path) -> None:
    value = {
        "name": "web server",
        "on": "yes",
        "ports": [80, 443],
        "env": [{"key": "A", "value": "1"}, {"key": "B", "value": None}],
        "matrix": [[1, 2], []],
        "note": "a: b\n# c",
        "big": 12345678901234567890,
        "small": 1e-7,
        "empty": {},
    }
    (root / "in.json").write_text(json.dumps(value))
    assert call("convert_format", action="json_to_yaml", input="in.json", output="o.yaml").ok
    assert (root / "o.yaml").read_text() == (
        "name: web server\n"
        '"on": "yes"\n'
        "ports:\n- 80\n- 443\n"
        'env:\n- key: A\n  value: "1"\n- key: B\n  value: null\n'
        "matrix:\n- - 1\n  - 2\n- []\n"
        'note: "a: b\\n# c"\n'
        "big: 12345678901234567890\n"
        "small: 1.0e-7\n"
        "empty: {}\n"
    )


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | plain_text
    | st.sampled_from(
        ["no", "~", "1_0", "0x1", "12:30", "2026-01-01", "<<", "=", "- a", "a: b", "\x85", "\ufeff", "!x", "&a", "1e5", ".inf"]
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(plain_text, inner, max_size=3),
    max_leaves=12,
)


@given(values)
def test_every_json_value_comes_back_from_yaml_in_both_versions(value: object) -> None:
    text = to_yaml(value)
    assert from_yaml(text).value == value
    older = YAML(typ="safe", pure=True)
    older.version = (1, 1)
    assert older.load(text) == value


def test_yaml_becomes_json_and_what_json_does_not_have_is_told(call: Call, root: Path) -> None:
    (root / "in.yaml").write_text(
        "base: &b {x: 1}\ncopy: *b\n2: one\ntrue: yes\nday: 2026-11-30\nbytes: !!binary aGk=\nset: !!set {a, b}\n"
    )
    answer = call("convert_format", action="yaml_to_json", input="in.yaml", output="o.json")
    assert answer.ok, answer.text
    assert json.loads((root / "o.json").read_text()) == {
        "base": {"x": 1},
        "copy": {"x": 1},
        "2": "one",
        "true": "yes",
        "day": "2026-11-30",
        "bytes": "aGk=",
        "set": {"a": None, "b": None},
    }
    assert "Dates and times are written as text" in answer.text
    assert "Keys that were no text" in answer.text


def test_several_yaml_documents_become_one_list(call: Call, root: Path) -> None:
    (root / "in.yaml").write_text("a: 1\n---\n- 2\n")
    answer = call("convert_format", action="yaml_to_json", input="in.yaml", output="o.json")
    assert json.loads((root / "o.json").read_text()) == [{"a": 1}, [2]]
    assert "2 documents, as one list" in answer.text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [1", "no YAML"),
        ("a: 1\na: 2", "no YAML"),
        ("1: a\n'1': b", "the key 1 stands twice"),
        ("a: !!python/object/apply:os.system [id]", "no YAML"),
        ("a: .inf", "holds inf, which JSON cannot"),
        ("&a [*a]", "contains itself"),
        (
            "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
            + "".join(f"{n}: &{n} [{','.join([f'*{p}'] * 10)}]\n" for p, n in zip("abcdef", "bcdefg", strict=True)),
            "more than 1,000,000 values",
        ),
    ],
)
def test_yaml_that_json_cannot_hold_is_refused(call: Call, root: Path, text: str, said: str) -> None:
    (root / "in.yaml").write_text(text)
    answer = call("convert_format", action="yaml_to_json", input="in.yaml", output="o.json")
    assert answer.error == ("too_large" if said.startswith("more than") else "invalid_input")
    assert said in answer.text
    assert not (root / "o.json").exists()


@pytest.mark.parametrize("depth", [103, 300])
@pytest.mark.parametrize(("action", "form"), [("json_to_yaml", "{}"), ("yaml_to_json", "{}"), ("toml_to_json", "a={}")])
def test_what_is_nested_too_deep_is_refused_cleanly(call: Call, root: Path, depth: int, action: str, form: str) -> None:
    (root / "in").write_text(form.format("[" * depth + "]" * depth))
    answer = call("convert_format", action=action, input="in", output="out")
    assert answer.error in {"invalid_input", "invalid_json"}
    assert not (root / "out").exists()


@pytest.mark.parametrize("text", ["[" * 20_000, "{a: " * 20_000, "- " * 20_000 + "x", "[" * 101 + "]" * 101])
def test_yaml_that_opens_more_than_it_may_is_refused_at_once(call: Call, root: Path, text: str) -> None:
    (root / "in").write_text(text)
    began = time.process_time()
    answer = call("convert_format", action="yaml_to_json", input="in")
    assert answer.error == "invalid_input"
    assert "nested deeper than 100 levels" in answer.text
    assert time.process_time() - began < 1.0


def test_a_yaml_reader_is_not_given_more_than_it_reads_in_time(call: Call, root: Path) -> None:
    (root / "in.yaml").write_text("a: 1\n" * 75_000)
    assert call("convert_format", action="yaml_to_json", input="in.yaml").error == "too_large"


def test_toml_becomes_json(call: Call, root: Path) -> None:
    text = '[a]\nb = 1\nday = 2026-11-30T10:00:00Z\n[[c]]\nd = "x"\n'
    (root / "in.toml").write_text(text)
    answer = call("convert_format", action="toml_to_json", input="in.toml", output="o.json")
    found = json.loads((root / "o.json").read_text())
    assert found == {**tomllib.loads(text), "a": {"b": 1, "day": "2026-11-30T10:00:00+00:00"}}
    assert "Dates and times" in answer.text
    (root / "in.toml").write_text("a = \n")
    assert "no TOML" in call("convert_format", action="toml_to_json", input="in.toml").text
    (root / "in.toml").write_text("a = nan\n")
    assert call("convert_format", action="toml_to_json", input="in.toml").error == "invalid_input"


# ── base64 ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_base64_of_a_file_and_of_a_text(call: Call, root: Path) -> None:
    (root / "b.bin").write_bytes(b"\xff\x00\xfe")
    assert call("convert_format", action="base64_encode", input="b.bin").text == "/wD+"
    answer = call("convert_format", action="base64_encode", input="héllo")
    assert answer.data["content"] == base64.b64encode("héllo".encode()).decode()
    assert "its text was encoded" in answer.text


def test_a_path_outside_is_text_and_never_read(call: Call, root: Path) -> None:
    secret = root.parent / "secret.txt"
    secret.write_text("secret")
    for name in ("../secret.txt", str(secret)):
        answer = call("convert_format", action="base64_encode", input=name)
        assert base64.b64decode(str(answer.data["content"])).decode() == name
    (root / "link").symlink_to(secret)
    assert base64.b64decode(str(call("convert_format", action="base64_encode", input="link").data["content"])) == b"link"


@pytest.mark.parametrize("text", ["aGVs\nbG8=", "aGVsbG8", "data:text/plain;base64,aGVsbG8=", " aGVs bG8= "])
def test_base64_is_read_as_people_write_it(call: Call, text: str) -> None:
    assert call("convert_format", action="base64_decode", input=text).text == "hello"


def test_base64_of_a_file_is_decoded_into_a_file(call: Call, root: Path) -> None:
    (root / "x.b64").write_bytes(b"\xef\xbb\xbf_wD-\r\n")
    answer = call("convert_format", action="base64_decode", input="x.b64", output="d/o.bin")
    assert answer.data == {"output": "d/o.bin", "bytes": 3}
    assert (root / "d/o.bin").read_bytes() == b"\xff\x00\xfe"


@pytest.mark.parametrize(
    ("text", "said"),
    [("aGVs!", "character '!' at position 5"), ("aGVsb", "its length does not fit"), ("nope.txt", "'.' at position 5")],
)
def test_what_is_no_base64_says_where(call: Call, text: str, said: str) -> None:
    answer = call("convert_format", action="base64_decode", input=text)
    assert answer.error == "invalid_input"
    assert said in answer.text


def test_decoded_bytes_that_are_no_text_want_a_file(call: Call) -> None:
    answer = call("convert_format", action="base64_decode", input="/wD+")
    assert (answer.error, answer.data["bytes"]) == ("binary", 3)


def test_a_text_of_any_length_is_encoded(call: Call) -> None:
    answer = call("convert_format", action="base64_encode", input="x" * 50_000)
    assert answer.data["content"] == base64.b64encode(b"x" * 50_000).decode()


def test_an_output_outside_is_refused(call: Call, root: Path) -> None:
    (root / "in.json").write_text("[]")
    for action, source in (("json_to_csv", "in.json"), ("base64_decode", "aGk="), ("compress", "in.json")):
        assert call("convert_format", action=action, input=source, output="../o.zip").error == "outside_root"
    assert not (root.parent / "o.zip").exists()
