"""What a reader tells of an answer that passes: usage, model, end, content, whatever the protocol."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.gateway.endpoint import Protocol
from transom.gateway.streams import Usage, reader
from transom.jsontext import dumps
from transom.testing.generators import json_values

from .recorded import (
    CHAT,
    CHAT_USAGE,
    EXTRA,
    GEMINI_ARRAY,
    GEMINI_PIECES,
    GEMINI_USAGE,
    JSON,
    MESSAGE,
    MESSAGE_ITEM,
    MESSAGES,
    NDJSON,
    OLLAMA_LAST,
    RESPONSE,
    RESPONSES_USAGE,
    SSE,
    STREAMS,
    Ticks,
    chunk,
    cut,
    data,
    lines,
    named,
    piece,
    read,
    reading_of,
    responses,
)

CASES = pytest.mark.parametrize(("protocol", "content_type", "raw"), STREAMS, ids=[f"{case[0]}-{case[1]}" for case in STREAMS])
PROTOCOLS: list[Protocol] = ["openai", "openai-responses", "anthropic", "gemini", "ollama"]


@CASES
def test_a_stream_tells_what_was_counted_who_answered_and_how_it_ended(
    protocol: Protocol, content_type: str, raw: bytes
) -> None:
    found = read(protocol, content_type, raw)
    assert found.usage is not None
    assert (found.usage.prompt_tokens, found.usage.output_tokens) == (1200, 17)
    assert found.model in ("gpt-5.5", "claude-opus-5", "gemini-2.5-pro", "qwen3")
    assert found.finish in ("tool_calls", "completed", "tool_use", "STOP", "stop")
    assert (found.ended, found.empty, found.error, found.skipped, found.is_between) == (True, False, None, 0, True)
    assert found.first_content == 1.0


@CASES
@given(st.data())
def test_a_stream_reads_the_same_wherever_the_network_cuts_it(
    protocol: Protocol, content_type: str, raw: bytes, data: st.DataObject
) -> None:
    whole = reading_of(read(protocol, content_type, raw))
    ends = data.draw(st.sampled_from([b"\n", b"\r\n", b"\r"])) if content_type == SSE else b"\n"
    spelled = raw.replace(b"\r\n", b"\n").replace(b"\n", ends) if content_type == SSE else raw
    places = data.draw(st.lists(st.integers(0, len(spelled)), max_size=40))
    assert reading_of(read(protocol, content_type, *cut(spelled, places))) == whole


@CASES
def test_a_stream_reads_the_same_byte_by_byte(protocol: Protocol, content_type: str, raw: bytes) -> None:
    whole = reading_of(read(protocol, content_type, raw))
    assert reading_of(read(protocol, content_type, *(raw[at : at + 1] for at in range(len(raw))))) == whole


@CASES
def test_the_first_character_tells_where_the_content_type_does_not(protocol: Protocol, content_type: str, raw: bytes) -> None:
    whole = reading_of(read(protocol, content_type, raw))
    for unknown in ("", "text/plain", "application/octet-stream"):
        assert reading_of(read(protocol, unknown, b"\n", raw)) == whole


@CASES
@given(place=st.integers(0, 10_000))
def test_a_stream_that_breaks_off_has_no_proper_end(protocol: Protocol, content_type: str, raw: bytes, place: int) -> None:
    full = read(protocol, content_type, raw)
    part = read(protocol, content_type, raw[: place % len(raw)])
    assert part.error is None
    assert not part.ended or part.finish == full.finish


@pytest.mark.parametrize("content_type", [SSE, JSON, NDJSON, "text/html", ""])
@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(pieces=st.lists(st.one_of(st.binary(max_size=30), json_values().map(dumps), st.sampled_from([b"\n\n", b"data: "]))))
def test_nothing_an_upstream_sends_is_too_odd(protocol: Protocol, content_type: str, pieces: list[bytes]) -> None:
    found = read(protocol, content_type, *pieces)
    found.keepalive()
    found.error_event(502, "gone")


_FIELDS = (
    *("type", "error", "object", "message", "choices", "delta", "content", "usage", "response", "item", "status", "output"),
    *("candidates", "parts", "text", "done", "model", "finish_reason", "tool_calls", "code", "usageMetadata", "promptFeedback"),
    *("content_block", "message_start", "response.completed", "message_delta", "timings", "prompt_tokens_details"),
    *("input_tokens", "totalTokens", "incomplete_details", "x_groq"),
)
_WORDS = st.sampled_from(_FIELDS)
_ODD = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=3), _WORDS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_WORDS, inner, max_size=5)),
    max_leaves=20,
)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(value=_ODD, status=st.sampled_from([200, 400, 503]))
def test_fields_of_other_types_than_they_should_have_are_passed_over(protocol: Protocol, value: object, status: int) -> None:
    read(protocol, JSON, dumps(value), status=status)
    read(protocol, SSE, data(value), b"event: error\n" + data(value))


# ── usage ───────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_chat_tells_cached_and_written_tokens_in_the_chunk_without_choices() -> None:
    assert read("openai", SSE, CHAT).usage == Usage(
        input_tokens=1200, output_tokens=17, cached_tokens=1024, written_tokens=128, prompt_tokens=1200
    )


def test_usage_beside_the_last_choice_counts_and_the_newest_figures_win() -> None:
    early = chunk({"content": "a"}, usage={"prompt_tokens": 9, "completion_tokens": 1})
    late = chunk({}, "stop", usage={"prompt_tokens": 9, "completion_tokens": 2, "prompt_cache_hit_tokens": 4})
    assert read("openai", SSE, data(early, late)).usage == Usage(
        input_tokens=9, output_tokens=2, cached_tokens=4, prompt_tokens=9
    )


def test_llama_cpps_timings_stand_in_for_usage_and_for_what_its_cache_held() -> None:
    timings = {"cache_n": 90, "prompt_n": 10, "predicted_n": 5}
    alone = read("openai", SSE, data(chunk({}, "stop", timings=timings)))
    assert alone.usage == Usage(input_tokens=100, output_tokens=5, cached_tokens=90, prompt_tokens=100)
    both = read("openai", SSE, data({**EXTRA, "usage": {"prompt_tokens": 100, "completion_tokens": 5}, "timings": timings}))
    assert both.usage == Usage(input_tokens=100, output_tokens=5, cached_tokens=90, prompt_tokens=100)


def test_groqs_usage_is_found_where_it_puts_it() -> None:
    found = read("openai", SSE, data(chunk({}, "stop", x_groq={"usage": {"prompt_tokens": 7, "completion_tokens": 1}})))
    assert found.usage == Usage(input_tokens=7, output_tokens=1, prompt_tokens=7)


def test_a_message_adds_up_what_the_cache_gave_and_took_beside_the_input() -> None:
    assert read("anthropic", SSE, MESSAGES).usage == Usage(
        input_tokens=48, output_tokens=17, cached_tokens=1024, written_tokens=128, prompt_tokens=1200
    )


def test_a_servers_zero_does_not_undo_what_it_said_before_and_a_late_figure_counts() -> None:
    start = named({"type": "message_start", "message": {**MESSAGE, "usage": {"input_tokens": 0, "output_tokens": 0}}})
    end = named(
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"input_tokens": 30, "output_tokens": 2}}
    )
    late = read("anthropic", SSE, start, end)
    assert late.usage == Usage(input_tokens=30, output_tokens=2, prompt_tokens=30)
    zero = named({"type": "message_delta", "delta": {}, "usage": {"input_tokens": 0, "output_tokens": 3}})
    assert read("anthropic", SSE, start, end, zero).usage == Usage(input_tokens=30, output_tokens=3, prompt_tokens=30)


@pytest.mark.parametrize("end", ["response.completed", "response.incomplete", "response.failed"])
def test_every_end_of_a_response_may_have_the_usage(end: str) -> None:
    found = read("openai-responses", SSE, responses(end))
    assert found.usage == Usage(input_tokens=1200, output_tokens=17, cached_tokens=1024, written_tokens=128, prompt_tokens=1200)
    assert found.ended


def test_counts_are_read_where_only_they_are_asked_for() -> None:
    assert read("anthropic", JSON, b'{"input_tokens": 12}').usage == Usage(input_tokens=12, prompt_tokens=12)
    assert read("gemini", JSON, b'{"totalTokens": 12}').usage == Usage(input_tokens=12, prompt_tokens=12)


def test_no_figures_are_no_usage() -> None:
    assert read("openai", SSE, data(chunk({}, "stop", usage=None))).usage is None
    assert read("ollama", NDJSON, lines({"done": True})).usage is None


# ── answers in one piece ────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_completion_in_one_piece_is_read_like_a_stream() -> None:
    choice = {"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}
    found = read("openai", JSON, dumps({"model": "m", "choices": [choice], "usage": CHAT_USAGE}))
    assert (found.model, found.finish, found.ended, found.empty) == ("m", "stop", True, False)
    assert found.usage is not None


def test_a_response_in_one_piece_is_read_like_a_stream() -> None:
    body = {**RESPONSE, "status": "completed", "output": [MESSAGE_ITEM], "usage": RESPONSES_USAGE}
    found = read("openai-responses", JSON, dumps(body))
    assert (found.model, found.finish, found.ended, found.empty) == ("gpt-5.5", "completed", True, False)


def test_a_message_in_one_piece_is_read_like_a_stream() -> None:
    body = {**MESSAGE, "content": [{"type": "text", "text": "Hi"}], "stop_reason": "end_turn"}
    found = read("anthropic", JSON, dumps(body))
    assert (found.model, found.finish, found.ended, found.empty) == ("claude-opus-5", "end_turn", True, False)


def test_geminis_answer_in_one_piece_is_read_like_its_stream() -> None:
    found = read(
        "gemini", JSON, json.dumps(piece({"text": "Hi"}, finish="STOP", usageMetadata=GEMINI_USAGE), indent=1).encode()
    )
    assert (found.model, found.finish, found.ended, found.empty) == ("gemini-2.5-pro", "STOP", True, False)


def test_the_content_type_decides_and_not_what_was_asked_for() -> None:
    assert read("openai", SSE, CHAT).ended
    assert not read("openai", JSON, CHAT).ended


# ── ends ────────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_chat_stream_without_its_done_line_has_ended_where_it_gave_a_reason() -> None:
    assert read("openai", SSE, data(chunk({"content": "a"}), chunk({}, "stop"))).ended
    assert not read("openai", SSE, data(chunk({"content": "a"}))).ended
    assert read("openai", SSE, data(chunk({"content": "a"})) + b"data: [DONE]").ended


def test_an_incomplete_response_tells_why() -> None:
    found = read("openai-responses", SSE, responses("response.incomplete", incomplete_details={"reason": "max_output_tokens"}))
    assert (found.finish, found.ended, found.error) == ("max_output_tokens", True, None)


def test_a_message_without_its_last_event_has_not_ended() -> None:
    cut_off = MESSAGES[: MESSAGES.index(b"event: message_stop")]
    found = read("anthropic", SSE, cut_off)
    assert (found.finish, found.ended) == ("tool_use", False)


def test_gemini_ends_with_a_reason_to_stop_or_to_block() -> None:
    assert not read("gemini", SSE, data(*GEMINI_PIECES[:2], end="\r\n\r\n")).ended
    blocked = read("gemini", SSE, data({"promptFeedback": {"blockReason": "SAFETY"}}, end="\r\n\r\n"))
    assert (blocked.finish, blocked.ended, blocked.empty) == ("SAFETY", True, True)


# ── content ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_answer_of_nothing_is_empty() -> None:
    assert read("openai", SSE, b"data: [DONE]\n\n").empty
    assert read("openai", SSE, data(chunk({"role": "assistant", "content": ""}), chunk({}, "stop"))).empty
    assert read("openai", SSE, b"").empty
    assert read("openai-responses", SSE, named({"type": "response.completed", "response": RESPONSE})).empty
    quiet = {**MESSAGE_ITEM, "content": [{"type": "output_text", "text": ""}]}
    assert read("openai-responses", SSE, named({"type": "response.output_item.done", "item": quiet})).empty
    start = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    assert read("anthropic", SSE, named({"type": "message_start", "message": MESSAGE}, start)).empty
    assert read("gemini", SSE, data(piece({"text": "", "thoughtSignature": "x"}, finish="STOP"))).empty
    assert read("ollama", NDJSON, lines(OLLAMA_LAST)).empty


@pytest.mark.parametrize(
    "delta",
    [
        {"content": "a"},
        {"reasoning_content": "a"},
        {"reasoning": "a"},
        {"refusal": "a"},
        {"tool_calls": [{"index": 0}]},
        {"function_call": {"name": "f"}},
        {"audio": {"id": "a"}},
    ],
)
def test_whatever_a_chat_model_says_is_content(delta: dict[str, object]) -> None:
    assert not read("openai", SSE, data(chunk(delta))).empty


@pytest.mark.parametrize("kind", ["redacted_thinking", "server_tool_use", "compaction", "a_type_of_next_year"])
def test_blocks_that_come_whole_are_content_whatever_their_type(kind: str) -> None:
    start: dict[str, object] = {"type": "content_block_start", "index": 0, "content_block": {"type": kind}}
    assert not read("anthropic", SSE, named(start)).empty


def test_items_that_come_whole_are_content() -> None:
    item = {"type": "function_call", "name": "f", "arguments": ""}
    assert not read("openai-responses", SSE, named({"type": "response.output_item.added", "item": item})).empty


def test_the_first_content_is_timed_and_nothing_before_it() -> None:
    clock = Ticks()
    reading = reader("openai", SSE, clock)
    reading.feed(data(chunk({"role": "assistant", "content": ""})))
    assert reading.first_content is None
    clock.now = 41.0
    reading.feed(data(chunk({"content": "a"})))
    clock.now = 99.0
    reading.feed(data(chunk({"content": "b"})))
    assert reading.first_content == 42.0


# ── parsing ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_comments_unknown_fields_and_data_over_several_lines_are_read_as_the_standard_says() -> None:
    raw = (
        "\ufeff: hello\n\nid: 7\nretry: 10\nevent:message\n"
        'data:{"model":"m","choices":[{"delta":\ndata: {"content":"a"},\ndata\ndata:"finish_reason":"stop"}]}\n\n'
    ).encode()
    found = read("openai", SSE, raw)
    assert (found.model, found.finish, found.empty) == ("m", "stop", False)


def test_an_event_beyond_the_limit_passes_unread_and_is_counted() -> None:
    big = data(chunk({"content": "x" * 5_000}))
    for chunks in ([big], [big[at : at + 7] for at in range(0, len(big), 7)]):
        found = read("openai", SSE, *chunks, data(chunk({"content": "a"}, "stop")), limit=1_000)
        assert (found.skipped, found.empty, found.finish) == (1, False, "stop")


def test_an_end_beyond_the_limit_is_still_an_end() -> None:
    found = read("openai-responses", SSE, responses(instructions="x" * 5_000), limit=1_500)
    assert (found.skipped, found.ended, found.finish) == (1, True, "completed")


@pytest.mark.parametrize(("protocol", "content_type"), [("openai", JSON), ("gemini", JSON), ("ollama", NDJSON)])
def test_a_body_beyond_the_limit_passes_unread(protocol: Protocol, content_type: str) -> None:
    found = read(protocol, content_type, b'{"a":"' + b"x" * 5_000, b'"}', limit=1_000)
    assert (found.skipped, found.usage) == (1, None)


@given(st.lists(st.integers(1, 400), max_size=30), st.lists(st.integers(0, 9_000), max_size=20))
def test_what_is_beyond_the_limit_does_not_depend_on_where_the_network_cuts(sizes: list[int], places: list[int]) -> None:
    raw = data(*(chunk({"content": "x" * size}) for size in sizes))
    whole = reading_of(read("openai", SSE, raw, limit=300))
    assert reading_of(read("openai", SSE, *cut(raw, places), limit=300)) == whole


def test_an_array_with_brackets_and_escapes_in_its_texts_is_read_element_by_element() -> None:
    reading = reader("gemini", JSON, Ticks())
    reading.feed(GEMINI_ARRAY[: GEMINI_ARRAY.index(b"functionCall")])
    assert (reading.empty, reading.ended) == (False, False)
    reading.feed(GEMINI_ARRAY[GEMINI_ARRAY.index(b"functionCall") :])
    assert reading.ended
