"""Streams arrive byte for byte however they are cut, and what they say of themselves is read all the same."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterable, Iterator

import brotli  # type: ignore[import-untyped]
import pytest
from backports import zstd
from tests.unit.gateway.exact import BODY, CHAT, GEMINI, MESSAGES, RESPONSES, STREAM, Pair, Wire, paired
from tests.unit.gateway.serving import Asked

from transom.gateway.exchange import Reported

EVENTS, LINES, JSON = "text/event-stream", "application/x-ndjson", "application/json"
OLLAMA = "/api/chat"
ALT = GEMINI + "streamGenerateContent?alt=sse"
UNASKED = b'{"model":"m","stream":true,"messages":[]}'


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    with paired() as running:
        yield running


def chat(*texts: str, end: bytes = b"\n\n", done: bool = True) -> bytes:
    said = [json.dumps({"model": "m", "choices": [{"delta": {"content": text}}]}).encode() for text in texts]
    said.append(b'{"model":"m","choices":[{"delta":{},"finish_reason":"stop"}]}')
    return b"".join(b"data: " + each + end for each in [*said, *([b"[DONE]"] if done else [])])


def usage(end: bytes = b"\n\n") -> bytes:
    return b'data: {"model":"m","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}' + end


def message(end: bytes = b"\n\n") -> bytes:
    events: list[tuple[str, dict[str, object]]] = [
        ("message_start", {"message": {"model": "m", "usage": {"input_tokens": 7, "output_tokens": 1}}}),
        ("content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}}),
        ("content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": "caf\u00e9"}}),
        ("message_delta", {"delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 3}}),
        ("message_stop", {}),
    ]
    said = [(name, json.dumps({"type": name, **rest}, ensure_ascii=False).encode()) for name, rest in events]
    line = end[: len(end) // 2]
    return b"".join(b"event: " + name.encode() + line + b"data: " + data + end for name, data in said)


def response() -> bytes:
    said = [
        {"type": "response.created", "sequence_number": 0, "response": {"model": "m"}},
        {"type": "response.output_text.delta", "sequence_number": 1, "delta": "hi"},
        {
            "type": "response.completed",
            "sequence_number": 2,
            "response": {"model": "m", "status": "completed", "usage": {"input_tokens": 7, "output_tokens": 3}},
        },
    ]
    return b"".join(b"event: %b\ndata: %b\n\n" % (str(each["type"]).encode(), json.dumps(each).encode()) for each in said)


def gemini(end: bytes = b"\r\n\r\n") -> bytes:
    said = {
        "candidates": [{"content": {"parts": [{"text": "hi"}]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 3},
        "modelVersion": "m",
    }
    return b"data: " + json.dumps(said).encode() + end


def ollama(end: bytes = b"\n") -> bytes:
    said = [
        {"model": "m", "message": {"content": "hi"}, "done": False},
        {
            "model": "m",
            "message": {"content": ""},
            "done": True,
            "done_reason": "stop",
            "prompt_eval_count": 7,
            "eval_count": 3,
        },
    ]
    return b"".join(json.dumps(each).encode() + end for each in said)


def streamed(
    pair: Pair, path: str, pieces: Iterable[bytes], kind: str = EVENTS, *headers: str, body: bytes = STREAM, ends: bool = True
) -> Wire:
    async def handle(asked: Asked) -> None:
        await asked.begin(*headers, kind=kind)
        for piece in pieces:
            await asked.chunk(piece)
        if ends:
            await asked.end()
        else:
            asked.writer.close()

    return pair.ask("POST", path, body, script=handle)


BOM = b"\xef\xbb\xbf"
LARGE = "x" * 1_500_000
TABLE: dict[str, tuple[str, str, bytes]] = {
    "an event of more than a megabyte": (CHAT, EVENTS, chat("a", LARGE, "b") + usage()),
    "a message of more than a megabyte": (MESSAGES, EVENTS, message().replace("caf\u00e9".encode(), LARGE.encode())),
    "ended by CR": (CHAT, EVENTS, usage(b"\r\r") + chat("caf\u00e9", end=b"\r\r")),
    "ended by CRLF": (CHAT, EVENTS, usage(b"\r\n\r\n") + chat("caf\u00e9", end=b"\r\n\r\n")),
    "ended by all of them": (CHAT, EVENTS, usage(b"\r\n\n") + chat("caf\u00e9", end=b"\n\r")),
    "a message ended by CR": (MESSAGES, EVENTS, message(b"\r\r")),
    "a message ended by CRLF": (MESSAGES, EVENTS, message(b"\r\n\r\n")),
    "a mark at the beginning": (CHAT, EVENTS, BOM + usage() + chat("a")),
    "a mark before a message": (MESSAGES, EVENTS, BOM + message()),
    "a mark before lines": (OLLAMA, LINES, BOM + ollama()),
    "comments between": (CHAT, EVENTS, b": one\n\n:\n\n: data: {\n\n" + usage() + b":x\n" + chat("a") + b": end\n\n"),
    "fields of no meaning": (CHAT, EVENTS, b"id: 1\nretry: 5\nodd\n" + usage() + b"id\n\n" + chat("a")),
    "data without a blank": (CHAT, EVENTS, (usage() + chat("a")).replace(b"data: ", b"data:")),
    "a zero byte": (CHAT, EVENTS, b"data: \x00\n\ndata: {\x00}\n\n" + usage() + chat("a")),
    "no UTF-8": (CHAT, EVENTS, b"data: \xff\xfe\n\n" + usage() + chat("a")),
    "the last event without its end": (CHAT, EVENTS, usage() + chat("a")[:-2]),
    "no mark of the end": (CHAT, EVENTS, chat("a", done=False) + usage()),
    "a response": (RESPONSES, EVENTS, response()),
    "Gemini's events": (ALT, EVENTS, gemini()),
    "Gemini's array": (
        GEMINI + "streamGenerateContent",
        JSON,
        b"[" + gemini(b"")[6:] + b"\r\n,\r\n" + gemini(b"")[6:] + b"\r\n]",
    ),
    "lines": (OLLAMA, LINES, ollama()),
    "lines ended by CRLF": (OLLAMA, LINES, ollama(b"\r\n")),
    "lines with blank ones between": (OLLAMA, LINES, ollama(b"\r\n \n\n")),
    "lines called JSON": (OLLAMA, JSON, ollama()),
    "events of no type": (CHAT, "x", usage() + chat("a")),
}


@pytest.mark.parametrize(("path", "kind", "raw"), TABLE.values(), ids=TABLE)
@pytest.mark.parametrize("size", [1, 1000, 1 << 30], ids=["bytes", "pieces", "whole"])
def test_a_stream_arrives_byte_for_byte_and_its_count_is_read(pair: Pair, path: str, kind: str, raw: bytes, size: int) -> None:
    size = max(size, len(raw) // 2000)
    found = streamed(pair, path, (raw[at : at + size] for at in range(0, len(raw), size)), kind)
    assert (found.status, found.complete) == (200, True)
    assert found.body == raw
    assert pair.ended.how == "answered"
    assert pair.ended.model == "m"
    assert pair.counted == Reported(input_tokens=7, output_tokens=3)


@pytest.mark.parametrize("end", [b"\n\n", b"\r\n\r\n", b"\r\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("size", [1, 1 << 30], ids=["bytes", "whole"])
def test_only_the_chunk_that_was_not_asked_for_is_missing(pair: Pair, end: bytes, size: int) -> None:
    before, after = BOM + b": x" + end + chat("caf\u00e9", done=False, end=end), b"data: [DONE]" + end
    raw = before + usage(end) + after
    found = streamed(pair, CHAT, (raw[at : at + size] for at in range(0, len(raw), size)), body=UNASKED)
    assert (found.body, found.complete) == (before + after, True)
    assert pair.counted == Reported(input_tokens=7, output_tokens=3)


@pytest.mark.parametrize(
    ("path", "raw"),
    [(CHAT, chat("a") + usage()), (MESSAGES, message()), (RESPONSES, response())],
    ids=["chat", "messages", "responses"],
)
def test_events_that_were_not_asked_for_are_read_as_what_they_are(pair: Pair, path: str, raw: bytes) -> None:
    found = streamed(pair, path, [raw[:50], raw[50:]], body=BODY)
    assert (found.body, found.all(b"content-type")) == (raw, [EVENTS.encode()])
    assert pair.counted == Reported(input_tokens=7, output_tokens=3)


WHOLE = {
    CHAT: b'{"model":"m","choices":[{"message":{"content":"hi"}}],"usage":{"prompt_tokens":7,"completion_tokens":3}}',
    MESSAGES: b'{"type":"message","model":"m","content":[{"type":"text"}],"usage":{"input_tokens":7,"output_tokens":3}}',
    RESPONSES: b'{"object":"response","model":"m","output":[{}],"usage":{"input_tokens":7,"output_tokens":3}}',
}


@pytest.mark.parametrize("body", [STREAM, UNASKED], ids=["usage", "no usage"])
@pytest.mark.parametrize("measured", [True, False])
@pytest.mark.parametrize(("path", "raw"), WHOLE.items())
def test_a_body_in_one_piece_instead_of_events_is_read_as_what_it_is(
    pair: Pair, path: str, raw: bytes, measured: bool, body: bytes
) -> None:
    async def handle(asked: Asked) -> None:
        await asked.answer(200, raw)

    pieces = [raw[at : at + 10] for at in range(0, len(raw), 10)]
    found = pair.ask("POST", path, body, script=handle) if measured else streamed(pair, path, pieces, JSON, body=body)
    assert (found.status, found.body, found.complete) == (200, raw, True)
    assert found.all(b"content-length") == ([b"%d" % len(raw)] if measured else [])
    assert pair.counted == Reported(input_tokens=7, output_tokens=3)


def test_events_that_are_called_json_arrive_whole_with_their_length(pair: Pair) -> None:
    raw = chat("a", done=False) + usage() + b"data: [DONE]\n\n"

    async def handle(asked: Asked) -> None:
        await asked.answer(200, raw)

    found = pair.ask("POST", CHAT, UNASKED, script=handle)
    assert (found.status, found.body, found.complete) == (200, raw, True)


CODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "Deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstd.compress,
    "gzip, br": lambda raw: brotli.compress(gzip.compress(raw)),
    "gzip\r\ncontent-encoding: br": lambda raw: brotli.compress(gzip.compress(raw)),
}


@pytest.mark.parametrize("coding", CODERS)
def test_coded_events_come_back_plain(pair: Pair, coding: str) -> None:
    raw = usage() + chat("caf\u00e9")
    coded = CODERS[coding](raw)
    found = streamed(pair, CHAT, (coded[at : at + 3] for at in range(0, len(coded), 3)), EVENTS, f"content-encoding: {coding}")
    assert (found.body, found.complete) == (raw, True)
    assert not found.all(b"content-encoding")
    assert pair.counted == Reported(input_tokens=7, output_tokens=3)


def test_events_in_a_coding_that_is_not_known_pass_as_they_are(pair: Pair) -> None:
    found = streamed(pair, CHAT, [b"\x00\x01", b"\xff"], EVENTS, "content-encoding: snappy")
    assert (found.body, found.complete, found.all(b"content-encoding")) == (b"\x00\x01\xff", True, [b"snappy"])


@pytest.mark.parametrize("coding", ["gzip", "Deflate", "br", "zstd"])
def test_an_answer_that_is_cut_off_inside_its_coding_breaks_off(pair: Pair, coding: str) -> None:
    coded = CODERS[coding](WHOLE[CHAT])[:-1]
    found = streamed(pair, CHAT, [coded], JSON, f"content-encoding: {coding}", body=BODY)
    assert not found.complete or found.status == 502
    assert pair.ended.how == "failed"


CUT = [
    (CHAT, STREAM, chat("a")[:-40]),
    (CHAT, UNASKED, chat("a")[:-40]),
    (CHAT, UNASKED, chat("a", "b", done=False)[:-80] + b"\r"),
    (MESSAGES, STREAM, message()[:-60]),
    (RESPONSES, STREAM, response()[:-60]),
    (ALT, BODY, gemini()[:-60]),
]


@pytest.mark.parametrize("clean", [True, False], ids=["ended", "dropped"])
@pytest.mark.parametrize(("path", "body", "raw"), CUT)
def test_what_came_before_a_stream_broke_off_arrives_and_then_the_protocols_error(
    pair: Pair, path: str, body: bytes, raw: bytes, clean: bool
) -> None:
    found = streamed(pair, path, [raw[:-7], raw[-7:]], body=body, ends=clean)
    assert found.complete
    assert found.body.startswith(raw + b"\n\n")
    said = found.body.removeprefix(raw).strip()
    assert said.startswith(b"event: error\ndata: {" if path in (MESSAGES, RESPONSES) else b"data: {")
    assert b"error" in said
    assert pair.ended.how == "failed"


ERRORS = [
    (CHAT, EVENTS, chat("a", done=False)[:60] + b"\n\n", b'data: {"error":{"message":"no more","type":"server_error"}}\n\n'),
    (CHAT, EVENTS, b"", b'{"error":{"message":"no more"}}\n'),
    (CHAT, EVENTS, chat("a")[:60] + b"\n\n", b'event: error\ndata: {"message":"no more"}\n\n'),
    (
        MESSAGES,
        EVENTS,
        message()[:60] + b"\n\n",
        b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"no more"}}\n\n',
    ),
    (
        RESPONSES,
        EVENTS,
        response()[:60] + b"\n\n",
        b'event: error\ndata: {"type":"error","code":"server_error","message":"no more","param":null,"sequence_number":3}\n\n',
    ),
    (
        RESPONSES,
        EVENTS,
        b"",
        b'event: response.failed\ndata: {"type":"response.failed","response":{"error":{"message":"no more"}}}\n\n',
    ),
    (ALT, EVENTS, b"", b'data: {"error":{"code":503,"message":"no more","status":"UNAVAILABLE"}}\r\n\r\n'),
    (
        GEMINI + "streamGenerateContent",
        JSON,
        b"",
        b'[{"error":{"code":503,"message":"no more","status":"UNAVAILABLE"}}\r\n]',
    ),
    (OLLAMA, LINES, ollama().partition(b"\n")[0] + b"\n", b'{"error":"no more"}\r\n'),
]


@pytest.mark.parametrize("clean", [True, False], ids=["ended", "dropped"])
@pytest.mark.parametrize("size", [1, 1 << 30], ids=["bytes", "whole"])
@pytest.mark.parametrize(("path", "kind", "before", "error"), ERRORS)
def test_the_upstreams_own_error_ends_a_stream_and_nothing_is_added(
    pair: Pair, path: str, kind: str, before: bytes, error: bytes, size: int, clean: bool
) -> None:
    raw = before + error
    found = streamed(pair, path, (raw[at : at + size] for at in range(0, len(raw), size)), kind, ends=clean)
    assert (found.status, found.body) == (200, raw)
    assert (pair.ended.how, pair.ended.message) == ("refused", "no more")


@pytest.mark.parametrize("clean", [True, False], ids=["ended", "dropped"])
def test_lines_that_break_off_are_closed_before_the_error(pair: Pair, clean: bool) -> None:
    raw = ollama()[:-20]
    found = streamed(pair, OLLAMA, [raw], LINES, ends=clean)
    assert found.complete
    *_, said, rest = found.body.removeprefix(raw + b"\n").split(b"\n")
    assert (list(json.loads(said)), rest) == (["error"], b"")


@pytest.mark.parametrize("clean", [True, False], ids=["ended", "dropped"])
def test_an_array_that_breaks_off_between_its_elements_is_closed_with_the_error(pair: Pair, clean: bool) -> None:
    element = gemini(b"")[6:].replace(b', "finishReason": "STOP"', b"")
    found = streamed(pair, GEMINI + "streamGenerateContent", [b"[" + element], JSON, ends=clean)
    assert found.complete
    first, error = json.loads(found.body)
    assert first == json.loads(element)
    assert list(error) == ["error"]


@pytest.mark.parametrize("clean", [True, False], ids=["ended", "dropped"])
def test_an_array_that_breaks_off_inside_an_element_breaks_off(pair: Pair, clean: bool) -> None:
    raw = b"[" + gemini(b"")[6:60]
    found = streamed(pair, GEMINI + "streamGenerateContent", [raw], JSON, ends=clean)
    assert (found.body, found.complete) == (raw, False)
    assert pair.ended.how == "failed"


@pytest.mark.parametrize(("path", "raw"), WHOLE.items())
def test_a_body_in_one_piece_whose_end_is_missing_has_none_for_the_client_either(pair: Pair, path: str, raw: bytes) -> None:
    found = streamed(pair, path, [raw], JSON, body=BODY, ends=False)
    assert (found.body, found.complete) == (raw, False)
    assert pair.ended.how == "failed"
