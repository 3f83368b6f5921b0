"""Gemini generateContent: tools, generation settings and the system instruction, read and written.

Knows the top-level fields of the request; not the conversation. A request that comes back to this format keeps every field
verbatim, in the spelling it had. The model and whether to stream stand in the address of a request and not in its body.

Source: https://ai.google.dev/api/generate-content
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from ...jsontext import EMPTY, dumps, join_object, raw_items, raw_object
from ...messages import Message, Origin, Text, Tool, ToolChoice
from ..bodies import Body
from ..format import Frame, Head, RenderOptions
from ..losses import note_fields
from ..report import Notes, Report
from ..toolfields import SCHEMA_PROFILE, known_fields
from .parse import FORMAT, either
from .pieces import text_piece, tool_name
from .splice import splice_message

__all__ = ["parse_head", "render_frame"]

_SHARED = {
    ("temperature", "temperature"): "temperature",
    ("topP", "top_p"): "top_p",
    ("topK", "top_k"): "top_k",
    ("stopSequences", "stop_sequences"): "stop",
    ("seed", "seed"): "seed",
    ("presencePenalty", "presence_penalty"): "presence_penalty",
    ("frequencyPenalty", "frequency_penalty"): "frequency_penalty",
}
"""Both spellings of a member of ``generationConfig`` to the neutral name."""

_FROM_NEUTRAL = {neutral: camel for (camel, _), neutral in _SHARED.items()}

_MODES = {"AUTO": "auto", "ANY": "required", "NONE": "none", "VALIDATED": "auto"}
_EFFORTS = {"minimal": "minimal", "low": "low", "medium": "medium", "high": "high", "xhigh": "high", "max": "high"}
_TOOL_FIELDS = frozenset({"behavior", "response", "responseJsonSchema"})
"""Optional fields of a declaration (https://ai.google.dev/api/caching#FunctionDeclaration)."""
_DECLARATIONS = ("functionDeclarations", "function_declarations")
_PLACE = re.compile(r"tools\[(\d+)\](?:\.(\w+))?")


def parse_head(body: Body) -> Head:
    """The neutral view of everything but conversation and system instruction."""
    fields = body.fields
    params: dict[str, object] = {}
    unshared = [
        field
        for field, value in fields.items()
        if value is not None
        and field not in ("model", "generationConfig", "generation_config", "toolConfig", "tool_config", "tools")
    ]
    config = either(fields, "generationConfig", "generation_config")
    limit: object = None
    if isinstance(config, Mapping):
        limit = either(config, "maxOutputTokens", "max_output_tokens")
        unshared.extend(_parse_config(config, params))
    choice = either(fields, "toolConfig", "tool_config")
    model = fields.get("model")
    return Head(
        format=FORMAT,
        model=model.removeprefix("models/") if isinstance(model, str) else None,
        tools=tuple(_parse_tools(body.lists.get("tools", ()))),
        tool_choice=_parse_choice(choice) if isinstance(choice, Mapping) else None,
        max_output_tokens=limit if isinstance(limit, int) else None,
        params=params or EMPTY,
        fields=fields or EMPTY,
        unshared=tuple(unshared),
    )


def _parse_config(config: Mapping[str, object], params: dict[str, object]) -> Iterator[str]:
    """Fill ``params``; yields the settings that have no neutral name."""
    covered = {"maxOutputTokens", "max_output_tokens"}
    for (camel, snake), neutral in _SHARED.items():
        value = either(config, camel, snake)
        if value is not None:
            params[neutral] = value
            covered.update((camel, snake))
    schema = either(config, "responseJsonSchema", "response_json_schema")
    if schema is None:
        subset = either(config, "responseSchema", "response_schema")
        schema = _json_schema(subset) if isinstance(subset, Mapping) else None
    if schema is not None:
        params["json_schema"] = {"schema": schema}
        covered.update(("responseJsonSchema", "response_json_schema", "responseSchema", "response_schema"))
        covered.update(("responseMimeType", "response_mime_type"))
    thinking = either(config, "thinkingConfig", "thinking_config")
    if isinstance(thinking, Mapping) and isinstance(level := either(thinking, "thinkingLevel", "thinking_level"), str):
        params["reasoning_effort"] = level.lower()
        if len(thinking) == 1:
            covered.update(("thinkingConfig", "thinking_config"))
    for name, value in config.items():
        if name not in covered and value is not None:
            yield f"generationConfig.{name}"


def _parse_tools(items: Sequence[tuple[object, bytes]]) -> Iterator[Tool]:
    """One tool for each function declaration, one for each hosted tool beside them; ``place`` says where they stood."""
    for index, (value, raw) in enumerate(items):
        if not isinstance(value, Mapping):
            yield Tool("", kind="native", origin=Origin(FORMAT, raw, f"tools[{index}]"))
            continue
        rest = dict(value)
        for key in _DECLARATIONS:
            declared = rest.get(key)
            if isinstance(declared, list | tuple) and declared and all(isinstance(entry, Mapping) for entry in declared):
                del rest[key]
                exact = raw_items(raw_object(raw)[key])
                for declaration, text in zip(declared, exact, strict=True):
                    yield _parse_declaration(declaration, Origin(FORMAT, text, f"tools[{index}].{key}"))
        if rest or not value:
            members = raw_object(raw)
            kept = join_object({key: members[key] for key in rest})
            yield Tool(next(iter(rest), ""), kind="native", origin=Origin(FORMAT, kept, f"tools[{index}]"))


def _parse_declaration(value: Mapping[str, object], origin: Origin) -> Tool:
    schema = either(value, "parametersJsonSchema", "parameters_json_schema")
    if schema is None:
        subset = value.get("parameters")
        schema = _json_schema(subset) if isinstance(subset, Mapping) else None
    known = ("name", "description", "parameters", "parametersJsonSchema", "parameters_json_schema")
    extra = {key: item for key, item in value.items() if key not in known}
    return Tool(
        str(value.get("name", "")),
        str(value.get("description") or ""),
        schema if isinstance(schema, Mapping) else None,
        extra=extra or EMPTY,
        origin=origin,
    )


def _json_schema(schema: Mapping[str, object]) -> dict[str, object]:
    """JSON Schema from the API's own ``Schema``: type names in capitals, ``nullable``, counts as text, order of properties."""
    plain: dict[str, object] = {}
    for key, value in schema.items():
        if key == "type" and isinstance(value, str):
            plain["type"] = value.lower()
        elif key == "properties" and isinstance(value, Mapping):
            plain["properties"] = {
                name: _json_schema(item) if isinstance(item, Mapping) else item for name, item in value.items()
            }
        elif key == "items" and isinstance(value, Mapping):
            plain["items"] = _json_schema(value)
        elif key in ("anyOf", "any_of") and isinstance(value, list | tuple):
            plain["anyOf"] = [_json_schema(item) if isinstance(item, Mapping) else item for item in value]
        elif key.startswith(("min", "max")) and isinstance(value, str) and value.isdecimal():
            plain[key] = int(value)
        elif key not in ("nullable", "propertyOrdering", "property_ordering"):
            plain[key] = value
    if schema.get("nullable") is True and isinstance(plain.get("type"), str):
        plain["type"] = [plain["type"], "null"]
    return plain


def _parse_choice(config: Mapping[str, object]) -> ToolChoice | None:
    calling = either(config, "functionCallingConfig", "function_calling_config")
    if not isinstance(calling, Mapping):
        return None
    mode = _MODES.get(str(calling.get("mode", "")).upper())
    if mode is None:
        return None
    allowed = either(calling, "allowedFunctionNames", "allowed_function_names")
    if mode == "required" and isinstance(allowed, list | tuple) and len(allowed) == 1 and isinstance(allowed[0], str):
        return ToolChoice("tool", allowed[0])
    return ToolChoice(mode)


def render_frame(head: Head, system: Sequence[Message], options: RenderOptions, report: Report) -> Frame:
    """The request around the conversation, which stands last; tools and system instruction stand right before it."""
    tools = _render_tools(head.tools, report)
    members = _own_fields(head) if head.format == FORMAT else _foreign_fields(head, report, bool(tools))
    if tools:
        members["tools"] = tools
    place, instruction = _render_system(system, options, report)
    if instruction:
        members[place] = instruction
    before = join_object(members)[:-1] + (b"," if members else b"") + b'"contents":['
    return Frame(before, b"]}", tools, instruction)


def _own_fields(head: Head) -> dict[str, bytes]:
    members = {field: dumps(value) for field, value in head.fields.items()}
    key = "generation_config" if "generation_config" in head.fields else "generationConfig"
    config = head.fields.get(key)
    settings = dict(config) if isinstance(config, Mapping) else {}
    inner = "max_output_tokens" if "max_output_tokens" in settings else "maxOutputTokens"
    if head.max_output_tokens is not None and settings.get(inner) != head.max_output_tokens:
        settings[inner] = head.max_output_tokens
        members[key] = dumps(settings)
    return members


def _foreign_fields(head: Head, report: Report, has_tools: bool) -> dict[str, bytes]:
    config: dict[str, object] = {}
    if head.max_output_tokens is not None:
        config["maxOutputTokens"] = head.max_output_tokens
    if head.model is not None:
        report.add("skipped", "model", f"Gemini names the model in the address, not in the body: {head.model}")
    for name, value in head.params.items():
        if name in _FROM_NEUTRAL:
            config[_FROM_NEUTRAL[name]] = value
        elif name == "json_schema":
            config["responseMimeType"] = "application/json"
            config["responseJsonSchema"] = value.get("schema", value) if isinstance(value, Mapping) else value
        elif name == "reasoning_effort" and value == "none":
            config["thinkingConfig"] = {"thinkingBudget": 0}
        elif name == "reasoning_effort" and isinstance(value, str) and value in _EFFORTS:
            config["thinkingConfig"] = {"thinkingLevel": _EFFORTS[str(value)]}
            if _EFFORTS[str(value)] != value:
                report.add("degraded", name, f"Gemini knows no level {value!r}: {_EFFORTS[str(value)]!r} was written")
        elif name == "stream":
            if value:
                report.add("skipped", name, "Gemini says in the address whether to stream, not in the body")
        else:
            report.add("dropped", name, "Gemini has no such parameter")
    members: dict[str, bytes] = {}
    if config:
        members["generationConfig"] = dumps(config)
    if head.tool_choice is not None and not has_tools:
        # "Function calling config is set without function_declarations."
        report.add("dropped", "tool_choice", "a tool choice needs tools")
    elif head.tool_choice is not None:
        members["toolConfig"] = dumps(_render_choice(head.tool_choice, report))
    for field in head.unshared:
        report.add("dropped", field, f"only {head.format or 'the source'} knows this field")
    return members


def _render_choice(choice: ToolChoice, report: Report) -> dict[str, object]:
    calling: dict[str, object] = {"mode": {"auto": "AUTO", "none": "NONE"}.get(choice.mode, "ANY")}
    if choice.mode == "tool":
        calling["allowedFunctionNames"] = [tool_name(choice.name)]
    if choice.parallel is False:
        report.add("dropped", "tool_choice", "Gemini cannot be told to make one call at a time")
    return {"functionCallingConfig": calling}


class _ToolEntry:
    """One object of the ``tools`` list while it is put together."""

    __slots__ = ("declarations", "key", "members", "whole")

    def __init__(self) -> None:
        self.key = _DECLARATIONS[0]
        self.declarations: list[bytes] = []
        self.members: dict[str, bytes] = {}
        self.whole = b""

    def written(self) -> bytes:
        """The object as JSON."""
        if self.whole:
            return self.whole
        members = dict(self.members)
        if self.declarations:
            members[self.key] = b"[" + b",".join(self.declarations) + b"]"
        return join_object(members)


def _render_tools(tools: Sequence[Tool], report: Report) -> bytes:
    """The ``tools`` list: own tools in the objects they stood in, all others in one object of declarations."""
    entries: dict[int, _ToolEntry] = {}
    own: list[bytes] = []
    for tool in tools:
        found = _PLACE.fullmatch(tool.origin.place) if tool.origin is not None and tool.origin.format == FORMAT else None
        if tool.origin is None or found is None:
            declaration = _declaration(tool, report)
            if declaration is not None:
                own.append(declaration)
            continue
        entry = entries.setdefault(int(found[1]), _ToolEntry())
        if found[2]:
            entry.key = found[2]
            entry.declarations.append(tool.origin.raw)
        elif tool.origin.raw.startswith(b"{"):
            entry.members.update(raw_object(tool.origin.raw))
        else:
            entry.whole = tool.origin.raw
    if own:
        # The API wants all declarations in one object.
        last = next((entry for entry in reversed(list(entries.values())) if entry.declarations), None)
        if last is None:
            last = entries[max(entries, default=-1) + 1] = _ToolEntry()
        last.declarations.extend(own)
    if not entries:
        return b""
    return b"[" + b",".join([entries[index].written() for index in sorted(entries)]) + b"]"


def _declaration(tool: Tool, report: Report) -> bytes | None:
    place = f"tools[{tool.name}]"
    if tool.kind == "native":
        report.add("dropped", place, "a tool hosted by another provider")
        return None
    name = tool_name(tool.name)
    if name != tool.name:
        report.add("degraded", place, f"the tool name was written {name!r}")
    inner: dict[str, object] = {"name": name}
    if tool.description:
        inner["description"] = tool.description
    if tool.kind == "custom":
        report.add("degraded", place, "a tool with free-text input became one with an object around it")
        inner["parametersJsonSchema"] = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}
    elif tool.parameters:
        # What was converted to the API's own subset says ``nullable``, which JSON Schema does not know.
        own = tool.extra.get(SCHEMA_PROFILE) == "gemini"
        inner["parameters" if own else "parametersJsonSchema"] = tool.parameters
    inner.update(known_fields(tool, _TOOL_FIELDS, report))
    return dumps(inner)


def _render_system(system: Sequence[Message], options: RenderOptions, report: Report) -> tuple[str, bytes]:
    """Name and value of the system instruction; the value is empty where there is none."""
    place = next((message.origin.place for message in system if _is_own(message) and message.origin is not None), "")
    place = place or "systemInstruction"
    if len(system) == 1 and _is_own(system[0]):
        message = system[0]
        assert message.origin is not None
        raw = splice_message(message, Notes(report, options.words, "system")) if message.edits else message.origin.raw
        return place, raw or b""
    pieces: list[bytes] = []
    for index, message in enumerate(system):
        if _is_own(message):
            pieces.extend(_own_pieces(message, Notes(report, options.words, "system", index)))
            continue
        note_fields(message, report)
        if message.cache_breakpoint:
            report.add("dropped", "messages", "cache breakpoints: Gemini caches by itself or by name")
        for part in message.parts:
            if isinstance(part, Text):
                pieces.extend([text_piece(part.text)] if part.text else [])
            else:
                report.add("dropped", f"system[{index}]", "the system instruction holds text only")
    return place, b'{"parts":[' + b",".join(pieces) + b"]}" if pieces else b""


def _is_own(message: Message) -> bool:
    return message.origin is not None and message.origin.format == FORMAT and bool(message.origin.place)


def _own_pieces(message: Message, notes: Notes) -> list[bytes]:
    assert message.origin is not None
    raw = splice_message(message, notes) if message.edits else message.origin.raw
    if raw is None or raw == b'""':
        return []
    if raw.startswith(b'"'):
        return [b'{"text":' + raw + b"}"]
    listed = raw_object(raw).get("parts", b"")
    return raw_items(listed) if listed.startswith(b"[") else [listed] if listed.startswith(b"{") else []
