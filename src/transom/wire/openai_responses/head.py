"""OpenAI Responses: model, tools, tool choice, sampling and instructions, read and written.

Knows the top-level fields of the request; not its items.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...jsontext import EMPTY, dumps, join_object
from ...messages import Origin, Tool, ToolChoice
from ..bodies import Body
from ..format import Frame, Head
from ..report import Report
from ..toolfields import known_fields
from .parse import FORMAT

__all__ = ["CONVERSATION", "MIN_OUTPUT_TOKENS", "parse_head", "render_frame"]

CONVERSATION = "input"

MIN_OUTPUT_TOKENS = 16
"""The least ``max_output_tokens`` may be (error text of the API: "Expected a value >= 16")."""

_SHARED = (
    "temperature",
    "top_p",
    "stream",
    "user",
    "metadata",
    "store",
    "service_tier",
    "prompt_cache_key",
    "prompt_cache_retention",
    "safety_identifier",
    "top_logprobs",
)
"""Fields whose name here is the neutral one."""

_TOOL_FIELDS = frozenset({"allowed_callers", "async", "defer_loading", "output_schema"})
"""Optional fields of a tool (https://developers.openai.com/api/docs/guides/tools-tool-search, …/guides/function-calling)."""


def parse_head(body: Body) -> Head:
    """The neutral view of everything but the conversation and ``instructions``."""
    fields = {key: value for key, value in body.fields.items() if key != CONVERSATION and not _is_instructions(key, value)}
    if body.lists.get("tools") == []:
        fields["tools"] = []
    params: dict[str, object] = {field: fields[field] for field in _SHARED if fields.get(field) is not None}
    covered = {"model", "max_output_tokens", *params}
    covered.update(_nested(fields, params))
    choice = _choice(fields)
    if choice is not None:
        covered.update(("tool_choice", "parallel_tool_calls"))
    limit, model = fields.get("max_output_tokens"), fields.get("model")
    return Head(
        format=FORMAT,
        model=model if isinstance(model, str) else None,
        tools=tuple(_tool(value, raw) for value, raw in body.lists.get("tools", [])),
        tool_choice=choice,
        max_output_tokens=limit if isinstance(limit, int) else None,
        params=params or EMPTY,
        fields=fields or EMPTY,
        unshared=tuple(field for field, value in fields.items() if field not in covered and value not in (None, [])),
    )


def _is_instructions(key: str, value: object) -> bool:
    return key == "instructions" and isinstance(value, str)


def _nested(fields: Mapping[str, object], params: dict[str, object]) -> set[str]:
    """``reasoning.effort``, ``text.format`` and ``text.verbosity``; the fields that say nothing beyond them are covered."""
    covered: set[str] = set()
    reasoning, text = fields.get("reasoning"), fields.get("text")
    if isinstance(reasoning, Mapping) and isinstance(reasoning.get("effort"), str):
        params["reasoning_effort"] = reasoning["effort"]
        if not any(value is not None for key, value in reasoning.items() if key != "effort"):
            covered.add("reasoning")
    if isinstance(text, Mapping):
        wanted, rest = text.get("format"), set(text) - {"format", "verbosity"}
        if isinstance(text.get("verbosity"), str):
            params["verbosity"] = text["verbosity"]
        if isinstance(wanted, Mapping) and wanted.get("type") == "json_schema":
            params["json_schema"] = {key: value for key, value in wanted.items() if key != "type"}
            wanted = None
        if not rest and (wanted is None or (isinstance(wanted, Mapping) and wanted.get("type") == "text")):
            covered.add("text")
    return covered


def _tool(value: object, raw: bytes) -> Tool:
    origin = Origin(FORMAT, raw)
    if (
        not isinstance(value, Mapping)
        or value.get("type") not in ("function", "custom")
        or not isinstance(value.get("name"), str)
    ):
        kind = value.get("type") if isinstance(value, Mapping) else None
        return Tool(str(kind), kind="native", origin=origin)
    parameters = value.get("parameters")
    return Tool(
        str(value["name"]),
        str(value.get("description") or ""),
        parameters if isinstance(parameters, Mapping) else None,
        str(value["type"]),
        {key: item for key, item in value.items() if key not in ("type", "name", "description", "parameters")} or EMPTY,
        origin,
    )


def _choice(fields: Mapping[str, object]) -> ToolChoice | None:
    parallel = fields.get("parallel_tool_calls")
    allowed = parallel if isinstance(parallel, bool) else None
    choice = fields.get("tool_choice")
    if isinstance(choice, str):
        return ToolChoice(choice, parallel=allowed)
    if isinstance(choice, Mapping):
        named = choice.get("type") in ("function", "custom") and isinstance(choice.get("name"), str)
        return ToolChoice("tool", str(choice["name"]), allowed) if named else None
    return None if allowed is None else ToolChoice("auto", parallel=allowed)


def render_frame(head: Head, instructions: bytes, report: Report) -> Frame:
    """The request around the conversation, which stands last.

    Args:
        instructions: the field's value as JSON text, empty for none.
    """
    rendered = [raw for raw in (_render_tool(tool, report) for tool in head.tools) if raw]
    tools = b"[" + b",".join(rendered) + b"]" if rendered else b""
    if head.format == FORMAT:
        members = {field: dumps(value) for field, value in head.fields.items()}
    else:
        members = _members(head, report, has_tools=bool(tools))
    if instructions:
        members["instructions"] = instructions
    if tools:
        members["tools"] = tools
    before = join_object(members)[:-1] + (b"," if members else b"") + b'"input":['
    return Frame(before, b"]}", tools=tools, system=instructions)


def _members(head: Head, report: Report, *, has_tools: bool) -> dict[str, bytes]:
    members: dict[str, bytes] = {}
    for field in head.unshared:
        report.add("dropped", field, f"a request field that only {head.format} knows")
    if head.model is not None:
        members["model"] = dumps(head.model)
    if head.max_output_tokens is not None:
        if head.max_output_tokens < MIN_OUTPUT_TOKENS:
            report.add("degraded", "max_output_tokens", f"Responses takes no limit below {MIN_OUTPUT_TOKENS}")
        members["max_output_tokens"] = dumps(max(head.max_output_tokens, MIN_OUTPUT_TOKENS))
    text: dict[str, object] = {}
    for name, value in head.params.items():
        if name == "json_schema":
            text["format"] = {"type": "json_schema", **_schema(value)}
        elif name == "verbosity":
            text["verbosity"] = value
        elif name == "reasoning_effort":
            members["reasoning"] = dumps({"effort": value})
        elif name in _SHARED:
            members[name] = dumps(value)
        else:
            report.add("dropped", name, "Responses has no such parameter")
    if text:
        members["text"] = dumps(text)
    choice = head.tool_choice
    if choice is not None and not has_tools:
        report.add("dropped", "tool_choice", "a tool choice needs tools")
    elif choice is not None:
        kind = next((tool.kind for tool in head.tools if tool.name == choice.name and tool.kind == "custom"), "function")
        spelled: object = {"type": kind, "name": choice.name} if choice.mode == "tool" else choice.mode
        members["tool_choice"] = dumps(spelled)
        if choice.parallel is not None:
            members["parallel_tool_calls"] = dumps(choice.parallel)
    return members


def _schema(value: object) -> dict[str, object]:
    if isinstance(value, Mapping) and isinstance(value.get("schema"), Mapping):
        return {"name": "answer", **value}
    return {"name": "answer", "schema": value}


def _render_tool(tool: Tool, report: Report) -> bytes | None:
    if tool.origin is not None and tool.origin.format == FORMAT:
        return tool.origin.raw
    if tool.kind == "native":
        report.add("dropped", f"tools[{tool.name}]", "a tool hosted by another provider")
        return None
    spelled: dict[str, object] = {"type": tool.kind, "name": tool.name}
    if tool.description:
        spelled["description"] = tool.description
    fields = known_fields(tool, _TOOL_FIELDS | ({"format"} if tool.kind == "custom" else {"strict"}), report)
    if tool.kind != "custom":
        spelled["parameters"] = {"type": "object", "properties": {}} if tool.parameters is None else tool.parameters
        # Left out, Responses takes it as true and refuses most schemas; everywhere else it is false unless asked for.
        spelled["strict"] = fields.pop("strict", False) is True
    spelled.update(fields)
    return dumps(spelled)
