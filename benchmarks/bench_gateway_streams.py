"""What reading an answer costs while it passes through the gateway: each event, and the bytes of a body in one piece."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from statistics import median

from figures import Figure

from transom.gateway.endpoint import Protocol
from transom.gateway.streams import UsageChunkFilter, reader

EVENTS = 2_000
ROUNDS = 15
WORD = "Grüße, wörd "

Fields = dict[str, object]


def _data(value: Fields, name: str = "") -> bytes:
    return (f"event: {name}\n" if name else "").encode() + b"data: " + json.dumps(value).encode() + b"\n\n"


def _chat() -> bytes:
    choice: Fields = {"index": 0, "delta": {"content": WORD}, "logprobs": None, "finish_reason": None}
    known: Fields = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "usage": None}
    return _data({**known, "service_tier": "default", "system_fingerprint": "fp", "choices": [choice]})


def _responses() -> bytes:
    kind = "response.output_text.delta"
    said: Fields = {"item_id": "msg_1", "output_index": 0, "content_index": 0, "delta": WORD, "logprobs": []}
    return _data({"type": kind, "sequence_number": 7, **said}, kind)


def _messages() -> bytes:
    delta: Fields = {"type": "text_delta", "text": WORD}
    return _data({"type": "content_block_delta", "index": 0, "delta": delta}, "content_block_delta")


def _gemini() -> bytes:
    candidate: Fields = {"content": {"role": "model", "parts": [{"text": WORD}]}, "index": 0}
    usage: Fields = {"promptTokenCount": 1200, "candidatesTokenCount": 4, "totalTokenCount": 1204}
    return _data({"candidates": [candidate], "usageMetadata": usage, "modelVersion": "g", "responseId": "r"})


def _ollama() -> bytes:
    message: Fields = {"role": "assistant", "content": WORD}
    value: Fields = {"model": "m", "created_at": "2026-11-30T00:00:00.000000Z", "message": message, "done": False}
    return json.dumps(value).encode() + b"\n"


CASES: list[tuple[Protocol, str, Callable[[], bytes]]] = [
    ("openai", "text/event-stream", _chat),
    ("openai-responses", "text/event-stream", _responses),
    ("anthropic", "text/event-stream", _messages),
    ("gemini", "text/event-stream", _gemini),
    ("ollama", "application/x-ndjson", _ollama),
]


def measure() -> Iterable[Figure]:
    """One event a chunk, as models send them; then what the filter of the usage chunk adds, and a body of 400 KB."""
    for protocol, content_type, event in CASES:
        name = f"{protocol}, {content_type.partition('/')[2]}: one event"
        yield Figure(name, _each(protocol, content_type, event()), "µs", at_most=10.0)
    chunk = _chat()
    spent = []
    for _ in range(ROUNDS):
        passing = UsageChunkFilter()
        start = time.process_time()
        for _ in range(EVENTS):
            passing.feed(chunk)
        spent.append((time.process_time() - start) * 1e6 / EVENTS)
    yield Figure("openai: filter of the usage chunk, one event", median(spent), "µs", at_most=5.0)
    answer: Fields = {"model": "m", "choices": [{"message": {"content": WORD * 30_000}, "finish_reason": "stop"}]}
    body = json.dumps(answer).encode()
    spent = []
    for _ in range(ROUNDS):
        reading = reader("openai", "application/json", time.perf_counter)
        start = time.process_time()
        for at in range(0, len(body), 65_536):
            reading.feed(body[at : at + 65_536])
        reading.close()
        spent.append((time.process_time() - start) * 1e3)
    yield Figure(f"openai, json: a body of {len(body) // 1000} KB", median(spent), "ms", at_most=5.0)


def _each(protocol: Protocol, content_type: str, event: bytes) -> float:
    spent = []
    for _ in range(ROUNDS):
        reading = reader(protocol, content_type, time.perf_counter)
        start = time.process_time()
        for _ in range(EVENTS):
            reading.feed(event)
        spent.append((time.process_time() - start) * 1e6 / EVENTS)
    return median(spent)
