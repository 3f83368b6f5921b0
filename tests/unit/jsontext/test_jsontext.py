from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.errors import JSONError
from transom.jsontext import EMPTY, canonical, dumps, dumps_text, join_object, loads, locate, raw_items, raw_object, string

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters())  # lone surrogates included
)
documents = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters()), inner), max_leaves=12
)


@given(documents)
def test_what_was_written_reads_back_equal(value: object) -> None:
    assert loads(dumps(value)) == value
    assert loads(dumps_text(value)) == value


@given(documents)
def test_what_is_written_is_utf8_that_the_standard_library_reads_the_same(value: object) -> None:
    assert json.loads(dumps(value).decode("utf-8")) == value


@given(documents)
def test_the_canonical_form_does_not_depend_on_the_order_of_keys(value: object) -> None:
    def shuffled(item: object) -> object:
        match item:
            case dict():
                return {key: shuffled(item[key]) for key in reversed(item)}
            case list():
                return [shuffled(inner) for inner in item]
            case _:
                return item

    assert canonical(shuffled(value)) == canonical(value)


@given(st.dictionaries(st.text(st.characters()), documents))
def test_the_members_of_an_object_can_be_taken_apart_and_joined(value: dict[str, object]) -> None:
    data = dumps(value)
    assert join_object(raw_object(data)) == data


@given(st.dictionaries(st.text(), scalars | st.lists(scalars), min_size=1, max_size=5), st.data())
def test_a_member_is_found_where_it_stands(value: dict[str, object], data: st.DataObject) -> None:
    written = json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8", "surrogatepass")
    try:
        written.decode()
    except UnicodeDecodeError:
        return
    key = data.draw(st.sampled_from(sorted(value)))
    place = locate(written, key)
    if place is not None:
        assert loads(written[slice(*place)]) == value[key]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["1", "12", '"x"', '"x\\""', "[1]", " {} "])), max_size=5))
def test_a_member_is_found_only_where_it_counts(pairs: list[tuple[str, str]]) -> None:
    written = ("{" + ", ".join(f'"{key}" :{value}' for key, value in pairs) + "}").encode()
    for key in "abc":
        place = locate(written, key)
        twice = len({key for key, _ in pairs}) < len(pairs)
        assert (place is None) == (twice or key not in dict(pairs))
        if place is not None:
            assert written[slice(*place)] == dict(pairs)[key].strip().encode()


@pytest.mark.parametrize(
    "text",
    [
        '"\\ud800"',
        '{"a":"x\\udfffy","\\ud83d":1}',
        '["plain","\\udc00"]',
    ],
)
def test_lone_surrogates_survive_a_round_trip(text: str) -> None:
    value = loads(text)
    assert value == json.loads(text)
    assert loads(dumps(value)) == value


def test_integers_keep_every_digit() -> None:
    digits = "123456789" * 40
    value = loads(f'{{"id":{digits},"negative":-{digits}}}')
    assert value == {"id": int(digits), "negative": -int(digits)}
    assert dumps(value) == f'{{"id":{digits},"negative":-{digits}}}'.encode()


def test_a_number_that_no_float_holds_keeps_its_value() -> None:
    value = loads("[1e400,-1E+999,0.5]")
    assert value == [Decimal("1e400"), Decimal("-1e999"), 0.5]
    assert loads(dumps(value)) == value


@pytest.mark.parametrize("text", ["NaN", "[1,Infinity]", '{"a":-Infinity}'])
def test_literals_that_are_not_json_are_refused(text: str) -> None:
    with pytest.raises(JSONError, match="is not JSON"):
        loads(text)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"a":1} {"b":2}', "line 1, column 9"),
        ('{"a":1', "column 7"),
        ("[1,\n2,]", "line 2"),
        ("", "line 1, column 1"),
        ("hello", "line 1, column 1"),
        ("{'a':1}", "line 1, column 2"),
        ('"tab\there"', "column 5"),
    ],
)
def test_text_that_is_not_one_document_is_refused_with_its_place(text: str, place: str) -> None:
    with pytest.raises(JSONError, match=place):
        loads(text)


def test_bytes_that_are_not_utf8_are_refused_with_their_place() -> None:
    with pytest.raises(JSONError, match="byte 1"):
        loads(b'"\xff"')


@pytest.mark.parametrize(
    "data", ['\ufeff{"a":1}', b'\xef\xbb\xbf{"a":1}', bytearray(b'\xef\xbb\xbf{"a":1}'), memoryview(b'{"a":1}')]
)
def test_a_byte_order_mark_is_skipped_and_any_bytes_will_do(data: bytes | bytearray | memoryview | str) -> None:
    assert loads(data) == {"a": 1}


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


@pytest.mark.parametrize("depth", [10, 300, 600])
def test_deep_nesting_reads_and_writes(depth: int) -> None:
    text = nested(depth)
    assert dumps(loads(text)) == text.encode()
    assert canonical(loads(text)) == text.encode()


@pytest.mark.parametrize("text", [nested(10_000), '{"a":' * 10_000 + "1" + "}" * 10_000, "[" * 100_000])
def test_nesting_that_no_parser_reads_is_refused_instead_of_ending_the_process(text: str) -> None:
    with pytest.raises(JSONError):
        loads(text)


def test_a_value_that_contains_itself_is_refused() -> None:
    value: list[object] = []
    value.append(value)
    with pytest.raises(JSONError, match="deeper"):
        dumps(value)


@pytest.mark.parametrize("value", [{1, 2}, {"a": object()}, {1: "a"}, [b"bytes"], Decimal("NaN")])
def test_a_value_that_json_cannot_hold_is_refused(value: object) -> None:
    with pytest.raises(JSONError):
        dumps(value)


def test_an_integer_longer_than_python_prints_is_refused_both_ways() -> None:
    with pytest.raises(JSONError):
        loads("1" * 5000)
    with pytest.raises(JSONError):
        dumps(10**5000)


def test_the_last_of_two_equal_keys_counts() -> None:
    assert loads('{"a":1,"a":2}') == {"a": 2}
    assert raw_object(b'{"a":1,"a":2}') == {"a": b"2"}
    assert locate(b'{"a":1,"a":2}', "a") is None


def test_elements_are_taken_out_as_they_were_written() -> None:
    assert raw_items(b'[ {"b" : 1.50}, "\\u00e9" ,null]') == [b'{"b" : 1.50}', b'"\\u00e9"', b"null"]
    assert raw_object(b'{"x" : [ 1 ], "y":1.0}') == {"x": b"[ 1 ]", "y": b"1.0"}


@pytest.mark.parametrize(
    ("read", "data"), [(raw_items, b'{"a":1}'), (raw_object, b"[1]"), (raw_items, b"1"), (raw_object, b"nul")]
)
def test_another_kind_of_document_is_refused(read: object, data: bytes) -> None:
    assert callable(read)
    with pytest.raises(JSONError):
        read(data)


def test_a_string_literal_has_its_quotes() -> None:
    assert string('a"\n\u2028é') == '"a\\"\\n\u2028é"'.encode()


def test_the_shared_empty_mapping_cannot_be_written_to() -> None:
    assert EMPTY == {}
    assert isinstance(EMPTY, dict)
    with pytest.raises(TypeError):
        EMPTY["a"] = 1
