"""Archives give back what was put in, equal as JSON, and search sees their words."""

from __future__ import annotations

import json
from base64 import b64encode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transom.jsontext import dumps, loads
from transom.store.archive import archive_lines, archive_texts, expand, references
from transom.store.blobs import blob_uri

pytestmark = pytest.mark.feature("S2")

keys = st.sampled_from(["$ref", "$$ref", "$$$ref", "content", "a", "ref", "$"]) | st.text(max_size=5)
texts = st.text(st.characters(), max_size=30) | st.sampled_from(
    ["context://vfs/" + "0" * 64, "$ref", "x" * 64, "é" * 40, "\ud800" * 30]
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=12,
)


@given(st.lists(values, max_size=5), st.booleans())
@settings(max_examples=300)
def test_what_was_archived_is_given_back_equal_as_json(messages: list[object], pretty: bool) -> None:
    raws = [json.dumps(value, indent=2).encode() if pretty else dumps(value) for value in messages]
    blobs, lines = archive_lines(raws, inline_limit=32)
    stored = {f"context://vfs/{blob.path}": blob.data for blob in blobs}
    assert lines.count(b"\n") == len(raws)
    whole = expand(lines, stored.__getitem__)
    assert [loads(line) for line in whole.splitlines()] == [loads(raw) for raw in raws]
    assert set(references(lines)) == set(stored)
    assert len(archive_texts(lines)) == len(raws)


def test_a_large_text_is_stored_once_and_referred_to_by_every_line() -> None:
    text = "line of output\n" * 500
    raw = dumps({"role": "tool", "content": text})
    blobs, lines = archive_lines([raw, raw])
    assert [f"context://vfs/{blob.path}" for blob in blobs] == [blob_uri(text)]
    assert blobs[0].text == text
    assert blobs[0].if_absent
    assert len(lines) < 400


def test_small_lines_are_kept_byte_for_byte() -> None:
    raw = b'{"b": 1.50, "a": "\\u00e9", "n": 12345678901234567890123}'
    assert archive_lines([raw]) == ([], raw + b"\n")


def test_a_key_that_looks_like_a_reference_stays_data_even_spelt_with_escapes() -> None:
    for raw in (b'{"$ref": "context://vfs/x"}', b'{"\\u0024ref": "context://vfs/x"}', b'{"$$ref": {"$ref": 1}}'):
        _, lines = archive_lines([raw])
        assert references(lines) == []
        assert loads(expand(lines, pytest.fail)) == loads(raw)


def test_encoded_binary_is_stored_but_no_search_sees_it() -> None:
    picture = b64encode(bytes(range(256)) * 40).decode()
    for text in (picture, f"data:image/png;base64,{picture}"):
        blobs, lines = archive_lines([dumps({"source": {"data": text}})])
        assert [blob.text for blob in blobs] == [None]
        assert archive_texts(lines) == ("",)
    small = b64encode(bytes(range(256)) * 4).decode()
    assert archive_texts(dumps({"data": small})) == ("",)


def test_a_line_nested_too_deep_for_any_parser_is_kept() -> None:
    raw = b"[" * 5000 + b"]" * 5000
    blobs, lines = archive_lines([raw])
    assert (blobs, lines) == ([], raw + b"\n")
    assert expand(lines, pytest.fail) == lines


@pytest.mark.feature("S14")
def test_search_sees_a_line_as_a_reader_does() -> None:
    call = {"name": "write", "arguments": json.dumps({"path": "src/a.py", "body": "one\ntwo", "mode": 493, "force": True})}
    line = dumps({"role": "assistant", "type": "message", "content": 'say "hi"\tnow', "tool_calls": [{"function": call}]})
    (text,) = archive_texts(line + b"\n")
    assert text.split("\n") == ['say "hi"\tnow', "write", "src/a.py", "one", "two", "mode: 493", "force: true"]


def test_a_head_is_kept_whole_but_search_finds_what_it_stands_for_and_not_the_head() -> None:
    head = dumps({"role": "user", "content": "stands for much " * 400, "transom": "head"})
    blobs, lines = archive_lines([head, b'{"role":"user","content":"the original words"}'])
    assert [write.text for write in blobs] == [None]
    assert archive_texts(lines) == ("", "the original words")
