"""Answers of each provider as they go over the wire: the shapes of their references and of compatible servers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import pairwise

from transom.gateway.endpoint import Protocol
from transom.gateway.streams import Fault, Reader, Usage, reader

SSE = "text/event-stream; charset=utf-8"
JSON = "application/json"
NDJSON = "application/x-ndjson"

Fields = dict[str, object]


class Ticks:
    """A clock that goes on by one each time it is asked."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


def data(*values: object, end: str = "\n\n") -> bytes:
    return b"".join(f"data: {json.dumps(value, ensure_ascii=False)}{end}".encode() for value in values)


def named(*values: Fields) -> bytes:
    return b"".join(f"event: {value['type']}\n".encode() + data(value) for value in values)


def chunk(delta: Fields, finish: str | None = None, **more: object) -> Fields:
    choice: Fields = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "gpt-5.5",
        "choices": [choice],
        **more,
    }


CHAT_USAGE: Fields = {
    "prompt_tokens": 1200,
    "completion_tokens": 17,
    "total_tokens": 1217,
    "prompt_tokens_details": {"cached_tokens": 1024, "cache_write_tokens": 128},
    "completion_tokens_details": {"reasoning_tokens": 0},
}
EXTRA: Fields = {**chunk({}), "choices": [], "usage": CHAT_USAGE}
CHAT = (
    data(
        chunk({"role": "assistant", "content": ""}, usage=None),
        chunk({"content": "Grüße, 世界 🌍"}, usage=None),
        chunk(
            {"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": {"name": "f", "arguments": ""}}]},
            usage=None,
        ),
        chunk({"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]}, usage=None),
        chunk({}, "tool_calls", usage=None),
        EXTRA,
    )
    + b"data: [DONE]\n\n"
)

RESPONSE: Fields = {
    "id": "resp_1",
    "object": "response",
    "model": "gpt-5.5",
    "status": "in_progress",
    "error": None,
    "incomplete_details": None,
    "instructions": "Be brief.",
    "output": [],
    "usage": None,
}
MESSAGE_ITEM: Fields = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "Grüße", "annotations": []}],
}
RESPONSES_USAGE: Fields = {
    "input_tokens": 1200,
    "input_tokens_details": {"cached_tokens": 1024, "cache_write_tokens": 128},
    "output_tokens": 17,
    "output_tokens_details": {"reasoning_tokens": 9},
    "total_tokens": 1217,
}


def responses(end: str = "response.completed", **last: object) -> bytes:
    status = end.removeprefix("response.")
    final = {**RESPONSE, "status": status, "output": [MESSAGE_ITEM], "usage": RESPONSES_USAGE, **last}
    events: list[Fields] = [
        {"type": "response.created", "response": RESPONSE},
        {"type": "response.in_progress", "response": RESPONSE},
        {"type": "response.output_item.added", "output_index": 0, "item": {**MESSAGE_ITEM, "content": []}},
        {
            "type": "response.content_part.added",
            "output_index": 0,
            "content_index": 0,
            "part": {"type": "output_text", "text": ""},
        },
        {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "Grü"},
        {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "ße"},
        {"type": "response.output_text.done", "output_index": 0, "content_index": 0, "text": "Grüße"},
        {"type": "response.output_item.done", "output_index": 0, "item": MESSAGE_ITEM},
        {"type": end, "response": final},
    ]
    return named(*({**event, "sequence_number": number} for number, event in enumerate(events)))


MESSAGE: Fields = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-opus-5",
    "content": [],
    "stop_reason": None,
    "stop_sequence": None,
    "usage": {
        "input_tokens": 48,
        "cache_creation_input_tokens": 128,
        "cache_read_input_tokens": 1024,
        "output_tokens": 1,
    },
}
MESSAGES = named(
    {"type": "message_start", "message": MESSAGE},
    {"type": "ping"},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Überlegen …"}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "c2ln"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "t", "name": "f", "input": {}}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": ""}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{}"}},
    {"type": "content_block_stop", "index": 1},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "tool_use", "stop_sequence": None},
        "usage": {"output_tokens": 17},
    },
    {"type": "message_stop"},
)


def piece(*parts: Fields, finish: str | None = None, **more: object) -> Fields:
    one: Fields = {"content": {"role": "model", "parts": list(parts)}, "index": 0}
    if finish:
        one["finishReason"] = finish
    return {"candidates": [one], "modelVersion": "gemini-2.5-pro", "responseId": "r", **more}


GEMINI_USAGE: Fields = {
    "promptTokenCount": 1200,
    "candidatesTokenCount": 8,
    "thoughtsTokenCount": 9,
    "cachedContentTokenCount": 1024,
    "totalTokenCount": 1217,
}
GEMINI_PIECES: list[object] = [
    piece({"text": "", "thoughtSignature": "c2ln"}, usageMetadata={"promptTokenCount": 1200}),
    piece({"text": 'Grüße "{[" \\ '}, usageMetadata={"promptTokenCount": 1200}),
    piece({"functionCall": {"name": "f", "args": {}}}, finish="STOP", usageMetadata=GEMINI_USAGE),
]
GEMINI = data(*GEMINI_PIECES, end="\r\n\r\n")
GEMINI_ARRAY = json.dumps(GEMINI_PIECES, ensure_ascii=False, indent=2).replace("\n", "\r\n").encode()

OLLAMA_LAST: Fields = {
    "model": "qwen3",
    "created_at": "2026-11-30T00:00:00Z",
    "message": {"role": "assistant", "content": ""},
    "done": True,
    "done_reason": "stop",
    "total_duration": 5,
    "prompt_eval_count": 1200,
    "eval_count": 17,
}


def lines(*values: object) -> bytes:
    return b"".join(json.dumps(value, ensure_ascii=False).encode() + b"\n" for value in values)


OLLAMA = lines(
    {"model": "qwen3", "message": {"role": "assistant", "content": ""}, "done": False},
    {"model": "qwen3", "message": {"role": "assistant", "content": "Grüße"}, "done": False},
    OLLAMA_LAST,
)
GENERATE = lines(
    {"model": "qwen3", "response": "Grü", "done": False},
    {"model": "qwen3", "response": "ße", "done": False},
    {"model": "qwen3", "response": "", "done": True, "done_reason": "stop", "prompt_eval_count": 1200, "eval_count": 17},
)

STREAMS: list[tuple[Protocol, str, bytes]] = [
    ("openai", SSE, CHAT),
    ("openai-responses", SSE, responses()),
    ("anthropic", SSE, MESSAGES),
    ("gemini", SSE, GEMINI),
    ("gemini", JSON, GEMINI_ARRAY),
    ("ollama", NDJSON, OLLAMA),
    ("ollama", JSON, GENERATE),
]


def read(protocol: Protocol, content_type: str, *chunks: bytes, status: int = 200, limit: int = 4 << 20) -> Reader:
    """The reader after all of an answer."""
    reading = reader(protocol, content_type, Ticks(), status=status, limit=limit)
    for one in chunks:
        reading.feed(one)
    reading.close()
    return reading


def reading_of(found: Reader) -> tuple[Usage | None, str, Fault | None, str, bool, bool, float | None, int]:
    """All that a reader tells."""
    return (
        found.usage,
        found.model,
        found.error,
        found.finish,
        found.ended,
        found.empty,
        found.first_content,
        found.skipped,
    )


def cut(raw: bytes, places: Iterable[int]) -> Sequence[bytes]:
    """The bytes, cut at places."""
    edges = [0, *sorted({place % (len(raw) + 1) for place in places}), len(raw)]
    return [raw[start:end] for start, end in pairwise(edges)]
