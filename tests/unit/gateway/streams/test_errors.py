"""Errors that come after status 200, in every shape that servers give them."""

from __future__ import annotations

import pytest

from transom.gateway.endpoint import Protocol
from transom.jsontext import dumps

from .recorded import JSON, MESSAGE, NDJSON, RESPONSE, SSE, Fields, chunk, data, lines, named, piece, read, responses

OVERFLOW = "request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it"
LM_STUDIO = "Trying to keep the first 9000 tokens when context the overflows."


@pytest.mark.parametrize(
    ("protocol", "content_type", "raw", "message", "kind", "status"),
    [
        (
            "openai",
            SSE,
            data({"error": {"message": OVERFLOW, "type": "exceed_context_size_error", "code": 400, "n_ctx": 4096}}),
            OVERFLOW,
            "exceed_context_size_error",
            400,
        ),
        (
            "openai",
            SSE,
            data({"error": {"message": "Slow down.", "type": "tokens", "param": None, "code": "rate_limit_exceeded"}}),
            "Slow down.",
            "rate_limit_exceeded",
            429,
        ),
        ("openai", SSE, data({"error": "out of memory"}), "out of memory", "", None),
        ("openai", SSE, b"event: error\n" + data({"error": {"message": LM_STUDIO}}), LM_STUDIO, "", None),
        ("openai", SSE, b"event: error\n" + data({"message": LM_STUDIO}), LM_STUDIO, "", None),
        ("openai", SSE, b"event: error\ndata: it broke\n\n", "it broke", "", None),
        ("openai", SSE, b'{"error": {"message": "bare", "code": 500}}\n', "bare", "", 500),
        ("openai", SSE, b'{\n "error": {\n  "message": "bare lines"\n }\n}\n', "bare lines", "", None),
        (
            "openai",
            SSE,
            data({"object": "error", "message": "older", "type": "BadRequestError", "code": 400}),
            "older",
            "BadRequestError",
            400,
        ),
        (
            "openai",
            SSE,
            data({**chunk({}, "error"), "choices": [{"finish_reason": "error", "error": {"message": "lost", "code": 502}}]}),
            "lost",
            "",
            502,
        ),
        (
            "openai-responses",
            SSE,
            named({"type": "error", "code": "context_length_exceeded", "message": "too long", "param": None}),
            "too long",
            "context_length_exceeded",
            400,
        ),
        (
            "openai-responses",
            SSE,
            responses("response.failed", error={"code": "server_error", "message": "it broke"}),
            "it broke",
            "server_error",
            500,
        ),
        (
            "anthropic",
            SSE,
            named({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
            "Overloaded",
            "overloaded_error",
            529,
        ),
        ("anthropic", SSE, b"event: error\n" + data({"detail": "no"}), "no", "", None),
        (
            "gemini",
            SSE,
            data({"error": {"code": 429, "message": "Quota", "status": "RESOURCE_EXHAUSTED"}}, end="\r\n\r\n"),
            "Quota",
            "RESOURCE_EXHAUSTED",
            429,
        ),
        (
            "gemini",
            JSON,
            dumps([piece({"text": "a"}), {"error": {"code": 503, "message": "gone", "status": "UNAVAILABLE"}}]),
            "gone",
            "UNAVAILABLE",
            503,
        ),
        ("ollama", NDJSON, lines({"message": {"content": "a"}}, {"error": "an error was encountered"}), "an error", "", None),
    ],
)
def test_an_error_in_a_stream_is_read_whatever_its_shape(
    protocol: Protocol, content_type: str, raw: bytes, message: str, kind: str, status: int | None
) -> None:
    found = read(protocol, content_type, raw)
    assert found.error is not None
    assert found.error.message.startswith(message)
    assert (found.error.kind, found.error.status) == (kind, status)
    assert message.encode()[:4] in found.error.body
    assert found.settled


@pytest.mark.parametrize(
    ("protocol", "body"),
    [
        ("openai", {"error": {"message": "no", "type": "invalid_request_error", "param": None, "code": None}}),
        ("openai", [{"error": {"code": 400, "message": "no", "status": "INVALID_ARGUMENT"}}]),
        ("openai-responses", {"error": {"message": "no"}}),
        ("anthropic", {"type": "error", "error": {"type": "invalid_request_error", "message": "no"}, "request_id": "r"}),
        ("gemini", {"error": {"code": 400, "message": "no", "status": "INVALID_ARGUMENT"}}),
        ("ollama", {"error": "no"}),
        ("openai", {"detail": "no"}),
    ],
)
def test_an_answer_that_is_an_error_is_read_with_its_own_status(protocol: Protocol, body: object) -> None:
    found = read(protocol, JSON, dumps(body), status=400)
    assert found.error is not None
    assert (found.error.message, found.error.status) == ("no", 400)
    assert not found.ended


@pytest.mark.parametrize("raw", [b"", b"<html>Bad gateway</html>"])
def test_an_error_without_words_is_one_all_the_same(raw: bytes) -> None:
    for content_type in ("text/html", JSON):
        found = read("anthropic", content_type, raw, status=502)
        assert found.error is not None
        assert (found.error.message, found.error.status, found.ended) == ("", 502, False)


def test_an_error_with_status_200_in_one_piece_is_one() -> None:
    found = read("openai", JSON, dumps({"error": {"message": OVERFLOW}}))
    assert found.error is not None
    assert found.error.message == OVERFLOW


def test_the_first_error_is_kept() -> None:
    found = read("openai", SSE, data({"error": "first"}, {"error": "second"}))
    assert found.error is not None
    assert found.error.message == "first"


@pytest.mark.parametrize(
    ("protocol", "raw"),
    [
        ("openai", data(chunk({"content": "error"}, None, error=None), chunk({}, "stop"))),
        ("openai-responses", responses()),
        ("anthropic", named({"type": "message_start", "message": MESSAGE})),
        ("openai-responses", named({"type": "response.created", "response": RESPONSE})),
    ],
)
def test_a_null_where_an_error_may_stand_is_none(protocol: Protocol, raw: bytes) -> None:
    assert read(protocol, SSE, raw).error is None


def test_a_stop_for_want_of_room_is_a_reason_and_no_error() -> None:
    stopped: Fields = {"type": "message_delta", "delta": {"stop_reason": "model_context_window_exceeded"}, "usage": {}}
    found = read("anthropic", SSE, named(stopped, {"type": "message_stop"}))
    assert (found.finish, found.error, found.ended) == ("model_context_window_exceeded", None, True)
