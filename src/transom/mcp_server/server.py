"""The server: what the SDK is told to answer with what.

Puts the parts together; each of them answers its own requests. Knows no transport.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import uuid4

from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.server.lowlevel.server import NotificationOptions
from mcp.server.models import InitializationOptions
from mcp.server.subscriptions import ListenHandler
from mcp_types import (
    CallToolRequestParams,
    CompleteRequestParams,
    GetPromptRequestParams,
    NotificationParams,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    SetLevelRequestParams,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    UnsubscribeRequestParams,
)

from ..store.store import Store
from ..toolbox.box import Toolbox
from ..wire.profiles import Profile
from .calling import Calls
from .changes import Changes
from .completing import Completing
from .failing import answer_failures
from .journal import Journal
from .listing import PAGE, ToolList
from .paging import page
from .prompts import Prompts
from .resources import Resources
from .sessions import Context, Sessions

__all__ = ["Face", "build"]

NAME = "transom"
FRESH = 60_000
"""Milliseconds for which a client of the stateless revision may keep the tool list; who listens hears of changes at once."""


class _Server(Server[None]):
    """The SDK's server, which says on every transport that its tool list may change."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, object]] | None = None,
        extensions: dict[str, dict[str, object]] | None = None,
    ) -> InitializationOptions:
        options = notification_options or NotificationOptions(tools_changed=True)
        return super().create_initialization_options(options, experimental_capabilities, extensions)


@dataclass(frozen=True, slots=True)
class Face:
    """A server and what transports need of it.

    Attributes:
        server: the SDK's.
        tools: the list it shows.
        calls: what is running.
        listening: the open streams of the stateless revision.
    """

    server: Server[None]
    tools: ToolList
    calls: Calls
    listening: ListenHandler


def build(
    toolbox: Toolbox,
    store: Store,
    *,
    version: str,
    profile: Profile = "default",
    discovery: bool = False,
    most: int | None = None,
    project: str | None = None,
    new_id: Callable[[], str] = lambda: uuid4().hex,
) -> Face:
    """The server of a toolbox.

    Args:
        toolbox, store: what it serves.
        version: ours, as clients show it.
        profile: the subset of JSON Schema that the client's model takes.
        discovery: list only the two tools that find and call the others.
        most: how many tools the client can take.
        project: the project of all its callers.
        new_id: makes the id of a session whose transport gave none.
    """
    words = toolbox.words.serving
    sessions = Sessions(toolbox.session, new_id)
    tools = ToolList(toolbox, profile=profile, discovery=discovery, most=most)
    calls = Calls(toolbox, tools, sessions, project=project)
    changes = Changes(toolbox.toggles, tools, sessions)
    journal = Journal(sessions)
    resources = Resources(store, words)
    prompts = Prompts(toolbox, store, sessions, words)
    completing = Completing(store)
    listening = ListenHandler(changes.bus)

    async def listed(context: Context, params: PaginatedRequestParams) -> dict[str, object]:
        sessions.of(context)
        shown, cursor = page(tools.shown(), params.cursor, PAGE, lambda item: str(item["name"]))
        made: dict[str, object] = {"tools": list(shown), "resultType": "complete"}
        return made | ({"nextCursor": cursor} if cursor else {})

    async def roots_changed(context: Context, _: NotificationParams) -> None:
        sessions.of(context).unsure = True

    @asynccontextmanager
    async def running(_: Server[None]) -> AsyncIterator[None]:
        async with changes.announced(), journal.kept():
            yield

    server = _Server(
        NAME,
        version=version,
        title=words.title,
        instructions=tools.instructions(),
        lifespan=running,
        cache_hints={"tools/list": CacheHint(ttl_ms=FRESH)},
    )
    server.middleware.append(answer_failures)
    answer = server.add_request_handler
    answer("tools/list", PaginatedRequestParams, listed)
    answer("tools/call", CallToolRequestParams, calls.handle)
    answer("resources/list", PaginatedRequestParams, resources.list)
    answer("resources/templates/list", PaginatedRequestParams, resources.templates)
    answer("resources/read", ReadResourceRequestParams, resources.read)
    answer("resources/subscribe", SubscribeRequestParams, resources.subscribe)
    answer("resources/unsubscribe", UnsubscribeRequestParams, resources.unsubscribe)
    answer("subscriptions/listen", SubscriptionsListenRequestParams, listening)
    answer("prompts/list", PaginatedRequestParams, prompts.list)
    answer("prompts/get", GetPromptRequestParams, prompts.get)
    answer("completion/complete", CompleteRequestParams, completing.handle)
    answer("logging/setLevel", SetLevelRequestParams, journal.set_level)
    server.add_notification_handler("notifications/roots/list_changed", NotificationParams, roots_changed)
    return Face(server, tools, calls, listening)
