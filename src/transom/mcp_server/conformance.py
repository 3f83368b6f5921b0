"""What the protocol's conformance suite expects to find on a server: tools, resources and prompts of fixed names.

``transom mcp --conformance`` puts them beside the product's own, so that the suite drives the server that users run. Nothing
else loads this module. Names and texts are the suite's (modelcontextprotocol/conformance, server scenarios).
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from uuid import uuid4

from mcp.server.context import HandlerResult
from mcp.server.streamable_http import EventCallback, EventId, EventMessage, EventStore, StreamId
from mcp.shared.message import ServerMessageMetadata
from mcp_types import (
    CallToolRequestParams,
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    EmptyResult,
    GetPromptRequestParams,
    JSONRPCMessage,
    LoggingMessageNotification,
    LoggingMessageNotificationParams,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    SamplingMessage,
    SubscribeRequestParams,
    TextContent,
    UnsubscribeRequestParams,
)
from pydantic import BaseModel

from .server import Face
from .sessions import Context

__all__ = ["Events", "add_fixtures"]

Answer = dict[str, object]
Tool = Callable[[Context, Mapping[str, object]], Awaitable[Answer]]

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
PAUSE = 0.05
"""Seconds between messages of one call, as the suite asks for."""
_TEMPLATE = re.compile(r"test://template/([^/]+)/data")


def _text(text: str) -> Answer:
    return {"type": "text", "text": text}


def _image() -> Answer:
    return {"type": "image", "data": PNG, "mimeType": "image/png"}


def _resource(uri: str, kind: str, text: str) -> Answer:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": text}}


def _object(**properties: object) -> Answer:
    return {"type": "object", "properties": properties}


def _choices(*names: str) -> list[Answer]:
    return [{"const": f"value{number}", "title": name} for number, name in enumerate(names, 1)]


_THREE = ["option1", "option2", "option3"]
_DEFAULTS = _object(
    name={"type": "string", "default": "John Doe"},
    age={"type": "integer", "default": 30},
    score={"type": "number", "default": 95.5},
    status={"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    verified={"type": "boolean", "default": True},
)
_ENUMS = _object(
    untitledSingle={"type": "string", "enum": _THREE},
    titledSingle={"type": "string", "oneOf": _choices("First Option", "Second Option", "Third Option")},
    legacyEnum={
        "type": "string",
        "enum": ["opt1", "opt2", "opt3"],
        "enumNames": ["Option One", "Option Two", "Option Three"],
    },
    untitledMulti={"type": "array", "items": {"type": "string", "enum": _THREE}},
    titledMulti={"type": "array", "items": {"anyOf": _choices("First Choice", "Second Choice", "Third Choice")}},
)
_USER = {**_object(username={"type": "string"}, email={"type": "string"}), "required": ["username", "email"]}


def _always(*content: Answer, failed: bool = False) -> Tool:
    async def call(_: Context, __: Mapping[str, object]) -> Answer:
        return {"content": list(content), "isError": failed}

    return call


async def _with_logging(context: Context, _: Mapping[str, object]) -> Answer:
    for said in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        message = LoggingMessageNotification(params=LoggingMessageNotificationParams(level="info", data=said))
        await context.session.send_notification(message, related_request_id=context.request_id)
        await asyncio.sleep(PAUSE)
    return {"content": [_text("Logged three times.")]}


async def _with_progress(context: Context, _: Mapping[str, object]) -> Answer:
    for done in (0, 50, 100):
        await context.session.report_progress(done, 100)
        await asyncio.sleep(PAUSE)
    return {"content": [_text("Reported three times.")]}


async def _sampling(context: Context, arguments: Mapping[str, object]) -> Answer:
    asked = SamplingMessage(role="user", content=TextContent(text=str(arguments.get("prompt", ""))))
    request = CreateMessageRequest(params=CreateMessageRequestParams(messages=[asked], max_tokens=100))
    reply = await context.session.send_request(request, CreateMessageResult, metadata=_related(context))
    said = reply.content.text if isinstance(reply.content, TextContent) else ""
    return {"content": [_text(f"LLM response: {said}")]}


def _eliciting(schema: Mapping[str, object], told: str) -> Tool:
    async def call(context: Context, arguments: Mapping[str, object]) -> Answer:
        message = str(arguments.get("message", "Please fill this in."))
        request = ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=dict(schema)))
        reply = await context.session.send_request(request, ElicitResult, metadata=_related(context))
        return {"content": [_text(f"{told}: action={reply.action}, content={json.dumps(reply.content)}")]}

    return call


async def _reconnection(context: Context, _: Mapping[str, object]) -> Answer:
    if context.close_sse_stream is not None:
        await context.close_sse_stream()
    await asyncio.sleep(2 * PAUSE)
    return {"content": [_text("Answered after the stream was closed.")]}


def _related(context: Context) -> ServerMessageMetadata:
    return ServerMessageMetadata(related_request_id=context.request_id)


_NO_ARGUMENTS = _object()
_TOOLS: Mapping[str, tuple[Answer, Tool]] = {
    "test_simple_text": (_NO_ARGUMENTS, _always(_text("This is a simple text response for testing."))),
    "test_image_content": (_NO_ARGUMENTS, _always(_image())),
    "test_audio_content": (_NO_ARGUMENTS, _always({"type": "audio", "data": WAV, "mimeType": "audio/wav"})),
    "test_embedded_resource": (
        _NO_ARGUMENTS,
        _always(_resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")),
    ),
    "test_multiple_content_types": (
        _NO_ARGUMENTS,
        _always(
            _text("Multiple content types test:"),
            _image(),
            _resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
        ),
    ),
    "test_tool_with_logging": (_NO_ARGUMENTS, _with_logging),
    "test_tool_with_progress": (_NO_ARGUMENTS, _with_progress),
    "test_error_handling": (
        _NO_ARGUMENTS,
        _always(_text("This tool intentionally returns an error for testing"), failed=True),
    ),
    "test_sampling": ({**_object(prompt={"type": "string"}), "required": ["prompt"]}, _sampling),
    "test_elicitation": (
        {**_object(message={"type": "string"}), "required": ["message"]},
        _eliciting(_USER, "User response"),
    ),
    "test_elicitation_sep1034_defaults": (_NO_ARGUMENTS, _eliciting(_DEFAULTS, "Elicitation completed")),
    "test_elicitation_sep1330_enums": (_NO_ARGUMENTS, _eliciting(_ENUMS, "Elicitation completed")),
    "test_reconnection": (_NO_ARGUMENTS, _reconnection),
    "json_schema_2020_12_tool": (
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {"address": _object(street={"type": "string"}, city={"type": "string"})},
            "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
            "additionalProperties": False,
        },
        _always(_text("Called.")),
    ),
}
_RESOURCES: Mapping[str, Answer] = {
    "test://static-text": {"mimeType": "text/plain", "text": "This is the content of the static text resource."},
    "test://static-binary": {"mimeType": "image/png", "blob": PNG},
    "test://watched-resource": {"mimeType": "text/plain", "text": "Watched."},
}
_PROMPTS: Mapping[str, tuple[str, ...]] = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
}


def _messages(name: str, given: Mapping[str, str]) -> list[Answer]:
    match name:
        case "test_prompt_with_arguments":
            shown = [_text(f"Prompt with arguments: arg1='{given.get('arg1', '')}', arg2='{given.get('arg2', '')}'")]
        case "test_prompt_with_embedded_resource":
            embedded = _resource(given.get("resourceUri", ""), "text/plain", "Embedded resource content for testing.")
            shown = [embedded, _text("Please process the embedded resource above.")]
        case "test_prompt_with_image":
            shown = [_image(), _text("Please analyze the image above.")]
        case _:
            shown = [_text("This is a simple prompt for testing.")]
    return [{"role": "user", "content": content} for content in shown]


class Events(EventStore):
    """What was sent, for a client that comes back: one list for all sessions, which only a test may have."""

    def __init__(self) -> None:
        self._events: list[tuple[EventId, StreamId, JSONRPCMessage | None]] = []

    async def store_event(self, stream_id: StreamId, message: JSONRPCMessage | None) -> EventId:
        """Keep an event."""
        event_id = uuid4().hex
        self._events.append((event_id, stream_id, message))
        return event_id

    async def replay_events_after(self, last_event_id: EventId, send_callback: EventCallback) -> StreamId | None:
        """Send what came after an event on its stream."""
        known = [event_id for event_id, _, _ in self._events]
        if last_event_id not in known:
            return None
        start = known.index(last_event_id)
        stream = self._events[start][1]
        for event_id, stream_id, message in self._events[start + 1 :]:
            if stream_id == stream and message is not None:
                await send_callback(EventMessage(message, event_id))
        return stream


def add_fixtures(face: Face) -> Events:
    """Put the suite's tools, resources and prompts beside those that are there.

    Returns:
        what keeps the streams that the suite comes back to; for ``serve_http``.
    """
    server = face.server

    def usual(method: str) -> Callable[[Context, BaseModel], Awaitable[HandlerResult]]:
        entry = server.get_request_handler(method)
        assert entry is not None
        return entry.handler

    list_tools, call_tool, list_resources = usual("tools/list"), usual("tools/call"), usual("resources/list")
    list_templates, read, list_prompts = usual("resources/templates/list"), usual("resources/read"), usual("prompts/list")
    get_prompt, watch, unwatch = usual("prompts/get"), usual("resources/subscribe"), usual("resources/unsubscribe")

    async def tools(context: Context, params: PaginatedRequestParams) -> Answer:
        own: list[Answer] = [
            {"name": name, "description": "For the conformance suite.", "inputSchema": schema}
            for name, (schema, _) in _TOOLS.items()
        ]
        return _added(await list_tools(context, params), "tools", own)

    async def call(context: Context, params: CallToolRequestParams) -> HandlerResult:
        if params.name in _TOOLS:
            return await _TOOLS[params.name][1](context, params.arguments or {})
        return await call_tool(context, params)

    async def resources(context: Context, params: PaginatedRequestParams) -> Answer:
        own: list[Answer] = [{"uri": uri, "name": uri, "description": "For the conformance suite."} for uri in _RESOURCES]
        return _added(await list_resources(context, params), "resources", own)

    async def templates(context: Context, params: PaginatedRequestParams) -> Answer:
        own: list[Answer] = [
            {"uriTemplate": "test://template/{id}/data", "name": "test", "description": "For the conformance suite."}
        ]
        return _added(await list_templates(context, params), "resourceTemplates", own)

    async def contents(context: Context, params: ReadResourceRequestParams) -> HandlerResult:
        if params.uri in _RESOURCES:
            return {"contents": [{"uri": params.uri, **_RESOURCES[params.uri]}]}
        if found := _TEMPLATE.fullmatch(params.uri):
            text = json.dumps({"id": found[1], "templateTest": True, "data": f"Data for ID: {found[1]}"})
            return {"contents": [{"uri": params.uri, "mimeType": "application/json", "text": text}]}
        return await read(context, params)

    async def prompts(context: Context, params: PaginatedRequestParams) -> Answer:
        own: list[Answer] = [
            {
                "name": name,
                "description": "For the conformance suite.",
                "arguments": [{"name": argument, "required": True} for argument in arguments],
            }
            for name, arguments in _PROMPTS.items()
        ]
        return _added(await list_prompts(context, params), "prompts", own)

    async def prompt(context: Context, params: GetPromptRequestParams) -> HandlerResult:
        if params.name in _PROMPTS:
            return {"messages": _messages(params.name, params.arguments or {})}
        return await get_prompt(context, params)

    async def subscribed(context: Context, params: SubscribeRequestParams) -> HandlerResult:
        return EmptyResult() if params.uri in _RESOURCES else await watch(context, params)

    async def unsubscribed(context: Context, params: UnsubscribeRequestParams) -> HandlerResult:
        return EmptyResult() if params.uri in _RESOURCES else await unwatch(context, params)

    server.add_request_handler("tools/list", PaginatedRequestParams, tools)
    server.add_request_handler("tools/call", CallToolRequestParams, call)
    server.add_request_handler("resources/list", PaginatedRequestParams, resources)
    server.add_request_handler("resources/templates/list", PaginatedRequestParams, templates)
    server.add_request_handler("resources/read", ReadResourceRequestParams, contents)
    server.add_request_handler("resources/subscribe", SubscribeRequestParams, subscribed)
    server.add_request_handler("resources/unsubscribe", UnsubscribeRequestParams, unsubscribed)
    server.add_request_handler("prompts/list", PaginatedRequestParams, prompts)
    server.add_request_handler("prompts/get", GetPromptRequestParams, prompt)
    return Events()


def _added(answer: HandlerResult, name: str, own: list[Answer]) -> Answer:
    shown = answer.model_dump(mode="json", by_alias=True, exclude_none=True) if isinstance(answer, BaseModel) else answer or {}
    return {**shown, name: [*shown[name], *own]}
