"""What the gateway says itself, in the protocol's own shapes: keep-alives, errors inside an answer, errors instead of one.

Pure. Sources: OpenAI, Anthropic and Gemini API references on errors and streaming; Ollama ``docs/api.md``; what the SDKs of
each take in a stream (``google-genai`` reads a comment as a piece of JSON and fails, but skips blank lines; ``ollama`` parses
every line, so that only a blank inside the next line is safe).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, assert_never

from ...jsontext import dumps
from ..endpoint import Protocol

__all__ = ["Framing", "awaited", "content_type", "error_body", "error_event", "keepalive"]

Framing = Literal["events", "lines", "array", "whole"]
"""How an answer is cut: server-sent events, JSON by lines, an array of objects (Gemini), or a body in one piece."""

_OPENAI: Mapping[int, tuple[str, str | None]] = {
    400: ("invalid_request_error", None),
    401: ("invalid_request_error", "invalid_api_key"),
    403: ("invalid_request_error", "forbidden"),
    404: ("invalid_request_error", "not_found"),
    413: ("invalid_request_error", "request_too_large"),
    415: ("invalid_request_error", "unsupported_media_type"),
    429: ("rate_limit_error", "rate_limit_exceeded"),
    500: ("server_error", "server_error"),
    502: ("server_error", "bad_gateway"),
    503: ("server_error", "server_overloaded"),
    504: ("server_error", "timeout"),
}
_ANTHROPIC: Mapping[int, str] = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}
_GEMINI: Mapping[int, str] = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    413: "INVALID_ARGUMENT",
    415: "INVALID_ARGUMENT",
    429: "RESOURCE_EXHAUSTED",
    499: "CANCELLED",
    500: "INTERNAL",
    502: "UNAVAILABLE",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
_NUMBER = re.compile(rb'"sequence_number"\s*:\s*(\d{1,15})')


def awaited(protocol: Protocol, query: str) -> Framing:
    """How a stream will be cut that was asked for and has not come yet.

    Args:
        protocol: whose.
        query: the request's; Gemini is told there whether to send events.
    """
    match protocol:
        case "ollama":
            return "lines"
        case "gemini":
            return "events" if "alt=sse" in query.split("&") else "array"
        case "anthropic" | "openai" | "openai-responses":
            return "events"
        case _:
            assert_never(protocol)


def content_type(framing: Framing) -> bytes:
    """The content type of an answer that is cut so, where the gateway has to begin it."""
    match framing:
        case "events":
            return b"text/event-stream; charset=utf-8"
        case "lines":
            return b"application/x-ndjson"
        case "array" | "whole":
            return b"application/json; charset=UTF-8"
        case _:
            assert_never(framing)


def keepalive(protocol: Protocol, framing: Framing = "events") -> bytes:
    """What may be sent between two events of an answer that is slow to come.

    Returns:
        Empty for a body in one piece, which has no place for it.
    """
    match framing:
        case "whole":
            return b""
        case "lines":
            return b" "
        case "array":
            return b"\n"
        case "events":
            pass
        case _:
            assert_never(framing)
    match protocol:
        case "anthropic":
            return b'event: ping\ndata: {"type": "ping"}\n\n'
        case "gemini":
            return b"\r\n"
        case "ollama" | "openai" | "openai-responses":
            return b": keep-alive\n\n"
        case _:
            assert_never(protocol)


def error_event(
    protocol: Protocol,
    status: int,
    message: str,
    *,
    framing: Framing = "events",
    after: int = 0,
    last: bytes = b"",
) -> bytes:
    """An error where an answer has begun and cannot go on.

    Args:
        protocol: whose shape.
        status: the HTTP status it would have had.
        message: one sentence.
        framing: how the answer is cut. Of an array the opening bracket is taken to have come.
        after: how many events it had so far.
        last: the data of the newest event, which the Responses API numbers.

    Returns:
        Empty for a body in one piece: only a broken connection says there that it failed.
    """
    match framing:
        case "whole":
            return b""
        case "lines":
            return error_body(protocol, status, message) + b"\n"
        case "array":
            return (b",\r\n" if after else b"") + error_body(protocol, status, message) + b"\r\n]"
        case "events":
            pass
        case _:
            assert_never(framing)
    match protocol:
        case "openai-responses":
            _, code = _openai(status)
            found = _NUMBER.findall(last)
            number = int(found[-1]) + 1 if found else after
            said = {"type": "error", "code": code, "message": message, "param": None, "sequence_number": number}
            return b"event: error\ndata: " + dumps(said) + b"\n\n"
        case "anthropic":
            return b"event: error\ndata: " + error_body(protocol, status, message) + b"\n\n"
        case "gemini":
            return b"data: " + error_body(protocol, status, message) + b"\r\n\r\n"
        case "ollama" | "openai":
            return b"data: " + error_body(protocol, status, message) + b"\n\n"
        case _:
            assert_never(protocol)


def error_body(protocol: Protocol, status: int, message: str, *, request_id: str = "") -> bytes:
    """The body of an answer that is an error of the gateway's own.

    Args:
        protocol: whose shape.
        status: the answer's HTTP status.
        message: one sentence that says what is wrong and what to do.
        request_id: as the answer's header has it; Anthropic repeats it.
    """
    match protocol:
        case "openai" | "openai-responses":
            kind, code = _openai(status)
            return dumps({"error": {"message": message, "type": kind, "param": None, "code": code}})
        case "anthropic":
            kind = _ANTHROPIC.get(status, "api_error" if status >= 500 else "invalid_request_error")
            named: dict[str, object] = {"request_id": request_id} if request_id else {}
            return dumps({"type": "error", "error": {"type": kind, "message": message}} | named)
        case "gemini":
            name = _GEMINI.get(status, "INTERNAL" if status >= 500 else "FAILED_PRECONDITION")
            return dumps({"error": {"code": status, "message": message, "status": name}})
        case "ollama":
            return dumps({"error": message})
        case _:
            assert_never(protocol)


def _openai(status: int) -> tuple[str, str | None]:
    return _OPENAI.get(status, _OPENAI[500 if status >= 500 else 400])
