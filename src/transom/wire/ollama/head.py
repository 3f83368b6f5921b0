"""Ollama: model, tools and options, read and written.

Knows the top-level fields of the requests of ``/api/chat`` and ``/api/generate``; not the messages. A request that comes back
to this format keeps every field verbatim. An answer is streamed unless the request says otherwise, so what comes from elsewhere
always says.

Source: https://github.com/ollama/ollama/blob/main/docs/api.md, ``api/types.go`` (ChatRequest, GenerateRequest, Options).
"""

from __future__ import annotations

from collections.abc import Mapping

from ...jsontext import EMPTY, dumps, join_object
from ...messages import Origin, Tool
from ..bodies import Body
from ..format import Frame, Head
from ..report import Report
from ..toolfields import known_fields
from .parse import FORMAT

__all__ = ["CONVERSATION", "parse_head", "render_frame"]

CONVERSATION = "messages"

_ONE_PIECE = ("prompt", "suffix", "system", "template", "raw", "context", "images")
"""Fields of ``/api/generate`` that ``/api/chat`` has no place for."""

_OPTIONS = ("temperature", "top_p", "top_k", "seed", "presence_penalty", "frequency_penalty", "stop")
"""Members of ``options`` that others have too, by the same name."""

_SHARED = ("logprobs", "top_logprobs")


def parse_head(body: Body) -> Head:
    """The neutral view of everything but the conversation."""
    fields = {field: value for field, value in body.fields.items() if field != CONVERSATION}
    if body.lists.get("tools") == []:
        fields["tools"] = []
    options = fields.get("options")
    chosen: Mapping[str, object] = options if isinstance(options, Mapping) else EMPTY
    params = {name: chosen[name] for name in _OPTIONS if chosen.get(name) is not None}
    covered = {"model", "stream"}
    if not any(value is not None for name, value in chosen.items() if name not in _OPTIONS and name != "num_predict"):
        covered.add("options")
    if isinstance(params.get("stop"), str):
        params["stop"] = [params["stop"]]
    stream = fields.get("stream")
    if fields:
        params["stream"] = stream if isinstance(stream, bool) else True
    for field in _SHARED:
        if fields.get(field) is not None:
            params[field] = fields[field]
            covered.add(field)
    if isinstance(fields.get("format"), Mapping):
        params["json_schema"] = {"schema": fields["format"]}
        covered.add("format")
    if isinstance(fields.get("think"), str):
        params["reasoning_effort"] = fields["think"]
        covered.add("think")
    limit = chosen.get("num_predict")
    model = fields.get("model")
    return Head(
        format=FORMAT,
        model=model if isinstance(model, str) else None,
        tools=tuple([_tool(value, raw) for value, raw in body.lists.get("tools", [])]),
        # A negative number means without a limit, or as much as the window has room for.
        max_output_tokens=limit if isinstance(limit, int) and limit > 0 else None,
        params=params or EMPTY,
        fields=fields or EMPTY,
        unshared=tuple(field for field, value in fields.items() if field not in covered and value not in (None, "", [])),
    )


def _tool(value: object, raw: bytes) -> Tool:
    origin = Origin(FORMAT, raw)
    inner = value.get("function") if isinstance(value, Mapping) else None
    if not isinstance(value, Mapping) or not isinstance(inner, Mapping):
        kind = value.get("type") if isinstance(value, Mapping) else None
        return Tool(str(kind), kind="native", origin=origin)
    parameters = inner.get("parameters")
    extra = {key: item for key, item in inner.items() if key not in ("name", "description", "parameters")}
    extra.update({key: item for key, item in value.items() if key not in ("type", "function")})
    return Tool(
        str(inner.get("name", "")),
        str(inner.get("description") or ""),
        parameters if isinstance(parameters, Mapping) else None,
        "function",
        extra or EMPTY,
        origin,
    )


def render_frame(head: Head, report: Report) -> Frame:
    """The request around the conversation, which stands last."""
    rendered = [raw for raw in [_render_tool(tool, report) for tool in head.tools] if raw]
    if head.format == FORMAT:
        members = {field: dumps(value) for field, value in head.fields.items() if field not in _ONE_PIECE}
        if len(members) < len(head.fields):
            report.add("degraded", "prompt", "a prompt in one piece became a conversation")
    else:
        members = _members(head, report)
    tools = b"[" + b",".join(rendered) + b"]" if rendered else b""
    if tools:
        members["tools"] = tools
    before = join_object(members)[:-1] + (b"," if members else b"") + b'"messages":['
    return Frame(before, b"]}", tools=tools)


def _members(head: Head, report: Report) -> dict[str, bytes]:
    members: dict[str, bytes] = {}
    for field in head.unshared:
        report.add("dropped", field, f"a request field that only {head.format} knows")
    if head.model is not None:
        members["model"] = dumps(head.model)
    options: dict[str, object] = {}
    for name, value in head.params.items():
        if name in _OPTIONS:
            options[name] = value
        elif name in _SHARED:
            members[name] = dumps(value)
        elif name == "json_schema":
            members["format"] = dumps(_schema(value))
        elif name == "reasoning_effort":
            # A model that cannot reason, or not in steps, refuses the whole request for it.
            report.add("dropped", name, "Ollama takes it from few models only and refuses it for the others")
        elif name != "stream":
            report.add("dropped", name, "Ollama has no such parameter")
    if head.max_output_tokens is not None:
        options["num_predict"] = head.max_output_tokens
    if options:
        members["options"] = dumps(options)
    members["stream"] = dumps(head.params.get("stream") is True)
    choice = head.tool_choice
    if choice is not None and (choice.mode != "auto" or choice.parallel is False):
        report.add("dropped", "tool_choice", "Ollama leaves the choice of tools to the model")
    return members


def _schema(value: object) -> object:
    inner = value.get("schema") if isinstance(value, Mapping) else None
    return inner if isinstance(inner, Mapping) else value


def _render_tool(tool: Tool, report: Report) -> bytes | None:
    if tool.origin is not None and tool.origin.format == FORMAT:
        return tool.origin.raw
    if tool.kind == "native":
        report.add("dropped", f"tools[{tool.name}]", "a tool hosted by another provider")
        return None
    parameters: object = {"type": "object", "properties": {}} if tool.parameters is None else tool.parameters
    if tool.kind == "custom":
        report.add("degraded", f"tools[{tool.name}]", "a tool of free text takes an object with that text as input")
        parameters = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}
    known_fields(tool, (), report)
    return dumps(
        {"type": "function", "function": {"name": tool.name, "description": tool.description, "parameters": parameters}}
    )
