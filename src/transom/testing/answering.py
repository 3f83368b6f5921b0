"""What a scripted provider answers to a request: refused as the real one would, or the next step of its script, spelled.

Knows wire formats, their rules and the script; no socket.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..errors import FormatError, JSONError
from ..jsontext import loads
from ..tokens.heuristic import Heuristic
from ..wire.registry import FormatRegistry, builtin_registry
from .script import Fault, Received, Reply, ScriptRunner, spoken
from .spelling import error_body, overflow_words, reply_body
from .streaming import error_events, stream_events

__all__ = ["Answering", "Sent"]

_ROUTES = (
    (re.compile(r".*/chat/completions"), "openai"),
    (re.compile(r".*/responses"), "openai-responses"),
    (re.compile(r".*/messages"), "anthropic"),
    (re.compile(r".*/models/[^/]+:(?:generateContent|streamGenerateContent)"), "gemini"),
    (re.compile(r".*/api/chat"), "ollama"),
)
_PAGE = b"<!doctype html><html><head><title>Sign in</title></head><body><h1>Sign in to continue</h1></body></html>"


@dataclass(frozen=True, slots=True)
class Sent:
    """What goes out.

    Attributes:
        status: HTTP status.
        body: the bytes.
        kind: media type.
        headers: further headers.
        whole: false for an answer that is broken off in its middle.
        events: those of a stream, in place of a body; ``None`` for an answer in one piece.
    """

    status: int
    body: bytes
    kind: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    whole: bool = True
    events: Sequence[bytes] | None = None


@dataclass(slots=True)
class Answering:
    """Answers requests, from any thread.

    Attributes:
        runner: the script and what it was asked.
        window: tokens above which a request is refused; ``None`` takes any.
        strict: refuse what breaks a rule, and calls of tools that were not offered.
        model: the name that answers carry where the request names none.
        refusals: what was refused, by the words it was refused with.
    """

    runner: ScriptRunner
    window: int | None
    strict: bool
    model: str
    refusals: list[str] = field(default_factory=list)
    _formats: FormatRegistry = field(default_factory=builtin_registry)
    _calls: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self, path: str) -> Sent:
        """The list of models, with the window where vLLM gives it; nothing else is there."""
        if not path.endswith("/models"):
            return _json(404, error_body("openai", 404, f"Invalid URL (GET {path})"))
        entry: dict[str, object] = {"id": self.model, "object": "model", "created": 0, "owned_by": "transom"}
        if self.window is not None:
            entry["max_model_len"] = self.window
        return _json(200, {"object": "list", "data": [entry]})

    def post(self, path: str, headers: Mapping[str, str], data: bytes) -> Sent | None:
        """What a request is answered with; ``None`` for one that hangs."""
        name = next((name for route, name in _ROUTES if route.fullmatch(path)), "")
        if not name:
            return self._refused("openai", 404, f"Invalid URL (POST {path})")
        target = self._formats.get(name)
        try:
            body = loads(data)
            broken = target.validate(body) if self.strict else []
            if broken:
                return self._refused(name, 400, broken[0].message)
            request = target.parse(data)
        except (JSONError, FormatError) as error:
            return self._refused(name, 400, str(error))
        if not isinstance(body, Mapping):
            return self._refused(name, 400, "the scripted provider takes whole requests")
        tokens = Heuristic().count(data.decode(errors="replace"))
        if self.window is not None and tokens > self.window:
            return self._refused(name, 400, *overflow_words(name, tokens, self.window))
        return self._scripted(Received(0, request, name, path, body, headers, tokens, data))

    def _scripted(self, asked: Received) -> Sent | None:
        with self._lock:
            received = replace(asked, number=len(self.runner.received) + 1)
            try:
                step = self.runner.next(received)
            except LookupError as error:
                return self._refused(received.format, 400, str(error), "script_exhausted")
            if isinstance(step, Fault):
                return self._faulty(step, received)
            reply = self._identified(Reply(step) if isinstance(step, str) else step)
        unknown = [call.name for call in reply.calls if call.name not in received.tools]
        if self.strict and unknown:
            said = f"the script calls {unknown[0]!r}, which the request does not offer"
            return self._refused(received.format, 400, said, "script_calls_unknown_tool")
        read = reply.input_tokens if reply.input_tokens is not None else received.tokens
        written = reply.output_tokens if reply.output_tokens is not None else spoken(reply)
        model = received.request.head.model or self.model
        return _answered(received, reply_body(received.format, reply, model, received.number, (read, written)))

    def _identified(self, reply: Reply) -> Reply:
        """The reply with an id for every call."""
        made = []
        for call in reply.calls:
            self._calls += 1
            made.append(call if call.id else replace(call, id=f"call_{self._calls}"))
        return replace(reply, calls=tuple(made))

    def _faulty(self, fault: Fault, received: Received) -> Sent | None:
        match fault.kind:
            case "hangs":
                return None
            case "nothing":
                return Sent(200, b"", events=() if _streams(received) else None)
            case "page":
                return Sent(200, _PAGE, "text/html; charset=utf-8")
            case "garbage":
                return _json(200, {"status": "ok", "items": [1, 2, 3]})
            case "in_success":
                error = error_body(received.format, 500, fault.message)
                return _events(received, error_events(received.format, error)) if _streams(received) else _json(200, error)
            case "breaks_off":
                half = reply_body(received.format, Reply("half an answer"), self.model, received.number, (1, 1))
                return replace(_answered(received, half), whole=False)
            case "refuses":
                wait = {} if fault.retry_after is None else {"Retry-After": f"{fault.retry_after:g}"}
                return replace(_json(fault.status, error_body(received.format, fault.status, fault.message)), headers=wait)

    def _refused(self, name: str, status: int, message: str, kind: str = "") -> Sent:
        self.refusals.append(message)
        return _json(status, error_body(name, status, message, kind))


def _streams(received: Received) -> bool:
    # Ollama streams where it is not told otherwise.
    return bool(received.body.get("stream", received.format == "ollama")) or received.path.endswith(":streamGenerateContent")


def _answered(received: Received, body: dict[str, object]) -> Sent:
    """An answer as it was asked for, in one piece or as a stream."""
    if not _streams(received):
        return _json(200, body)
    options = received.body.get("stream_options")
    usage = isinstance(options, Mapping) and bool(options.get("include_usage"))
    return _events(received, stream_events(received.format, body, usage=usage))


def _events(received: Received, events: Sequence[bytes]) -> Sent:
    kind = "application/x-ndjson" if received.format == "ollama" else "text/event-stream; charset=utf-8"
    return Sent(200, b"", kind, events=tuple(events))


def _json(status: int, body: Mapping[str, object]) -> Sent:
    return Sent(status, json.dumps(body, ensure_ascii=False).encode())
