"""What the gateway says itself in the middle of an answer or instead of one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.gateway.endpoint import Protocol
from transom.gateway.streams import error_body, error_event, keepalive, reader
from transom.jsontext import loads

from .recorded import (
    GEMINI_ARRAY,
    JSON,
    MESSAGES,
    NDJSON,
    OLLAMA,
    SSE,
    STREAMS,
    Ticks,
    chunk,
    cut,
    data,
    read,
    reading_of,
    responses,
)

PROTOCOLS: list[Protocol] = ["openai", "openai-responses", "anthropic", "gemini", "ollama"]


@pytest.mark.parametrize(("protocol", "content_type", "raw"), STREAMS)
@given(places=st.lists(st.integers(0, 5_000), max_size=20))
def test_keepalives_between_events_change_nothing_that_is_read(
    protocol: Protocol, content_type: str, raw: bytes, places: list[int]
) -> None:
    passing, client = reader(protocol, content_type, Ticks()), reader(protocol, content_type, Ticks())
    for one in cut(raw, places):
        passing.feed(one)
        client.feed(one)
        client.feed(passing.keepalive())
    client.close()
    assert reading_of(client) == reading_of(read(protocol, content_type, raw))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_nothing_is_said_inside_an_event_nor_inside_a_body(protocol: Protocol) -> None:
    reading = reader(protocol, SSE, Ticks())
    assert reading.keepalive() == keepalive(protocol)
    for piece in (b"event: x\n", b'data: {"a":', b"1}\n"):
        reading.feed(piece)
        assert (reading.is_between, reading.keepalive()) == (False, b"")
    reading.feed(b"\n")
    assert reading.is_between
    body = reader("openai", JSON, Ticks())
    assert (body.keepalive(), body.error_event(502, "gone")) == (b"", b"")


@pytest.mark.parametrize(("protocol", "content_type", "raw"), STREAMS)
@given(place=st.integers(1, 10_000))
def test_an_answer_that_broke_off_ends_in_the_protocols_own_error(
    protocol: Protocol, content_type: str, raw: bytes, place: int
) -> None:
    part = raw[: place % len(raw)]
    passing = reader(protocol, content_type, Ticks())
    passing.feed(part)
    passing.close()
    said = passing.error_event(502, "the upstream at 127.0.0.1:9 closed the connection")
    told = read(protocol, content_type, part, said)
    if passing.ended:
        assert said == b""
    elif said:
        assert told.error is not None
        assert told.error.message == "the upstream at 127.0.0.1:9 closed the connection"
        assert not told.ended
    else:
        # Nothing can be said inside a value that is no event: only the broken connection does.
        assert content_type == JSON


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_nothing_is_added_after_the_upstreams_own_end_or_error(protocol: Protocol) -> None:
    reading = reader(protocol, SSE, Ticks())
    reading.feed(data({"error": {"message": "theirs"}}))
    assert reading.error_event(502, "ours") == b""


def test_the_error_of_the_responses_api_goes_on_with_its_numbers() -> None:
    raw = responses()
    part = raw[: raw.index(b"event: response.output_text.done")]
    passing = reader("openai-responses", SSE, Ticks())
    passing.feed(part)
    said = passing.error_event(504, "too slow")
    assert said.startswith(b"event: error\ndata: ")
    assert loads(said.removeprefix(b"event: error\ndata: ")) == {
        "type": "error",
        "code": "timeout",
        "message": "too slow",
        "param": None,
        "sequence_number": 6,
    }


def test_errors_inside_an_answer_have_each_protocols_own_shape() -> None:
    assert error_event("openai", 502, "gone") == (
        b'data: {"error":{"message":"gone","type":"server_error","param":null,"code":"bad_gateway"}}\n\n'
    )
    assert error_event("anthropic", 504, "slow") == (
        b'event: error\ndata: {"type":"error","error":{"type":"timeout_error","message":"slow"}}\n\n'
    )
    assert error_event("gemini", 504, "slow") == (
        b'data: {"error":{"code":504,"message":"slow","status":"DEADLINE_EXCEEDED"}}\r\n\r\n'
    )
    assert error_event("ollama", 502, "gone", framing="lines") == b'{"error":"gone"}\n'
    assert error_event("openai", 502, "gone", framing="whole") == b""


def test_geminis_array_is_closed_after_the_error() -> None:
    first = GEMINI_ARRAY[: GEMINI_ARRAY.index(b"},\r\n  {") + 1]
    passing = reader("gemini", JSON, Ticks())
    passing.feed(first)
    whole = loads(first + passing.error_event(502, "gone"))
    assert isinstance(whole, list)
    assert [next(iter(item)) for item in whole] == ["candidates", "error"]
    opened = reader("gemini", JSON, Ticks())
    opened.feed(b"[")
    assert isinstance(loads(b"[" + opened.error_event(502, "gone")), list)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 415, 418, 429, 500, 502, 503, 504, 599])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_error_instead_of_an_answer_is_read_as_one_by_the_protocols_own_reader(protocol: Protocol, status: int) -> None:
    found = read(protocol, JSON, error_body(protocol, status, "Nothing listens at 127.0.0.1:9."), status=status)
    assert found.error is not None
    assert (found.error.message, found.error.status) == ("Nothing listens at 127.0.0.1:9.", status)


def test_errors_instead_of_an_answer_have_each_protocols_own_shape() -> None:
    assert loads(error_body("anthropic", 413, "big", request_id="req_1")) == {
        "type": "error",
        "error": {"type": "request_too_large", "message": "big"},
        "request_id": "req_1",
    }
    assert loads(error_body("gemini", 502, "gone")) == {"error": {"code": 502, "message": "gone", "status": "UNAVAILABLE"}}
    assert loads(error_body("openai", 400, "no JSON")) == {
        "error": {"message": "no JSON", "type": "invalid_request_error", "param": None, "code": None}
    }
    assert error_body("ollama", 502, "gone") == b'{"error":"gone"}'


def test_keepalives_are_what_each_protocols_clients_pass_over() -> None:
    assert keepalive("anthropic") == b'event: ping\ndata: {"type": "ping"}\n\n'
    assert keepalive("openai") == keepalive("openai-responses") == b": keep-alive\n\n"
    assert keepalive("gemini") == b"\r\n"
    assert keepalive("ollama", "lines") == b" "
    assert keepalive("openai", "whole") == b""
    assert reader("ollama", NDJSON, Ticks()).keepalive() == b" "
    assert read("ollama", NDJSON, b" ", OLLAMA).ended
    assert read("anthropic", SSE, keepalive("anthropic"), MESSAGES).ended
    assert not read("openai", SSE, keepalive("openai"), data(chunk({"content": "a"}))).ended
