"""OpenAI Chat Completions: model, tools, tool choice and sampling, read and written.

Knows the top-level fields of the request; not its messages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...jsontext import EMPTY, dumps, join_object
from ...messages import Origin, Tool, ToolChoice
from ..bodies import Body, as_item
from ..format import Frame, Head
from ..report import Report
from ..toolfields import known_fields
from .parse import FORMAT

__all__ = ["CONVERSATION", "parse_head", "render_frame"]

CONVERSATION = "messages"

_SHARED = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "stream": "stream",
    "seed": "seed",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
    "user": "user",
    "reasoning_effort": "reasoning_effort",
    "metadata": "metadata",
    "store": "store",
    "service_tier": "service_tier",
    "prompt_cache_key": "prompt_cache_key",
    "prompt_cache_retention": "prompt_cache_retention",
    "safety_identifier": "safety_identifier",
    "top_logprobs": "top_logprobs",
    "verbosity": "verbosity",
}
"""Our field name to the neutral one."""

_FROM_NEUTRAL = {neutral: field for field, neutral in _SHARED.items() if field != "top_k"}
"""``top_k`` is read (compatible servers take it) but never written for a conversation from elsewhere: OpenAI refuses it."""


def parse_head(body: Body) -> Head:
    """The neutral view of everything but the conversation."""
    fields = {**body.fields, **{field: [] for field in ("tools", "functions") if body.lists.get(field) == []}}
    params: dict[str, object] = {}
    covered = {"model", "max_tokens", "max_completion_tokens"}
    for field, neutral in _SHARED.items():
        if fields.get(field) is not None:
            params[neutral] = fields[field]
            covered.add(field)
    stop = fields.get("stop")
    if stop is not None:
        params["stop"] = [stop] if isinstance(stop, str) else stop
        covered.add("stop")
    wanted = fields.get("response_format")
    if isinstance(wanted, Mapping) and wanted.get("type") == "json_schema" and isinstance(wanted.get("json_schema"), Mapping):
        params["json_schema"] = wanted["json_schema"]
        covered.add("response_format")
    choice = _choice(fields)
    if choice is not None:
        covered.update(("tool_choice", "function_call", "parallel_tool_calls"))
    limit = fields.get("max_completion_tokens") or fields.get("max_tokens")
    model = fields.get("model")
    functions = [(value, raw, "functions") for value, raw in map(as_item, _listed(body, "functions"))]
    tools = [(value, raw, "") for value, raw in body.lists.get("tools", [])]
    return Head(
        format=FORMAT,
        model=model if isinstance(model, str) else None,
        tools=tuple(_tool(value, raw, place) for value, raw, place in (*tools, *functions)),
        tool_choice=choice,
        max_output_tokens=limit if isinstance(limit, int) else None,
        params=params or EMPTY,
        fields=fields or EMPTY,
        unshared=tuple(field for field, value in fields.items() if field not in covered and value is not None),
    )


def _listed(body: Body, field: str) -> list[object]:
    return [raw for _, raw in body.lists.get(field, [])]


def _tool(value: object, raw: bytes, place: str) -> Tool:
    origin = Origin(FORMAT, raw, place)
    kind = value.get("type") if isinstance(value, Mapping) else None
    inner = value if place else value.get(str(kind)) if isinstance(value, Mapping) else None
    if not isinstance(inner, Mapping) or (not place and kind not in ("function", "custom")):
        return Tool(str(kind), kind="native", origin=origin)
    parameters = inner.get("parameters")
    extra = {key: item for key, item in inner.items() if key not in ("name", "description", "parameters")}
    if not place and isinstance(value, Mapping):
        extra.update({key: item for key, item in value.items() if key not in ("type", kind)})
    return Tool(
        str(inner.get("name", "")),
        str(inner.get("description") or ""),
        parameters if isinstance(parameters, Mapping) else None,
        "custom" if kind == "custom" and not place else "function",
        extra or EMPTY,
        origin,
    )


def _choice(fields: Mapping[str, object]) -> ToolChoice | None:
    parallel = fields.get("parallel_tool_calls")
    allowed = parallel if isinstance(parallel, bool) else None
    choice = fields.get("tool_choice", fields.get("function_call"))
    if isinstance(choice, str):
        return ToolChoice(choice, parallel=allowed)
    if isinstance(choice, Mapping):
        inner = choice.get(str(choice.get("type")), choice)
        if isinstance(inner, Mapping) and isinstance(inner.get("name"), str):
            return ToolChoice("tool", str(inner["name"]), allowed)
        return None
    return None if allowed is None else ToolChoice("auto", parallel=allowed)


def render_frame(head: Head, report: Report) -> Frame:
    """The request around the conversation, which stands last."""
    rendered = [(tool, _render_tool(tool, report)) for tool in head.tools]
    if head.format == FORMAT:
        members = {field: dumps(value) for field, value in head.fields.items()}
    else:
        members = _members(head, [tool for tool, raw in rendered if raw], report)
    legacy = [raw for tool, raw in rendered if raw and _is_legacy(tool)]
    modern = [raw for tool, raw in rendered if raw and not _is_legacy(tool)]
    if legacy:
        members["functions"] = b"[" + b",".join(legacy) + b"]"
    tools = b"[" + b",".join(modern) + b"]" if modern else b""
    if tools:
        members["tools"] = tools
    before = join_object(members)[:-1] + (b"," if members else b"") + b'"messages":['
    return Frame(before, b"]}", tools=tools or members.get("functions", b""))


def _is_legacy(tool: Tool) -> bool:
    return tool.origin is not None and tool.origin.format == FORMAT and tool.origin.place == "functions"


def _members(head: Head, tools: Sequence[Tool], report: Report) -> dict[str, bytes]:
    members: dict[str, bytes] = {}
    for field in head.unshared:
        report.add("dropped", field, f"a request field that only {head.format} knows")
    if head.model is not None:
        members["model"] = dumps(head.model)
    if head.max_output_tokens is not None:
        members["max_completion_tokens"] = dumps(head.max_output_tokens)
    for name, value in head.params.items():
        if name == "json_schema":
            members["response_format"] = dumps({"type": "json_schema", "json_schema": _schema(value)})
        elif name == "stop":
            members["stop"] = dumps(_stops(value, report))
        elif name in _FROM_NEUTRAL:
            members[_FROM_NEUTRAL[name]] = dumps(value)
        else:
            report.add("dropped", name, "Chat Completions has no such parameter")
    choice = head.tool_choice
    if choice is not None and not tools:
        # "'tool_choice' is only allowed when 'tools' are specified."
        report.add("dropped", "tool_choice", "a tool choice needs tools")
    elif choice is not None:
        members["tool_choice"] = dumps(_render_choice(choice, tools))
        if choice.parallel is not None:
            members["parallel_tool_calls"] = dumps(choice.parallel)
    return members


def _schema(value: object) -> object:
    """The wrapper that OpenAI wants around a schema, where the source has none."""
    if isinstance(value, Mapping) and isinstance(value.get("schema"), Mapping):
        return value if value.get("name") else {"name": "answer", **value}
    return {"name": "answer", "schema": value}


def _stops(value: object, report: Report) -> object:
    if isinstance(value, Sequence) and len(value) > 4:
        report.add("degraded", "stop", f"Chat Completions takes 4 stop sequences, the last {len(value) - 4} were left out")
        return list(value[:4])
    return value


def _render_choice(choice: ToolChoice, tools: Sequence[Tool]) -> object:
    if choice.mode != "tool":
        return choice.mode
    kind = next((tool.kind for tool in tools if tool.name == choice.name and tool.kind == "custom"), "function")
    return {"type": kind, kind: {"name": choice.name}}


def _render_tool(tool: Tool, report: Report) -> bytes | None:
    if tool.origin is not None and tool.origin.format == FORMAT:
        return tool.origin.raw
    if tool.kind == "native":
        report.add("dropped", f"tools[{tool.name}]", "a tool hosted by another provider")
        return None
    inner: dict[str, object] = {"name": tool.name}
    if tool.description:
        inner["description"] = tool.description
    if tool.kind != "custom" and tool.parameters is not None:
        inner["parameters"] = tool.parameters
    inner.update(known_fields(tool, ("format",) if tool.kind == "custom" else ("strict",), report))
    return dumps({"type": tool.kind, tool.kind: inner})
