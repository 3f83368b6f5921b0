"""How each provider spells an answer and an error: the JSON that a scripted provider sends.

Pure. Shapes from the providers' API references (OpenAI chat completion and response objects, Anthropic messages, Gemini
``GenerateContentResponse``, Ollama's answers to ``/api/chat``) and from the bodies of their errors.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from ..messages import Call
from .script import Reply

__all__ = ["Usage", "error_body", "overflow_words", "reply_body"]

Usage = tuple[int, int]
"""Tokens read and written."""

_OPENAI_TYPES: Mapping[int, str] = {401: "authentication_error", 429: "rate_limit_error"}
_ANTHROPIC_TYPES: Mapping[int, str] = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}
_GEMINI_STATUS: Mapping[int, str] = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
}


def reply_body(format: str, reply: Reply, model: str, number: int, usage: Usage) -> dict[str, object]:  # noqa: A002
    """A reply as the provider's answer.

    Args:
        format: the wire format.
        reply: what is answered; its calls have ids where the format needs them.
        model: the model's name.
        number: of the request; ids are made of it.
        usage: what the answer reports.
    """
    return _SPELLED[format](reply, model, number, usage)


def error_body(format: str, status: int, message: str, kind: str = "") -> dict[str, object]:  # noqa: A002
    """An error in the provider's shape; ``kind`` is OpenAI's ``code``."""
    match format:
        case "anthropic":
            error = {"type": _ANTHROPIC_TYPES.get(status, "api_error"), "message": message}
            return {"type": "error", "error": error, "request_id": "req_scripted"}
        case "gemini":
            return {"error": {"code": status, "message": message, "status": _GEMINI_STATUS.get(status, "INTERNAL")}}
        case "ollama":
            return {"error": message}
        case _:
            named = _OPENAI_TYPES.get(status, "server_error" if status >= 500 else "invalid_request_error")
            return {"error": {"message": message, "type": named, "param": None, "code": kind or None}}


def overflow_words(format: str, tokens: int, window: int) -> tuple[str, str]:  # noqa: A002
    """What the provider says of a request that is too long, and its code for it."""
    match format:
        case "anthropic":
            return f"prompt is too long: {tokens} tokens > {window} maximum", ""
        case "gemini":
            said = f"The input token count ({tokens}) exceeds the maximum number of tokens allowed ({window})."
            return said, ""
        case "ollama":
            return "the prompt is longer than the context length currently available to the model; shorten it", ""
        case "openai-responses":
            said = "Your input exceeds the context window of this model. Please adjust your input and try again."
            return said, "context_length_exceeded"
        case _:
            said = (
                f"This model's maximum context length is {window} tokens. However, your messages resulted in {tokens} tokens."
            )
            return f"{said} Please reduce the length of the messages.", "context_length_exceeded"


def _chat(reply: Reply, model: str, number: int, usage: Usage) -> dict[str, object]:
    message: dict[str, object] = {"role": "assistant", "content": reply.text or None, "refusal": None}
    if reply.thinking:
        message["reasoning_content"] = reply.thinking
    if reply.calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in reply.calls
        ]
    finish = "tool_calls" if reply.calls and reply.finish == "stop" else reply.finish
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish}],
        "usage": {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)},
    }


def _responses(reply: Reply, model: str, number: int, usage: Usage) -> dict[str, object]:
    output: list[dict[str, object]] = []
    if reply.thinking:
        summary = [{"type": "summary_text", "text": reply.thinking}]
        output.append({"id": f"rs_{number}", "type": "reasoning", "summary": summary})
    if reply.text:
        content = [{"type": "output_text", "text": reply.text, "annotations": [], "logprobs": []}]
        output.append(
            {"id": f"msg_{number}", "type": "message", "role": "assistant", "status": "completed", "content": content}
        )
    for index, call in enumerate(reply.calls):
        if call.kind == "custom":
            written = {"call_id": call.id, "name": call.name, "input": call.arguments}
            output.append({"id": f"ctc_{number}_{index}", "type": "custom_tool_call", "status": "completed", **written})
            continue
        spelled = {"call_id": call.id, "name": call.name, "arguments": call.arguments}
        output.append({"id": f"fc_{number}_{index}", "type": "function_call", "status": "completed", **spelled})
    reasons = {"length": "max_output_tokens", "content_filter": "content_filter"}
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 0,
        "status": "completed" if reply.finish == "stop" else "incomplete",
        "error": None,
        "incomplete_details": {"reason": reasons[reply.finish]} if reply.finish != "stop" else None,
        "instructions": None,
        "metadata": {},
        "model": model,
        "output": output,
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "usage": {
            "input_tokens": usage[0],
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": usage[1],
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": sum(usage),
        },
    }


def _anthropic(reply: Reply, model: str, number: int, usage: Usage) -> dict[str, object]:
    content: list[dict[str, object]] = []
    if reply.thinking:
        content.append({"type": "thinking", "thinking": reply.thinking, "signature": f"signed-{number}"})
    if reply.text:
        content.append({"type": "text", "text": reply.text})
    content += [{"type": "tool_use", "id": call.id, "name": call.name, "input": _arguments(call)} for call in reply.calls]
    reasons = {"length": "max_tokens", "content_filter": "refusal", "stop": "tool_use" if reply.calls else "end_turn"}
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": reasons[reply.finish],
        "stop_sequence": None,
        "usage": {
            "input_tokens": usage[0],
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": usage[1],
        },
    }


def _gemini(reply: Reply, model: str, number: int, usage: Usage) -> dict[str, object]:
    parts: list[dict[str, object]] = [{"text": reply.thinking, "thought": True}] if reply.thinking else []
    if reply.text:
        parts.append({"text": reply.text})
    parts += [
        {"functionCall": {"name": call.name, "args": _arguments(call)} | ({"id": call.id} if call.id else {})}
        for call in reply.calls
    ]
    reasons = {"length": "MAX_TOKENS", "content_filter": "SAFETY", "stop": "STOP"}
    return {
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": reasons[reply.finish], "index": 0}],
        "usageMetadata": {"promptTokenCount": usage[0], "candidatesTokenCount": usage[1], "totalTokenCount": sum(usage)},
        "modelVersion": model,
        "responseId": f"scripted-{number}",
    }


def _ollama(reply: Reply, model: str, number: int, usage: Usage) -> dict[str, object]:
    message: dict[str, object] = {"role": "assistant", "content": reply.text}
    if reply.thinking:
        message["thinking"] = reply.thinking
    if reply.calls:
        spelled = [(call.id, {"name": call.name, "arguments": _arguments(call)}) for call in reply.calls]
        message["tool_calls"] = [
            {"id": id_, "function": {"index": index, **function}} for index, (id_, function) in enumerate(spelled)
        ]
    durations = dict.fromkeys(("total_duration", "load_duration", "prompt_eval_duration", "eval_duration"), number)
    return {
        "model": model,
        "created_at": "1970-01-01T00:00:00Z",
        "message": message,
        "done": True,
        "done_reason": "length" if reply.finish == "length" else "stop",
        **durations,
        "prompt_eval_count": usage[0],
        "eval_count": usage[1],
    }


def _arguments(call: Call) -> object:
    return json.loads(call.arguments)


_SPELLED: Mapping[str, Callable[[Reply, str, int, Usage], dict[str, object]]] = {
    "openai": _chat,
    "openai-responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "ollama": _ollama,
}
