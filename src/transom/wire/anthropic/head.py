"""Anthropic Messages: model, tools, sampling and the system prompt, read and written.

Knows the top-level fields of the request; not the conversation. A request that comes back to this format keeps every field
verbatim (``context_management``, ``betas``, ``thinking``, ``metadata``, …).

Source: https://platform.claude.com/docs/en/api/messages
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...jsontext import EMPTY, dumps, join_object, raw_items
from ...messages import Message, Origin, Text, Tool, ToolChoice
from ..bodies import Body
from ..format import Frame, Head, RenderOptions
from ..losses import note_fields
from ..report import Notes, Report
from ..toolfields import known_fields
from .blocks import block_without_marker, blocks_without_markers, text_block, tool_name, with_marker
from .parse import FORMAT
from .render import marker_of
from .splice import splice_content

__all__ = ["DEFAULT_MAX_TOKENS", "parse_head", "render_frame"]

DEFAULT_MAX_TOKENS = 8192
"""``max_tokens`` is required; what is asked for where the source names no limit. Every model still served allows it."""

_SHARED = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "stop_sequences": "stop",
    "stream": "stream",
    "service_tier": "service_tier",
}
"""Our field name to the neutral one, where the value is the same."""

_FROM_NEUTRAL = {"stop": "stop_sequences", "stream": "stream"}

_REFUSED = frozenset({"temperature", "top_p", "top_k"})
"""Read, but never written for a conversation from elsewhere: since API version 2026-10-21, which the official SDKs send, they
are an error (https://platform.claude.com/docs/en/api/versioning)."""

_EFFORTS = {"minimal": "low", "low": "low", "medium": "medium", "high": "high", "xhigh": "xhigh", "max": "max"}

_TOOL_FIELDS = frozenset(
    {"allowed_callers", "cache_control", "defer_loading", "eager_input_streaming", "input_examples", "strict"}
)
"""Optional fields of a tool (https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-reference)."""

_MODES = {"auto": "auto", "any": "required", "none": "none", "tool": "tool"}
_TYPES = {mode: kind for kind, mode in _MODES.items()}


def parse_head(body: Body) -> Head:
    """The neutral view of everything but conversation and system prompt."""
    fields = body.fields
    params: dict[str, object] = {}
    covered = {"model", "max_tokens", "tool_choice"}
    for field, neutral in _SHARED.items():
        if fields.get(field) is not None:
            params[neutral] = fields[field]
            covered.add(field)
    metadata = fields.get("metadata")
    if isinstance(metadata, Mapping) and isinstance(metadata.get("user_id"), str):
        params["user"] = metadata["user_id"]
        if len(metadata) == 1:
            covered.add("metadata")
    output = fields.get("output_config")
    if isinstance(output, Mapping):
        if isinstance(output.get("effort"), str):
            params["reasoning_effort"] = output["effort"]
        wanted = output.get("format")
        if isinstance(wanted, Mapping) and wanted.get("type") == "json_schema" and "schema" in wanted:
            params["json_schema"] = {"schema": wanted["schema"]}
        if set(output) <= {"effort", "format"}:
            covered.add("output_config")
    model, limit = fields.get("model"), fields.get("max_tokens")
    return Head(
        format=FORMAT,
        model=model if isinstance(model, str) else None,
        tools=tuple([_parse_tool(value, raw) for value, raw in body.lists.get("tools", ())]),
        tool_choice=_parse_choice(fields.get("tool_choice")),
        max_output_tokens=limit if isinstance(limit, int) else None,
        params=params or EMPTY,
        fields=fields or EMPTY,
        unshared=tuple([field for field, value in fields.items() if field not in covered and value is not None]),
    )


def _parse_tool(value: object, raw: bytes) -> Tool:
    origin = Origin(FORMAT, raw)
    if not isinstance(value, Mapping):
        return Tool("", kind="native", origin=origin)
    name = str(value.get("name", ""))
    if value.get("type") not in (None, "custom"):
        return Tool(name, kind="native", origin=origin)
    schema = value.get("input_schema")
    extra = {key: item for key, item in value.items() if key not in ("type", "name", "description", "input_schema")}
    return Tool(
        name,
        str(value.get("description") or ""),
        schema if isinstance(schema, Mapping) else None,
        extra=extra or EMPTY,
        origin=origin,
    )


def _parse_choice(value: object) -> ToolChoice | None:
    kind = value.get("type") if isinstance(value, Mapping) else None
    if not isinstance(value, Mapping) or not isinstance(kind, str) or kind not in _MODES:
        return None
    disabled = value.get("disable_parallel_tool_use")
    name = value.get("name")
    parallel = not disabled if isinstance(disabled, bool) else None
    return ToolChoice(_MODES[kind], name if isinstance(name, str) else "", parallel)


def render_frame(head: Head, system: Sequence[Message], options: RenderOptions, report: Report) -> Frame:
    """The request around the conversation, which stands last; tools and system prompt stand right before it."""
    tools = [raw for tool in head.tools if (raw := _render_tool(tool, options, report)) is not None]
    members = _own_fields(head) if head.format == FORMAT else _foreign_fields(head, report, bool(tools))
    whole = head.format == FORMAT and "model" in head.fields
    if head.model is not None and "max_tokens" not in members and not whole:
        # A body of ours that was read without a limit stays as it is; what never was a whole request is completed.
        members["max_tokens"] = dumps(DEFAULT_MAX_TOKENS)
        report.add(
            "degraded", "max_tokens", f"Anthropic requires a limit and the source has none: {DEFAULT_MAX_TOKENS} was written"
        )
    plain_tools = b""
    if tools:
        members["tools"] = b"[" + b",".join(tools) + b"]"
        plain_tools = blocks_without_markers(members["tools"])
    plain, marked = _render_system(system, options, report)
    if marked:
        members["system"] = marked
    before = join_object(members)[:-1] + (b"," if members else b"") + b'"messages":['
    return Frame(before, b"]}", plain_tools, plain)


def _own_fields(head: Head) -> dict[str, bytes]:
    members = {field: dumps(value) for field, value in head.fields.items()}
    if head.model is not None and head.model != head.fields.get("model"):
        members["model"] = dumps(head.model)
    if head.max_output_tokens is not None and head.max_output_tokens != head.fields.get("max_tokens"):
        members["max_tokens"] = dumps(head.max_output_tokens)
    return members


def _foreign_fields(head: Head, report: Report, has_tools: bool) -> dict[str, bytes]:
    members: dict[str, bytes] = {}
    if head.model is not None:
        members["model"] = dumps(head.model)
    if head.max_output_tokens is not None:
        members["max_tokens"] = dumps(head.max_output_tokens)
    output: dict[str, object] = {}
    for name, value in head.params.items():
        if name in _FROM_NEUTRAL:
            members[_FROM_NEUTRAL[name]] = dumps(value)
        elif name in _REFUSED:
            report.add("dropped", name, "Anthropic refuses sampling parameters since API version 2026-10-21")
        elif name == "user":
            members["metadata"] = dumps({"user_id": value})
        elif name == "json_schema":
            inner = value.get("schema", value) if isinstance(value, Mapping) else value
            output["format"] = {"type": "json_schema", "schema": inner}
        elif name == "reasoning_effort" and value == "none":
            members["thinking"] = dumps({"type": "disabled"})
        elif name == "reasoning_effort" and isinstance(value, str) and value in _EFFORTS:
            output["effort"] = _EFFORTS[str(value)]
            if output["effort"] != value:
                report.add("degraded", name, f"Anthropic knows no effort {value!r}: {output['effort']!r} was written")
        else:
            report.add("dropped", name, "Anthropic Messages has no such parameter")
    if output:
        members["output_config"] = dumps(output)
    if head.tool_choice is not None and not has_tools:
        # "tool_choice may only be specified while providing tools."
        report.add("dropped", "tool_choice", "a tool choice needs tools")
    elif head.tool_choice is not None:
        members["tool_choice"] = dumps(_render_choice(head.tool_choice))
    for field in head.unshared:
        report.add("dropped", field, f"only {head.format or 'the source'} knows this field")
    return members


def _render_choice(choice: ToolChoice) -> dict[str, object]:
    wanted: dict[str, object] = {"type": _TYPES.get(choice.mode, "auto")}
    if choice.mode == "tool":
        wanted["name"] = tool_name(choice.name)
    if choice.parallel is not None and choice.mode != "none":
        wanted["disable_parallel_tool_use"] = not choice.parallel
    return wanted


def _render_tool(tool: Tool, options: RenderOptions, report: Report) -> bytes | None:
    if tool.origin is not None and tool.origin.format == FORMAT:
        return tool.origin.raw
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
        inner["input_schema"] = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}
    else:
        inner["input_schema"] = _object_schema(tool.parameters)
    known = _TOOL_FIELDS if options.cache_markers else _TOOL_FIELDS - {"cache_control"}
    inner.update(known_fields(tool, known, report))
    return dumps(inner)


def _object_schema(parameters: Mapping[str, object] | None) -> Mapping[str, object]:
    """The API wants ``"type": "object"`` at the top."""
    if not parameters:
        return {"type": "object", "properties": {}}
    return parameters if parameters.get("type") == "object" else {**parameters, "type": "object"}


def _render_system(system: Sequence[Message], options: RenderOptions, report: Report) -> tuple[bytes, bytes]:
    """The ``system`` value without and with cache markers; both empty where there is no system prompt."""
    if len(system) == 1 and _is_own(system[0]) and not system[0].edits:
        assert system[0].origin is not None
        raw = system[0].origin.raw
        plain = blocks_without_markers(raw)
        asked = system[0].cache_breakpoint and options.cache_markers
        if plain is not raw or not asked:
            return plain, raw if asked else plain
    plain_blocks: list[bytes] = []
    marked_blocks: list[bytes] = []
    for index, message in enumerate(system):
        for block in _system_blocks(message, Notes(report, options.words, "system", index), report):
            plain_blocks.append(block_without_marker(block))
            marked_blocks.append(block if options.cache_markers and message.cache_breakpoint else plain_blocks[-1])
        if message.cache_breakpoint and options.cache_markers and plain_blocks and not _is_marked(message):
            marked_blocks[-1] = with_marker(marked_blocks[-1], marker_of(message))
    if not plain_blocks:
        return b"", b""
    return b"[" + b",".join(plain_blocks) + b"]", b"[" + b",".join(marked_blocks) + b"]"


def _is_own(message: Message) -> bool:
    return message.origin is not None and message.origin.format == FORMAT and message.origin.place == "system"


def _is_marked(message: Message) -> bool:
    """Whether the bytes it was read from carry a marker already."""
    return _is_own(message) and message.origin is not None and b'"cache_control"' in message.origin.raw


def _system_blocks(message: Message, notes: Notes, report: Report) -> list[bytes]:
    if _is_own(message) and message.origin is not None:
        raw = splice_content(message.origin.raw, message.edits, notes) if message.edits else message.origin.raw
        return _as_blocks(raw)
    note_fields(message, report)
    blocks: list[bytes] = []
    for part in message.parts:
        if not isinstance(part, Text):
            notes("dropped", "the system prompt holds text only")
        elif part.text.strip():
            blocks.append(text_block(part.text))
    return blocks


def _as_blocks(raw: bytes | None) -> list[bytes]:
    """A ``system`` value as blocks, whichever of its two forms it has."""
    if raw is None or raw in (b'""', b"null"):
        return []
    return raw_items(raw) if raw.startswith(b"[") else [b'{"type":"text","text":' + raw + b"}"]
