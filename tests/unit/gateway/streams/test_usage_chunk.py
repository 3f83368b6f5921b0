"""The chunk of usage that the gateway asked for and the client did not."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from transom.gateway.streams import UsageChunkFilter

from .recorded import CHAT, EXTRA, chunk, cut, data


def filtered(*chunks: bytes) -> bytes:
    """What goes on to the client."""
    passing = UsageChunkFilter()
    return b"".join([*map(passing.feed, chunks), passing.close()])


def test_exactly_the_chunk_of_usage_is_taken_out() -> None:
    assert CHAT.count(data(EXTRA)) == 1
    assert filtered(CHAT) == CHAT.replace(data(EXTRA), b"")


@given(st.sampled_from([b"\n", b"\r\n", b"\r"]), st.lists(st.integers(0, 10_000), max_size=40))
def test_it_is_taken_out_wherever_the_network_cuts(end: bytes, places: list[int]) -> None:
    raw = CHAT.replace(b"\n", end)
    assert filtered(*cut(raw, places)) == raw.replace(data(EXTRA).replace(b"\n", end), b"")


@given(st.sampled_from([b"\n", b"\r\n", b"\r"]))
def test_it_is_taken_out_byte_by_byte(end: bytes) -> None:
    raw = CHAT.replace(b"\n", end)
    expected = raw.replace(data(EXTRA).replace(b"\n", end), b"")
    assert filtered(*(raw[at : at + 1] for at in range(len(raw)))) == expected


def test_whole_events_pass_at_once() -> None:
    passing = UsageChunkFilter()
    for delta in ("a", "b"):
        event = data(chunk({"content": delta}, usage=None))
        assert passing.feed(event) == event
    assert passing.feed(data(EXTRA)) == b""
    assert passing.feed(b"data: [DONE]\n\n") == b"data: [DONE]\n\n"


def test_chunks_that_only_resemble_it_stay() -> None:
    for raw in (
        data({**chunk({}), "choices": [], "prompt_filter_results": []}),
        data({**chunk({}), "choices": [], "usage": None}),
        data(chunk({"content": '"choices":[] "usage":{}'}, usage={"prompt_tokens": 1})),
        data(chunk({}, "stop", usage={"prompt_tokens": 1})),
        b': "choices":[] "usage":{}\n\n',
        b'data: "choices":[] "usage":{}\n\n',
        b'data: {"error":{"message":"no"}}\n\n',
    ):
        assert filtered(raw) == raw


def test_it_is_taken_out_of_a_stream_that_ends_without_a_blank_line() -> None:
    assert filtered(data(chunk({}, "stop")), data(EXTRA).rstrip(b"\n")) == data(chunk({}, "stop"))


def test_an_event_too_large_to_be_it_is_not_held_back() -> None:
    big = data(chunk({"content": "x" * 200_000}))
    passing = UsageChunkFilter()
    first = passing.feed(big[:150_000])
    assert len(first) == 150_000
    assert first + passing.feed(big[150_000:]) + passing.feed(data(EXTRA)) + passing.close() == big


@given(st.lists(st.binary(max_size=20) | st.sampled_from([b"\n", b"\r", b"\r\n", data(EXTRA)]), max_size=30))
def test_everything_else_stays_byte_for_byte_whatever_it_is(pieces: list[bytes]) -> None:
    raw = b"".join(pieces).replace(b"usage", b"")
    assert filtered(*cut(raw, range(0, len(raw), 7))) == raw
