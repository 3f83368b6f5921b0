"""OpenAI Responses: what the API refuses, said before it does.

Knows the rules, in the API's own words (error texts of ``POST /v1/responses`` and the OpenAI API reference). Reads the body as
it is; nothing is parsed into messages first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ..mistyped import mistyped
from ..report import Violation
from .head import MIN_OUTPUT_TOKENS

__all__ = ["validate"]

_ERRORS = "OpenAI API, error text of POST /v1/responses"
_ROLES = ("assistant", "system", "developer", "user")
_INPUT_PARTS = ("input_text", "input_image", "input_file", "input_audio")
_OUTPUT_PARTS = ("output_text", "refusal")
_OUTPUT_ENTRIES = ("input_text", "input_image", "input_file")
_CALLS = {
    "function_call": ("function_call_output", "function call", "arguments"),
    "custom_tool_call": ("custom_tool_call_output", "custom tool call", "input"),
}
_PAIRED = {
    **{call: output for call, (output, _, _) in _CALLS.items()},
    "computer_call": "computer_call_output",
    "local_shell_call": "local_shell_call_output",
    "shell_call": "shell_call_output",
    "apply_patch_call": "apply_patch_call_output",
}
_OUTPUTS = {output: call for call, output in _PAIRED.items()}
_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_STATE = ("previous_response_id", "conversation")


def validate(body: object) -> list[Violation]:
    """Every rule of the API that the body breaks, in document order."""
    if isinstance(body, list):
        return sorted(_items(body, stateful=False), key=_index)
    if not isinstance(body, Mapping):
        return [Violation("responses.body", "body", None, "We could not parse the JSON body of your request.", _ERRORS)]
    found = list(_request(body))
    items = body.get("input")
    stateful = any(body.get(field) is not None for field in _STATE)
    if isinstance(items, list):
        found.extend(sorted(_items(items, stateful=stateful), key=_index))
    elif items is None:
        if not stateful and body.get("prompt") is None:
            said = "One of 'input', 'previous_response_id', 'prompt' or 'conversation' must be provided."
            found.append(Violation("responses.input", "input", None, said, _ERRORS))
    elif not isinstance(items, str):
        said = mistyped("input", "a string or an array of input items", items)
        found.append(Violation("responses.input", "input", None, said, _ERRORS))
    return found


def _index(violation: Violation) -> int:
    return -1 if violation.index is None else violation.index


def _missing(where: str) -> str:
    return f"Missing required parameter: '{where}'."


def _request(body: Mapping[str, object]) -> Iterator[Violation]:
    if not isinstance(body.get("model"), str) and body.get("prompt") is None:
        yield Violation("responses.model", "model", None, _missing("model"), _ERRORS)
    limit = body.get("max_output_tokens")
    if isinstance(limit, int) and limit < MIN_OUTPUT_TOKENS:
        expected = f"Expected a value >= {MIN_OUTPUT_TOKENS}, but got {limit} instead."
        said = f"Invalid 'max_output_tokens': integer below minimum value. {expected}"
        yield Violation("responses.max-output-tokens", "max_output_tokens", None, said, _ERRORS)
    tools = body.get("tools")
    if tools is not None and not isinstance(tools, list):
        yield Violation("responses.tools", "tools", None, mistyped("tools", "an array of objects", tools), _ERRORS)
    for index, tool in enumerate(tools if isinstance(tools, list) else ()):
        where = f"tools[{index}]"
        if not isinstance(tool, Mapping):
            yield Violation("responses.tools", where, None, mistyped(where, "an object", tool), _ERRORS)
        elif tool.get("type") is None:
            yield Violation("responses.tools", where, None, _missing(f"{where}.type"), _ERRORS)
        elif tool["type"] in ("function", "custom"):
            yield from _name(f"{where}.name", tool.get("name"), None)


def _name(where: str, name: object, index: int | None) -> Iterator[Violation]:
    if not isinstance(name, str):
        yield Violation("responses.name", where, index, _missing(where), _ERRORS)
    elif not _TOOL_NAME.fullmatch(name):
        said = (
            f"Invalid '{where}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
        )
        yield Violation("responses.name", where, index, said, _ERRORS)


def _items(items: list[object], *, stateful: bool) -> Iterator[Violation]:
    entries = [(index, item) for index, item in enumerate(items) if isinstance(item, Mapping)]
    for index, item in enumerate(items):
        if not isinstance(item, Mapping):
            where = f"input[{index}]"
            yield Violation("responses.item", where, index, mistyped(where, "an object", item), _ERRORS)
    seen: set[str] = set()
    for index, item in entries:
        yield from _item(item, index)
        item_id = item.get("id")
        if isinstance(item_id, str) and item_id:
            if item_id in seen:
                said = f"Duplicate item found with id {item_id}. Remove duplicate items from your input and try again."
                yield Violation("responses.item-id", f"input[{index}]", index, said, _ERRORS)
            seen.add(item_id)
    yield from _pairs(entries, stateful)
    yield from _reasoning(entries)


def _kind(item: Mapping[str, object]) -> object:
    return item.get("type", "message" if "role" in item else "item_reference")


def _item(item: Mapping[str, object], index: int) -> Iterator[Violation]:
    where = f"input[{index}]"
    kind = _kind(item)
    if not isinstance(kind, str):
        yield Violation("responses.item", f"{where}.type", index, mistyped(f"{where}.type", "a string", kind), _ERRORS)
    elif kind == "message":
        yield from _message(item, index)
    elif kind in _CALLS:
        field = _CALLS[kind][2]
        yield from _name(f"{where}.name", item.get("name"), index)
        if not isinstance(item.get(field), str):
            said = _missing(f"{where}.{field}") if field not in item else mistyped(f"{where}.{field}", "a string", item[field])
            yield Violation("responses.arguments", f"{where}.{field}", index, said, _ERRORS)
    elif kind in ("function_call_output", "custom_tool_call_output"):
        yield from _output(item.get("output"), f"{where}.output", index)
    if kind in _PAIRED or kind in _OUTPUTS:
        if not isinstance(item.get("call_id"), str) or not item["call_id"]:
            yield Violation("responses.call-id", f"{where}.call_id", index, _missing(f"{where}.call_id"), _ERRORS)
    elif kind == "item_reference" and not isinstance(item.get("id"), str):
        yield Violation("responses.item", f"{where}.id", index, _missing(f"{where}.id"), _ERRORS)


def _message(item: Mapping[str, object], index: int) -> Iterator[Violation]:
    where = f"input[{index}]"
    role, content = item.get("role"), item.get("content")
    if role not in _ROLES:
        supported = ", ".join(map(repr, _ROLES))
        said = _missing(f"{where}.role") if role is None else f"Invalid value: {role!r}. Supported values are: {supported}."
        yield Violation("responses.role", f"{where}.role", index, said, _ERRORS)
        return
    if isinstance(content, list):
        allowed = _OUTPUT_PARTS if role == "assistant" else _INPUT_PARTS
        for at, part in enumerate(content):
            yield from _part(part, allowed, f"{where}.content[{at}]", index)
    elif not isinstance(content, str):
        place = f"{where}.content"
        said = _missing(place) if content is None else mistyped(place, "one of an array of objects or string", content)
        yield Violation("responses.content", place, index, said, _ERRORS)


def _part(part: object, allowed: tuple[str, ...], where: str, index: int) -> Iterator[Violation]:
    if not isinstance(part, Mapping):
        yield Violation("responses.content", where, index, mistyped(where, "an object", part), _ERRORS)
        return
    kind = part.get("type")
    if kind not in allowed:
        said = f"Invalid value: {kind!r}. Supported values are: {' and '.join(map(repr, allowed))}."
        yield Violation("responses.content", f"{where}.type", index, said, _ERRORS)
        return
    field = "refusal" if kind == "refusal" else "text"
    if (str(kind).endswith("text") or kind == "refusal") and not isinstance(part.get(field), str):
        said = mistyped(f"{where}.{field}", "a string", part.get(field))
        yield Violation("responses.content", f"{where}.{field}", index, said, _ERRORS)


def _output(output: object, where: str, index: int) -> Iterator[Violation]:
    if isinstance(output, list):
        for at, part in enumerate(output):
            yield from _part(part, _OUTPUT_ENTRIES, f"{where}[{at}]", index)
    elif not isinstance(output, str):
        said = _missing(where) if output is None else mistyped(where, "one of an array of objects or string", output)
        yield Violation("responses.output", where, index, said, _ERRORS)


def _pairs(entries: list[tuple[int, Mapping[str, object]]], stateful: bool) -> Iterator[Violation]:
    """Every call has its output and every output its call, joined by ``call_id``, in any distance."""
    calls: set[tuple[str, str]] = set()
    outputs: set[tuple[str, str]] = set()
    for _, item in entries:
        kind, call_id = _kind(item), item.get("call_id")
        if isinstance(kind, str) and isinstance(call_id, str):
            if kind in _PAIRED:
                calls.add((kind, call_id))
            elif kind in _OUTPUTS:
                outputs.add((_OUTPUTS[kind], call_id))
    for index, item in entries:
        kind, call_id = _kind(item), item.get("call_id")
        if not isinstance(kind, str) or not isinstance(call_id, str):
            continue
        if kind in _PAIRED and (kind, call_id) not in outputs:
            said = f"No tool output found for {kind.replace('_', ' ')} {call_id}."
            yield Violation("responses.call-answered", f"input[{index}]", index, said, _ERRORS)
        elif kind in _OUTPUTS and (_OUTPUTS[kind], call_id) not in calls and not stateful:
            said = f"No tool call found for {_OUTPUTS[kind].replace('_', ' ')} output with call_id {call_id}."
            yield Violation("responses.result-follows-call", f"input[{index}]", index, said, _ERRORS)


def _reasoning(entries: list[tuple[int, Mapping[str, object]]]) -> Iterator[Violation]:
    """A stored reasoning item is followed by what the model did after it."""
    for place, (index, item) in enumerate(entries):
        item_id = item.get("id")
        if item.get("type") != "reasoning":
            continue
        if not isinstance(item.get("summary"), list):
            where = f"input[{index}].summary"
            yield Violation("responses.reasoning", where, index, _missing(where), _ERRORS)
        following = entries[place + 1][1] if place + 1 < len(entries) else None
        if isinstance(item_id, str) and (following is None or not _by_model(following)):
            said = f"Item '{item_id}' of type 'reasoning' was provided without its required following item."
            yield Violation("responses.reasoning-followed", f"input[{index}]", index, said, _ERRORS)


def _by_model(item: Mapping[str, object]) -> bool:
    kind = _kind(item)
    if kind == "message":
        return item.get("role") == "assistant"
    return isinstance(kind, str) and kind not in _OUTPUTS and not kind.endswith(("_output", "_response"))
