"""An error that an answer is, or that comes in the middle of one after status 200.

Pure. The shapes are those of ``transom.upstream.complaints``; here they get the status they would have had, and keep their
bytes, so that whoever looks for an overflow reads the server's own words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...upstream.complaints import complaint

__all__ = ["Fault", "fault", "is_fault", "named_fault"]

_STATUS: Mapping[str, int] = {
    "invalid_request_error": 400,
    "invalid_prompt": 400,
    "context_length_exceeded": 400,
    "exceed_context_size_error": 400,
    "BadRequestError": 400,
    "INVALID_ARGUMENT": 400,
    "authentication_error": 401,
    "invalid_api_key": 401,
    "UNAUTHENTICATED": 401,
    "billing_error": 402,
    "permission_error": 403,
    "PERMISSION_DENIED": 403,
    "not_found_error": 404,
    "model_not_found": 404,
    "NOT_FOUND": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "insufficient_quota": 429,
    "RESOURCE_EXHAUSTED": 429,
    "api_error": 500,
    "server_error": 500,
    "INTERNAL": 500,
    "UNAVAILABLE": 503,
    "timeout_error": 504,
    "DEADLINE_EXCEEDED": 504,
    "overloaded_error": 529,
}
"""What the providers' symbols stand for (their API references)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """An error of the upstream.

    Attributes:
        message: the server's own words in one line, shortened; empty where it gave none.
        kind: its symbol for what is wrong, or empty.
        status: the HTTP status of the answer, or the one the error would have had; ``None`` where nothing tells.
        body: the bytes that said it: a whole body, or the data of one event.
    """

    message: str
    kind: str = ""
    status: int | None = None
    body: bytes = b""


def is_fault(value: Mapping[str, object]) -> bool:
    """Whether a JSON object is an error in some server's shape. Cheap: asked of every event."""
    return bool(value.get("error")) or value.get("type") == "error" or value.get("object") == "error"


def fault(value: object, body: bytes, status: int = 200) -> Fault | None:
    """The error that a parsed body or event is, or ``None``.

    Args:
        value: parsed JSON; ``None`` where it is none.
        body: its bytes.
        status: the answer's own.
    """
    said = complaint(status, value)
    if said is None:
        return None
    inner = value[0] if isinstance(value, list) and len(value) == 1 else value
    outer: Mapping[str, object] = inner if isinstance(inner, Mapping) else {}
    nested = outer.get("error")
    error: Mapping[str, object] = nested if isinstance(nested, Mapping) else outer
    code = error.get("code")
    kind = code if isinstance(code, str) and code else said.kind
    return Fault(message=said.message, kind=kind, status=_status(status, code, kind, error.get("type")), body=body)


def named_fault(value: object, body: bytes) -> Fault:
    """The error in an event called ``error``, whatever it holds: a known shape, a bare message, or text that is no JSON."""
    found = fault(value, body)
    if found is not None:
        return found
    said = complaint(400, value)
    message = said.message if said is not None else ""
    return Fault(message=message or " ".join(body[:500].decode(errors="replace").split()), body=body)


def _status(status: int, code: object, kind: str, other: object) -> int | None:
    if status >= 400:
        return status
    if isinstance(code, int) and 400 <= code <= 599:
        return code
    if isinstance(code, str) and code.isdecimal() and 400 <= int(code[:4]) <= 599:
        return int(code[:4])
    return _STATUS.get(kind) or (_STATUS.get(other) if isinstance(other, str) else None)
