"""The reader of MessagePack: what an encoder writes comes back, record by record, and damage never does more than end it."""

from __future__ import annotations

import io
import math
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transom.errors import InputError
from transom.importers.msgpack import Damaged, Oversized, Value, decode, records

SCALARS = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | st.text() | st.binary()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=20) | st.dictionaries(st.text(), inner, max_size=20), max_leaves=40
)


@settings(max_examples=50)
@given(st.lists(VALUES, max_size=12))
def test_what_was_encoded_comes_back(listed: list[Any]) -> None:
    found = list(records(io.BytesIO(msgspec.msgpack.encode(listed))))
    assert found == [Value(value) for value in listed]


@settings(max_examples=50)
@given(st.lists(VALUES, min_size=1, max_size=10), st.data())
def test_what_stands_before_a_cut_comes_back(listed: list[Any], data: st.DataObject) -> None:
    whole = msgspec.msgpack.encode(listed)
    cut = data.draw(st.integers(0, len(whole) - 1))
    *before, last = records(io.BytesIO(whole[:cut]))
    assert before == [Value(value) for value in listed[: len(before)]]
    assert last == Damaged("it is cut off", len(before))


@given(st.binary(max_size=400))
def test_any_bytes_give_some_records_and_no_surprise(data: bytes) -> None:
    for record in records(io.BytesIO(data)):
        assert isinstance(record, Value | Oversized | Damaged)


@given(st.lists(st.text(max_size=200), max_size=10), st.integers(1, 100))
def test_records_over_the_limit_are_measured_and_passed_over(listed: list[str], limit: int) -> None:
    found = list(records(io.BytesIO(msgspec.msgpack.encode(listed)), limit=limit))
    sizes = [len(msgspec.msgpack.encode(value)) for value in listed]
    assert found == [Oversized(size) if size > limit else Value(value) for value, size in zip(listed, sizes, strict=True)]


@pytest.mark.parametrize("size", [0, 31, 32, 255, 256, 65_535, 65_536])
def test_every_width_of_a_length_is_read(size: int) -> None:
    for value in ("a" * size, b"a" * size, [1] * size, dict.fromkeys(map(str, range(size)), 0)):
        assert list(records(io.BytesIO(msgspec.msgpack.encode([value, "next"])))) == [Value(value), Value("next")]


def test_a_long_text_is_leapt_over_only_where_it_is_all_there() -> None:
    whole = msgspec.msgpack.encode(["a" * (3 << 20), "next"])
    assert list(records(io.BytesIO(whole), limit=100)) == [Oversized((3 << 20) + 5), Value("next")]
    assert list(records(io.BytesIO(whole[: 2 << 20]), limit=100)) == [Damaged("it is cut off", 0)]


def test_a_record_of_a_million_numbers_is_passed_over() -> None:
    assert list(records(io.BytesIO(msgspec.msgpack.encode([[1] * 1_000_001, 2])))) == [Oversized(1_000_006), Value(2)]


def test_half_an_emoji_survives_as_javascript_writes_it() -> None:
    assert decode(b"\xa3\xed\xa0\xbd") == "\ud83d"
    assert decode(b"\xa2\xff\xfe") == "\ufffd\ufffd"


def test_moments_are_milliseconds_and_other_extensions_nothing() -> None:
    assert decode(b"\xd6\xff" + (1_758_600_000).to_bytes(4, "big")) == 1_758_600_000_000
    packed = (250_000_000 << 34) | 1_758_600_000
    assert decode(b"\xd7\xff" + packed.to_bytes(8, "big")) == 1_758_600_000_250
    assert decode(b"\xc7\x0c\xff" + bytes(4) + (-1).to_bytes(8, "big", signed=True)) == -1000
    assert decode(b"\xd4\x05x") is None


def test_numbers_that_are_none_are_read_as_they_stand() -> None:
    value = decode(b"\xcb\x7f\xf8" + bytes(6))
    assert isinstance(value, float)
    assert math.isnan(value)


@pytest.mark.parametrize("data", [b"\x91" * 200 + b"\x01", b"\x01\x02", b"\xc1", b"\x92\x01"])
def test_what_is_no_single_value_is_refused(data: bytes) -> None:
    with pytest.raises(InputError):
        decode(data)


def test_keys_that_are_no_text_become_text() -> None:
    assert decode(msgspec.msgpack.encode({1: "a", 2: "b"})) == {"1": "a", "2": "b"}
