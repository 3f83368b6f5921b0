"""Request bodies with a wrong value at any one place: an error of ours or a result, never another exception."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from transom.errors import TransomError
from transom.jsontext import dumps, loads
from transom.wire.convert import convert
from transom.wire.detect import detect
from transom.wire.registry import builtin_registry

CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}
IMAGE = "data:image/png;base64,QUJD"
BODIES: dict[str, object] = {
    "openai": {
        "model": "m",
        "max_tokens": 100,
        "temperature": 0.5,
        "stop": ["x"],
        "reasoning_effort": "low",
        "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": SCHEMA}},
        "tools": [{"type": "function", "function": {"name": "f", "description": "d", "parameters": SCHEMA}}],
        "tool_choice": {"type": "function", "function": {"name": "f"}},
        "messages": [
            {"role": "system", "content": "s"},
            {"role": "user", "content": [{"type": "text", "text": "t"}, {"type": "image_url", "image_url": {"url": IMAGE}}]},
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "c1", "content": "r"},
        ],
    },
    "openai-responses": {
        "model": "m",
        "max_output_tokens": 100,
        "instructions": "s",
        "reasoning": {"effort": "low"},
        "text": {"format": {"type": "json_schema", "name": "n", "schema": SCHEMA}},
        "tools": [{"type": "function", "name": "f", "parameters": SCHEMA}],
        "tool_choice": {"type": "function", "name": "f"},
        "input": [
            {"role": "user", "content": [{"type": "input_text", "text": "t"}, {"type": "input_image", "image_url": IMAGE}]},
            {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "t"}], "encrypted_content": "e"},
            {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "r"}]},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "t", "annotations": []}]},
        ],
    },
    "anthropic": {
        "model": "claude-m",
        "max_tokens": 100,
        "system": [{"type": "text", "text": "s", "cache_control": {"type": "ephemeral"}}],
        "metadata": {"user_id": "u"},
        "thinking": {"type": "enabled", "budget_tokens": 2000},
        "output_config": {"effort": "low", "format": {"type": "json_schema", "schema": SCHEMA}},
        "tools": [{"name": "f", "description": "d", "input_schema": SCHEMA}],
        "tool_choice": {"type": "tool", "name": "f", "disable_parallel_tool_use": True},
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "t"},
                    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"}},
                    {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "d"}, "title": "x"},
                ],
            },
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "t", "signature": "s"},
                    {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "r"}], "is_error": True}
                ],
            },
        ],
    },
    "gemini": {
        "systemInstruction": {"parts": [{"text": "s"}]},
        "generationConfig": {
            "temperature": 1,
            "maxOutputTokens": 10,
            "stopSequences": ["x"],
            "thinkingConfig": {"thinkingLevel": "low"},
            "responseSchema": SCHEMA,
        },
        "tools": [{"functionDeclarations": [{"name": "f", "description": "d", "parameters": SCHEMA}]}],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["f"]}},
        "contents": [
            {"role": "user", "parts": [{"text": "t"}, {"inlineData": {"mimeType": "image/png", "data": "QUJD"}}]},
            {"role": "model", "parts": [{"functionCall": {"id": "c", "name": "f", "args": {"a": 1}}, "thoughtSignature": "s"}]},
            {"role": "user", "parts": [{"functionResponse": {"id": "c", "name": "f", "response": {"output": "r"}}}]},
        ],
    },
}
ODD: tuple[object, ...] = (None, "", "x", 7, 1.5, True, [], [None], [[]], {}, {"type": []}, {"$ref": "context://vfs/0"})


def _with_one_odd(value: object, odd: object) -> Iterator[object]:
    """The value with each place in it taken by ``odd``, one at a time."""
    yield odd
    if isinstance(value, dict):
        for key, inner in value.items():
            for changed in _with_one_odd(inner, odd):
                yield {**value, key: changed}
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            for changed in _with_one_odd(inner, odd):
                yield [*value[:index], changed, *value[index + 1 :]]


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_a_wrong_value_at_any_place_ends_in_an_error_of_ours_or_in_a_payload(name: str, odd: object) -> None:
    registry = builtin_registry()
    failed = []
    for body in _with_one_odd(BODIES[name], odd):
        try:
            detect(body, registry)
        except TransomError:
            pass
        except Exception as error:  # noqa: BLE001  # whatever else it is, is what the test looks for
            failed.append(f"detect: {error!r} for {dumps(body)!r}")
        for target in registry.names:
            try:
                payload, _ = convert(dumps(body), name, target, registry)
                registry.get(target).validate(loads(payload))
            except TransomError:
                pass
            except Exception as error:  # noqa: BLE001
                failed.append(f"{target}: {error!r} for {dumps(body)!r}")
    assert not failed, "\n".join(sorted(failed, key=len)[:5])
