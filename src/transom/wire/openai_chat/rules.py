"""OpenAI Chat Completions: what the API refuses, said before it does.

Knows the rules, in the API's own words (error texts of ``POST /v1/chat/completions`` and the OpenAI API reference). Reads the
body as it is; nothing is parsed into messages first, so that a body too broken to parse is still explained.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ..mistyped import mistyped
from ..report import Violation

__all__ = ["validate"]

_REFERENCE = "OpenAI API reference, Create chat completion"
_ERRORS = "OpenAI API, error text of POST /v1/chat/completions"
_ROLES = ("system", "assistant", "user", "function", "tool", "developer")
_PARTS = {
    "system": ("text",),
    "developer": ("text",),
    "user": ("text", "image_url", "input_audio", "file"),
    "assistant": ("text", "refusal"),
    "tool": ("text",),
    "function": ("text",),
}
_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_SPEAKER = re.compile(r"[^\s<|\\/>]+")
_MAX_TOOLS = 128
_MAX_STOPS = 4


def validate(body: object) -> list[Violation]:
    """Every rule of the API that the body breaks, in document order."""
    if isinstance(body, list):
        return list(_messages(body))
    if not isinstance(body, Mapping):
        return [Violation("openai.body", "body", None, "We could not parse the JSON body of your request.", _ERRORS)]
    found = list(_request(body))
    messages = body.get("messages")
    if not isinstance(messages, list):
        said = (
            "Missing required parameter: 'messages'."
            if messages is None
            else mistyped("messages", "an array of objects", messages)
        )
        found.append(Violation("openai.messages", "messages", None, said, _ERRORS))
    elif not messages:
        said = _empty("messages")
        found.append(Violation("openai.messages", "messages", None, said, _ERRORS))
    else:
        found.extend(_messages(messages))
    return found


def _empty(where: str) -> str:
    return f"Invalid '{where}': empty array. Expected an array with minimum length 1, but got an empty array instead."


def _too_long(where: str, limit: int, got: int) -> str:
    return f"Invalid '{where}': array too long. Expected an array with maximum length {limit}, but got {got} instead."


def _unlike(where: str, pattern: str) -> str:
    return f"Invalid '{where}': string does not match pattern. Expected a string that matches the pattern '{pattern}'."


def _request(body: Mapping[str, object]) -> Iterator[Violation]:
    if not isinstance(body.get("model"), str) or not body["model"]:
        yield Violation("openai.model", "model", None, "you must provide a model parameter", _ERRORS)
    tools = body.get("tools")
    if tools is not None:
        if not isinstance(tools, list):
            yield Violation("openai.tools", "tools", None, mistyped("tools", "an array of objects", tools), _ERRORS)
        else:
            yield from _tools(tools)
    elif body.get("tool_choice") not in (None, "none"):
        said = "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified."
        yield Violation("openai.tool-choice", "tool_choice", None, said, _ERRORS)
    stop = body.get("stop")
    if isinstance(stop, list) and len(stop) > _MAX_STOPS:
        said = _too_long("stop", _MAX_STOPS, len(stop))
        yield Violation("openai.stop", "stop", None, said, _ERRORS)


def _tools(tools: list[object]) -> Iterator[Violation]:
    if not tools:
        said = _empty("tools")
        yield Violation("openai.tools", "tools", None, said, _ERRORS)
    if len(tools) > _MAX_TOOLS:
        said = _too_long("tools", _MAX_TOOLS, len(tools))
        yield Violation("openai.tools", "tools", None, said, _ERRORS)
    for index, tool in enumerate(tools):
        where = f"tools[{index}]"
        if not isinstance(tool, Mapping):
            yield Violation("openai.tools", where, None, mistyped(where, "an object", tool), _ERRORS)
            continue
        inner = tool.get("function")
        if tool.get("type") == "function":
            name = inner.get("name") if isinstance(inner, Mapping) else None
            yield from _name_rule("openai.tools", f"{where}.function.name", name, None)


def _name_rule(rule: str, where: str, name: object, index: int | None) -> Iterator[Violation]:
    if not isinstance(name, str):
        yield Violation(rule, where, index, f"Missing required parameter: '{where}'.", _ERRORS)
    elif not _TOOL_NAME.fullmatch(name):
        said = _unlike(where, "^[a-zA-Z0-9_-]+$")
        yield Violation(rule, where, index, said, _ERRORS)


def _messages(messages: list[object]) -> Iterator[Violation]:
    open_ids: dict[str, bool] = {}
    caller = -1
    for index, message in enumerate(messages):
        where = f"messages[{index}]"
        role = message.get("role") if isinstance(message, Mapping) else None
        if role != "tool":
            yield from _unanswered(open_ids, caller)
            open_ids, caller = {}, -1
        if not isinstance(message, Mapping):
            yield Violation("openai.message", where, index, mistyped(where, "an object", message), _ERRORS)
            continue
        if role not in _ROLES:
            yield _role(message, index)
            continue
        yield from _content(message, str(role), index)
        if role == "assistant":
            yield from _calls(message, index)
            open_ids, caller = _call_ids(message), index
        elif role == "tool":
            yield from _answer(message, index, open_ids)
        elif role == "function" and not isinstance(message.get("name"), str):
            said = f"Missing parameter 'name': messages with role 'function' must have a 'name'. ({where})"
            yield Violation("openai.function-name", where, index, said, _ERRORS)
        name = message.get("name")
        if isinstance(name, str) and role in ("user", "system", "developer", "assistant") and not _SPEAKER.fullmatch(name):
            said = _unlike(f"{where}.name", r"^[^\s<|\\/>]+$")
            yield Violation("openai.name", f"{where}.name", index, said, _ERRORS)
    yield from _unanswered(open_ids, caller)


def _role(message: Mapping[str, object], index: int) -> Violation:
    where = f"messages[{index}].role"
    if message.get("role") is None:
        return Violation("openai.role", where, index, f"Missing required parameter: '{where}'.", _ERRORS)
    said = f"Invalid value: {message['role']!r}. Supported values are: " + ", ".join(map(repr, _ROLES)) + "."
    return Violation("openai.role", where, index, said, _ERRORS)


def _call_ids(message: Mapping[str, object]) -> dict[str, bool]:
    calls = message.get("tool_calls")
    if not isinstance(calls, list):
        return {}
    return {call["id"]: False for call in calls if isinstance(call, Mapping) and isinstance(call.get("id"), str)}


def _unanswered(open_ids: Mapping[str, bool], caller: int) -> Iterator[Violation]:
    missing = [call_id for call_id, answered in open_ids.items() if not answered]
    if missing:
        said = (
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
            f"The following tool_call_ids did not have response messages: {', '.join(missing)}"
        )
        yield Violation("openai.calls-answered", f"messages[{caller}]", caller, said, _ERRORS)


def _answer(message: Mapping[str, object], index: int, open_ids: dict[str, bool]) -> Iterator[Violation]:
    where = f"messages[{index}]"
    call_id = message.get("tool_call_id")
    if not isinstance(call_id, str):
        said = f"Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'. ({where})"
        yield Violation("openai.result-id", where, index, said, _ERRORS)
    elif call_id not in open_ids:
        said = "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
        yield Violation("openai.result-follows-call", where, index, said, _ERRORS)
    elif open_ids[call_id]:
        said = f"Duplicate value for 'tool_call_id' of '{call_id}' in {where}: one response for each call."
        yield Violation("openai.one-result-per-call", where, index, said, _REFERENCE)
    else:
        open_ids[call_id] = True


def _content(message: Mapping[str, object], role: str, index: int) -> Iterator[Violation]:
    where = f"messages[{index}].content"
    content = message.get("content")
    if content is None:
        acts = message.get("tool_calls") or message.get("function_call") or message.get("audio") or message.get("refusal")
        if role == "assistant" and (acts or message.get("tool_calls") == []):
            return
        if role == "function" and "content" in message:
            return
        said = "Invalid value for 'content': expected a string, got null."
        yield Violation("openai.content", where, index, f"{said} ({where})", _ERRORS)
    elif isinstance(content, list):
        # Beside calls some clients write an empty list, which compatible servers take for null.
        if not content and not (role == "assistant" and message.get("tool_calls")):
            yield Violation("openai.content", where, index, _empty(where), _ERRORS)
        for at, part in enumerate(content):
            yield from _part(part, role, f"{where}[{at}]", index)
    elif not isinstance(content, str):
        yield Violation("openai.content", where, index, mistyped(where, "a string or an array of objects", content), _ERRORS)


def _part(part: object, role: str, where: str, index: int) -> Iterator[Violation]:
    if not isinstance(part, Mapping):
        yield Violation("openai.content-part", where, index, mistyped(where, "an object", part), _ERRORS)
        return
    kind = part.get("type")
    allowed = _PARTS[role]
    if kind == "image_url" and role != "user":
        said = (
            f"Invalid 'messages[{index}]'. Image URLs are only allowed for messages with role 'user', "
            f"but this message with role '{role}' contains an image URL."
        )
        yield Violation("openai.content-part", where, index, said, _ERRORS)
    elif kind not in allowed:
        said = f"Invalid value: {kind!r}. Supported values are: " + ", ".join(map(repr, allowed)) + "."
        yield Violation("openai.content-part", f"{where}.type", index, said, _ERRORS)
    else:
        field = str(kind)
        value = part.get(field)
        if kind in ("text", "refusal") and not isinstance(value, str):
            yield Violation(
                "openai.content-part", f"{where}.{field}", index, mistyped(f"{where}.{field}", "a string", value), _ERRORS
            )
        elif kind in ("image_url", "input_audio", "file") and not isinstance(value, Mapping):
            yield Violation(
                "openai.content-part", f"{where}.{field}", index, mistyped(f"{where}.{field}", "an object", value), _ERRORS
            )


def _calls(message: Mapping[str, object], index: int) -> Iterator[Violation]:
    where = f"messages[{index}].tool_calls"
    calls = message.get("tool_calls")
    if calls is None:
        return
    if not isinstance(calls, list):
        yield Violation("openai.tool-calls", where, index, mistyped(where, "an array of objects", calls), _ERRORS)
        return
    if not calls:
        said = _empty(where)
        yield Violation("openai.tool-calls", where, index, said, _ERRORS)
    seen: set[str] = set()
    for at, call in enumerate(calls):
        place = f"{where}[{at}]"
        if not isinstance(call, Mapping):
            yield Violation("openai.tool-calls", place, index, mistyped(place, "an object", call), _ERRORS)
            continue
        yield from _call(call, place, index, seen)


def _call(call: Mapping[str, object], place: str, index: int, seen: set[str]) -> Iterator[Violation]:
    call_id, kind = call.get("id"), call.get("type")
    if not isinstance(call_id, str):
        yield Violation("openai.call-id", f"{place}.id", index, f"Missing required parameter: '{place}.id'.", _ERRORS)
    elif call_id in seen:
        said = f"Duplicate value '{call_id}' for '{place}.id': the ids of one message must differ."
        yield Violation("openai.call-id", f"{place}.id", index, said, _REFERENCE)
    else:
        seen.add(call_id)
    if kind not in ("function", "custom"):
        missing = f"Missing required parameter: '{place}.type'."
        said = missing if kind is None else f"Invalid value: {kind!r}. Supported values are: 'function', 'custom'."
        yield Violation("openai.call-type", f"{place}.type", index, said, _ERRORS)
        return
    inner = call.get(kind)
    field = "arguments" if kind == "function" else "input"
    if not isinstance(inner, Mapping):
        yield Violation("openai.call", f"{place}.{kind}", index, f"Missing required parameter: '{place}.{kind}'.", _ERRORS)
        return
    yield from _name_rule("openai.call-name", f"{place}.{kind}.name", inner.get("name"), index)
    if not isinstance(inner.get(field), str):
        said = mistyped(f"{place}.{kind}.{field}", "a string", inner.get(field))
        yield Violation("openai.arguments", f"{place}.{kind}.{field}", index, said, _ERRORS)
