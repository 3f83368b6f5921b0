"""Ollama: what the server refuses, said before it does.

Knows the rules in the server's own words: what its Go types do not decode (``api/types.go``) and what its handlers check
(``server/routes.go``). Reads the body as it is; nothing is parsed into messages first.
"""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Iterator, Mapping

from ..report import Violation

__all__ = ["validate"]

_TYPES = "ollama/ollama, api/types.go"
_ROUTES = "ollama/ollama, server/routes.go"
_ROLES = ("system", "user", "assistant", "tool")
_THINK = ("high", "medium", "low")
_GO = {"str": "string", "list": "array", "tuple": "array", "dict": "object", "bool": "bool", "int": "number", "float": "number"}


def validate(body: object) -> list[Violation]:
    """Every rule of the server that the body breaks, in document order."""
    if isinstance(body, list):
        return list(_messages(body))
    if not isinstance(body, Mapping):
        return [Violation("ollama.body", "body", None, _unlike(body, "", "api.ChatRequest"), _TYPES)]
    found = list(_request(body))
    if "prompt" in body and "messages" not in body:
        found.extend(_prompt(body))
        return found
    messages = body.get("messages")
    if isinstance(messages, list):
        found.extend(_messages(messages))
    elif messages is not None:
        found.append(Violation("ollama.messages", "messages", None, _unlike(messages, "messages", "[]api.Message"), _TYPES))
    return found


def _unlike(value: object, field: str, kind: str) -> str:
    spelled = _GO.get(type(value).__name__, "number")
    return (
        f"json: cannot unmarshal {spelled} into Go {f'struct field ChatRequest.{field}' if field else 'value'} of type {kind}"
    )


def _request(body: Mapping[str, object]) -> Iterator[Violation]:
    model = body.get("model")
    if model is None or model == "":
        yield Violation("ollama.model", "model", None, "model is required", _ROUTES)
    elif not isinstance(model, str):
        yield Violation("ollama.model", "model", None, _unlike(model, "model", "string"), _TYPES)
    for field, kind, known in (
        ("stream", "bool", bool),
        ("options", "map[string]interface {}", Mapping),
        ("tools", "[]api.Tool", list),
    ):
        value = body.get(field)
        if value is not None and not isinstance(value, known):
            yield Violation(f"ollama.{field}", field, None, _unlike(value, field, kind), _TYPES)
    think = body.get("think")
    if isinstance(think, str):
        if think not in _THINK:
            said = f'invalid think value: "{think}" (must be "high", "medium", "low", true, or false)'
            yield Violation("ollama.think", "think", None, said, _TYPES)
    elif think is not None and not isinstance(think, bool):
        said = 'think must be a boolean or string ("high", "medium", "low", true, or false)'
        yield Violation("ollama.think", "think", None, said, _TYPES)
    wanted = body.get("format")
    if wanted not in (None, "", "json") and not isinstance(wanted, Mapping):
        said = f'invalid format: {wanted!r}; expected "json" or a valid JSON Schema object'
        yield Violation("ollama.format", "format", None, said, "ollama/ollama, llm/server.go")
    tools = body.get("tools")
    for index, tool in enumerate(tools if isinstance(tools, list) else ()):
        yield from _tool(tool, f"tools[{index}]")


def _tool(tool: object, where: str) -> Iterator[Violation]:
    if not isinstance(tool, Mapping):
        yield Violation("ollama.tools", where, None, _unlike(tool, "tools", "api.Tool"), _TYPES)
        return
    function = tool.get("function")
    if function is not None and not isinstance(function, Mapping):
        yield Violation("ollama.tools", where, None, _unlike(function, "tools.function", "api.ToolFunction"), _TYPES)
    elif isinstance(function, Mapping):
        for field in ("name", "description"):
            value = function.get(field)
            if value is not None and not isinstance(value, str):
                yield Violation("ollama.tools", where, None, _unlike(value, f"tools.function.{field}", "string"), _TYPES)


def _prompt(body: Mapping[str, object]) -> Iterator[Violation]:
    for field in ("prompt", "system", "template", "suffix"):
        value = body.get(field)
        if value is not None and not isinstance(value, str):
            said = _unlike(value, field, "string").replace("ChatRequest", "GenerateRequest")
            yield Violation("ollama.prompt", field, None, said, _TYPES)
    if body.get("raw") is True and any(body.get(field) for field in ("template", "system", "context")):
        yield Violation("ollama.raw", "raw", None, "raw mode does not support template, system, or context", _ROUTES)
    yield from _images(body.get("images"), "images", None)


def _messages(messages: list[object]) -> Iterator[Violation]:
    for index, message in enumerate(messages):
        where = f"messages[{index}]"
        if not isinstance(message, Mapping):
            if message is not None:
                yield Violation("ollama.message", where, index, _unlike(message, "messages", "api.Message"), _TYPES)
            continue
        role = message.get("role")
        if role not in _ROLES:
            said = f'invalid role: {role if role is not None else ""}, must be one of ["system", "user", "assistant", "tool"]'
            yield Violation("ollama.role", f"{where}.role", index, said, _TYPES)
        for field in ("content", "thinking", "tool_name", "tool_call_id"):
            value = message.get(field)
            if value is not None and not isinstance(value, str):
                said = _unlike(value, f"messages.{field}", "string")
                yield Violation("ollama.content", f"{where}.{field}", index, said, _TYPES)
        yield from _images(message.get("images"), f"{where}.images", index)
        yield from _calls(message.get("tool_calls"), f"{where}.tool_calls", index)


def _images(images: object, where: str, index: int | None) -> Iterator[Violation]:
    if images is None:
        return
    if not isinstance(images, list):
        yield Violation("ollama.images", where, index, _unlike(images, "messages.images", "[]api.ImageData"), _TYPES)
        return
    for at, image in enumerate(images):
        if not isinstance(image, str):
            said = _unlike(image, "messages.images", "api.ImageData")
            yield Violation("ollama.images", f"{where}[{at}]", index, said, _TYPES)
            continue
        try:
            b64decode(image, validate=True)
        except (binascii.Error, ValueError):
            yield Violation("ollama.images", f"{where}[{at}]", index, "illegal base64 data at input byte 0", _TYPES)


def _calls(calls: object, where: str, index: int) -> Iterator[Violation]:
    if calls is None:
        return
    if not isinstance(calls, list):
        yield Violation("ollama.tool-calls", where, index, _unlike(calls, "messages.tool_calls", "[]api.ToolCall"), _TYPES)
        return
    for at, call in enumerate(calls):
        place = f"{where}[{at}]"
        if not isinstance(call, Mapping):
            said = _unlike(call, "messages.tool_calls", "api.ToolCall")
            yield Violation("ollama.tool-calls", place, index, said, _TYPES)
            continue
        function = call.get("function")
        if not isinstance(function, Mapping):
            if function is not None:
                said = _unlike(function, "messages.tool_calls.function", "api.ToolCallFunction")
                yield Violation("ollama.tool-calls", f"{place}.function", index, said, _TYPES)
            continue
        arguments = function.get("arguments")
        if arguments is not None and not isinstance(arguments, Mapping):
            said = _unlike(arguments, "messages.tool_calls.function.arguments", "map[string]interface {}")
            yield Violation("ollama.arguments", f"{place}.function.arguments", index, said, _TYPES)
