"""How each provider streams an answer: the events, made of the answer that it would give in one piece.

Pure. Sources: OpenAI API reference, streaming of chat completions and of responses; Anthropic, "Streaming messages"; the Gemini
API's ``streamGenerateContent``; Ollama, lines of JSON. Texts are cut every few characters, always at the same places.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import cast

__all__ = ["error_events", "stream_events"]

PIECE = 24
"""Characters of one delta."""

Fields = dict[str, object]


def stream_events(format: str, body: Fields, *, usage: bool = True) -> list[bytes]:  # noqa: A002
    """The events of an answer, as they go over the wire.

    Args:
        format: the wire format.
        body: the answer as one piece.
        usage: whether OpenAI Chat tells the usage (``stream_options``); the others always do.
    """
    match format:
        case "anthropic":
            return [_named(str(event["type"]), event) for event in _anthropic(body)]
        case "openai-responses":
            numbered = ({**event, "sequence_number": number} for number, event in enumerate(_responses(body)))
            return [_named(str(event["type"]), event) for event in numbered]
        case "gemini":
            return [_data(event, end="\r\n\r\n") for event in _gemini(body)]
        case "ollama":
            return [_line(event) for event in _ollama(body)]
        case _:
            return [*(_data(event) for event in _chat(body, usage=usage)), b"data: [DONE]\n\n"]


def error_events(format: str, body: Fields) -> list[bytes]:  # noqa: A002
    """An error after status 200, in the middle of a stream."""
    match format:
        case "anthropic":
            return [_named("error", body)]
        case "openai-responses":
            error = cast("Fields", body["error"])
            said: Fields = {"type": "error", "code": error["type"], "message": error["message"], "param": None}
            return [_named("error", {**said, "sequence_number": 0})]
        case "ollama":
            return [_line(body)]
        case _:
            return [_data(body)]


def _data(value: Mapping[str, object], end: str = "\n\n") -> bytes:
    return f"data: {json.dumps(value, ensure_ascii=False)}{end}".encode()


def _named(name: str, value: Mapping[str, object]) -> bytes:
    return f"event: {name}\n".encode() + _data(value)


def _line(value: Mapping[str, object]) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"


def _pieces(text: str) -> Iterator[str]:
    for start in range(0, len(text), PIECE):
        yield text[start : start + PIECE]


def _chat(body: Fields, *, usage: bool) -> Iterator[Fields]:
    (choice,) = cast("list[Fields]", body["choices"])
    counted = body["usage"]
    body = {name: value for name, value in body.items() if name != "usage"}
    message = cast("Fields", choice["message"])
    told: Fields = {"usage": None} if usage else {}

    def chunk(delta: Fields, finish: object = None) -> Fields:
        choices = [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}]
        return {**body, "object": "chat.completion.chunk", "choices": choices} | told

    yield chunk({"role": "assistant", "content": ""})
    for field in ("reasoning_content", "content"):
        for piece in _pieces(str(message.get(field) or "")):
            yield chunk({field: piece})
    for index, call in enumerate(cast("list[Fields]", message.get("tool_calls", []))):
        function = cast("dict[str, str]", call["function"])
        begun = {"index": index, "id": call["id"], "type": "function"}
        yield chunk({"tool_calls": [{**begun, "function": {"name": function["name"], "arguments": ""}}]})
        for piece in _pieces(function["arguments"]):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield chunk({}, choice["finish_reason"])
    if usage:
        yield {**body, "object": "chat.completion.chunk", "choices": [], "usage": counted}


def _responses(body: Fields) -> Iterator[Fields]:
    begun = {**body, "status": "in_progress", "output": [], "usage": None, "incomplete_details": None}
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.in_progress", "response": begun}
    for index, item in enumerate(cast("list[Fields]", body["output"])):
        yield from _item(item, index)
    end = "response.completed" if body["status"] == "completed" else "response.incomplete"
    yield {"type": end, "response": body}


def _item(item: Fields, index: int) -> Iterator[Fields]:
    at: Fields = {"output_index": index, "item_id": item["id"]}
    match item["type"]:
        case "message":
            (part,) = cast("list[Fields]", item["content"])
            inside = {**at, "content_index": 0}
            yield {"type": "response.output_item.added", "output_index": index, "item": {**item, "content": []}}
            yield {"type": "response.content_part.added", **inside, "part": {**part, "text": ""}}
            for piece in _pieces(str(part["text"])):
                yield {"type": "response.output_text.delta", **inside, "delta": piece, "logprobs": []}
            yield {"type": "response.output_text.done", **inside, "text": part["text"], "logprobs": []}
            yield {"type": "response.content_part.done", **inside, "part": part}
        case "function_call":
            arguments = str(item["arguments"])
            yield {"type": "response.output_item.added", "output_index": index, "item": {**item, "arguments": ""}}
            for piece in _pieces(arguments):
                yield {"type": "response.function_call_arguments.delta", **at, "delta": piece}
            yield {"type": "response.function_call_arguments.done", **at, "name": item["name"], "arguments": arguments}
        case "custom_tool_call":
            text = str(item["input"])
            yield {"type": "response.output_item.added", "output_index": index, "item": {**item, "input": ""}}
            for piece in _pieces(text):
                yield {"type": "response.custom_tool_call_input.delta", **at, "delta": piece}
            yield {"type": "response.custom_tool_call_input.done", **at, "input": text}
        case _:
            yield {"type": "response.output_item.added", "output_index": index, "item": item}
    yield {"type": "response.output_item.done", "output_index": index, "item": item}


def _anthropic(body: Fields) -> Iterator[Fields]:
    usage = cast("Fields", body["usage"])
    started = {**body, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    yield {"type": "message_start", "message": started}
    yield {"type": "ping"}
    for index, block in enumerate(cast("list[Fields]", body["content"])):
        empty, deltas = _BLOCKS[str(block["type"])](block)
        yield {"type": "content_block_start", "index": index, "content_block": {**block, **empty}}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ended = {"stop_reason": body["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": {"output_tokens": usage["output_tokens"]}}
    yield {"type": "message_stop"}


def _text(block: Fields) -> tuple[Fields, list[Fields]]:
    return {"text": ""}, [{"type": "text_delta", "text": piece} for piece in _pieces(str(block["text"]))]


def _thinking(block: Fields) -> tuple[Fields, list[Fields]]:
    deltas: list[Fields] = [{"type": "thinking_delta", "thinking": piece} for piece in _pieces(str(block["thinking"]))]
    return {"thinking": "", "signature": ""}, [*deltas, {"type": "signature_delta", "signature": block["signature"]}]


def _tool_use(block: Fields) -> tuple[Fields, list[Fields]]:
    # The first delta is empty at the real one too.
    pieces = ["", *_pieces(json.dumps(block["input"], ensure_ascii=False))]
    return {"input": {}}, [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]


_BLOCKS: Mapping[str, Callable[[Fields], tuple[Fields, list[Fields]]]] = {
    "text": _text,
    "thinking": _thinking,
    "tool_use": _tool_use,
}


def _gemini(body: Fields) -> Iterator[Fields]:
    (candidate,) = cast("list[Fields]", body["candidates"])
    parts = cast("list[Fields]", cast("Fields", candidate["content"])["parts"])
    cut = [{**part, "text": piece} for part in parts if "text" in part for piece in _pieces(str(part["text"]))]
    cut += [part for part in parts if "text" not in part]
    usage = cast("Fields", body["usageMetadata"])
    for place, part in enumerate(cut or [{"text": ""}], start=1):
        last = place >= len(cut)
        finish: Fields = {"finishReason": candidate["finishReason"]} if last else {}
        counted = usage if last else {"promptTokenCount": usage["promptTokenCount"]}
        one: Fields = {"content": {"role": "model", "parts": [part]}, "index": 0, **finish}
        yield {**body, "candidates": [one], "usageMetadata": counted}


def _ollama(body: Fields) -> Iterator[Fields]:
    message = cast("Fields", body["message"])
    begun: Fields = {"model": body["model"], "created_at": body["created_at"]}

    def chunk(told: Fields) -> Fields:
        return {**begun, "message": {"role": "assistant", "content": "", **told}, "done": False}

    for field in ("thinking", "content"):
        for piece in _pieces(str(message.get(field) or "")):
            yield chunk({field: piece})
    if "tool_calls" in message:
        yield chunk({"tool_calls": message["tool_calls"]})
    yield {**body, "message": {"role": "assistant", "content": ""}}
