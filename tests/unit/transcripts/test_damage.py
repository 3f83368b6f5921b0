"""Bad files: what can be used is used, what cannot is named with its place."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transom.errors import FormatError, JSONError, TransomError
from transom.wire.transcripts import Skip, Transcript, load, reader_names

pytestmark = pytest.mark.feature("M14")

HERE = Path(__file__).resolve().parents[2] / "fixtures" / "transcripts"
LINES = HERE / "claude-code.jsonl"


def texts(transcript: Transcript) -> list[str]:
    return [
        message.text
        for conversation in transcript.conversations
        for segment in conversation.segments
        for message in segment.messages
    ]


def damage(transcript: Transcript) -> list[Skip]:
    return [skip for skip in transcript.skipped if skip.damaged]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b" \n\r\n\t", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "is binary"),
        (bytes(range(256)), "is binary"),
        (b"hello,\nthis is a letter", "neither JSON nor JSON Lines"),
        ("[]".encode("utf-16"), "UTF-16"),
        (b"[]", "no known format"),
        (b"{}", "no known format"),
        (b"17", "no known format"),
        (b'{"messages": 3}', "no known format"),
    ],
)
def test_a_file_of_no_use_is_refused_by_name(data: bytes, words: str) -> None:
    with pytest.raises(FormatError, match=words) as caught:
        load(data, name="session.jsonl")
    assert caught.value.message.startswith("session.jsonl")


def test_an_unknown_format_is_answered_with_those_known() -> None:
    with pytest.raises(FormatError) as caught:
        load(b"{}", "claude-desktop")
    assert all(name in caught.value.hint for name in reader_names())


@pytest.mark.parametrize(
    ("short", "file"),
    [("openai", "openai-chat.json"), ("anthropic", "anthropic-messages.json"), ("gemini", "gemini-contents.json")],
)
def test_request_bodies_answer_to_the_names_of_their_wire_formats(short: str, file: str) -> None:
    assert load((HERE / file).read_bytes(), short) == load((HERE / file).read_bytes())


def test_the_last_line_cut_off_costs_that_line() -> None:
    whole = LINES.read_bytes().rstrip()
    transcript = load(whole[:-40])
    assert texts(transcript)[:5] == texts(load(whole))[:5]
    (bad,) = damage(transcript)
    assert bad.where == f"line {len(whole.splitlines())}"
    assert bad.reason == "not JSON: Expecting property name enclosed in double quotes at column 418"


def test_skips_stand_in_file_order_with_the_damaged_lines_among_them() -> None:
    rows = LINES.read_bytes().splitlines(keepends=True)
    transcript = load(b"".join([rows[0], b"{broken\n", *rows[1:]]))
    places = [int(skip.where.split()[1]) for skip in transcript.skipped]
    assert places == sorted(places)
    assert [skip.where for skip in damage(transcript)] == ["line 2"]


def test_two_objects_on_a_line_are_both_used_and_noted() -> None:
    data = LINES.read_bytes()
    glued = data.replace(b"}\n{", b"}{", 5)
    transcript = load(glued)
    assert texts(transcript) == texts(load(data))
    assert [(skip.reason, skip.damaged) for skip in transcript.skipped if skip.kind == "line"] == [
        ("6 values on one line; all used", False)
    ]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"\x00" * 64, "not JSON"),
        (b'{"type": "user\x00"}', "not JSON"),
        ('{"type": "änder"}'.encode("latin-1"), "not UTF-8"),
        (b'{"x": ' + b"[" * 10_000 + b"]" * 10_000 + b"}", "nested deeper"),
        (b'{"x": NaN}', "NaN"),
        (b'"text"', "neither an object nor an array"),
    ],
)
def test_a_bad_line_is_named_and_the_rest_is_used(line: bytes, words: str) -> None:
    data = LINES.read_bytes()
    transcript = load(data + line + b"\n")
    assert texts(transcript) == texts(load(data))
    (bad,) = damage(transcript)
    assert bad.where == f"line {len(data.splitlines()) + 1}"
    assert words in bad.reason


@pytest.mark.parametrize("spelled", ["\\u0000", "\\ud83d", "1e400"])
def test_what_json_can_spell_is_kept(spelled: str) -> None:
    data = LINES.read_bytes().replace(b"Find typos", f"Find {spelled} typos".encode())
    wanted = json.loads(f'"Find {spelled} typos."')
    assert wanted in texts(load(data))


@pytest.mark.parametrize("name", ["cline.json", "gemini-cli.json", "swe-agent.traj", "langchain.json"])
def test_a_document_that_breaks_off_keeps_its_complete_messages(name: str) -> None:
    data = (HERE / name).read_bytes()
    whole = texts(load(data))
    start = {"swe-agent.traj": b'"history"'}.get(name, b"")
    transcript = load(data[: data.index(start) + (len(data) - data.index(start)) // 2])
    (bad,) = damage(transcript)
    assert bad.where.startswith("byte ")
    assert "used up to byte" in bad.reason
    found = texts(transcript)
    assert 0 < len(found) < len(whole)
    assert found == whole[: len(found)]


def test_a_document_that_breaks_off_at_once_says_where() -> None:
    with pytest.raises(JSONError, match=r"body.json: not JSON: .* line 1, column"):
        load(b'{"model": "x", "messages": [{"role": "us', name="body.json")


def test_a_document_nested_too_deep_is_refused() -> None:
    with pytest.raises(JSONError, match="nested deeper"):
        load(b'{"messages":' + b"[" * 10_000 + b"]" * 10_000 + b"}")


def test_a_message_of_fifty_megabytes_is_read() -> None:
    said = "x" * 50_000_000
    (segment,) = load(json.dumps({"messages": [{"role": "user", "content": said}]}).encode()).conversations[0].segments
    assert len(segment.messages[0].text) == len(said)


def test_a_string_that_never_ends_is_not_searched_again_and_again() -> None:
    data = b'{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"' + b'\\"' * 2_000_000
    assert texts(load(data)) == ["hi"]


@settings(max_examples=60, deadline=None)
@given(name=st.sampled_from(sorted(path.name for path in HERE.iterdir())), share=st.floats(0, 1))
def test_a_file_cut_anywhere_is_read_or_refused_in_words(name: str, share: float) -> None:
    data = (HERE / name).read_bytes()
    with contextlib.suppress(TransomError):
        assert load(data[: int(len(data) * share)]).conversations


@settings(max_examples=60, deadline=None)
@given(
    name=st.sampled_from(sorted(path.name for path in HERE.iterdir())),
    at=st.floats(0, 1),
    junk=st.binary(min_size=1, max_size=8),
)
def test_a_file_with_bytes_overwritten_is_read_or_refused_in_words(name: str, at: float, junk: bytes) -> None:
    data = (HERE / name).read_bytes()
    place = int(len(data) * at)
    with contextlib.suppress(TransomError):
        assert load(data[:place] + junk + data[place + len(junk) :]).conversations


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("langchain.json", '"id": "y1"', '"id": ["y1"]'),
        ("gemini-cli.json", '"type": "info"', '"type": {"a": 1}'),
        ("codex-rollout.jsonl", '"type": "turn_context"', '"type": []'),
        (
            "openhands.jsonl",
            '"forgotten_event_ids": [4, 5, 6, 7]',
            '"forgotten_events_start_id": 4, "forgotten_events_end_id": 1e18',
        ),
        (
            "openhands.jsonl",
            '"forgotten_event_ids": [4, 5, 6, 7]',
            f'"forgotten_events_start_id": 4, "forgotten_events_end_id": {10**15}',
        ),
    ],
)
def test_a_list_in_place_of_a_name_and_an_endless_range_are_borne(name: str, old: str, new: str) -> None:
    data = (HERE / name).read_text(encoding="utf-8")
    assert old in data
    assert load(data.replace(old, new).encode()).conversations


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(data=st.data(), name=st.sampled_from(sorted(path.name for path in HERE.iterdir())), value=JSON)
def test_a_field_of_the_wrong_type_never_breaks_a_reader(data: st.DataObject, name: str, value: object) -> None:
    """Any value anywhere in a file may be replaced by any other; the reader for it is asked by name."""
    raw = (HERE / name).read_bytes()
    format_name = load(raw).format
    lines = name.endswith("jsonl")
    document: Any = [json.loads(line) for line in raw.splitlines()] if lines else json.loads(raw)
    path = data.draw(st.sampled_from(list(_paths(document))))
    holder: Any = document
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    changed = b"\n".join(json.dumps(row).encode() for row in document) if lines else json.dumps(document).encode()
    with contextlib.suppress(TransomError):
        assert load(changed, format_name).conversations


def _paths(value: object, path: tuple[int | str, ...] = ()) -> list[tuple[int | str, ...]]:
    found: list[tuple[int | str, ...]] = [path] if path else []
    if isinstance(value, dict):
        for key, inner in value.items():
            found.extend(_paths(inner, (*path, key)))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            found.extend(_paths(inner, (*path, index)))
    return found
